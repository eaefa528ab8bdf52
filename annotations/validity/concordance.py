"""Concordance: does a judge give the scores that the experts give, and not only the same order?

Each item has two scores, the judge's and the mean of the experts'. A judge that is always one point too mild has a
correlation of 1 with them; what it lacks shows in its bias, its errors and Lin's coefficient.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from annotations.errors import Undefined
from annotations.i18n.messages import Message, to_say
from annotations.resampling.estimates import TINY, Estimate, as_they_stand, interval_of
from annotations.resampling.jackknife import (
    CORRELATION,
    HALF_WIDTH,
    MEAN,
    POSITIVE,
    USUAL,
    Drawn,
    Error,
    Figures,
    Floats,
    Interval,
    Ints,
)
from annotations.validity.judge_expert_correlation import Paired, Sides, both_scores, errors_of_pairs, paired_scores

SPEARMAN = to_say("Spearman's rho (1904) between the judge's scores and the experts' means; ties share their mean rank")
BIAS = to_say(
    "bias: the judge's mean minus the experts' mean, in points; positive means that the judge is more lenient"
)
MAE = to_say("mean absolute error: mean absolute difference between judge and experts' mean, in points")
LIN = to_say(
    "Lin's concordance correlation (1989), with variances over n: 1 only if judge and experts' mean are equal"
    " on every item"
)
LIMITS = to_say(
    "limits of agreement (Bland & Altman, 1986): bias ± 1.96 standard deviations (n - 1) of the differences"
)

FEWEST_ITEMS = 3
_SCALES = (CORRELATION, MEAN, POSITIVE, CORRELATION, POSITIVE)
_TOO_FEW = to_say("concordance needs at least {fewest} items scored by the experts and {judge}; found {n}")
_DECIMALS = 9
"""Scores that differ only beyond these are tied: what tells them apart is arithmetic."""


@dataclass(frozen=True)
class LimitsOfAgreement:
    """Between which limits 95 % of the differences, judge minus experts' mean, lie if they are normal (`LIMITS`)."""

    low: Estimate
    high: Estimate


@dataclass(frozen=True)
class Concordance:
    """How near a judge's scores are to the experts'. All figures rest on the same items."""

    judge: str
    metrics: tuple[str, ...]
    """One, or several whose mean is an item's score."""
    spearman: Estimate | Undefined
    bias: Estimate
    mae: Estimate
    lin: Estimate | Undefined
    limits: LimitsOfAgreement
    n: int
    """Items that both sides scored on all the metrics."""
    scenes: int
    models: int
    left_out: int
    """Items with a score from one side only, or on some of the metrics only."""


def concordance(sides: Sides, metrics: Sequence[str], drawn: Drawn = USUAL) -> Concordance:
    """The concordance of one judge with the experts on a metric, or on the means over several.

    Raises UndefinedStatistic for fewer than three items that both sides scored.
    """

    paired = Paired(sides, lambda beside: paired_scores(beside, metrics, FEWEST_ITEMS, _TOO_FEW))
    pairs = paired.pairs
    n = len(pairs)
    expert, judged = both_scores(pairs)
    values = as_they_stand(_figures(pairs), n)
    of = errors_of_pairs(paired, _figures, drawn, _SCALES)
    rho, bias, mae, lin, sd = (Estimate(value, interval_of(error), n) for value, error in zip(values, of, strict=True))
    both = ((Message("the experts"), expert), (sides.called, judged))
    constant = [name for name, scores in both if _constant(scores)]
    one_score = _constant(np.concatenate([expert, judged]))
    same = Message("the experts and {judge} gave all {n:,} items the same score", judge=sides.called, n=n)
    return Concordance(
        sides.judge,
        tuple(metrics),
        Undefined(Message("{rater} gave all {n:,} items the same score", rater=constant[0], n=n)) if constant else rho,
        bias,
        mae,
        Undefined(same) if one_score else lin,
        LimitsOfAgreement(
            *(
                Estimate(bias.estimate + side * HALF_WIDTH * sd.estimate, _of_limit(of[1], of[4], side), n)
                for side in (-1, 1)
            )
        ),
        n,
        scenes=pairs["scene"].nunique(),
        models=pairs["model"].nunique(),
        left_out=len(sides.means(metrics)) - n,
    )


