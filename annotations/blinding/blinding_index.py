"""The indices of blinding, computed from a table of answers, and their intervals.

Two indices sum the answers up; both were made for the two arms of a trial, and are the published ones for k = 2 models.

- James' index (James et al., 1996), over all models, runs from 0 (all are recognised) over 0.5 (names as by chance) to
  1 (nobody can tell). It is D + (1 - D) / 2 * W / E, where D is the share of "cannot tell", W the share of wrong names
  among the names, and E that share if names and models were unrelated. Whoever mistakes them all the time also gets
  above 0.5. The partial credit that the paper allows for a wrong name cancels out when it is the same for all.
- Bang's index (Bang, Ni & Davis, 2004), per model, is 1 if the model is always recognised, 0 as by chance, and negative
  if it is taken for others. A right name counts 1, "cannot tell" 0 and a wrong name -1 / (k - 1). It is above 0, too,
  for a model that raters name whatever they read; the mean over the models is not: there, such a habit cancels out,
  as it does in the difference between how often a model is named for its own items and for others (`ToldApart`).

A table has a row per answer (the k models, then "cannot tell") and a column per true model. Intervals are 95 %. Answers
of one rater resemble each other, so that raters are drawn anew with replacement, where there are `FEWEST_CLUSTERS` of
them. With fewer, or where a draw in twenty does not determine the index, it is the variance of the papers (for k > 2 by
the same delta method), which takes answers as independent and is too narrow if they are not. And where the answers
leave no spread to go by, the interval allows for other answers, whatever they be: as many as stay away from a sample of
this size with a chance of 2.5 %.
"""

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from scipy.special import betaincinv

from annotations.errors import UndefinedStatistic
from annotations.i18n.messages import Message
from annotations.resampling.draws import MOST_UNDEFINED_DRAWS, Draws
from annotations.resampling.estimates import TINY, Estimate
from annotations.resampling.jackknife import FEWEST_CLUSTERS, HALF_WIDTH, Floats, Interval

NO_VARIANCE = 1e-14
"""What is left of a variance of 0 by arithmetic stays below."""

Way = Literal["bootstrap of raters", "variance of independent answers", "exact", "no spread"]
"""How an interval was made; `exact` is Clopper & Pearson's."""


class Index(Protocol):
    """What is computed from tables of answers."""

    @property
    def lowest(self) -> float:
        """The least that it can be."""

    @property
    def highest(self) -> float:
        """The most that it can be."""

    def n(self, table: Floats) -> int:
        """The answers that count."""

    def values(self, tables: Floats) -> Floats:
        """The index of each table; the last two axes are the table's. NaN where the table does not determine it."""

    def unclustered(self, table: Floats) -> tuple[float, float, Way]:
        """The interval that takes answers as independent."""

    def reason(self, table: Floats) -> Message:
        """Why a table does not determine the index."""


@dataclass(frozen=True)
class IndexEstimate(Estimate):
    """An index, which has an interval wherever it is defined; n counts the answers."""

    interval: Interval


def estimate(index: Index, table: Floats, drawn: Floats | None) -> IndexEstimate:
    """The index of a table with its interval, from the tables `drawn` if there are any; n counts the answers.

    Raises UndefinedStatistic where the table does not determine the index.
    """
    value, n = float(index.values(table)), index.n(table)
    if np.isnan(value):
        raise UndefinedStatistic(index.reason(table))
    resampled = _resampled(index, drawn) if drawn is not None else None
    low, high, kind = resampled or index.unclustered(table)
    return IndexEstimate(value, Interval(max(low, index.lowest), min(high, index.highest), kind), n)


def drawn_tables(counts: Floats, draws: Draws) -> Floats | None:
    """The tables of draws of raters, from one table per rater; None for too few raters.

    The order of the raters does not matter.
    """
    raters = len(counts)
    if raters < FEWEST_CLUSTERS:
        return None
    flat = counts.reshape(raters, -1)
    times = np.random.default_rng(draws.seed).multinomial(raters, np.full(raters, 1 / raters), size=draws.number)
    return (times @ flat[np.lexsort(flat.T)]).reshape(draws.number, *counts.shape[1:])


