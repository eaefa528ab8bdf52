"""The deeper figures, each worked out when it is looked at. All of this is called in the process beside the app (see
`aside`), on ratings that `reckoning` keeps there."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from annotations.components import VarianceComponents, variance_components
from annotations.consistency import Consistency
from annotations.judge_report import JudgeReport, Judges, judge_report, judges_beside
from annotations.planning import LeastDesign, least_design
from annotations.rater_report import BetweenRaters, between_experts, consistencies
from annotations.undefined import Undefined, or_undefined
from characterbox.components.figures.reckoning import Source, at_hand

MOST_JUDGES = 8
"""Judges that are compared two by two: 28 pairs."""


@dataclass(frozen=True)
class Raters:
    """What the ratings say of those who gave them."""

    between: Mapping[str, BetweenRaters]
    """Of the experts, by metric."""
    together: Mapping[str | None, Mapping[str, Consistency | Undefined]]
    """By judge (None for the experts) and dimension."""


@dataclass(frozen=True)
class Plan:
    """What the experts' scores vary by, and what would make a ranking of models reliable."""

    components: Mapping[str, VarianceComponents | Undefined]
    designs: Mapping[str, LeastDesign | Undefined]


def raters_of(source: Source, language: str | None) -> Raters:
    """Agreement and consistency. Raises Gone, and AnnotationError if there are no statistics."""
    table = at_hand(source)
    design, frame = table.report(language).design, table.usable(language)
    return Raters(between_experts(frame, design), consistencies(frame, design))


def judge_of(source: Source, language: str | None, judge: str) -> JudgeReport:
    """One judge in depth. Raises Gone, and AnnotationError if there are no statistics."""
    table = at_hand(source)
    design, frame = table.report(language).design, table.usable(language)
    return judge_report(frame, judge, design)


def judges_of(source: Source, language: str | None) -> Mapping[tuple[str, str], Judges]:
    """Judges two by two, on overall; of more than `MOST_JUDGES`, the first. Raises Gone, and AnnotationError."""
    table = at_hand(source)
    design, frame = table.report(language).design, table.usable(language)
    pairs = combinations(design.judges[:MOST_JUDGES], 2)
    return {(first, second): judges_beside(frame, (first, second), design) for first, second in pairs}


def plan_of(source: Source, language: str | None, wished: float) -> Plan:
    """Variance components, and the least design that reaches a wished generalizability.

    Raises Gone, and AnnotationError if there are no statistics.
    """
    table = at_hand(source)
    design, frame = table.report(language).design, table.usable(language)
    found = {metric: or_undefined(variance_components, frame, metric) for metric in design.metrics}
    designs = {
        metric: one if isinstance(one, Undefined) else or_undefined(least_design, one, wished)
        for metric, one in found.items()
    }
    return Plan(found, designs)
