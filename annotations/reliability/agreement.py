"""Agreement: how often two raters give the same item equal scores, and one rater at a second time.

Every pair of scores of an item counts once, so that an item with m scores has m (m - 1) / 2 pairs. Raters who use few
scores agree often even where they do not look at the items, so that the share expected by chance stands beside: two
raters keep the scores they gave, but on items dealt out at random (Cohen, 1960, for each pair of raters; the mean over
pairs of raters counts each as often as they met on an item).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations

import numpy as np
import pandas as pd

from annotations.errors import RatingError, Undefined, UndefinedStatistic, or_undefined
from annotations.i18n.messages import Message, listed, to_say
from annotations.marking.rating import Dropped, places_of
from annotations.reliability.cronbach_alpha import rater_table
from annotations.reliability.raters import match
from annotations.resampling.clustered import ClusteredEstimate, clustered_mean
from annotations.resampling.estimates import TINY, enough_cases, intervals, without_each
from annotations.resampling.jackknife import SHARE, USUAL, Drawn, Figures, Floats, Interval


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

    @cached_property
    def by_several(self) -> tuple["RatedItems", tuple[Dropped, ...]]:
        """The items with at least two scores, and the others with the reason. Kept: three figures ask for them, which
        took a twelfth of the time of all figures of the raters.

        Raises UndefinedStatistic where no item has two.
        """
        ratings = self.scores.notna().sum(axis="columns")
        if not (ratings >= 2).any():
            raise UndefinedStatistic(
                "none of the {n} items was scored on {metric} by two raters", n=len(ratings), metric=self.metric
            )
        fewer, one, none = Message("fewer than two raters"), Message("1 score"), Message("no score")
        return self.only(ratings >= 2), tuple(
            Dropped(str(item), self.metric, _rater(row), fewer, one if row.any() else none)
            for item, row in self.scores[ratings < 2].notna().iterrows()
        )

    def without_each(self) -> list["RatedItems"]:
        """The same without each of the raters."""
        return [RatedItems(self.metric, self.scores.drop(columns=name), self.places) for name in self.scores.columns]


def rated_items(frame: pd.DataFrame) -> RatedItems:
    """The items in ratings of one metric by raters of one kind, taken from a table of ratings (see
    `annotations.marking.rating`) without contradictions.

    An item without any score keeps its row, so that it can be named as dropped.
    Raises RatingError for ratings of several metrics or kinds, and UndefinedStatistic unless two raters gave scores.
    """
    for column, message in (
        ("metric", to_say("agreement: the ratings cover more than one metric ({found}); keep only one metric")),
        (
            "kind",
            to_say(
                "agreement: the ratings come from more than one kind of rater ({found}); keep only the experts'"
                " or only the judges' ratings"
            ),
        ),
    ):
        if len(found := sorted(frame[column].unique())) > 1:
            raise RatingError(message, found=listed(found))
    metric = str(frame["metric"].iloc[0])
    scores = rater_table(frame, metric).dropna(axis="columns", how="all")
    if scores.columns.empty:
        raise UndefinedStatistic("none of these raters scored {metric}", metric=metric)
    if len(scores.columns) == 1:
        raise UndefinedStatistic(
            "only one rater, {rater}, scored {metric}; agreement needs at least two",
            rater=scores.columns[0],
            metric=metric,
        )
    return RatedItems(metric, scores, places_of(frame))


def _rater(scored: pd.Series) -> str | None:
    """The one rater who scored an item; None where nobody did."""
    return str(scored.index[int(np.argmax(scored))]) if scored.any() else None


CHANCE = to_say(
    "by chance: each rater keeps the same scores, but assigned to items at random; mean over pairs of raters"
)


@dataclass(frozen=True)
class Share:
    """A share of the pairs of scores, from 0 to 1."""

    observed: float
    interval: Interval | Undefined
    """95 %, of what was observed."""
    by_chance: float
    """What `CHANCE` says; an observed share no greater than this is no agreement."""


@dataclass(frozen=True)
class Agreement:
    """How often raters agree on one metric."""

    metric: str
    exact: Share
    """Of pairs that are equal."""
    within_one: Share
    """Of pairs that are at most one point apart."""
    pairs: int
    items: int
    """Items with at least two scores, which are all that was used."""
    raters: int
    """Who gave them."""
    dropped: tuple[Dropped, ...]


def agreement(rated: RatedItems, drawn: Drawn = USUAL) -> Agreement:
    """How often the raters of some items agree (see `annotations.reliability.agreement.rated_items`).

    `drawn` is what intervals take as drawn. Raises UndefinedStatistic where no item has scores of two raters.
    """
    several, dropped = rated.by_several
    scores = several.scores.to_numpy(dtype=float)
    pairs, equal, near = _pairs(scores), _agreeing(scores, 0), _agreeing(scores, 1)
    by_expert = without_each(rated.without_each, _figures, 2)
    of_equal, of_near = intervals(several.places, _figures(several)[0], drawn, [SHARE, SHARE], by_expert)
    n = int(pairs.sum())
    return Agreement(
        rated.metric,
        exact=Share(float(equal.sum() / n), enough_cases(of_equal, n), _by_chance(scores, 0)),
        within_one=Share(float(near.sum() / n), enough_cases(of_near, n), _by_chance(scores, 1)),
        pairs=n,
        items=len(scores),
        raters=scores.shape[1],
        dropped=dropped,
    )


def _figures(rated: RatedItems) -> tuple[Figures, int]:
    """The shares of equal pairs, and of those within a point, and the number of items."""
    scores = rated.by_several[0].scores.to_numpy(dtype=float)
    agreeing = np.stack([_agreeing(scores, 0), _agreeing(scores, 1)])
    return partial(_shares, agreeing, _pairs(scores)), len(scores)


def _pairs(scores: Floats) -> Floats:
    """How many pairs of scores each item (a row) has."""
    given = np.isfinite(scores).sum(axis=1)
    return np.asarray(given * (given - 1) / 2, dtype=float)


def _agreeing(scores: Floats, most: int) -> Floats:
    """How many pairs of scores of each item are at most `most` points apart."""
    apart = (np.abs(one - other) for one, other in combinations(scores.T, 2))
    return np.asarray(sum((each < most + TINY).astype(float) for each in apart))


def _shares(agreeing: Floats, pairs: Floats, counts: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((agreeing @ counts.T) / (counts @ pairs), dtype=float)


def _by_chance(scores: Floats, most: int) -> float:
    """The share of pairs at most `most` points apart that `CHANCE` describes."""
    scored = np.isfinite(scores)
    values = np.unique(scores[scored])
    given = np.stack([_times(column[there], values) for column, there in zip(scores.T, scored.T, strict=True)])
    used = given / given.sum(axis=1, keepdims=True)
    below = np.column_stack([np.zeros(len(used)), used.cumsum(axis=1)])
    first, past = np.searchsorted(values, [values - most - TINY, values + most + TINY])
    chance = used @ (below[:, past] - below[:, first]).T
    met = np.triu(scored.T.astype(float) @ scored, 1)
    return float((met * chance).sum() / met.sum())


def _times(scores: Floats, values: Floats) -> Floats:
    """How often each of the distinct `values` is among the scores."""
    return np.bincount(np.searchsorted(values, scores), minlength=len(values)).astype(float)


REPEAT_COLUMNS = ("item", "metric", "first", "second")


@dataclass(frozen=True)
class Stability:
    """How close a rater's second scores are to the first."""

    exact: float
    """Share, from 0 to 1, of metrics scored the same."""
    within_one: float
    """Share scored at most one point apart."""
    mean_absolute: float
    """Mean distance of the two scores, in points of the scale."""
    mean: float
    """Mean of second minus first; negative is stricter the second time."""
    n: int
    """Pairs with both scores."""
    left_out: int
    """Pairs that lack one, or both."""


