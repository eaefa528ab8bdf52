"""What can be said of one judge beside the experts: metric by metric, and overall."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pandas as pd

from annotations.alternative_annotator import AlternativeAnnotator, alternative_annotator_test
from annotations.caveats import (
    Caveat,
    few_caveats,
    halo_caveats,
    model_caveats,
    outside_caveats,
    pair_caveats,
    side_caveats,
)
from annotations.ceiling import Ceiling, Panel, SingleExpert, ceiling, expert_tables, panel, single_experts
from annotations.comparing import Comparison, compare
from annotations.concordance import Concordance, concordance
from annotations.corrected import ModelMeans, corrected_leaderboard
from annotations.halo import Halo, halo
from annotations.holm import Wald, holm, wald
from annotations.levels import Levels, OverallLevels, metric_levels, overall_levels
from annotations.planning import CorrelationPrecision, correlation_precision
from annotations.report import Design
from annotations.shared_teacher import JudgePair, judge_pair
from annotations.undefined import Undefined, or_undefined
from annotations.validity import OVERALL, Sides, sides_of
from annotations.wording import say


@dataclass(frozen=True)
class MetricValidity:
    """A judge and the experts on one metric, or on the means over several."""

    levels: Levels
    concordance: Concordance | Undefined
    test: Wald | Undefined
    adjusted_p: float | None
    """After Holm, among the metrics; None for overall, and where there is no p."""
    ceiling: Ceiling | Undefined
    best: SingleExpert | Undefined
    """The best single expert, with the judge on the same footing."""


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
    """On the means over the metrics."""
    precision: CorrelationPrecision | Undefined
    """Of r overall."""
    leaderboard: Mapping[str, ModelMeans] | Undefined
    """The models' means over the metrics, corrected by the experts."""
    caveats: tuple[Caveat, ...]


@dataclass(frozen=True)
class Judges:
    """Two judges beside each other."""

    comparison: Comparison | Undefined
    pair: JudgePair
    caveats: tuple[Caveat, ...]


def judge_report(frame: pd.DataFrame, judge: str, design: Design) -> JudgeReport:
    """All of one judge.

    `frame` is a table of ratings (see `annotations.rating`) without those off the scale.
    """
    sides = sides_of(frame, [judge])[judge]
    tables = expert_tables(frame)
    single = [metric for metric in design.metrics if metric != OVERALL]
    of_all = design.overall or (OVERALL,)
    found = {
        metric: _validity(metric_levels(sides, metric, design.drawing), sides, panel(sides, tables, [metric]), design)
        for metric in single
    }
    tested = {metric: one.test.p for metric, one in found.items() if isinstance(one.test, Wald)}
    adjusted = holm(tested)
    by_metric = {metric: replace(one, adjusted_p=adjusted.get(metric)) for metric, one in found.items()}
    whole = panel(sides, tables, of_all)
    overall = overall_levels(sides, of_all, design.drawing) if design.overall else None
    levels = metric_levels(sides, OVERALL, design.drawing) if overall is None else overall.row_mean
    by_metric[OVERALL] = _validity(levels, sides, whole, design)
    told = or_undefined(halo, sides, single, design.drawing)
    return JudgeReport(
        judge,
        by_metric,
        overall,
        told,
        or_undefined(alternative_annotator_test, whole),
        or_undefined(correlation_precision, sides, of_all, design.drawing),
        or_undefined(corrected_leaderboard, sides, of_all),
        (
            *side_caveats(sides, single, design.scale),
            *few_caveats(say("{judge} and the experts' mean, overall", judge=sides.called), levels.n),
            *outside_caveats(frame, judge, single, design.scale),
            *model_caveats(sides.called, levels.models),
            *(halo_caveats(told) if isinstance(told, Halo) else ()),
        ),
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
    pair = judge_pair((panel(first, tables, metrics), panel(second, tables, metrics)), design.drawing)
    return Judges(
        or_undefined(compare, (first, second), metrics, design.drawing),
        pair,
        pair_caveats(pair),
    )


def _validity(levels: Levels, sides: Sides, scores: Panel, design: Design) -> MetricValidity:
    drawing = design.drawing
    return MetricValidity(
        levels=levels,
        concordance=or_undefined(concordance, sides, scores.metrics, drawing),
        test=or_undefined(wald, sides, scores.metrics, drawing),
        adjusted_p=None,
        ceiling=or_undefined(ceiling, scores, drawing),
        best=or_undefined(lambda: single_experts(scores, drawing).best),
    )
