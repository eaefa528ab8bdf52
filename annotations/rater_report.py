"""What the ratings of one side say of themselves: do its raters agree on each metric, do its metrics go together?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import pandas as pd

from annotations.agreement import Agreement, agreement
from annotations.between_raters import rated_items
from annotations.caveats import Caveat, consistency_caveats, score_caveats
from annotations.consistency import Consistency, ResampledAlpha, SpearmanBrown, metric_consistency, resampled_alpha
from annotations.errors import UndefinedStatistic
from annotations.intraclass import IntraclassCorrelation, intraclass
from annotations.ordinal_alpha import KrippendorffAlpha, krippendorff_alpha
from annotations.report import Design, dimension_name
from annotations.resampling import Drawing
from annotations.undefined import Undefined, or_undefined
from annotations.wording import say

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
    """The experts' agreement on each of the metrics of a table of ratings (see `annotations.rating`)."""
    return {metric: _between(frame, metric, design.drawing) for metric in design.metrics}


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
            _by_dimension(resampled_alpha, own, design, side), None if side else _between(own, metric, design.drawing)
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
                rater = design.called(side) if side else say("experts")
                what = say("{rater}, {metric}", rater=rater, metric=dimension_name(name))
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
    of: Callable[[pd.DataFrame, Sequence[str], Drawing], T], frame: pd.DataFrame, design: Design, side: str | None
) -> Mapping[str, T | Undefined]:
    """What `of` finds in the ratings of a side, for each dimension."""
    own = scores_of_side(frame, side)
    return {name: or_undefined(of, own, metrics, design.drawing) for name, metrics in design.dimensions.items()}


def _between(frame: pd.DataFrame, metric: str, drawing: Drawing) -> BetweenRaters:
    scored = frame[(frame["metric"] == metric) & (frame["kind"] == "expert")]
    try:
        if scored.empty:
            raise UndefinedStatistic(say("no expert scored {metric}", metric=metric))
        rated = rated_items(scored)
    except UndefinedStatistic as undefined:
        nothing = Undefined(str(undefined))
        return BetweenRaters(nothing, nothing, nothing, nothing)
    return BetweenRaters(
        single=or_undefined(intraclass, rated, "ICC(A,1)", drawing),
        mean=or_undefined(intraclass, rated, "ICC(A,k)", drawing),
        alpha=or_undefined(krippendorff_alpha, rated, drawing=drawing),
        agreement=or_undefined(agreement, rated, drawing),
    )