@dataclass(frozen=True)
class Repeats:
    """A rater's stability, over all metrics and per metric."""

    overall: Stability
    drift: ClusteredEstimate | Undefined
    """The overall mean of second minus first, with an interval that takes items as independent."""
    by_metric: Mapping[str, Stability | Undefined]


def repeats_of_rater(pairs: pd.DataFrame) -> Repeats:
    """The stability of one rater, from a table with one row per repeated item and metric.

    Its columns are `REPEAT_COLUMNS`: the first and the second score are floats, NaN where one is missing.
    Raises RatingError when they are not, and UndefinedStatistic when no pair has both scores.
    """
    if missing := [column for column in REPEAT_COLUMNS if column not in pairs]:
        raise RatingError(f"repeats: no column {', '.join(missing)}; the columns must be {','.join(REPEAT_COLUMNS)}")
    scores = pairs[["first", "second"]]
    if not all(map(pd.api.types.is_float_dtype, scores.dtypes)) or np.isinf(scores.to_numpy()).any():
        raise RatingError("repeats: first and second must contain finite floats, or NaN for a missing score")
    both = pairs.dropna(subset=["first", "second"])
    return Repeats(
        overall=_stability(pairs),
        drift=_drift(both),
        by_metric={str(metric): or_undefined(_stability, part) for metric, part in pairs.groupby("metric", sort=True)},
    )


def _stability(pairs: pd.DataFrame) -> Stability:
    both = pairs.dropna(subset=["first", "second"])
    if both.empty:
        raise UndefinedStatistic("none of the {n} repeated scores has both a first and a second score", n=len(pairs))
    first, second = (both[name].to_numpy(dtype=float) for name in ("first", "second"))
    same, change = match(first, second), second - first
    return Stability(
        exact=same.exact,
        within_one=same.within_one,
        mean_absolute=float(np.abs(change).mean()),
        mean=float(change.mean()),
        n=same.n,
        left_out=len(pairs) - same.n,
    )


def _drift(both: pd.DataFrame) -> ClusteredEstimate | Undefined:
    change = (both["second"] - both["first"]).to_numpy(dtype=float)
    return or_undefined(clustered_mean, change, pd.factorize(both["item"])[0], "items")
