"""Consistency: do the metrics of a dimension measure one thing, and does each of them belong to it?

Beside Cronbach's alpha (`annotations.reliability.cronbach_alpha`) stand here: for a dimension of two metrics the
Spearman-Brown coefficient 2 r / (1 + r), the reliability of their sum when both are put on one scale (Eisinga, te
Grotenhuis & Pelzer, 2013, prefer it to alpha there); for three and more, alpha if a metric is dropped; the
correlations between metrics; and an interval of alpha that takes rows of one scene, and of one model, as alike. Rows
are rated trajectories (item x rater), and columns are metrics. All figures rest on the same rows, those with a score
for every metric; if so chosen, alphas rest on pairs of scores (`annotations.reliability.pairwise`), and the
correlations do not.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annotations.errors import Undefined, UndefinedStatistic, or_undefined
from annotations.i18n.messages import Message, joined, listed, to_say
from annotations.marking.rating import places_of
from annotations.reliability.cronbach_alpha import (
    ACROSS_METRICS,
    BETWEEN_RATERS,
    FEWEST_ROWS,
    SAME_SCORES,
    Alpha,
    IncompleteRow,
    cronbach_alpha,
    incomplete_rows,
    table_of_raters,
    trajectory_table,
)
from annotations.reliability.pairwise import USUAL_GAPS, Gaps, fewest_shared, pair_sums, rows_used
from annotations.reliability.pingouin_check import confirmed_correlations
from annotations.resampling.estimates import Estimate, errors, interval_of, without_each
from annotations.resampling.jackknife import ALPHA, USUAL, Drawn, Error, Figures, Floats, Interval
from annotations.validity.pearson import correlations, fisher_interval, item_sums, pearson_matrix

_TINY = 1e-12
_TOO_FEW_LEFT = to_say("too few rows or columns remain when one of the experts is left out")


@dataclass(frozen=True)
class SpearmanBrown(Estimate):
    """The reliability of the sum of two standardized metrics, 2 r / (1 + r): never below alpha, and negative where r
    is. n counts the rows with a score for both."""

    pearson: float
    """r of the two metrics."""


@dataclass(frozen=True)
class InterMetric:
    """Pearson's r between metrics."""

    metrics: tuple[str, ...]
    matrix: tuple[tuple[float | Undefined, ...], ...]
    """Rows and columns as in `metrics`; 1 on the diagonal. Undefined is what a metric without variance would give."""
    mean: float | Undefined
    """Over the pairs of metrics that have an r."""
    pairs: int
    """How many these are."""
    n: int
    """Rows with a score for every metric."""
    dropped: tuple[IncompleteRow, ...]


@dataclass(frozen=True)
class ResampledAlpha:
    """Cronbach's alpha of a dimension with both its intervals."""

    alpha: Alpha
    """With Feldt's interval, which takes the rows as independent."""
    interval: Interval | Undefined
    """By the jackknife."""

    @property
    def chosen(self) -> Alpha:
        """Alpha with its interval by the jackknife."""
        return replace(self.alpha, interval=self.interval)


@dataclass(frozen=True)
class Consistency(ResampledAlpha):
    """How well the metrics of a dimension go together."""

    spearman_brown: SpearmanBrown | Undefined | None
    """None for three metrics and more."""
    without: Mapping[str, Alpha | Undefined]
    """Alpha of the others when this metric is dropped, over the same rows; empty for two metrics."""
    correlations: InterMetric | Undefined
    """Of rows with a score for every metric."""
    n: int
    """Rows."""
    items: int
    raters: int
    scenes: int
    models: int


@dataclass(frozen=True, eq=False)
class _Rows:
    """What alpha is computed over: the rated trajectories of one side, or items."""

    table: pd.DataFrame
    everywhere: pd.DataFrame
    """The scene and model of each item of the ratings."""
    of_experts: bool
    gaps: Gaps

    @cached_property
    def used(self) -> pd.DataFrame:
        """Those without a gap, or with two scores at least."""
        return rows_used(self.table, self.gaps)

    @cached_property
    def places(self) -> pd.DataFrame:
        """The scene and model of each of their items."""
        return self.everywhere.reindex(self.used.index.get_level_values("item").unique().sort_values())

    def without_each(self) -> "list[_Rows]":
        """Without each rater: without the rows of one, or without the column where raters are the columns."""
        table = self.table
        if "rater" in table.index.names:
            rater = table.index.get_level_values("rater")
            tables = [table[rater != name] for name in rater.unique()]
        else:
            tables = [table.drop(columns=name) for name in table.columns]
        return [replace(self, table=one) for one in tables]


