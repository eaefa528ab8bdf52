"""What ratings say metric by metric: whether the raters agree, and how a judge stands beside them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import pandas as pd

from annotations.design.planning import CorrelationPrecision, correlation_precision
from annotations.errors import Undefined, UndefinedStatistic, or_undefined
from annotations.i18n.messages import Message
from annotations.leaderboard.prediction_powered import ModelMeans, corrected_leaderboard
from annotations.reliability.agreement import Agreement, agreement, rated_items
from annotations.reliability.intraclass import IntraclassCorrelation, intraclass
from annotations.reliability.item_analysis import (
    Consistency,
    ResampledAlpha,
    SpearmanBrown,
    metric_consistency,
    resampled_alpha,
)
from annotations.reliability.krippendorff import KrippendorffAlpha, krippendorff_alpha
from annotations.report.report import Design, dimension_name
from annotations.report.warnings_on_figures import (
    Caveat,
    consistency_caveats,
    few_caveats,
    halo_caveats,
    model_caveats,
    outside_caveats,
    pair_caveats,
    score_caveats,
    side_caveats,
)
from annotations.resampling.jackknife import Drawn
from annotations.validity.alternative_annotator import (
    AlternativeAnnotator,
    alternative_annotator_of_baselines,
    alternative_annotator_tests,
)
from annotations.validity.baselines import Baseline, baselines
from annotations.validity.ceiling import Ceiling, Panel, SingleExpert, ceiling, expert_tables, panel, single_expert
from annotations.validity.compare_judges import Comparison, compare
from annotations.validity.concordance import Concordance, concordance
from annotations.validity.halo import Halo, halo
from annotations.validity.holm import CorrelationTest, correlation_test, holm
from annotations.validity.judge_expert_correlation import OVERALL, Sides, sides_of
from annotations.validity.levels import Levels, OverallLevels, metric_levels, overall_levels, row_mean_levels
from annotations.validity.shared_teacher import JudgePair, judge_pair

T = TypeVar("T")


@dataclass(frozen=True)
class Part:
    """Which ratings a figure is of: all, those of one language, or those of one model."""

    language: str | None = None
    model: str | None = None


WHOLE = Part()


@dataclass(frozen=True)
class BetweenRaters:
    """How far the experts agree on one metric."""

    single: IntraclassCorrelation | Undefined
    """ICC(A,1): what the score of a single expert is worth."""
    mean: IntraclassCorrelation | Undefined
    """ICC(A,k): what the mean of all of them is worth."""
    alpha: KrippendorffAlpha | Undefined
    """Ordinal, also over items that not all of them scored."""
    agreement: Agreement | Undefined


@dataclass(frozen=True)
class PartReliability:
    """The reliability of one side's scores in one part of the ratings."""

    together: Mapping[str, ResampledAlpha | Undefined]
    """By dimension."""
    between: BetweenRaters | None
    """Of one metric; None for a judge, who has nobody beside it."""


def parts_of(frame: pd.DataFrame) -> Mapping[Part, pd.DataFrame]:
    """All ratings, then those of each language, then those of each model; what there is only one of is no part."""
    found = {WHOLE: frame}
    if "language" in frame and frame["language"].nunique() > 1:
        found |= {Part(language=str(name)): own for name, own in frame.groupby("language", sort=True)}
    if frame["model"].nunique() > 1:
        found |= {Part(model=str(name)): own for name, own in frame.groupby("model", sort=True)}
    return found


def between_experts(frame: pd.DataFrame, design: Design) -> Mapping[str, BetweenRaters]:
    """The experts' agreement on each of the metrics of a table of ratings (see `annotations.marking.rating`)."""
    return {metric: _between(frame, metric, design.drawn) for metric in design.metrics}


def consistencies(frame: pd.DataFrame, design: Design) -> Mapping[str | None, Mapping[str, Consistency | Undefined]]:
    """How the metrics of each dimension go together: of the experts (None), and of each judge."""
    return {side: _by_dimension(metric_consistency, frame, design, side) for side in (None, *design.judges)}


def reliability_by_part(
    frame: pd.DataFrame, design: Design, side: str | None, metric: str
) -> Mapping[Part, PartReliability]:
    """The reliability of a side, the experts (None) or a judge, in each part of the ratings (see `parts_of`);
    between experts on `metric`."""
    return {
        part: PartReliability(
            _by_dimension(resampled_alpha, own, design, side), None if side else _between(own, metric, design.drawn)
        )
        for part, own in parts_of(frame).items()
    }


def rater_caveats(
    frame: pd.DataFrame, design: Design, together: Mapping[str | None, Mapping[str, Consistency | Undefined]]
) -> tuple[Caveat, ...]:
    """What limits the figures of the raters: of experts and judges their scores, and coefficients below 0."""
    found: list[Caveat] = []
    for rater in sorted(frame["rater"].unique()):
        found += score_caveats(frame, str(rater), design.metrics, design.scale)
    for side, of in together.items():
        for name, one in of.items():
            if isinstance(one, Consistency):
                two = one.spearman_brown
                coefficient = two if isinstance(two, SpearmanBrown) else one.alpha
                rater = design.called(side) if side else Message("experts")
                what = Message("{rater}, {metric}", rater=rater, metric=dimension_name(name))
                found += consistency_caveats(what, coefficient)
    return tuple(found)


