"""Judges beside each other, and what a study of the same kind would need."""

from collections.abc import Mapping, Sequence

from annotations.components import VarianceComponents
from annotations.improvised import judge_called
from annotations.judge_report import Judges
from annotations.planning import MOST_SCENES, Design, LeastDesign
from annotations.table import Content, Part, Row, Table, labelled, plain_table
from annotations.undefined import Undefined
from annotations.wording import say, to_say
from characterbox.components.figures.estimate_cells import estimate_cell, figure_cell, limits, p_value
from characterbox.components.figures.words import N_ITEMS, counted, decimal, metric_label

PAIR_HEADS = (
    to_say("r of the first"),
    to_say("r of the second"),
    to_say("Difference"),
    to_say("Williams' t"),
    to_say("Zou's interval"),
)
SOURCES = {
    "model": to_say("Model"),
    "scene": to_say("Scene"),
    "rater": to_say("Rater"),
    "model x scene": to_say("Model x scene"),
    "model x rater": to_say("Model x rater"),
    "scene x rater": to_say("Scene x rater"),
}
SOURCE_HEADS = (*SOURCES.values(), to_say("Rest"), to_say("Ratings, n"))
NEGATIVE = to_say("the estimate is negative, and set to 0: there are too few data to tell it from 0")
UNREACHED = to_say("not even {most:,} scenes reach it")


def comparison_table(found: Mapping[tuple[str, str], Judges], improvised: frozenset[str]) -> Table:
    """Two judges a row, on overall. `improvised` are the judges of whose ratings the rehearsal gave some."""
    rows = []
    for pair, both in found.items():
        first, second = (judge_called(judge, judge in improvised) for judge in pair)
        label = labelled(
            say("{first} and {second}", first=first, second=second), improvised=not improvised.isdisjoint(pair)
        )
        rows.append(Row(label, _pair(both)))
    return plain_table(say("Judges compared"), map(say, PAIR_HEADS), rows)


def components_table(found: Mapping[str, VarianceComponents | Undefined]) -> Table:
    """What the experts' scores vary by, in shares."""
    rows = [Row(metric_label(metric), _components(one)) for metric, one in found.items()]
    return plain_table(say("Variance components"), map(say, SOURCE_HEADS), rows)


def design_table(found: Mapping[str, LeastDesign | Undefined], experts: Sequence[int]) -> Table:
    """With so many experts, how many scenes reach the wished reliability."""
    rows = []
    for metric, one in found.items():
        if isinstance(one, Undefined):
            rows.append(Row(metric_label(metric), one))
        else:
            needed = {design.experts: design for design in one.choices}
            rows.append(Row(metric_label(metric), [_needed(needed.get(number)) for number in experts]))
    return plain_table(say("Scenes that are needed"), [counted(number, "expert") for number in experts], rows)


def _pair(both: Judges) -> Sequence[Content] | Undefined:
    found = both.comparison
    if isinstance(found, Undefined):
        return found
    williams: Content
    if isinstance(found.williams, Undefined):
        williams = found.williams
    else:
        p = p_value(found.williams.p)
        told = p if p.startswith("<") else f"= {p}"
        williams = f"t({found.williams.df:,}) = {decimal(found.williams.t)}, p {told}"
    zou = found.zou if isinstance(found.zou, Undefined) else limits(found.zou, kind="plain")
    return [
        *(estimate_cell(one, of=N_ITEMS) for one in (found.first_r, found.second_r, found.difference)),
        williams,
        zou,
    ]


def _components(found: VarianceComponents | Undefined) -> Sequence[Content] | Undefined:
    if isinstance(found, Undefined):
        return found
    shares: list[Content] = []
    for name in SOURCES:
        one = found.components[name]
        shares.append(Part(f"{one.share:.0%}", notes=(say(NEGATIVE),) if one.unbiased < 0 else ()))
    rest = sum(one.share for name, one in found.components.items() if name not in SOURCES)
    return [*shares, f"{rest:.0%}", f"{found.n:,}"]


def _needed(design: Design | None) -> Content:
    if design is None:
        return Part(say("none"), notes=(say(UNREACHED, most=MOST_SCENES),))
    return figure_cell(counted(design.scenes, "scene"), say("{n:,} ratings a model", n=design.ratings))