def resampled_alpha(
    frame: pd.DataFrame, metrics: Sequence[str], drawn: Drawn = USUAL, gaps: Gaps = USUAL_GAPS
) -> ResampledAlpha:
    """Cronbach's alpha of `metrics` in the ratings of one side: the experts, or one judge (`ACROSS_METRICS`).

    High values can also mean halo: one impression that colored all scores.
    Raises UndefinedStatistic where alpha is undefined.
    """
    return _resampled_alpha(_rows(frame, trajectory_table(frame, metrics), gaps), ACROSS_METRICS, drawn)


def alpha_error(frame: pd.DataFrame, metrics: Sequence[str], drawn: Drawn = USUAL, gaps: Gaps = USUAL_GAPS) -> Error:
    """The error of that alpha by the jackknife, for tests of it; items are left out where they are taken as
    independent. Raises UndefinedStatistic where it has none."""
    found = _error(_rows(frame, trajectory_table(frame, metrics), gaps), alphas_of, drawn)
    if isinstance(found, Undefined):
        raise UndefinedStatistic(found.reason)
    return found


def resampled_alpha_between(
    frame: pd.DataFrame, metric: str, drawn: Drawn = USUAL, gaps: Gaps = USUAL_GAPS
) -> ResampledAlpha:
    """Cronbach's alpha of the raters on one metric (`BETWEEN_RATERS`).

    Only consistency counts: a rater who is always one point stricter takes nothing away.
    Raises UndefinedStatistic where it is undefined, above all when only one rater scored the metric.
    """
    return _resampled_alpha(_rows(frame, table_of_raters(frame, metric), gaps), BETWEEN_RATERS, drawn)


def metric_consistency(
    frame: pd.DataFrame, metrics: Sequence[str], drawn: Drawn = USUAL, gaps: Gaps = USUAL_GAPS
) -> Consistency:
    """The consistency of `metrics` in the ratings of one side: the experts, or one judge.

    Raises UndefinedStatistic where alpha is undefined.
    """
    rows = _rows(frame, trajectory_table(frame, metrics), gaps)
    resampled, used = _resampled_alpha(rows, ACROSS_METRICS, drawn), rows.used
    return Consistency(
        resampled.alpha,
        resampled.interval,
        _spearman_brown(rows, drawn) if len(metrics) == 2 else None,
        {metric: _without(rows, metric) for metric in metrics} if len(metrics) > 2 else {},
        or_undefined(_inter_metric, rows.table),
        n=len(used),
        items=len(rows.places),
        raters=used.index.get_level_values("rater").nunique(),
        scenes=rows.places["scene"].nunique(),
        models=rows.places["model"].nunique(),
    )


def inter_metric_correlations(frame: pd.DataFrame, metrics: Sequence[str]) -> InterMetric:
    """Pearson's r of each pair of `metrics` in the ratings of one side; also where a metric does not vary.

    Raises UndefinedStatistic for fewer than two metrics, or three rows with a score for all of them.
    """
    if len(metrics) < 2:
        raise UndefinedStatistic("correlations between metrics need two metrics; found {n}", n=len(metrics))
    return _inter_metric(trajectory_table(frame, metrics))


def spearman_brown(pearson: float) -> float:
    """The reliability of the sum of two halves that correlate by `pearson` (Spearman, 1910; Brown, 1910).

    Raises UndefinedStatistic where they run exactly against each other: the sum of such halves is constant.
    """
    if 1 + pearson < _TINY:
        raise UndefinedStatistic("the two metrics correlate perfectly negatively (r = -1): their sum does not vary")
    return 2 * pearson / (1 + pearson)


def alphas_of(covariances: Floats) -> Floats:
    """Cronbach's alpha from covariances (draws x metrics x metrics); NaN where the sum does not vary."""
    k = covariances.shape[1]
    own, whole = np.trace(covariances, axis1=1, axis2=2), covariances.sum(axis=(1, 2))
    return np.asarray(k / (k - 1) * (1 - _ratio(own, whole, whole > _TINY * own)), dtype=float)


def _rows(frame: pd.DataFrame, table: pd.DataFrame, gaps: Gaps) -> _Rows:
    return _Rows(table, places_of(frame), bool((frame["kind"] == "expert").all()), gaps)


def _resampled_alpha(rows: _Rows, definition: str, drawn: Drawn) -> ResampledAlpha:
    scenes, models = rows.places["scene"].nunique(), rows.places["model"].nunique()
    alpha = replace(cronbach_alpha(rows.table, rows.gaps), definition=definition, scenes=scenes, models=models)
    if drawn == "independent items":
        return ResampledAlpha(alpha, alpha.interval)
    return ResampledAlpha(alpha, _by_jackknife(rows, alphas_of, drawn))


