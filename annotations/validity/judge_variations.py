"""Variations of a judge: what does it change when one thing in how a judge judges is changed?

A variation scores the items that the judge itself has scored, the baseline. Scores of one scene depend on each other,
so that all intervals take scenes as drawn. Three things are asked:

- Of any variation: how far do its scores lie from the baseline's, and do both order the items alike (Pearson's r, and
  ICC(A,1), to which a shift of all scores matters too)?
- Of one reply for all metrics against a reply for each: do the metrics hang together more where one reply gives them
  all? What they do so more is halo (Thorndike, 1920): the items, and how good they are, are the same.
- Of the same judge asked again and again: how far do its scores of one item lie apart, and what is one of them worth
  (ICC(1,1): the repeats of an item are alike but for chance)?

Per metric each item counts with its score; `overall` an item counts with its mean over the metrics, and with the share
of metrics that agree.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from annotations.errors import Undefined, UndefinedStatistic, or_undefined
from annotations.i18n.messages import Message
from annotations.reliability.agreement import RatedItems
from annotations.reliability.cronbach_alpha import complete_alpha
from annotations.reliability.intraclass import IntraclassCorrelation, Name, intraclass
from annotations.reliability.item_analysis import alphas_of
from annotations.reliability.pingouin_check import confirmed_correlations, confirmed_pearson
from annotations.resampling.estimates import (
    FEWEST_SCORES,
    TINY,
    Estimate,
    as_they_stand,
    enough_cases,
    estimates,
    intervals,
)
from annotations.resampling.jackknife import CORRELATION, MEAN, PLAIN, POSITIVE, SHARE, USUAL, Floats
from annotations.validity.halo import FEWEST_ITEMS as FEWEST_FOR_HALO
from annotations.validity.halo import Contrast
from annotations.validity.judge_expert_correlation import OVERALL
from annotations.validity.pearson import correlations, item_sums, pearson_figures, pearson_matrix
from annotations.validity.repeats import MeansOfRepeats, repeats_of


@dataclass(frozen=True)
class Change:
    """How a variation's scores stand to the baseline's, on one metric or overall."""

    difference: Estimate
    """Mean of variation minus baseline, in points of the scale."""
    exact: Estimate
    """Share of equal scores, from 0 to 1."""
    apart: Estimate
    """Mean absolute difference, in points of the scale."""
    pearson: Estimate | Undefined
    icc: IntraclassCorrelation | Undefined
    """ICC(A,1)."""
    n: int
    """Items with a score of both (overall: on all metrics)."""
    left_out: int
    """Items that lack one."""


@dataclass(frozen=True)
class HaloContrast:
    """How much the metrics hang together under one reply for all, and under a reply for each, on the same items."""

    metrics: tuple[str, ...]
    constant: tuple[str, ...]
    """Metrics left out because all items have the same score on a side."""
    correlation: Contrast
    """Of mean Pearson's r between metrics: first under one reply, second under a reply for each."""
    alpha: Contrast
    """Of Cronbach's alpha of the metrics."""

    @property
    def verdict(self) -> Message:
        """Whether one reply makes halo, in a sentence."""
        found = self.correlation
        means = Message(
            "the mean correlation between metrics is {first:z.2f} with one reply for all metrics and {second:z.2f}"
            " with one reply per metric",
            first=found.first,
            second=found.second,
        )
        return (
            Message("Halo effect: {means}.", means=means)
            if found.positive
            else Message("No evidence of halo: {means}.", means=means)
        )


@dataclass(frozen=True)
class Steadiness:
    """How alike the scores of one item are when the judge is asked again."""

    sd: Estimate
    """Of one item's scores over the times (the root of the mean variance), in points of the scale."""
    identical: Estimate
    """Share, from 0 to 1, of items scored the same every time (overall: of scores)."""
    icc: IntraclassCorrelation | Undefined
    """ICC(1,1)."""
    repeats: MeansOfRepeats | Undefined
    """What the mean of several scores is worth."""
    times: int
    """How often each item was judged."""
    n: int
    """Items scored every time (overall: on all metrics)."""
    left_out: int


