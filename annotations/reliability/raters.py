"""Raters: how strict, how wide and how steady is each of them, beside the others?

All figures of a rater rest on the experts' scores. A *cell* is one metric of one item; where somebody else scored the
cell too, the rater is compared with the mean of the others, else the rating is `alone` and counts for the rater's own
figures only. Scores of one item are given in one sitting, and items of one scene resemble each other, so that
intervals take scenes, and not cells, as independent. In an incomplete design the others of a cell are different people
from cell to cell: severity is then relative to those whom the rater happened to meet.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from annotations.errors import Undefined, UndefinedStatistic, or_undefined
from annotations.i18n.messages import Message, joined
from annotations.marking.rating import Dropped, check_frame, leave_out_missing
from annotations.resampling.clustered import ClusteredEstimate, clustered_mean, clustered_pearson
from annotations.resampling.estimates import TINY
from annotations.resampling.jackknife import Floats, Ints


@dataclass(frozen=True)
class Spread:
    """The standard deviation (n - 1) of a rater's scores on all metrics, in points of the scale."""

    sd: float
    n: int
    ratio: float | Undefined
    """To the mean of the other raters' standard deviations; below 1 the rater uses less of the scale than they do."""
    others: int
    """The raters behind that mean: those who gave at least two scores."""


@dataclass(frozen=True)
class WithinMetrics:
    """The mean of r over the metrics, each correlated by itself: that metrics differ in level adds nothing to it."""

    mean: float
    metrics: int
    """Metrics with a correlation; the others are left out."""
    by_metric: Mapping[str, ClusteredEstimate | Undefined]


@dataclass(frozen=True)
class Match:
    """How often two scores for the same thing agree."""

    exact: float
    """Share, from 0 to 1, of equal scores."""
    within_one: float
    """Share of scores at most one point apart."""
    n: int
    """Pairs of scores."""


@dataclass(frozen=True)
class MostUsed:
    """The score that a rater gives most often; a share near 1 is straight-lining."""

    scores: tuple[float, ...]
    """All that are used as often, rising."""
    share: float
    n: int


@dataclass(frozen=True)
class FlatItems:
    """Items on which a rater gave the same score to all metrics."""

    share: float
    items: int
    """Items on which the rater scored at least two metrics."""
    left_out: int
    """Items with one scored metric."""


@dataclass(frozen=True)
class RaterFigures:
    """What the ratings say about one rater."""

    rater: str
    n: int
    """Ratings with a score."""
    items: int
    alone: int
    """Ratings in cells that nobody else scored; severity, correlations and matches leave them out."""
    severity: ClusteredEstimate | Undefined
    """The rater's scores minus the means of the others; negative is stricter."""
    spread: Spread | Undefined
    correlation: ClusteredEstimate | Undefined
    """Of the rater's scores with the means of the others, over cells."""
    within_metrics: WithinMetrics | Undefined
    match: Match | Undefined
    """With every other rater of a cell, all pairs together."""
    match_with: Mapping[str, Match]
    """The same with each other rater, by name; only those with a cell in common."""
    most_used: MostUsed
    flat_items: FlatItems | Undefined


@dataclass(frozen=True)
class Raters:
    """The figures of all raters, by name, and the ratings that none of them rests on."""

    figures: Mapping[str, RaterFigures]
    dropped: tuple[Dropped, ...]


@dataclass(frozen=True, eq=False)
class _Ratings:
    """The experts' scores, one entry each, sorted by cell; names are positions in sorted lists."""

    raters: tuple[str, ...]
    metrics: tuple[str, ...]
    rater: Ints
    metric: Ints
    item: Ints
    scene: Ints
    score: Floats
    first: Ints
    """Where the cell of each entry begins."""
    size: Ints
    """How many raters scored the cell of each entry."""
    others: Floats
    """The mean of the others' scores; NaN where the rating is alone."""


def rater_figures(frame: pd.DataFrame) -> Raters:
    """The figures of every expert in a table of ratings (see `annotations.marking.rating` for its columns); judges'
    rows stay out of it.

    A figure that the ratings do not determine is `Undefined` with the reason. Raises RatingError when `frame` is no
    table of ratings, and UndefinedStatistic when no expert gave a score.
    """
    check_frame(frame)
    scored, dropped = leave_out_missing(frame[frame["kind"] == "expert"])
    if scored.empty:
        raise UndefinedStatistic("no expert gave a score")
    ratings = _sorted(scored)
    rows = np.split(np.argsort(ratings.rater, kind="stable"), np.cumsum(np.bincount(ratings.rater))[:-1])
    spreads = [float(ratings.score[own].std(ddof=1)) if len(own) > 1 else None for own in rows]
    figures = [_figures(ratings, code, own, spreads) for code, own in enumerate(rows)]
    return Raters({each.rater: each for each in figures}, dropped)


def match(first: Floats, second: Floats) -> Match:
    """How often the scores of two arrays agree, entry by entry. Raises UndefinedStatistic when there are none."""
    if not len(first):
        raise UndefinedStatistic("there are no pairs of scores")
    apart = np.abs(first - second)
    return Match(float((apart < TINY).mean()), float((apart < 1 + TINY).mean()), len(apart))