def _by_jackknife(rows: _Rows, of: Callable[[Floats], Floats], drawn: Drawn) -> Interval | Undefined:
    """The interval of what `of` makes of the metrics' covariances (draws x metrics x metrics)."""
    return interval_of(_error(rows, of, drawn))


def _error(rows: _Rows, of: Callable[[Floats], Floats], drawn: Drawn) -> Error | Undefined:

    def figures(some: _Rows) -> tuple[Figures, int]:
        if len(some.table.columns) < 2 or fewest_shared(some.used)[0] < FEWEST_ROWS:
            raise UndefinedStatistic(_TOO_FEW_LEFT)
        item = some.places.index.get_indexer(some.used.index.get_level_values("item"))
        scores = some.used.to_numpy(dtype=float)
        sums = (item_sums if some.gaps == "complete rows" else pair_sums)(scores, item, len(some.places))
        return lambda counts: of(sums.covariances(counts))[None], len(some.places)

    by_expert = without_each(rows.without_each, figures, 1) if rows.of_experts else None
    return errors(rows.places, figures(rows)[0], drawn, [ALPHA], by_expert)[0]


def _spearman_browns(covariances: Floats) -> Floats:
    r = correlations(covariances)[:, 0, 1]
    return _ratio(2 * r, 1 + r, 1 + r > _TINY)


def _ratio(above: Floats, below: Floats, defined: NDArray[np.bool_]) -> Floats:
    return np.asarray(np.divide(above, below, out=np.full(len(above), np.nan), where=defined), dtype=float)


def _spearman_brown(rows: _Rows, drawn: Drawn) -> SpearmanBrown | Undefined:
    scores, n = rows.used.to_numpy(dtype=float), len(rows.used)
    try:
        pearson = float(confirmed_correlations(pearson_matrix(scores), scores)[0, 1])
        estimate = spearman_brown(pearson)
    except UndefinedStatistic as undefined:
        return Undefined(undefined.message)
    if drawn == "independent items":
        return SpearmanBrown(estimate, _stepped_up(fisher_interval(pearson, n)), n, pearson)
    return SpearmanBrown(estimate, _by_jackknife(rows, _spearman_browns, drawn), n, pearson)


def _stepped_up(fisher: Interval | Undefined) -> Interval | Undefined:
    """Fisher's interval of r of two metrics, each end stepped up."""
    if isinstance(fisher, Undefined):
        return fisher
    low, high = (spearman_brown(max(r, -1 + 2 * _TINY)) for r in (fisher.low, fisher.high))
    return Interval(low, high, fisher.way)


def _without(rows: _Rows, metric: str) -> Alpha | Undefined:
    alpha = or_undefined(cronbach_alpha, rows.used.drop(columns=metric), rows.gaps)
    return alpha if isinstance(alpha, Undefined) else replace(alpha, definition=ACROSS_METRICS)


def _inter_metric(table: pd.DataFrame) -> InterMetric:
    complete = table.dropna()
    metrics, n = tuple(map(str, table.columns)), len(complete)
    if n < FEWEST_ROWS:
        raise UndefinedStatistic(
            "correlations between metrics need at least {fewest} rows with scores on each of {metrics}; found {n}",
            fewest=FEWEST_ROWS,
            metrics=listed(metrics),
            n=n,
        )
    scores = complete.to_numpy(dtype=float)
    same = np.isclose(np.ptp(scores, axis=0), 0)
    r, vary = pearson_matrix(scores), np.ix_(~same, ~same)
    r[vary] = confirmed_correlations(r[vary], scores[:, ~same])
    cells = {(i, j): _cell(scores, r, same, metrics, (i, j)) for i in range(len(metrics)) for j in range(i + 1)}
    matrix = tuple(tuple(cells[max(i, j), min(i, j)] for j in range(len(metrics))) for i in range(len(metrics)))
    defined = [cell for i, row in enumerate(matrix) for cell in row[:i] if isinstance(cell, float)]
    mean = float(np.mean(defined)) if defined else Undefined(Message("fewer than two metrics vary"))
    return InterMetric(metrics, matrix, mean, len(defined), n, incomplete_rows(table))


def _cell(scores: Floats, r: Floats, same: Floats, metrics: Sequence[str], at: tuple[int, int]) -> float | Undefined:
    constant = [metrics[k] for k in sorted(set(at)) if same[k]]
    if constant:
        name = joined(constant, Message(" and for "))
        return Undefined(Message(SAME_SCORES, n=len(scores), name=name))
    if at[0] == at[1]:
        return 1.0
    return float(r[at])
