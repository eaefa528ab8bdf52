"""What ratings say metric by metric: whether the raters agree, and how a judge stands beside them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import pandas as pd

from annotations.errors import Undefined, UndefinedStatistic, or_undefined
from annotations.i18n.messages import Message
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
from annotations.reliability.pairwise import Gaps
from annotations.report.caveat import Caveat
from annotations.report.report import Design, Report, dimension_name
from annotations.report.warnings_on_figures import consistency_caveats
from annotations.report.warnings_on_scores import dropped_caveats, off_scale_caveats, outside_caveats, score_caveats
from annotations.resampling.jackknife import Drawn
from annotations.validity.judge_expert_correlation import OVERALL

T = TypeVar("T")

MUCH = 0.1
"""The share of its ratings that a rater may lose before that is told of it alone."""


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
                coefficient = two if isinstance(two, SpearmanBrown) else one.chosen
                rater = design.called(side) if side else Message("experts")
                what = Message("{rater}, {metric}", rater=rater, metric=dimension_name(name))
                found += consistency_caveats(what, coefficient)
    return tuple(found)


def report_caveats(frame: pd.DataFrame, usable: pd.DataFrame, report: Report) -> tuple[Caveat, ...]:
    """What limits the figures of a report: of `frame`, all ratings, those that are `usable`; raters who lost much, or
    scored off the scale."""
    design = report.design
    found = [*dropped_caveats(Message("all statistics"), len(frame) - len(usable), len(frame))]
    given, left = frame["rater"].value_counts().sort_index(), usable["rater"].value_counts()
    for rater, there in given.items():
        dropped = int(there - left.get(rater, 0))
        if dropped > MUCH * there:
            found += dropped_caveats(design.called(str(rater)), dropped, int(there))
    if design.scale is not None:
        found += off_scale_caveats(frame, design.scale)
    single = [metric for metric in design.metrics if metric != OVERALL]
    for judge in design.judges:
        found += outside_caveats(usable, judge, single, design.scale)
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
    of: Callable[[pd.DataFrame, Sequence[str], Drawn, Gaps], T], frame: pd.DataFrame, design: Design, side: str | None
) -> Mapping[str, T | Undefined]:
    """What `of` finds in the ratings of a side, for each dimension."""
    own = scores_of_side(frame, side)
    return {
        name: or_undefined(of, own, metrics, design.drawn, design.gaps) for name, metrics in design.dimensions.items()
    }


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
