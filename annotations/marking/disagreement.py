"""Disagreement: which scores of the experts differ most, and who gave what.

What is offered for a consensus is the median and the list of the scores: it is an adjudicator who decides.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Literal

import numpy as np
import pandas as pd

from annotations.errors import UndefinedStatistic
from annotations.marking.rating import Dropped, check_frame, leave_out_missing
from annotations.resampling.jackknife import Floats, Ints

Measure = Literal["range", "sd", "mean_difference"]
FEWEST_RATERS = 2


@dataclass(frozen=True)
class Disagreement:
    """What the experts gave for one metric of one item."""

    item: str
    metric: str
    scores: tuple[tuple[str, float], ...]
    """Rater and score, by rising score, then by rater."""
    median: float
    """Of an even number of scores, the middle between the two in the middle; it need not be on the scale."""
    range: float
    """Highest minus lowest score."""
    sd: float
    """Standard deviation (n - 1) of the scores."""
    mean_difference: float
    """Mean distance of two raters' scores, over all pairs of raters."""


@dataclass(frozen=True)
class ItemDispute:
    """How far the experts are apart on one item."""

    item: str
    range: float
    """The widest range of a metric."""
    sd: float
    """Mean over the metrics."""
    mean_difference: float
    """Mean over the metrics."""
    metrics: tuple[Disagreement, ...]
    """Those that at least two experts scored, the most disputed first."""


@dataclass(frozen=True)
class Disagreements:
    """The disagreement of the experts in each cell (one metric of one item), the greatest first."""

    cells: tuple[Disagreement, ...]
    single: int
    """Cells that one expert alone scored, and that have no disagreement to speak of; they are left out."""
    dropped: tuple[Dropped, ...]
    """Ratings without a score."""


def disagreements(frame: pd.DataFrame, by: Measure = "mean_difference") -> Disagreements:
    """The cells that at least two experts scored, ranked by one measure of disagreement (see
    `annotations.marking.rating` for the columns of `frame`).

    Those that are equal by it follow by the other two measures (mean difference, range, SD), then by item and metric,
    so that neither the order of the rows nor the raters' names decide. Raises RatingError when `frame` is no table of
    ratings, and UndefinedStatistic when no cell has two scores.
    """
    check_frame(frame)
    scored, dropped = leave_out_missing(frame[frame["kind"] == "expert"])
    ordered = scored[["item", "metric", "score", "rater"]].sort_values(["item", "metric", "score", "rater"])
    first = np.flatnonzero(~ordered.duplicated(["item", "metric"]).to_numpy())
    size = np.diff(np.append(first, len(ordered)))
    several = size >= FEWEST_RATERS
    if not several.any():
        raise UndefinedStatistic(
            "disagreement needs at least two experts to score the same metric of an item; this is not the case for"
            " any of the {n} scored so far",
            n=len(first),
        )
    cells = _cells(ordered, first[several], size[several])
    return Disagreements(tuple(sorted(cells, key=_rank(by))), int((~several).sum()), dropped)


def disputed_items(cells: Sequence[Disagreement], by: Measure = "mean_difference") -> tuple[ItemDispute, ...]:
    """The items of these cells, ranked likewise."""
    items: list[ItemDispute] = []
    for item, group in groupby(sorted(cells, key=attrgetter("item")), key=attrgetter("item")):
        metrics = tuple(sorted(group, key=_rank(by)))
        items.append(
            ItemDispute(
                item=item,
                range=max(each.range for each in metrics),
                sd=float(np.mean([each.sd for each in metrics])),
                mean_difference=float(np.mean([each.mean_difference for each in metrics])),
                metrics=metrics,
            )
        )
    return tuple(sorted(items, key=_rank(by)))


def _rank(by: Measure) -> Callable[[Disagreement | ItemDispute], tuple[float | str, ...]]:
    """The key that puts the greatest first, as far as scores tell, and not the last digits of arithmetic."""
    order = (by, *(other for other in ("mean_difference", "range", "sd") if other != by))

    def key(dispute: Disagreement | ItemDispute) -> tuple[float | str, ...]:
        measures = (-round(getattr(dispute, measure), 9) for measure in order)
        return *measures, dispute.item, dispute.metric if isinstance(dispute, Disagreement) else ""

    return key


def _cells(ordered: pd.DataFrame, first: Ints, size: Ints) -> list[Disagreement]:
    """The cells of `ordered` (sorted by cell, then score) that begin at the rows `first` and have `size` scores."""
    score = ordered["score"].to_numpy(dtype=float)
    given = list(zip(ordered["rater"].astype(str), score.tolist(), strict=True))
    begin = ordered.iloc[first]
    cells = zip(begin["item"].astype(str), begin["metric"].astype(str), first.tolist(), size.tolist(), strict=True)
    return [
        Disagreement(item, metric, tuple(given[start : start + n]), *measures)
        for (item, metric, start, n), measures in zip(cells, _measures(score, first, size).tolist(), strict=True)
    ]


def _measures(score: Floats, first: Ints, size: Ints) -> Floats:
    """Median, range, SD and mean difference of each cell, one row per cell.

    The sum of all pairwise distances of n rising scores adds the i-th, counted from 0, i times for those below it and
    takes it away n - 1 - i times for those above.
    """
    cell = np.repeat(np.arange(len(first)), size)
    i = np.arange(len(cell)) - np.repeat(np.cumsum(size) - size, size)
    given, n = score[first[cell] + i], size[cell]
    deviation = given - (np.bincount(cell, weights=given) / size)[cell]
    return np.column_stack(
        [
            (score[first + (size - 1) // 2] + score[first + size // 2]) / 2,
            score[first + size - 1] - score[first],
            np.sqrt(np.bincount(cell, weights=deviation**2) / (size - 1)),
            np.bincount(cell, weights=given * (2 * i - n + 1)) * 2 / (size * (size - 1)),
        ]
    )
