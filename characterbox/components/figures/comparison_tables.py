"""Judges beside each other, and what a study of the same kind would need."""

from collections.abc import Mapping, Sequence

from annotations.comparing import Williams
from annotations.components import VarianceComponents
from annotations.judge_report import Judges
from annotations.planning import LeastDesign
from annotations.resampling import Interval
from annotations.undefined import Undefined
from characterbox.components.figures.cells import Notes, data, table
from characterbox.components.figures.estimate_cells import estimate_cell, p_value, row, text_cell, undefined_cell
from characterbox.components.figures.words import decimal, metric_label

PAIR_HEADS = ("r of the first", "r of the second", "Difference", "Williams' t", "Zou's interval")
PLAN_HEADS = ("Model", "Scene", "Rater", "Model x scene", "Model x rater", "Scene x rater", "Rest", "Least design")


def comparison_table(found: Mapping[tuple[str, str], Judges]) -> str:
    """Two judges a row, on overall."""
    notes = Notes()
    rows = [row(f"{first} and {second}", _pair(both, notes)) for (first, second), both in found.items()]
    return table("Judges compared", PAIR_HEADS, [f"<tbody>{''.join(rows)}</tbody>"], notes)


def planning_table(
    found: Mapping[str, VarianceComponents | Undefined], designs: Mapping[str, LeastDesign | Undefined]
) -> str:
    """What the experts' scores vary by, in shares, and the least design that reaches the wished reliability."""
    notes = Notes()
    rows = [row(metric_label(metric), _components(one, designs[metric], notes)) for metric, one in found.items()]
    return table("Variance components", PLAN_HEADS, [f"<tbody>{''.join(rows)}</tbody>"], notes)


def _pair(both: Judges, notes: Notes) -> list[str]:
    found = both.comparison
    if isinstance(found, Undefined):
        return [f'<td class="cb-undefined" colspan="{len(PAIR_HEADS)}">undefined: {data(found.reason)}</td>']
    cells = [estimate_cell(one, notes) for one in (found.first_r, found.second_r, found.difference)]
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


def _components(found: VarianceComponents | Undefined, design: LeastDesign | Undefined, notes: Notes) -> list[str]:
    if isinstance(found, Undefined):
        return [f'<td class="cb-undefined" colspan="{len(PLAN_HEADS)}">undefined: {data(found.reason)}</td>']
    shown: Sequence[str] = ("model", "scene", "rater", "model x scene", "model x rater", "scene x rater")
    shares = [_share(found, name, notes) for name in shown]
    rest = sum(one.share for name, one in found.components.items() if name not in shown)
    return [*shares, text_cell(f"{rest:.0%}"), _design(design, notes)]


def _share(found: VarianceComponents, name: str, notes: Notes) -> str:
    one = found.components[name]
    text = f"the estimate is negative ({one.unbiased:.3f}), and set to 0: there are too few data to tell it from 0"
    mark = notes.mark(f"{found.metric}, {name}: {text}") if one.unbiased < 0 else ""
    return f"<td>{one.share:.0%}{mark}</td>"


def _design(design: LeastDesign | Undefined, notes: Notes) -> str:
    if isinstance(design, Undefined):
        return undefined_cell(design, notes)
    best = design.best
    others = "; ".join(f"{one.experts} x {one.scenes}" for one in design.choices if one != best)
    mark = notes.mark(f"{design.metric}, experts x scenes that reach it as well: {others}") if others else ""
    return f'<td><b>{best.experts} x {best.scenes}</b>{mark} <span class="cb-n">experts x scenes</span></td>'
