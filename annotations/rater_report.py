"""What the ratings of one side say of themselves: do its raters agree on each metric, do its metrics go together?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from annotations.agreement import Agreement, agreement
from annotations.between_raters import rated_items
from annotations.consistency import Consistency, metric_consistency
from annotations.errors import UndefinedStatistic
from annotations.intraclass import IntraclassCorrelation, intraclass
from annotations.ordinal_alpha import KrippendorffAlpha, krippendorff_alpha
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


def between_experts(frame: pd.DataFrame, metrics: Sequence[str]) -> Mapping[str, BetweenRaters]:
    """The experts' agreement on each of the metrics of a table of ratings (see `annotations.rating`)."""
    experts = frame[frame["kind"] == "expert"]
    return {metric: _between(experts[experts["metric"] == metric], metric) for metric in metrics}


def consistencies(
    frame: pd.DataFrame, dimensions: Mapping[str, Sequence[str]], judges: Sequence[str]
) -> Mapping[str | None, Mapping[str, Consistency | Undefined]]:
    """How the metrics of each dimension go together: of the experts (None), and of each judge."""
    sides: dict[str | None, pd.DataFrame] = {None: frame[frame["kind"] == "expert"]}
    sides |= {judge: frame[(frame["kind"] == "judge") & (frame["rater"] == judge)] for judge in judges}
    return {
        side: {name: or_undefined(metric_consistency, own, metrics) for name, metrics in dimensions.items()}
        for side, own in sides.items()
    }


def _between(frame: pd.DataFrame, metric: str) -> BetweenRaters:
    try:
        if frame.empty:
            raise UndefinedStatistic(f"no expert scored {metric}")
        rated = rated_items(frame)
    except UndefinedStatistic as undefined:
        nothing = Undefined(str(undefined))
        return BetweenRaters(nothing, nothing, nothing, nothing)
    return BetweenRaters(
        single=or_undefined(intraclass, rated, "ICC(A,1)"),
        mean=or_undefined(intraclass, rated, "ICC(A,k)"),
        alpha=or_undefined(krippendorff_alpha, rated),
        agreement=or_undefined(agreement, rated),
    )
