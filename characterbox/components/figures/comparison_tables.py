"""Judges beside each other, and what a study of the same kind would need."""

from collections.abc import Mapping, Sequence

from annotations.comparing import Williams
from annotations.components import VarianceComponents
from annotations.judge_report import Judges
from annotations.planning import MOST_SCENES, Design, LeastDesign
from annotations.resampling import Interval
from annotations.undefined import Undefined
from characterbox.components.figures.cells import Notes, data, table
from characterbox.components.figures.estimate_cells import estimate_cell, p_value, row, text_cell, undefined_cell
from characterbox.components.figures.words import counted, decimal, metric_label

PAIR_HEADS = ("r of the first", "r of the second", "Difference", "Williams' t", "Zou's interval")
SOURCE_HEADS = ("Model", "Scene", "Rater", "Model x scene", "Model x rater", "Scene x rater", "Rest", "Ratings, n")
NEGATIVE = "the estimate is negative, and set to 0: there are too few data to tell it from 0"
UNREACHED = f"not even {MOST_SCENES:,} scenes reach it"


def comparison_table(found: Mapping[tuple[str, str], Judges], improvised: frozenset[str]) -> str:
    """Two judges a row, on overall. `improvised` are the judges of whose ratings the rehearsal gave some."""
    notes = Notes()
    rows = [
        row(" and ".join(pair), _pair(both, notes), improvised=not improvised.isdisjoint(pair))
        for pair, both in found.items()
    ]
    return table("Judges compared", PAIR_HEADS, [f"<tbody>{''.join(rows)}</tbody>"], notes)


def components_table(found: Mapping[str, VarianceComponents | Undefined]) -> str:
    """What the experts' scores vary by, in shares."""
    notes = Notes()
    rows = [row(metric_label(metric), _components(one, notes)) for metric, one in found.items()]
    return table("Variance components", SOURCE_HEADS, [f"<tbody>{''.join(rows)}</tbody>"], notes)


def design_table(found: Mapping[str, LeastDesign | Undefined], experts: Sequence[int]) -> str:
    """With so many experts, how many scenes reach the wished reliability."""
    notes = Notes()
    heads = [counted(number, "expert") for number in experts]
    rows = [row(metric_label(metric), _scenes(one, experts, notes)) for metric, one in found.items()]
    return table("Scenes that are needed", heads, [f"<tbody>{''.join(rows)}</tbody>"], notes)


def _pair(both: Judges, notes: Notes) -> list[str]:
    found = both.comparison
    if isinstance(found, Undefined):
        return [f'<td class="cb-undefined" colspan="{len(PAIR_HEADS)}">undefined: {data(found.reason)}</td>']
    cells = [estimate_cell(one, notes, of="items") for one in (found.first_r, found.second_r, found.difference)]
    return [*cells, _williams(found.williams, notes), _zou(found.zou, notes)]


def _williams(found: Williams | Undefined, notes: Notes) -> str:
    if isinstance(found, Undefined):
        return undefined_cell(found, notes)
    return text_cell(f"t({found.df:,}) = {decimal(found.t)}, p {_told(p_value(found.p))}")


def _zou(found: Interval | Undefined, notes: Notes) -> str:
    if isinstance(found, Undefined):
        return undefined_cell(found, notes)
    return text_cell(f"[{decimal(found.low)}, {decimal(found.high)}]")


def _told(p: str) -> str:
    return p if p.startswith("<") else f"= {p}"


def _components(found: VarianceComponents | Undefined, notes: Notes) -> list[str]:
    if isinstance(found, Undefined):
        return [f'<td class="cb-undefined" colspan="{len(SOURCE_HEADS)}">undefined: {data(found.reason)}</td>']
    shown: Sequence[str] = ("model", "scene", "rater", "model x scene", "model x rater", "scene x rater")
    rest = sum(one.share for name, one in found.components.items() if name not in shown)
    return [*(_share(found, name, notes) for name in shown), text_cell(f"{rest:.0%}"), text_cell(f"{found.n:,}")]


def _share(found: VarianceComponents, name: str, notes: Notes) -> str:
    one = found.components[name]
    mark = notes.mark(NEGATIVE) if one.unbiased < 0 else ""
    return f"<td>{one.share:.0%}{mark}</td>"


def _scenes(found: LeastDesign | Undefined, experts: Sequence[int], notes: Notes) -> list[str]:
    if isinstance(found, Undefined):
        return [f'<td class="cb-undefined" colspan="{len(experts)}">undefined: {data(found.reason)}</td>']
    needed = {design.experts: design for design in found.choices}
    return [_needed(needed.get(number), notes) for number in experts]


def _needed(design: Design | None, notes: Notes) -> str:
    if design is None:
        return f"<td>none{notes.mark(UNREACHED)}</td>"
    ratings = f"{design.ratings:,} ratings a model"
    return f'<td><b>{counted(design.scenes, "scene")}</b> <span class="cb-n">{ratings}</span></td>'