def table_of(frame: pd.DataFrame, metrics: Sequence[str]) -> pd.DataFrame:
    """The scores as a table of item x metric, NaN where there is none; one row per item and metric in `frame`."""
    return frame.pivot(index="item", columns="metric", values="score").reindex(columns=list(metrics)).astype(float)


def changes(before: pd.DataFrame, after: pd.DataFrame, places: pd.DataFrame) -> Mapping[str, Change | Undefined]:
    """How the scores of a variation (`after`) stand to the baseline's, per metric and overall.

    Both are tables of item x metric with the same metrics; `places` has the scene and the model of each item.
    """
    return {name: or_undefined(_change, sides, places) for name, sides in _by_metric([before, after]).items()}


def steadiness(times: Sequence[pd.DataFrame], places: pd.DataFrame) -> Mapping[str, Steadiness | Undefined]:
    """How steady a judge is that has scored the same items several times, per metric and overall.

    The tables and `places` are as for `changes`.
    """
    return {name: or_undefined(_steadiness, each, places) for name, each in _by_metric(times).items()}


def halo_contrast(one: pd.DataFrame, each: pd.DataFrame, places: pd.DataFrame) -> HaloContrast:
    """How much the metrics hang together when one reply scores all of them, and when each has a reply of its own.

    The tables and `places` are as for `changes`. Raises UndefinedStatistic for fewer than ten items scored on every
    metric by both, and where fewer than two metrics vary on both sides.
    """
    both = pd.concat({"one": one, "each": each}, axis=1).dropna().sort_index()
    if len(both) < FEWEST_FOR_HALO:
        raise UndefinedStatistic(
            "halo needs at least {fewest} items scored on every metric in both ways; found {n}",
            fewest=FEWEST_FOR_HALO,
            n=len(both),
        )
    same = np.isclose(np.ptp(both.to_numpy(dtype=float), axis=0), 0).reshape(2, -1).any(axis=0)
    metrics = tuple(metric for metric, constant in zip(one.columns, same, strict=True) if not constant)
    constant = tuple(metric for metric, is_same in zip(one.columns, same, strict=True) if is_same)
    if len(metrics) < 2:
        raise UndefinedStatistic("fewer than two metrics vary in both ways")
    scores = both[[(side, metric) for side in ("one", "each") for metric in metrics]].to_numpy(dtype=float)
    sums = item_sums(scores, np.arange(len(scores)), len(scores))

    def figures(counts: Floats) -> Floats:
        covariances = sums.covariances(counts)
        sides = np.split(covariances, [len(metrics)], axis=1)
        blocks = [sides[0][:, :, : len(metrics)], sides[1][:, :, len(metrics) :]]
        found = [[_mean_correlation(block), alphas_of(block)] for block in blocks]
        return np.stack([a - b for a, b in zip(*found, strict=True)])

    differences = as_they_stand(figures, len(both))
    (r_one, alpha_one), (r_each, alpha_each) = (_hanging(side, metrics) for side in np.split(scores, 2, axis=1))
    drawn = intervals(places.reindex(both.index), figures, USUAL, [PLAIN, PLAIN])
    return HaloContrast(
        metrics,
        constant,
        Contrast(r_one, r_each, differences[0], drawn[0], len(both)),
        Contrast(alpha_one, alpha_each, differences[1], drawn[1], len(both)),
    )


def _hanging(scores: Floats, metrics: Sequence[str]) -> tuple[float, float]:
    """The mean r between metrics, and alpha."""
    r = confirmed_correlations(pearson_matrix(scores), scores)
    return float(r[~np.eye(len(r), dtype=bool)].mean()), complete_alpha(scores, metrics).estimate


def _by_metric(tables: Sequence[pd.DataFrame]) -> dict[str, list[pd.DataFrame]]:
    """The tables of each metric by itself, and of all together as `overall`."""
    metrics = [str(metric) for metric in tables[0].columns]
    parts = {metric: [table[[metric]] for table in tables] for metric in metrics}
    return {**parts, OVERALL: list(tables)} if len(metrics) > 1 else parts


