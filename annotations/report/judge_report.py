"""All that ratings say of a judge beside the experts, metric by metric and overall, and of two judges."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from annotations.design.planning import CorrelationPrecision, correlation_precision
from annotations.errors import Undefined, or_undefined
from annotations.i18n.messages import Message
from annotations.leaderboard.prediction_powered import ModelMeans, corrected_leaderboard
from annotations.report.caveat import Caveat
from annotations.report.report import Design
from annotations.report.warnings_on_figures import (
    halo_caveats,
    pair_caveats,
    part_caveats,
    selection_caveats,
    side_caveats,
)
from annotations.report.warnings_on_scores import outside_caveats
from annotations.validity.alternative_annotator import (
    AlternativeAnnotator,
    alternative_annotator_of_baselines,
    alternative_annotator_tests,
)
from annotations.validity.baselines import BY_CONSTRUCTION, Baseline, baselines
from annotations.validity.ceiling import Ceiling, Panel, SingleExpert, ceiling, expert_tables, panel, single_expert
from annotations.validity.compare_judges import Comparison, compare
from annotations.validity.concordance import Concordance, concordance
from annotations.validity.halo import Halo, halo
from annotations.validity.holm import CorrelationTest, correlation_test, holm
from annotations.validity.judge_expert_correlation import OVERALL, Sides, sides_of
from annotations.validity.levels import Levels, OverallLevels, metric_levels, overall_levels, row_mean_levels
from annotations.validity.parts import ValidityByPart, validity_by_part
from annotations.validity.selective_rating import SelectiveRating, selective_rating
from annotations.validity.shared_teacher import JudgePair, judge_pair


@dataclass(frozen=True)
class MetricValidity:
    """A judge and the experts on one metric, or on the means over several."""

    levels: Levels
    concordance: Concordance | Undefined
    test: CorrelationTest | Undefined
    adjusted_p: float | None
    """After Holm, among the metrics of all judges; None for overall, and where there is no p."""
    ceiling: Ceiling | Undefined
    single: SingleExpert | Undefined
    """A single expert, with the judge on the same footing."""


@dataclass(frozen=True)
class BaselineValidity:
    """A judge that looks at no item (see `annotations.validity.baselines`) beside the experts on one metric, or on the
    means over several."""

    levels: Levels
    concordance: Concordance | Undefined
    ceiling: Ceiling | Undefined


@dataclass(frozen=True)
class AcrossJudges:
    """Tests of all judges of the ratings, as p is adjusted over all of them; the report of each takes from these."""

    tests: Mapping[tuple[str, str], CorrelationTest | Undefined]
    """Of r, by judge and metric, `overall` last."""
    adjusted: Mapping[tuple[str, str], float]
    """p of these after Holm, but for overall, and where there is none."""
    alternative: Mapping[str, AlternativeAnnotator | Undefined]
    """On the means over the metrics."""


@dataclass(frozen=True)
class JudgeReport:
    """One judge."""

    judge: str
    by_metric: Mapping[str, MetricValidity]
    """`overall` last."""
    overall: OverallLevels | None
    """In each of its definitions; None where overall was rated as a metric of its own."""
    halo: Halo | Undefined
    alternative: AlternativeAnnotator | Undefined
    """On the means over the metrics; p is adjusted over all judges."""
    baselines: Mapping[Baseline, Mapping[str, BaselineValidity]]
    """By baseline and metric, `overall` last."""
    alternative_of_baselines: Mapping[Baseline, AlternativeAnnotator | Undefined]
    parts: Mapping[str, ValidityByPart]
    """By metric, `overall` last."""
    precision: CorrelationPrecision | Undefined
    """Of r overall."""
    leaderboard: Mapping[str, ModelMeans] | Undefined
    """The models' means over the metrics, corrected by the experts."""
    selective: SelectiveRating
    """Whether the items that one side scored are like the rest, overall."""
    caveats: tuple[Caveat, ...]


@dataclass(frozen=True)
class Judges:
    """Two judges beside each other."""

    comparison: Comparison | Undefined
    pair: JudgePair
    caveats: tuple[Caveat, ...]


def across_judges(frame: pd.DataFrame, design: Design) -> AcrossJudges:
    """The tests of all judges.

    `frame` is a table of ratings (see `annotations.marking.rating`) without those off the scale.
    """
    sides, tables, each = sides_of(frame, design.judges), expert_tables(frame), _metrics(design)
    tests = {
        (judge, name): or_undefined(correlation_test, one, metrics, design.drawn)
        for judge, one in sides.items()
        for name, metrics in each.items()
    }
    p = {of: test.p for of, test in tests.items() if isinstance(test, CorrelationTest) and of[1] != OVERALL}
    panels = {judge: panel(one, tables, each[OVERALL]) for judge, one in sides.items()}
    return AcrossJudges(tests, holm(p), alternative_annotator_tests(panels))