def _sorted(scored: pd.DataFrame) -> _Ratings:
    rater, raters = pd.factorize(scored["rater"], sort=True)
    metric, metrics = pd.factorize(scored["metric"], sort=True)
    item, _ = pd.factorize(scored["item"], sort=True)
    scene, _ = pd.factorize(scored["scene"], sort=True)
    cell = item * len(metrics) + metric
    order = np.lexsort((rater, cell))
    score = scored["score"].to_numpy(dtype=float)[order]
    _, first, code, size = np.unique(cell[order], return_index=True, return_inverse=True, return_counts=True)
    sums = np.bincount(code, weights=score)
    others = (sums[code] - score) / np.maximum(size[code] - 1, 1)
    others[size[code] == 1] = np.nan
    names = tuple(map(str, raters)), tuple(map(str, metrics))
    codes = rater[order], metric[order], item[order], scene[order]
    return _Ratings(*names, *codes, score, first[code], size[code], others)


def _figures(ratings: _Ratings, code: int, own: Ints, spreads: list[float | None]) -> RaterFigures:
    """The figures of the rater `code`, whose entries are `own`."""
    shared = own[ratings.size[own] > 1]
    score, item = ratings.score[own], ratings.item[own]
    pairs = _pairs(ratings, shared)
    nobody = Undefined(Message("nobody else scored what this rater scored"))
    return RaterFigures(
        rater=ratings.raters[code],
        n=len(own),
        items=len(np.unique(item)),
        alone=len(own) - len(shared),
        severity=or_undefined(_severity, ratings, shared) if len(shared) else nobody,
        spread=_spread(code, spreads, len(own)),
        correlation=_correlation(ratings, shared) if len(shared) else nobody,
        within_metrics=_within_metrics(ratings, shared) if len(shared) else nobody,
        match=match(*pairs[:2]) if len(shared) else nobody,
        match_with=_match_with(ratings.raters, *pairs),
        most_used=_most_used(score),
        flat_items=_flat_items(score, item),
    )


def _severity(ratings: _Ratings, shared: Ints) -> ClusteredEstimate:
    return clustered_mean(ratings.score[shared] - ratings.others[shared], ratings.scene[shared])


def _spread(code: int, spreads: list[float | None], n: int) -> Spread | Undefined:
    own = spreads[code]
    if own is None:
        return Undefined(Message("a standard deviation needs at least two scores; found 1"))
    others = [spread for other, spread in enumerate(spreads) if other != code and spread is not None]
    if not others:
        return Spread(own, n, Undefined(Message("no other rater gave two scores")), 0)
    mean = float(np.mean(others))
    ratio = own / mean if mean > TINY else Undefined(Message("each of the others gave the same score throughout"))
    return Spread(own, n, ratio, len(others))


def _correlation(ratings: _Ratings, cells: Ints) -> ClusteredEstimate | Undefined:
    return or_undefined(clustered_pearson, ratings.score[cells], ratings.others[cells], ratings.scene[cells])


def _within_metrics(ratings: _Ratings, shared: Ints) -> WithinMetrics | Undefined:
    correlations = {
        ratings.metrics[code]: _correlation(ratings, shared[ratings.metric[shared] == code])
        for code in np.unique(ratings.metric[shared])
    }
    defined = [each.estimate for each in correlations.values() if isinstance(each, ClusteredEstimate)]
    if not defined:
        reasons = (
            Message("{name}: {what}", name=metric, what=each.reason)
            for metric, each in correlations.items()
            if isinstance(each, Undefined)
        )
        return Undefined(Message("no metric has a correlation ({reasons})", reasons=joined(reasons)))
    return WithinMetrics(float(np.mean(defined)), len(defined), correlations)


def _pairs(ratings: _Ratings, shared: Ints) -> tuple[Floats, Floats, Ints]:
    """Own score, other score and other rater, for every other rater of every shared cell."""
    size = ratings.size[shared]
    within = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    entry = np.repeat(ratings.first[shared], size) + within
    own = np.repeat(shared, size)
    other = entry != own
    return ratings.score[own[other]], ratings.score[entry[other]], ratings.rater[entry[other]]


def _match_with(names: tuple[str, ...], own: Floats, others: Floats, rater: Ints) -> dict[str, Match]:
    apart, n = np.abs(own - others), np.bincount(rater)
    exact, near = (np.bincount(rater, weights=apart < most + TINY) for most in (0, 1))
    return {
        names[code]: Match(float(exact[code] / n[code]), float(near[code] / n[code]), int(n[code]))
        for code in np.flatnonzero(n)
    }


def _most_used(score: Floats) -> MostUsed:
    scores, times = np.unique(score, return_counts=True)
    most = tuple(float(each) for each in scores[times == times.max()])
    return MostUsed(most, float(times.max() / len(score)), len(score))


def _flat_items(score: Floats, item: Ints) -> FlatItems | Undefined:
    order = np.argsort(item, kind="stable")
    _, first, metrics = np.unique(item[order], return_index=True, return_counts=True)
    span = np.maximum.reduceat(score[order], first) - np.minimum.reduceat(score[order], first)
    several = metrics > 1
    if not several.any():
        return Undefined(Message("the rater scored only one metric of each item"))
    return FlatItems(float((span[several] < TINY).mean()), int(several.sum()), int((~several).sum()))
