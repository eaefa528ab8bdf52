"""Judges beside each other, and what a study of the same kind would need."""

from collections.abc import Mapping, Sequence

from annotations.comparing import Williams
from annotations.components import VarianceComponents
from annotations.improvised import judge_called
from annotations.judge_report import Judges
from annotations.planning import MOST_SCENES, Design, LeastDesign
from annotations.resampling import Interval
from annotations.undefined import Undefined
from annotations.wording import say, to_say
from characterbox.components.figures.cells import Notes, table, undefined_cells
from characterbox.components.figures.estimate_cells import (
    estimate_cell,
    p_value,
    row,
    text_cell,
    undefined_cell,
)
from characterbox.components.figures.words import N_ITEMS, counted, decimal, metric_label

PAIR_HEADS = (
    to_say("r of the first"),
    to_say("r of the second"),
    to_say("Difference"),
    to_say("Williams' t"),
    to_say("Zou's interval"),
)
SOURCE_HEADS = (
    to_say("Model"),
    to_say("Scene"),
    to_say("Rater"),
    to_say("Model x scene"),
    to_say("Model x rater"),
    to_say("Scene x rater"),
    to_say("Rest"),
    to_say("Ratings, n"),
)
NEGATIVE = to_say("the estimate is negative, and set to 0: there are too few data to tell it from 0")
UNREACHED = to_say("not even {most:,} scenes reach it")


def comparison_table(found: Mapping[tuple[str, str], Judges], improvised: frozenset[str]) -> str:
    """Two judges a row, on overall. `improvised` are the judges of whose ratings the rehearsal gave some."""
    notes = Notes()
    rows = [
        row(
            say("{first} and {second}", first=called[0], second=called[1]),
            _pair(both, notes),
            improvised=not improvised.isdisjoint(pair),
        )
        for pair, both in found.items()
        if (called := [judge_called(judge, judge in improvised) for judge in pair])
    ]
    return table(say("Judges compared"), list(map(say, PAIR_HEADS)), [f"<tbody>{''.join(rows)}</tbody>"], notes)


def components_table(found: Mapping[str, VarianceComponents | Undefined]) -> str:
    """What the experts' scores vary by, in shares."""
    notes = Notes()
    rows = [row(metric_label(metric), _components(one, notes)) for metric, one in found.items()]
    return table(say("Variance components"), list(map(say, SOURCE_HEADS)), [f"<tbody>{''.join(rows)}</tbody>"], notes)


def design_table(found: Mapping[str, LeastDesign | Undefined], experts: Sequence[int]) -> str:
    """With so many experts, how many scenes reach the wished reliability."""
    notes = Notes()
    heads = [counted(number, "expert") for number in experts]
    rows = [row(metric_label(metric), _scenes(one, experts, notes)) for metric, one in found.items()]
    return table(say("Scenes that are needed"), heads, [f"<tbody>{''.join(rows)}</tbody>"], notes)


def _pair(both: Judges, notes: Notes) -> list[str]:
    found = both.comparison
    if isinstance(found, Undefined):
        return [undefined_cells(found.reason, len(PAIR_HEADS))]
    cells = [estimate_cell(one, notes, of=N_ITEMS) for one in (found.first_r, found.second_r, found.difference)]
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
        return [undefined_cells(found.reason, len(SOURCE_HEADS))]
    shown: Sequence[str] = ("model", "scene", "rater", "model x scene", "model x rater", "scene x rater")
    rest = sum(one.share for name, one in found.components.items() if name not in shown)
    return [*(_share(found, name, notes) for name in shown), text_cell(f"{rest:.0%}"), text_cell(f"{found.n:,}")]


def _share(found: VarianceComponents, name: str, notes: Notes) -> str:
    one = found.components[name]
    mark = notes.mark(say(NEGATIVE)) if one.unbiased < 0 else ""
    return f"<td>{one.share:.0%}{mark}</td>"


def _scenes(found: LeastDesign | Undefined, experts: Sequence[int], notes: Notes) -> list[str]:
    if isinstance(found, Undefined):
        return [undefined_cells(found.reason, len(experts))]
    needed = {design.experts: design for design in found.choices}
    return [_needed(needed.get(number), notes) for number in experts]


def _needed(design: Design | None, notes: Notes) -> str:
    if design is None:
        return f"<td>{say('none')}{notes.mark(say(UNREACHED, most=MOST_SCENES))}</td>"
    ratings = say("{n:,} ratings a model", n=design.ratings)
    return f'<td><b>{counted(design.scenes, "scene")}</b> <span class="cb-n">{ratings}</span></td>'
