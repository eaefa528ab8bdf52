"""The alternative annotator test: may a judge stand in for one of the experts?

After Calderon, Reichart & Dror (2025, "The Alternative Annotator Test for LLM-as-a-Judge"), for scores. Each expert is
left out in turn. On every item, whoever is nearer to the scores of the remaining experts, the judge or the expert left
out, has the advantage there; with a tie, both have it. The share of items on which the judge has it is compared with
the share on which the expert has it, less `EPSILON`, which is what a judge may be worse by, for being cheaper. The
judge passes where it holds its own against at least half of the experts.

The t-tests take the items as independent: where items of one scene, or one model, resemble each other, p is too small.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from annotations.errors import UndefinedStatistic
from annotations.resampling.jackknife import Floats
from annotations.validity.ceiling import Panel

EPSILON = 0.2
"""What the authors advise where the annotators are experts."""
FALSE_DISCOVERIES = 0.05
"""The share of wrongly rejected hypotheses among the rejected that Benjamini & Yekutieli (2001) keep to."""
PASSING_RATE = 0.5
FEWEST_EXPERTS = 3
FEWEST_ITEMS = 30
"""Of each expert: below it, the t-test has no leg to stand on."""

_TINY = 1e-9
"""Distances closer than this are a tie."""


@dataclass(frozen=True)
class AgainstExpert:
    """The judge beside the expert who was left out."""

    expert: str
    judge_advantage: float
    """Share of items on which the judge is at least as near to the remaining experts as this one."""
    expert_advantage: float
    """Share of items on which this expert is at least as near as the judge; ties are in both shares."""
    t: float
    """Of expert's minus judge's advantage, less epsilon; infinite where the difference is the same on every item."""
    p: float
    """One-sided; small where the judge's share is above the expert's less epsilon."""
    adjusted_p: float
    """After Benjamini & Yekutieli (2001), for the number of experts."""
    rejected: bool
    """Whether it is rejected that the judge is worse than this expert by epsilon or more."""
    n: int
    """Items scored by this expert, the judge and at least one other expert."""


@dataclass(frozen=True)
class AlternativeAnnotator:
    """The outcome of the test."""

    judge: str
    metrics: tuple[str, ...]
    experts: tuple[AgainstExpert, ...]
    winning_rate: float
    """Share of experts for whom the hypothesis is rejected (omega)."""
    average_advantage: float
    """Mean over the experts of the judge's advantage (rho): how likely it is at least as near as an expert."""
    passes: bool
    """Whether the winning rate is at least `PASSING_RATE`."""
    epsilon: float = EPSILON
    false_discoveries: float = FALSE_DISCOVERIES


def alternative_annotator_test(scores: Panel) -> AlternativeAnnotator:
    """Whether the judge may stand in for one of the experts.

    Raises UndefinedStatistic for fewer than three experts, or fewer than thirty items of one of them.
    """
    names = [str(name) for name in scores.experts.columns]
    if len(names) < FEWEST_EXPERTS:
        raise UndefinedStatistic(
            "the alternative annotator test needs at least {fewest} experts; there are {n}",
            fewest=FEWEST_EXPERTS,
            n=len(names),
        )
    experts, judged = scores.experts.to_numpy(dtype=float), scores.judged.to_numpy(dtype=float)
    wins = [advantages(experts, judged, left_out) for left_out in range(len(names))]
    for name, (judge, _) in zip(names, wins, strict=True):
        if len(judge) < FEWEST_ITEMS:
            raise UndefinedStatistic(
                "the alternative annotator test needs at least {fewest} items scored by each expert, {judge} and"
                " another expert; for {expert} there are {n}",
                fewest=FEWEST_ITEMS,
                judge=scores.sides.called,
                expert=name,
                n=len(judge),
            )
    tests = [t_below_epsilon(expert.astype(float) - judge) for judge, expert in wins]
    adjusted = benjamini_yekutieli([p for _, p in tests])
    outcomes = tuple(
        AgainstExpert(
            name,
            float(judge.mean()),
            float(expert.mean()),
            t,
            p,
            corrected,
            corrected <= FALSE_DISCOVERIES,
            len(judge),
        )
        for name, (judge, expert), (t, p), corrected in zip(names, wins, tests, adjusted, strict=True)
    )
    rate = float(np.mean([each.rejected for each in outcomes]))
    average = float(np.mean([each.judge_advantage for each in outcomes]))
    return AlternativeAnnotator(scores.sides.judge, scores.metrics, outcomes, rate, average, rate >= PASSING_RATE)


def advantages(experts: Floats, judged: Floats, left_out: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """On which items the judge, and the expert left out, is at least as near to the others as the other of both.

    `experts` is items x experts, with NaN for missing scores. Nearness is the root mean square distance to the scores
    of those others who scored the item. Items without a score of the judge, the expert or any other are passed over.
    """
    own, others = experts[:, left_out], np.delete(experts, left_out, axis=1)
    used = ~np.isnan(own) & ~np.isnan(judged) & ~np.isnan(others).all(axis=1)
    own, others, judged = own[used], others[used], judged[used]
    judge, expert = (np.sqrt(np.nanmean((others - side[:, None]) ** 2, axis=1)) for side in (judged, own))
    return judge <= expert + _TINY, expert <= judge + _TINY


def t_below_epsilon(differences: Floats) -> tuple[float, float]:
    """t and one-sided p of the hypothesis that the mean of `differences`, expert's win minus judge's, is `EPSILON` or
    more.

    Where all are the same, t is infinite and p is 0 or 1, which is what both come to as the spread vanishes.
    """
    n, apart = len(differences), float(differences.mean()) - EPSILON
    spread = float(differences.std(ddof=1))
    if spread < _TINY:
        return (-np.inf, 0.0) if apart < 0 else (np.inf, 1.0)
    t = apart / (spread / np.sqrt(n))
    return float(t), float(stdtr(n - 1, t))


def benjamini_yekutieli(p: Sequence[float]) -> tuple[float, ...]:
    """Each p adjusted so that the share of false discoveries among those at most q stays at q, whatever the tests have
    to do with each other (Benjamini & Yekutieli, 2001)."""
    m = len(p)
    order = np.argsort(p, kind="stable")
    ranks = np.arange(1, m + 1)
    raised = np.asarray(p, dtype=float)[order] * m * (1 / ranks).sum() / ranks
    adjusted = np.empty(m)
    adjusted[order] = np.minimum(np.minimum.accumulate(raised[::-1])[::-1], 1)
    return tuple(float(each) for each in adjusted)
