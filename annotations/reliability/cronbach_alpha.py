"""Reliability: do the scores that should agree with each other do so?

Cronbach's alpha (1951) is the share of the variance of a sum of k columns that the columns have in common,
k / (k - 1) * (1 - sum of the variances / variance of the sum). It is 1 when they rise and fall together, about 0 when
they are unrelated, and negative when they run against each other. The paper reports it per dimension (section 6.3,
table 2) without a definition; the two used here are `ACROSS_METRICS` and `BETWEEN_RATERS`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.special import fdtri

from annotations.errors import Undefined, UndefinedStatistic
from annotations.i18n.messages import Message, listed, to_say
from annotations.reliability.pairwise import (
    USUAL_GAPS,
    Gaps,
    contradict,
    covariances_of_pairs,
    fewest_shared,
    rows_used,
)
from annotations.reliability.pingouin_check import confirmed_alpha
from annotations.resampling.estimates import Estimate
from annotations.resampling.jackknife import END_OF_RANGE, Floats, Interval

ACROSS_METRICS = to_say("agreement between metrics: rows are rated trajectories (item x rater), columns are metrics")
BETWEEN_RATERS = to_say("agreement between raters: rows are items, columns are raters")
SAME_SCORES = to_say("all {n} scores are the same for {name}")
_TINY = 1e-9
FELDT = "feldt"
"""The interval of Feldt, Woodruff & Salih (1987)."""
FEWEST_ROWS = 3
"""With two rows all correlations are 1 or -1, whatever was measured."""


@dataclass(frozen=True)
class IncompleteRow:
    """A row that was left out because it has gaps."""

    label: tuple[str, ...]
    """The row's index: (item,) or (item, rater)."""
    missing: tuple[str, ...]
    """The columns without a score."""


@dataclass(frozen=True)
class Alpha(Estimate):
    """Cronbach's alpha; n counts the rows that were used: see `annotations.reliability.pairwise`.

    Feldt's interval takes the rows as independent. Where these have gaps, it is that of the fewest rows that any two
    columns share, which makes it rather too wide.
    """

    items: int
    """Columns."""
    dropped: tuple[IncompleteRow, ...]
    scenes: int = 0
    models: int = 0
    """Scenes and models of the rows; 0 where the table does not tell."""
    definition: str = "rows and columns as given"
    warning: Message | None = None


def cronbach_alpha(table: pd.DataFrame, gaps: Gaps = USUAL_GAPS) -> Alpha:
    """Cronbach's alpha of the columns of `table`, over its complete rows, or over its pairs of scores.

    Other rows go before anything is computed, so that estimate and interval rest on the same n.
    Raises UndefinedStatistic for fewer than two columns, three rows, or three rows that two columns share, for scores
    that do not vary, and for pairs of scores that contradict each other.
    """
    columns = [str(column) for column in table.columns]
    if len(columns) < 2:
        raise UndefinedStatistic("alpha needs at least two columns; found {columns}", columns=_listed(columns))
    used = rows_used(table, gaps)
    n = len(used)
    if gaps == "pairs of scores":
        alpha = _alpha_of_pairs(used, columns)
    elif n < FEWEST_ROWS:
        raise UndefinedStatistic(
            "alpha needs at least {fewest} rows with scores on each of {columns}; found {n}",
            fewest=FEWEST_ROWS,
            columns=_listed(columns),
            n=n,
        )
    else:
        alpha = complete_alpha(used.to_numpy(dtype=float), columns)
    return replace(alpha, dropped=rows_left_out(table, gaps))


def complete_alpha(scores: Floats, columns: Sequence[str]) -> Alpha:
    """The same of a table without gaps (rows x `columns`), three rows and two columns at least.

    Raises UndefinedStatistic for scores that do not vary.
    """
    n, k = scores.shape
    _check_that_they_vary(scores, columns)
    if np.isclose(np.ptp(scores.sum(axis=1)), 0):
        raise UndefinedStatistic("the scores of all {n:,} rows have the same sum", n=n)
    centred = scores - scores.mean(axis=0)  # sums of large scores round
    own = float(k / (k - 1) * (1 - centred.var(axis=0, ddof=1).sum() / centred.sum(axis=1).var(ddof=1)))
    return _alpha(confirmed_alpha(own, scores), n, n, k)