def _of_limit(bias: Error | Undefined, sd: Error | Undefined, side: int) -> Interval | Undefined:
    """The interval of the lower (-1) or upper (1) limit, from those of bias and standard deviation (Zou, 2013): how far
    an end is off the limit is the root of the sum of both distances squared. Two errors are known better than one: t
    has the degrees of freedom of their sum (Satterthwaite, 1946)."""
    undefined = [one for one in map(interval_of, (bias, sd)) if isinstance(one, Undefined)]
    if undefined or isinstance(bias, Undefined) or isinstance(sd, Undefined):
        return undefined[0]
    spread = float(POSITIVE.back(np.array(sd.value)))
    parts = (bias.se**2, bias.df), ((HALF_WIDTH * spread * sd.se) ** 2, sd.df)
    df = sum(part for part, _ in parts) ** 2 / sum(part**2 / of for part, of in parts)
    middle, around = (replace(error, df=df).interval for error in (bias, sd))
    outer, inner = around.high - spread, spread - around.low
    below, above = (outer, inner) if side < 0 else (inner, outer)
    limit = bias.value + side * HALF_WIDTH * spread
    low = limit - np.hypot(bias.value - middle.low, HALF_WIDTH * below)
    high = limit + np.hypot(middle.high - bias.value, HALF_WIDTH * above)
    return Interval(float(low), float(high), bias.way)


def _constant(scores: Floats) -> bool:
    return bool(np.isclose(np.ptp(scores), 0))


def _figures(pairs: pd.DataFrame) -> Figures:
    """rho, bias, MAE, Lin's coefficient and the standard deviation of the differences."""
    expert, judged = both_scores(pairs)
    spearman, rest = _spearman(expert, judged), _distances(expert, judged)
    return lambda counts: np.vstack([spearman(counts), rest(counts)])


def _distances(expert: Floats, judged: Floats) -> Figures:
    """Bias, MAE, Lin's coefficient and the standard deviation of the differences."""
    middle = expert.mean()
    x, y, apart = expert - middle, judged - middle, judged - expert
    apart = np.where(np.abs(apart) > TINY, apart, 0)  # means of equal scores round
    columns = np.stack([np.ones_like(x), x, y, x * x, y * y, x * y, np.abs(apart), apart**2], axis=1)

    def figures(counts: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            n, *sums = (counts @ columns).T
            mean_x, mean_y, xx, yy, xy, mae, squares = (total / n for total in sums)
            bias = mean_y - mean_x
            lin = 2 * (xy - mean_x * mean_y) / (xx - mean_x**2 + yy - mean_y**2 + bias**2)
            sd = np.sqrt(np.maximum(squares - bias**2, 0) * n / (n - 1))
        return np.stack([bias, mae, lin, sd])

    return figures


def _spearman(x: Floats, y: Floats) -> Figures:
    """Spearman's rho as the only figure: Pearson's r of the midranks that the items have when each is written as often
    as it counts.

    Draws change how often scores occur, and not their order. So items with the same scores on both sides are taken
    together, and the rank of a score is what counts below it and half of what counts at it.
    """
    pairs, pair = np.unique(np.round(np.stack([x, y], axis=1), _DECIMALS), axis=0, return_inverse=True)
    (_, first), (_, second) = (np.unique(side, return_inverse=True) for side in pairs.T)
    by_pair, by_first, by_second = _summing(pair), _summing(first), _summing(second)

    def figures(counts: Floats) -> Floats:
        weight = by_pair @ counts.T
        x_weight, y_weight = by_first @ weight, by_second @ weight
        x_rank, y_rank = _centred_midranks(x_weight), _centred_midranks(y_weight)
        xx, yy = (x_weight * x_rank**2).sum(axis=0), (y_weight * y_rank**2).sum(axis=0)
        xy = (by_first @ (weight * y_rank[second]) * x_rank).sum(axis=0)
        rho = np.divide(xy, np.sqrt(xx * yy), out=np.full(len(counts), np.nan), where=(xx > 0) & (yy > 0))
        return np.asarray(np.clip(rho, -1, 1)[None], dtype=float)

    return figures


def _summing(group: Ints) -> csr_array:
    """The matrix (groups x entries) that sums the entries of each group."""
    return csr_array((np.ones(len(group)), (group, np.arange(len(group)))))


def _centred_midranks(weight: Floats) -> Floats:
    """Midranks minus their mean, for the weights (scores x draws) of rising scores."""
    below_and_at = np.cumsum(weight, axis=0)
    return np.asarray(below_and_at - weight / 2 - below_and_at[-1] / 2, dtype=float)
