"""The deeper figures, each worked out when it is looked at. All of this is called in the process beside the app (see
`process`), on ratings that `compute` keeps there."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from annotations.design.planning import LeastDesign, least_design
from annotations.errors import Undefined, or_undefined
from annotations.i18n.translation import say
from annotations.reliability.agreement import Repeats
from annotations.reliability.item_analysis import Consistency, InterMetric, inter_metric_correlations
from annotations.reliability.raters import RaterFigures, rater_figures
from annotations.reliability.variance_components import VarianceComponents, variance_components
from annotations.report.caveat import Caveat
from annotations.report.judge_report import JudgeReport, Judges, across_judges, judge_report, judges_beside
from annotations.report.per_metric import (
    BetweenRaters,
    Part,
    PartReliability,
    between_experts,
    consistencies,
    rater_caveats,
    reliability_by_part,
    scores_of_side,
)
from annotations.rubrics.rubric import load_rubric
from annotations.validity.judge_expert_correlation import OVERALL
from characterbox.campaigns.oversight import repeats_by_rater
from characterbox.components.figures.background.compute import Gone, Source, Stored, at_hand, store_of
from characterbox.components.figures.background.selection import Selection
from characterbox.judging.experiments import Findings, findings

MOST_JUDGES = 8
"""Judges that are compared two by two: 28 pairs."""


@dataclass(frozen=True)
class Raters:
    """What the ratings say of those who gave them."""

    between: Mapping[str, BetweenRaters]
    """Of the experts, by metric."""
    together: Mapping[str | None, Mapping[str, Consistency | Undefined]]
    """By judge (None for the experts) and dimension."""
    each: Mapping[str, RaterFigures] | Undefined
    """Every expert beside the others."""
    repeats: Mapping[str, Repeats | Undefined]
    """Of the experts who met items again, by name; a file has none."""
    caveats: tuple[Caveat, ...]


@dataclass(frozen=True)
class Side:
    """The experts, or one judge, in more detail."""

    by_part: Mapping[Part, PartReliability]
    correlations: InterMetric | Undefined


@dataclass(frozen=True)
class Plan:
    """What the experts' scores vary by, and what would make a ranking of models reliable."""

    components: Mapping[str, VarianceComponents | Undefined]
    designs: Mapping[str, LeastDesign | Undefined]


def raters_of(source: Source, selection: Selection) -> Raters:
    """Agreement and consistency. Raises Gone, and AnnotationError if there are no statistics."""
    table = at_hand(source)
    design, frame = table.report(selection).design, table.usable(selection)
    together = consistencies(frame, design)
    found = or_undefined(rater_figures, frame)
    return Raters(
        between_experts(frame, design),
        together,
        found if isinstance(found, Undefined) else found.figures,
        repeats_by_rater(store_of(source.url), load_rubric().name) if isinstance(source, Stored) else {},
        rater_caveats(frame, design, together),
    )


def side_of(source: Source, selection: Selection, side: str | None, metric: str) -> Side:
    """The experts (None) or a judge by language and model; agreement between experts on one metric.

    Raises Gone, and AnnotationError if there are no statistics.
    """
    table = at_hand(source)
    design, frame = table.report(selection).design, table.usable(selection)
    single = [metric for metric in design.metrics if metric != OVERALL]
    return Side(
        reliability_by_part(frame, design, side, metric),
        or_undefined(inter_metric_correlations, scores_of_side(frame, side), single),
    )


def judge_of(source: Source, selection: Selection, judge: str) -> JudgeReport:
    """One judge in depth. Raises Gone, and AnnotationError if there are no statistics."""
    table = at_hand(source)
    design, frame = table.report(selection).design, table.usable(selection)
    return judge_report(frame, judge, design, across_judges(frame, design))


def judges_of(source: Source, selection: Selection) -> Mapping[tuple[str, str], Judges]:
    """Judges two by two, on overall; of more than `MOST_JUDGES`, the first. Raises Gone, and AnnotationError."""
    table = at_hand(source)
    design, frame = table.report(selection).design, table.usable(selection)
    pairs = combinations(design.judges[:MOST_JUDGES], 2)
    return {(first, second): judges_beside(frame, (first, second), design) for first, second in pairs}


def experiments_on(source: Source, selection: Selection, judge: str, last: int) -> Findings:
    """What the experiments on a judge have shown, on all stories, up to the `last` rating of one.

    Raises Gone for a file or a dataset, and AnnotationError if there is nothing.
    """
    if not isinstance(source, Stored):
        raise Gone(say("judge experiments are available for stories in the app only"))
    return findings(store_of(source.url), judge)


def plan_of(source: Source, selection: Selection, wished: float) -> Plan:
    """Variance components, and the least design that reaches a wished generalizability.

    Raises Gone, and AnnotationError if there are no statistics.
    """
    table = at_hand(source)
    design, frame = table.report(selection).design, table.usable(selection)
    found = {metric: or_undefined(variance_components, frame, metric) for metric in design.metrics}
    designs = {
        metric: one if isinstance(one, Undefined) else or_undefined(least_design, one, wished)
        for metric, one in found.items()
    }
    return Plan(found, designs)