def alphas_of_sides(
    frame: pd.DataFrame, design: Design
) -> Mapping[str | None, Mapping[str, ResampledAlpha | Undefined]]:
    """Cronbach's alpha of each dimension, of the experts (None) and of each judge."""
    return {side: _by_dimension(resampled_alpha, frame, design, side) for side in (None, *design.judges)}


def scores_of_side(frame: pd.DataFrame, side: str | None) -> pd.DataFrame:
    """The ratings of the experts (None), or of one judge."""
    if side is None:
        return frame[frame["kind"] == "expert"]
    return frame[(frame["kind"] == "judge") & (frame["rater"] == side)]


def _by_dimension(
    of: Callable[[pd.DataFrame, Sequence[str], Drawn], T], frame: pd.DataFrame, design: Design, side: str | None
) -> Mapping[str, T | Undefined]:
    """What `of` finds in the ratings of a side, for each dimension."""
    own = scores_of_side(frame, side)
    return {name: or_undefined(of, own, metrics, design.drawn) for name, metrics in design.dimensions.items()}


def _between(frame: pd.DataFrame, metric: str, drawn: Drawn) -> BetweenRaters:
    scored = frame[(frame["metric"] == metric) & (frame["kind"] == "expert")]
    try:
        if scored.empty:
            raise UndefinedStatistic("no expert scored {metric}", metric=metric)
        rated = rated_items(scored)
    except UndefinedStatistic as undefined:
        nothing = Undefined(undefined.message)
        return BetweenRaters(nothing, nothing, nothing, nothing)
    return BetweenRaters(
        single=or_undefined(intraclass, rated, "ICC(A,1)", drawn),
        mean=or_undefined(intraclass, rated, "ICC(A,k)", drawn),
        alpha=or_undefined(krippendorff_alpha, rated, drawn=drawn),
        agreement=or_undefined(agreement, rated, drawn),
    )


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

    `frame` is a table of ratings (see `annotations.marking.rating`) without those off the scale.
    """
    everybody = sides_of(frame, design.judges)
    sides, tables = everybody[judge], expert_tables(frame)
    single = [metric for metric in design.metrics if metric != OVERALL]
    of_all = design.overall or (OVERALL,)
    found = {
        metric: _validity(metric_levels(sides, metric, design.drawn), sides, panel(sides, tables, [metric]), design)
        for metric in single
    }
    adjusted = _adjusted(everybody, single, design)
    by_metric = {metric: replace(one, adjusted_p=adjusted.get((judge, metric))) for metric, one in found.items()}
    panels = {name: panel(each, tables, of_all) for name, each in everybody.items()}
    overall = overall_levels(sides, of_all, design.drawn) if design.overall else None
    levels = metric_levels(sides, OVERALL, design.drawn) if overall is None else overall.row_mean
    by_metric[OVERALL] = _validity(levels, sides, panels[judge], design)
    told = or_undefined(halo, sides, single, design.drawn)
    blind = baselines(sides)
    return JudgeReport(
        judge,
        by_metric,
        overall,
        told,
        alternative_annotator_tests(panels)[judge],
        {
            name: _of_baseline(each, tables, [*((one,) for one in single), of_all], design)
            for name, each in blind.items()
        },
        alternative_annotator_of_baselines({name: panel(each, tables, of_all) for name, each in blind.items()}),
        or_undefined(correlation_precision, sides, of_all),
        or_undefined(corrected_leaderboard, sides, of_all),
        (
            *side_caveats(sides, single, design.scale),
            *few_caveats(Message("{judge} and the experts' mean, overall", judge=sides.called), levels.n),
            *outside_caveats(frame, judge, single, design.scale),
            *model_caveats(sides.called, levels.models),
            *(halo_caveats(told) if isinstance(told, Halo) else ()),
        ),
    )


def _adjusted(everybody: Mapping[str, Sides], metrics: Sequence[str], design: Design) -> dict[tuple[str, str], float]:
    """p of r of all judges on all metrics, after Holm."""
    tests = {
        (judge, metric): or_undefined(correlation_test, sides, [metric], design.drawn)
        for judge, sides in everybody.items()
        for metric in metrics
    }
    return holm({of: test.p for of, test in tests.items() if isinstance(test, CorrelationTest)})


def _of_baseline(
    sides: Sides, tables: Mapping[str, pd.DataFrame], each: Sequence[Sequence[str]], design: Design
) -> dict[str, BaselineValidity]:
    found = {}
    for metrics in each:
        name = metrics[0] if len(metrics) == 1 else OVERALL
        levels = (
            metric_levels(sides, name, design.drawn)
            if len(metrics) == 1
            else row_mean_levels(sides, metrics, design.drawn)
        )
        found[name] = BaselineValidity(
            levels,
            or_undefined(concordance, sides, metrics, design.drawn),
            or_undefined(ceiling, panel(sides, tables, metrics), design.drawn),
        )
    return found


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


def _validity(levels: Levels, sides: Sides, scores: Panel, design: Design) -> MetricValidity:
    drawn = design.drawn
    return MetricValidity(
        levels=levels,
        concordance=or_undefined(concordance, sides, scores.metrics, drawn),
        test=or_undefined(correlation_test, sides, scores.metrics, drawn),
        adjusted_p=None,
        ceiling=or_undefined(ceiling, scores, drawn),
        single=or_undefined(single_expert, scores, drawn),
    )
