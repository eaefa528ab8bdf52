"""What the ratings of one side say of themselves: do its raters agree on each metric, do its metrics go together?"""

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from annotations.agreement import Agreement, agreement
from annotations.between_raters import rated_items
from annotations.consistency import Consistency, metric_consistency
from annotations.errors import UndefinedStatistic
from annotations.intraclass import IntraclassCorrelation, intraclass
from annotations.ordinal_alpha import KrippendorffAlpha, krippendorff_alpha
from annotations.report import Design
from annotations.resampling import Drawing
from annotations.undefined import Undefined, or_undefined


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


def between_experts(frame: pd.DataFrame, design: Design) -> Mapping[str, BetweenRaters]:
    """The experts' agreement on each of the metrics of a table of ratings (see `annotations.rating`)."""
    experts = frame[frame["kind"] == "expert"]
    return {metric: _between(experts[experts["metric"] == metric], metric, design.drawing) for metric in design.metrics}


def consistencies(frame: pd.DataFrame, design: Design) -> Mapping[str | None, Mapping[str, Consistency | Undefined]]:
    """How the metrics of each dimension go together: of the experts (None), and of each judge."""
    sides: dict[str | None, pd.DataFrame] = {None: frame[frame["kind"] == "expert"]}
    sides |= {judge: frame[(frame["kind"] == "judge") & (frame["rater"] == judge)] for judge in design.judges}
    return {
        side: {
            name: or_undefined(metric_consistency, own, metrics, design.drawing)
            for name, metrics in design.dimensions.items()
        }
        for side, own in sides.items()
    }


def _between(frame: pd.DataFrame, metric: str, drawing: Drawing) -> BetweenRaters:
    try:
        if frame.empty:
            raise UndefinedStatistic(f"no expert scored {metric}")
        rated = rated_items(frame)
    except UndefinedStatistic as undefined:
        nothing = Undefined(str(undefined))
        return BetweenRaters(nothing, nothing, nothing, nothing)
    return BetweenRaters(
        single=or_undefined(intraclass, rated, "ICC(A,1)", drawing),
        mean=or_undefined(intraclass, rated, "ICC(A,k)", drawing),
        alpha=or_undefined(krippendorff_alpha, rated, drawing=drawing),
        agreement=or_undefined(agreement, rated, drawing),
    )