def judge_report(frame: pd.DataFrame, judge: str, design: Design, across: AcrossJudges) -> JudgeReport:
    """All of one judge, of the ratings that `across` was made of."""
    sides, tables, each = sides_of(frame, [judge])[judge], expert_tables(frame), _metrics(design)
    of_all = each[OVERALL]
    overall = overall_levels(sides, of_all, design.drawn) if design.overall else None
    panels = {name: panel(sides, tables, metrics) for name, metrics in each.items()}
    by_metric = {
        name: MetricValidity(
            levels=_levels(sides, metrics, design),
            concordance=or_undefined(concordance, sides, metrics, design.drawn),
            test=across.tests[judge, name],
            adjusted_p=across.adjusted.get((judge, name)),
            ceiling=or_undefined(ceiling, panels[name], design.drawn),
            single=or_undefined(single_expert, panels[name], design.drawn),
        )
        for name, metrics in each.items()
    }
    blind = baselines(sides)
    parts = {name: validity_by_part(sides, metrics, design.drawn) for name, metrics in each.items()}
    told = or_undefined(halo, sides, single_metrics(design), design.drawn)
    chosen = selective_rating(sides, of_all, design.drawn)
    return JudgeReport(
        judge,
        by_metric,
        overall,
        told,
        across.alternative[judge],
        {
            name: {metric: _of_baseline(name, panel(one, tables, of), design) for metric, of in each.items()}
            for name, one in blind.items()
        },
        alternative_annotator_of_baselines({name: panel(one, tables, of_all) for name, one in blind.items()}),
        parts,
        or_undefined(correlation_precision, sides, of_all),
        or_undefined(corrected_leaderboard, sides, of_all, design.drawn),
        chosen,
        (
            *side_caveats(sides, single_metrics(design), design.scale),
            *outside_caveats(frame, judge, single_metrics(design), design.scale),
            *part_caveats(sides.called, by_metric[OVERALL].levels, parts[OVERALL]),
            *selection_caveats(sides.called, chosen),
            *(halo_caveats(told) if isinstance(told, Halo) else ()),
        ),
    )


def single_metrics(design: Design) -> list[str]:
    """The metrics without a rated overall."""
    return [metric for metric in design.metrics if metric != OVERALL]


def _metrics(design: Design) -> dict[str, tuple[str, ...]]:
    """What is correlated, `overall` last, and the metrics whose mean it is."""
    return {**{metric: (metric,) for metric in single_metrics(design)}, OVERALL: tuple(design.overall or (OVERALL,))}


def _levels(sides: Sides, metrics: Sequence[str], design: Design) -> Levels:
    if len(metrics) == 1:
        return metric_levels(sides, metrics[0], design.drawn)
    return row_mean_levels(sides, metrics, design.drawn)


def _of_baseline(name: Baseline, scores: Panel, design: Design) -> BaselineValidity:
    levels = _levels(scores.sides, scores.metrics, design)
    if name in BY_CONSTRUCTION:
        within, models = (Undefined(Message(why)) for why in BY_CONSTRUCTION[name])
        few = isinstance(levels.models, Undefined)
        levels = replace(levels, within_scenes=within, models=levels.models if few else models)
    return BaselineValidity(
        levels,
        or_undefined(concordance, scores.sides, scores.metrics, design.drawn),
        or_undefined(ceiling, scores, design.drawn),
    )


def judges_beside(frame: pd.DataFrame, judges: tuple[str, str], design: Design) -> Judges:
    """Two judges beside the same experts, on overall."""
    return judges_of(sides_of(frame, judges), judges, expert_tables(frame), design)


def judges_of(
    sides: Mapping[str, Sides], judges: tuple[str, str], tables: Mapping[str, pd.DataFrame], design: Design
) -> Judges:
    """The same, from the sides of these judges, and perhaps others, and the experts' tables of one table of ratings
    (see `sides_of` and `expert_tables`)."""
    metrics = design.overall or (OVERALL,)
    first, second = (sides[judge] for judge in judges)
    pair = judge_pair((panel(first, tables, metrics), panel(second, tables, metrics)), design.drawn)
    return Judges(
        or_undefined(compare, (first, second), metrics, design.drawn),
        pair,
        pair_caveats(pair),
    )
