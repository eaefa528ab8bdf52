"""Halo: does a judge tell the metrics apart, or does one impression color all of them?

Several metrics, each scored by two methods (the judge, and the mean of the experts), form a multitrait-multimethod
matrix (Campbell & Fiske, 1959). Two things are asked of it. Discrimination: the judge's metrics should correlate no
more with each other than the experts' do; where they do, a high alpha of the judge is halo. Convergence: a metric of
the judge should correlate more with the same metric of the experts (its validity) than with their other metrics, and
than their same metric does with the judge's others. The mean of several experts holds less error than one expert, which
raises the correlations between its metrics too: this makes the verdict of halo a careful one. All figures rest on the
same items: those that both sides scored on every metric.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from annotations.errors import Undefined, UndefinedStatistic
from annotations.i18n.messages import Message, Readable, all_of
from annotations.marking.rating import Dropped
from annotations.reliability.pingouin_check import confirmed_correlations
from annotations.resampling.estimates import intervals, without_each
from annotations.resampling.jackknife import PLAIN, USUAL, Drawn, Figures, Floats, Interval
from annotations.validity.judge_expert_correlation import Sides, unpaired
from annotations.validity.pearson import correlations, item_sums, pearson_matrix

HARDLY = 0.05
"""A difference of mean correlations that is as good as none."""
FEWEST_ITEMS = 10
"""With fewer items the many correlations of the matrix are chance."""

Matrix = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class MultitraitMultimethod:
    """Pearson's r between the metrics of a judge and of the experts' mean; rows and columns as in `metrics`."""

    judge: Readable
    """As sentences name it."""
    metrics: tuple[str, ...]
    within_judge: Matrix
    """Monomethod block of the judge; 1 on its diagonal."""
    within_experts: Matrix
    """Monomethod block of the experts' mean; 1 on its diagonal."""
    between: Matrix
    """Heteromethod block: rows are the judge's metrics, columns the experts'. Its diagonal is the validity."""
    constant: tuple[str, ...]
    """Metrics left out because a side gave all items the same score."""
    n: int
    """Items."""
    scenes: int
    models: int
    dropped: tuple[Dropped, ...]

    @property
    def validity(self) -> dict[str, float]:
        """Per metric r between judge and experts."""
        return {metric: self.between[at][at] for at, metric in enumerate(self.metrics)}


@dataclass(frozen=True)
class Contrast:
    """A difference of two mean correlations."""

    first: float
    second: float
    difference: float
    interval: Interval | Undefined
    """Of the difference."""
    n: int
    """Items."""

    @property
    def positive(self) -> bool:
        """Whether the whole interval lies above 0."""
        return isinstance(self.interval, Interval) and self.interval.low > 0


@dataclass(frozen=True)
class Halo:
    """What the multitrait-multimethod matrix of a judge says about halo, with a sentence for each of both questions."""

    matrix: MultitraitMultimethod
    discrimination: Contrast
    """Mean r between metrics within the judge, and within the experts' mean."""
    convergence: Contrast
    """Mean validity, and mean r between different metrics of judge and experts."""

    @property
    def verdict(self) -> Message:
        """Whether there is halo, in a sentence."""
        contrast, judge = self.discrimination, self.matrix.judge
        means = Message(
            "the metrics of {judge} correlate {first:z.2f} on average with each other, those of the experts'"
            " mean {second:z.2f} ({difference})",
            judge=judge,
            first=contrast.first,
            second=contrast.second,
            difference=_difference(contrast),
        )
        if isinstance(contrast.interval, Undefined):
            return Message("Halo cannot be assessed: {means}.", means=means)
        if contrast.positive:
            return Message("Halo effect: {means}.", means=means)
        return Message("No evidence of halo: {means}.", means=means)

    @property
    def no_convergence(self) -> bool:
        """Whether the metrics hardly go more with the experts' same metric than with others: the whole interval of the
        contrast lies below `HARDLY`."""
        interval = self.convergence.interval
        return isinstance(interval, Interval) and interval.high < HARDLY

    @property
    def convergence_verdict(self) -> Message:
        """Whether the judge's metrics go more with the experts' same metric than with others, in a sentence."""
        contrast, judge = self.convergence, self.matrix.judge
        means = Message(
            "{judge} correlates {first:z.2f} on average with the experts on the same metric and {second:z.2f}"
            " on different metrics ({difference})",
            judge=judge,
            first=contrast.first,
            second=contrast.second,
            difference=_difference(contrast),
        )
        if isinstance(contrast.interval, Undefined):
            return Message(
                "It cannot be determined whether its metrics correlate more with the experts' same metric than"
                " with other metrics: {means}.",
                means=means,
            )
        if self.no_convergence:
            return Message(
                "Its metrics hardly correlate more with the experts' same metric than with other metrics: {means}.",
                means=means,
            )
        if contrast.positive:
            return Message(
                "Its metrics correlate more with the experts' same metric than with other metrics: {means}.",
                means=means,
            )
        return Message(
            "There is no evidence that its metrics correlate more with the experts' same metric than"
            " with other metrics: {means}.",
            means=means,
        )


def multitrait_multimethod(sides: Sides, metrics: Sequence[str]) -> MultitraitMultimethod:
    """The matrix of a judge and the experts' mean.

    Raises UndefinedStatistic for fewer than `FEWEST_ITEMS` items scored by both on every metric, and where fewer than
    two metrics vary on both sides.
    """
    return _matrix_of(sides, metrics, *_both(sides, metrics))