def _alpha_of_pairs(used: pd.DataFrame, columns: Sequence[str]) -> Alpha:
    shared, first, second = fewest_shared(used)
    if shared < FEWEST_ROWS:
        raise UndefinedStatistic(
            "alpha from pairs of scores needs at least {fewest} rows shared by every pair of columns; {first} and"
            " {second} share {n}",
            fewest=FEWEST_ROWS,
            first=first,
            second=second,
            n=shared,
        )
    scores, k = used.to_numpy(dtype=float), len(columns)
    _check_that_they_vary(scores, columns)
    covariances = covariances_of_pairs(scores)
    if contradict(covariances):
        raise UndefinedStatistic(
            "the pairwise covariances contradict each other (no set of scores could have"
            " them all): too many scores are missing"
        )
    whole, single = float(covariances.sum()), float(np.trace(covariances))
    if whole < _TINY * single:
        raise UndefinedStatistic("the scores of all {n:,} rows have the same sum", n=len(used))
    return _alpha(confirmed_alpha(k / (k - 1) * (1 - single / whole), scores), len(used), shared, k)


def _check_that_they_vary(scores: Floats, columns: Sequence[str]) -> None:
    spreads = np.nanmax(scores, axis=0) - np.nanmin(scores, axis=0)
    constant = [name for name, spread in zip(columns, spreads, strict=True) if np.isclose(spread, 0)]
    if constant:
        raise UndefinedStatistic(SAME_SCORES, n=len(scores), name=_listed(constant))


def _alpha(estimate: float, n: int, independent: int, k: int) -> Alpha:
    """Of `n` rows, with Feldt's interval of `independent` ones."""
    warning = (
        Message("alpha is negative: in these scores, the columns covary negatively on average")
        if estimate < -_TINY
        else None
    )
    return Alpha(estimate, feldt_interval(estimate, independent, k), n, k, (), warning=warning)


def feldt_interval(alpha: float, n: int, items: int) -> Interval | Undefined:
    """The 95 % interval of an alpha over `n` rows and `items` columns (Feldt, Woodruff & Salih, 1987); an alpha of 1
    has none.

    Unlike pingouin's, it is not rounded to three decimals.
    """
    if 1 - alpha < _TINY:
        return Undefined(Message(END_OF_RANGE, value=alpha))
    rows, cells = n - 1, (n - 1) * (items - 1)
    upper, lower = float(fdtri(rows, cells, 0.975)), float(fdtri(rows, cells, 0.025))
    return Interval(1 - (1 - alpha) * upper, 1 - (1 - alpha) * lower, FELDT)


def incomplete_rows(table: pd.DataFrame) -> tuple[IncompleteRow, ...]:
    """The rows of `table` that have gaps, each with the columns that are missing."""
    gaps = table.isna()
    if not gaps.to_numpy().any():
        return ()
    gaps = gaps[gaps.any(axis=1)]
    columns = np.array([str(column) for column in table.columns], dtype=object)
    labels = [tuple(map(str, label)) if isinstance(label, tuple) else (str(label),) for label in gaps.index]
    return tuple(IncompleteRow(label, tuple(columns[row])) for label, row in zip(labels, gaps.to_numpy(), strict=True))


def rows_left_out(table: pd.DataFrame, gaps: Gaps) -> tuple[IncompleteRow, ...]:
    """The rows of `table` that an alpha leaves out."""
    used = rows_used(table, gaps)
    return incomplete_rows(table[~table.index.isin(used.index)]) if len(used) < len(table) else ()


def trajectory_table(frame: pd.DataFrame, metrics: Sequence[str]) -> pd.DataFrame:
    """Scores with one row per rated trajectory (item x rater) and one column per metric; gaps are NaN."""
    rated = frame[frame["metric"].isin(metrics)]
    return rated.pivot(index=["item", "rater"], columns="metric", values="score").reindex(columns=list(metrics))


def rater_table(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Scores for one metric with one row per item and one column per rater; gaps are NaN."""
    return frame[frame["metric"] == metric].pivot(index="item", columns="rater", values="score")


def table_of_raters(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """The same for at least two raters. Raises UndefinedStatistic where there are fewer."""
    table = rater_table(frame, metric)
    if table.columns.empty:
        raise UndefinedStatistic("none of these raters scored {metric}", metric=metric)
    if len(table.columns) == 1:
        raise UndefinedStatistic(
            "only one rater, {rater}, scored {metric}; agreement needs at least two",
            rater=table.columns[0],
            metric=metric,
        )
    return table


def _listed(names: Iterable[str]) -> Message:
    return listed(names) or Message("none")