def _cube(tables: Sequence[pd.DataFrame]) -> tuple[pd.Index, Floats, int]:
    """The items that have all scores in all tables, these scores (tables x items x metrics), and how many lack some.

    Raises UndefinedStatistic where no item has all.
    """
    whole = pd.concat(dict(enumerate(tables)), axis=1)
    complete = whole.dropna().sort_index()
    if complete.empty:
        raise UndefinedStatistic("no item has a score in every repeat")
    scores = complete.to_numpy(dtype=float).reshape(len(complete), len(tables), -1).swapaxes(0, 1)
    return complete.index, scores, len(whole) - len(complete)


def _change(tables: Sequence[pd.DataFrame], places: pd.DataFrame) -> Change:
    items, (before, after), left_out = _cube(tables)
    moved = after - before
    terms = np.stack([part.mean(axis=1) for part in (moved, np.abs(moved) < TINY, np.abs(moved))], axis=1)
    sides = before.mean(axis=1), after.mean(axis=1)
    r = pearson_figures(*sides)

    def figures(counts: Floats) -> Floats:
        return np.vstack([_means(counts, terms), r(counts)])

    scales = (MEAN, SHARE, POSITIVE, CORRELATION)
    difference, exact, apart, pearson = estimates(places.reindex(items), figures, USUAL, scales)
    return Change(
        difference,
        replace(exact, interval=enough_cases(exact.interval, exact.n)),
        apart,
        _correlation(pearson, sides),
        _intraclass(np.stack(sides, axis=1), places.reindex(items), "ICC(A,1)"),
        n=len(items),
        left_out=left_out,
    )


def _steadiness(tables: Sequence[pd.DataFrame], places: pd.DataFrame) -> Steadiness:
    items, scores, left_out = _cube(tables)
    if len(scores) < 2:
        raise UndefinedStatistic("the items were judged only once")
    means = scores.mean(axis=2).T
    same = (np.ptp(scores, axis=0) < TINY).mean(axis=1)
    variance = means.var(axis=1, ddof=1)
    terms = np.stack([np.where(variance > TINY**2, variance, 0), same], axis=1)  # means of equal scores round

    def figures(counts: Floats) -> Floats:
        variance, identical = _means(counts, terms)
        return np.stack([np.sqrt(variance), identical])

    sd, identical = estimates(places.reindex(items), figures, USUAL, [POSITIVE, SHARE])
    icc = _intraclass(means, places.reindex(items), "ICC(1,1)")
    if isinstance(icc, IntraclassCorrelation):
        icc = replace(icc, interval=enough_cases(icc.interval, icc.n))
    sd, identical = (replace(each, interval=enough_cases(each.interval, each.n)) for each in (sd, identical))
    return Steadiness(sd, identical, icc, repeats_of(icc), times=len(scores), n=len(items), left_out=left_out)


def _means(counts: Floats, terms: Floats) -> Floats:
    """The mean of each column of `terms` (items x columns) in each draw: columns x draws."""
    return np.asarray((counts @ terms / counts.sum(axis=1, keepdims=True)).T, dtype=float)


def _correlation(found: Estimate, sides: Sequence[Floats]) -> Estimate | Undefined:
    if found.n < FEWEST_SCORES:
        return Undefined(
            Message("a correlation needs at least {fewest} items; found {n}", fewest=FEWEST_SCORES, n=found.n)
        )
    if np.isnan(found.estimate):
        return Undefined(Message("all {n} scores on one side are the same", n=found.n))
    r = or_undefined(confirmed_pearson, found.estimate, *sides)
    return r if isinstance(r, Undefined) else replace(found, estimate=r)


def _intraclass(scores: Floats, places: pd.DataFrame, name: Name) -> IntraclassCorrelation | Undefined:
    table = pd.DataFrame(scores, index=places.index)
    return or_undefined(intraclass, RatedItems(OVERALL, table, places), name)


def _mean_correlation(covariances: Floats) -> Floats:
    r = correlations(covariances)
    return np.asarray(r[:, ~np.eye(r.shape[1], dtype=bool)].mean(axis=1), dtype=float)