@dataclass(frozen=True)
class James:
    """James' index."""

    lowest: float = 0.0
    highest: float = 1.0

    def n(self, table: Floats) -> int:
        """All answers."""
        return int(table.sum())

    def values(self, tables: Floats) -> Floats:
        """James' index; where names were given for the items of one model only, names and models can't be related."""
        named = tables[..., :-1, :]
        all_named, unrelated = named.sum(axis=(-2, -1)), _unrelated(named)
        wrong = all_named - np.trace(named, axis1=-2, axis2=-1)
        about_several = (named.sum(axis=-2) > 0).sum(axis=-1) > 1
        with np.errstate(invalid="ignore", divide="ignore"):
            total = tables.sum(axis=(-2, -1))
            cannot_tell = 1 - all_named / total
            index = cannot_tell + (1 - cannot_tell) / 2 * wrong * all_named / unrelated
        determined = about_several & (unrelated > 0)
        return np.where(all_named == 0, np.where(total > 0, 1.0, np.nan), np.where(determined, index, np.nan))

    def unclustered(self, table: Floats) -> tuple[float, float, Way]:
        """By the delta method over the cells of the table, as proportions of all answers.

        The index is then D + G^2 W / (2 S), where G is the proportion of names, W that of wrong ones, and S the
        sum of the products of the margins of names and models off the diagonal.
        """
        share, value, n = table / table.sum(), float(self.values(table)), self.n(table)
        named = share[:-1]
        given, unrelated = float(named.sum()), float(_unrelated(named))
        if given == 0:
            return _normal(value, _unseen(n, 1 - value, value), "no spread")
        off = 1 - np.eye(len(named))
        wrong = float((named * off).sum())
        of_unrelated = 2 * given - named.sum(axis=0)[:, None] - named.sum(axis=1)[None, :]
        slopes = np.ones_like(share)
        slopes[:-1] = given * wrong / unrelated + given**2 / (2 * unrelated) * (off - wrong / unrelated * of_unrelated)
        variance = float((share * slopes**2).sum() - (share * slopes).sum() ** 2) / n
        if variance < NO_VARIANCE:
            return _normal(value, _unseen(n, 1 - value, value), "no spread")
        return _normal(value, variance, "variance of independent answers")

    def reason(self, table: Floats) -> Message:
        """Why a table does not determine the index."""
        return Message("James' index needs guesses that name a model, for items of at least two models")


@dataclass(frozen=True)
class Bang:
    """Bang's index of one model, or the mean over several."""

    models: tuple[int, ...]
    """Their columns."""
    lowest: float
    """-1 / (k - 1)."""
    highest: float = 1.0

    def n(self, table: Floats) -> int:
        """Answers about these models."""
        return int(table[:, list(self.models)].sum())

    def values(self, tables: Floats) -> Floats:
        """The mean of the models' indices."""
        return np.asarray(self._means(tables, 1).mean(axis=-1), dtype=float)

    def unclustered(self, table: Floats) -> tuple[float, float, Way]:
        """By the variance of the mean of what the answers count, for each model by itself."""
        means, squares = self._means(table, 1), self._means(table, 2)
        answers = table[:, list(self.models)].sum(axis=0)
        variances = (squares - means**2) / answers
        alike = variances < NO_VARIANCE
        variances[alike] = [
            _unseen(n, self.highest - mean, mean - self.lowest)
            for n, mean in zip(answers[alike], means[alike], strict=True)
        ]
        kind: Way = "no spread" if alike.all() else "variance of independent answers"
        return _normal(float(means.mean()), float(variances.sum()) / len(means) ** 2, kind)

    def reason(self, table: Floats) -> Message:
        """Why a table does not determine the index."""
        return Message("Bang's index needs answers about every model")

    def _means(self, tables: Floats, power: int) -> Floats:
        """Per model, the mean of a power of what each answer counts; NaN without answers."""
        models = list(self.models)
        right = tables[..., models, models]
        named, answers = (part[..., models].sum(axis=-2) for part in (tables[..., :-1, :], tables))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((right + (named - right) * self.lowest**power) / answers, dtype=float)


