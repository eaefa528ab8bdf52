"""Between raters: the scores of one metric as a table of items x raters, from which their agreement is read.

Raters are taken as they are: where an interval is made by resampling, scenes and models are drawn, and never raters.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from annotations.errors import RatingError, UndefinedStatistic
from annotations.rating import Dropped, places_of
from annotations.reliability import rater_table
from annotations.wording import say, to_say


@dataclass(frozen=True, eq=False)
class RatedItems:
    """Some items, and what each of several raters gave them on one metric."""

    metric: str
    scores: pd.DataFrame
    """One row per item and one column per rater, both sorted; NaN where a rater has no score."""
    places: pd.DataFrame
    """The scene and model of each item, row by row."""

    def only(self, kept: pd.Series) -> "RatedItems":
        """The items that `kept` marks, and the raters with a score among them."""
        if kept.all():
            return self
        rows = kept.to_numpy()
        return RatedItems(self.metric, self.scores[rows].dropna(axis="columns", how="all"), self.places[rows])


def rated_items(frame: pd.DataFrame) -> RatedItems:
    """The items in ratings of one metric by raters of one kind, taken from a table of ratings (see
    `annotations.rating`) without contradictions.

    An item without any score keeps its row, so that it can be named as dropped.
    Raises RatingError for ratings of several metrics or kinds, and UndefinedStatistic unless two raters gave scores.
    """
    for column, message in (
        ("metric", to_say("agreement: the ratings are of more than one metric ({found}); keep those of one")),
        (
            "kind",
            to_say(
                "agreement: the ratings are of more than one kind ({found}); keep those of experts or those of judges"
            ),
        ),
    ):
        if len(found := sorted(frame[column].unique())) > 1:
            raise RatingError(say(message, found=say(", ").join(found)))
    metric = str(frame["metric"].iloc[0])
    scores = rater_table(frame, metric).dropna(axis="columns", how="all")
    if scores.columns.empty:
        raise UndefinedStatistic(say("nobody scored {metric}", metric=metric))
    if len(scores.columns) == 1:
        raise UndefinedStatistic(
            say("only one rater, {rater}, scored {metric}; agreement needs two", rater=scores.columns[0], metric=metric)
        )
    return RatedItems(metric, scores, places_of(frame))


def rated_by_several(rated: RatedItems) -> tuple[RatedItems, tuple[Dropped, ...]]:
    """The items with at least two scores, and the others with the reason.

    Raises UndefinedStatistic where no item has two.
    """
    ratings = rated.scores.notna().sum(axis="columns")
    if not (ratings >= 2).any():
        raise UndefinedStatistic(
            say("none of the {n} items was scored on {metric} by two raters", n=len(ratings), metric=rated.metric)
        )
    fewer, one, none = say("fewer than two raters"), say("1 score"), say("no score")
    return rated.only(ratings >= 2), tuple(
        Dropped(str(item), rated.metric, _rater(row), fewer, one if row.any() else none)
        for item, row in rated.scores[ratings < 2].notna().iterrows()
    )


def _rater(scored: pd.Series) -> str | None:
    """The one rater who scored an item; None where nobody did."""
    return str(scored.index[int(np.argmax(scored))]) if scored.any() else None