def _matrix_of(
    sides: Sides, metrics: Sequence[str], both: pd.DataFrame, constant: tuple[str, ...]
) -> MultitraitMultimethod:
    kept = tuple(metric for metric in metrics if metric not in constant)
    scores, k = _scores(both, kept), len(kept)
    r = confirmed_correlations(pearson_matrix(scores), scores)
    return MultitraitMultimethod(
        sides.called,
        kept,
        _matrix(r[:k, :k]),
        _matrix(r[k:, k:]),
        _matrix(r[:k, k:]),
        constant,
        n=len(both),
        scenes=both["scene", ""].nunique(),
        models=both["model", ""].nunique(),
        dropped=unpaired(sides, metrics, "all metrics"),
    )


def halo(sides: Sides, metrics: Sequence[str], drawn: Drawn = USUAL) -> Halo:
    """Halo of a judge beside the experts' mean. Raises UndefinedStatistic as `multitrait_multimethod` does."""
    both, constant = _both(sides, metrics)
    matrix = _matrix_of(sides, metrics, both, constant)
    between = np.array(matrix.between)
    r = np.block([[np.array(matrix.within_judge), between], [between.T, np.array(matrix.within_experts)]])
    means = _mean_correlations(r[None])[:, 0]

    def beside(others: Sides) -> tuple[Figures, int]:
        kept, _ = _both(others, metrics)
        return _differences(_scores(kept, matrix.metrics)), len(kept)

    places = pd.DataFrame({place: both[place, ""] for place in ("scene", "model")})
    figures, by_expert = _differences(_scores(both, matrix.metrics)), without_each(sides.without_each, beside, 2)
    discrimination, convergence = intervals(places, figures, drawn, [PLAIN, PLAIN], by_expert)
    return Halo(
        matrix,
        Contrast(float(means[0]), float(means[1]), float(means[0] - means[1]), discrimination, matrix.n),
        Contrast(float(means[2]), float(means[3]), float(means[2] - means[3]), convergence, matrix.n),
    )


def _both(sides: Sides, metrics: Sequence[str]) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The items that both sides scored on every metric, columns (`judge` or `expert`, metric), and constant metrics."""
    names = list(metrics)
    tables = {"judge": sides.judged.reindex(columns=names), "expert": sides.experts.reindex(columns=names)}
    both = pd.concat(tables, axis=1).dropna().sort_index()
    n = len(both)
    if n < FEWEST_ITEMS:
        raise UndefinedStatistic(
            "a multitrait-multimethod matrix needs at least {fewest} items scored on every metric by the"
            " experts and {judge}; found {n}",
            fewest=FEWEST_ITEMS,
            judge=sides.called,
            n=n,
        )
    same = np.isclose(np.ptp(both.to_numpy(dtype=float), axis=0), 0).reshape(2, -1).any(axis=0)
    constant = tuple(metric for metric, is_same in zip(metrics, same, strict=True) if is_same)
    if (left := len(metrics) - len(constant)) < 2:
        if not constant:
            raise UndefinedStatistic("a multitrait-multimethod matrix needs two metrics; found {left}", left=left)
        raise UndefinedStatistic(
            "a multitrait-multimethod matrix needs two metrics; found {left}, not counting {constant}, where"
            " one side gave all {n:,} items the same score",
            left=left,
            constant=all_of(constant),
            n=n,
        )
    for place in ("scene", "model"):
        both[place, ""] = sides.items[place].reindex(both.index)
    return both, constant


def _scores(both: pd.DataFrame, metrics: Sequence[str]) -> Floats:
    """Items x (the judge's metrics, then the experts')."""
    return both[[(side, metric) for side in ("judge", "expert") for metric in metrics]].to_numpy(dtype=float)


def _mean_correlations(r: Floats) -> Floats:
    """Of matrices (draws x 2k x 2k), the mean r within the judge, within the experts, on the validity diagonal, and
    beside it: 4 x draws."""
    k = r.shape[1] // 2
    other = ~np.eye(k, dtype=bool)
    judge, experts, between = r[:, :k, :k], r[:, k:, k:], r[:, :k, k:]
    blocks = (judge[:, other], experts[:, other], between[:, ~other], between[:, other])
    return np.stack([block.mean(axis=1) for block in blocks])


def _differences(scores: Floats) -> Figures:
    """Of the mean correlations within and between the sides."""
    sums = item_sums(scores, np.arange(len(scores)), len(scores))

    def differences(counts: Floats) -> Floats:
        means = _mean_correlations(correlations(sums.covariances(counts)))
        return means[[0, 2]] - means[[1, 3]]

    return differences


def _matrix(block: Floats) -> Matrix:
    return tuple(tuple(float(value) for value in row) for row in block)


def _difference(contrast: Contrast) -> Message:
    interval, difference, n = contrast.interval, contrast.difference, contrast.n
    if isinstance(interval, Undefined):
        return Message(
            "difference {difference:z.2f}, n = {n:,} items; no interval: {reason}",
            difference=difference,
            n=n,
            reason=interval.reason,
        )
    limits = f"[{interval.low:z.2f}, {interval.high:z.2f}]"
    return Message("difference {difference:z.2f} {limits}, n = {n:,} items", difference=difference, limits=limits, n=n)