@dataclass(frozen=True)
class ToldApart:
    """How much more often a model is named for its own items than for those of the others."""

    model: int
    """Its column."""
    lowest: float = -1.0
    highest: float = 1.0

    def n(self, table: Floats) -> int:
        """All answers."""
        return int(table.sum())

    def values(self, tables: Floats) -> Floats:
        """The share of the answers about the model that name it, less that share of the answers about others."""
        (own, n_own), (others, n_others) = self._sides(tables)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(own / n_own - others / n_others, dtype=float)

    def unclustered(self, table: Floats) -> tuple[float, float, Way]:
        """By the variance of the difference of two independent shares."""
        value, variance, seen = float(self.values(table)), 0.0, False
        for named, n in self._sides(table):
            share = float(named / n)
            seen = seen or 0 < share < 1
            variance += share * (1 - share) / float(n) if 0 < share < 1 else _unseen(float(n), 1 - share, share)
        return _normal(value, variance, "variance of independent answers" if seen else "no spread")

    def reason(self, table: Floats) -> Message:
        """Why a table does not determine the difference."""
        return Message("discrimination needs answers about this model and about other models")

    def _sides(self, tables: Floats) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
        """How often the model is named, of how many answers: for its own items, and for those of the others."""
        own, n_own = tables[..., self.model, self.model], tables[..., self.model].sum(axis=-1)
        return (own, n_own), (tables[..., self.model, :].sum(axis=-1) - own, tables.sum(axis=(-2, -1)) - n_own)


@dataclass(frozen=True)
class Right:
    """The share of right names among the names given."""

    lowest: float = 0.0
    highest: float = 1.0

    def n(self, table: Floats) -> int:
        """The names given."""
        return int(table[:-1].sum())

    def values(self, tables: Floats) -> Floats:
        """The shares."""
        named = tables[..., :-1, :]
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.trace(named, axis1=-2, axis2=-1) / named.sum(axis=(-2, -1)), dtype=float)

    def unclustered(self, table: Floats) -> tuple[float, float, Way]:
        """The exact interval of Clopper & Pearson (1934)."""
        right, n = float(np.trace(table[:-1])), self.n(table)
        low = float(betaincinv(right, n - right + 1, 0.025)) if right else 0.0
        high = float(betaincinv(right + 1, n - right, 0.975)) if right < n else 1.0
        return low, high, "exact"

    def reason(self, table: Floats) -> Message:
        """Why a table does not determine the share."""
        return Message("no rater named a model")


def _unrelated(named: Floats) -> Floats:
    """The sum of the products of the margins of names and models off the diagonal."""
    names, models = named.sum(axis=-1), named.sum(axis=-2)
    return np.asarray(named.sum(axis=(-2, -1)) ** 2 - (names * models).sum(axis=-1), dtype=float)


def _resampled(index: Index, drawn: Floats) -> tuple[float, float, Way] | None:
    values = index.values(drawn)
    determined = values[~np.isnan(values)]
    if len(determined) < (1 - MOST_UNDEFINED_DRAWS) * len(values) or np.ptp(determined) < TINY:
        return None
    low, high = np.quantile(determined, [0.025, 0.975])
    return float(low), float(high), "bootstrap of raters"


def _normal(value: float, variance: float, kind: Way) -> tuple[float, float, Way]:
    half = HALF_WIDTH * variance**0.5
    return value - half, value + half, kind


def _unseen(n: float, up: float, down: float) -> float:
    """The variance that stands in where all `n` answers count alike, and other ones would move their mean `up` or
    `down` at most.

    The interval then reaches as far as the mean would move if a share of the answers were of the kind that moves it
    most: the largest share that a sample of n misses altogether with a chance of 2.5 %.
    """
    share = 1 - 0.025 ** (1 / n)
    return float((share * max(up, down) / HALF_WIDTH) ** 2)
