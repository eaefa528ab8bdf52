"""The alternative annotator test: may a judge stand in for one of the experts?

After Calderon, Reichart & Dror (2025, "The Alternative Annotator Test for LLM-as-a-Judge"), for scores. Each expert is
left out in turn. On every item, whoever is nearer to the scores of the remaining experts, the judge or the expert left
out, has the advantage there; with a tie, both have it. The share of items on which the judge has it is compared with
the share on which the expert has it, less `EPSILON`, which is what a judge may be worse by, for being cheaper. The
judge passes where it holds its own against at least half of the experts.

The authors' t-tests take the items as independent. Here they take scenes as drawn (see
`annotations.resampling.jackknife`), and p is adjusted over all judges of the ratings, and not only over the experts.

The test was made for labels. Where raters differ much, the middle of the scale is near to most scores: one score for
everything then passes as well. So a judge that gives one is refused, and beside the outcome stands that of judges that
look at no item (see `annotations.validity.baselines`). A judge that does not leave them behind has shown nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtr

from annotations.errors import Undefined, UndefinedStatistic, or_undefined
from annotations.resampling.clustered import error_of_mean
from annotations.resampling.jackknife import Floats, Ints
from annotations.validity.ceiling import Panel
from annotations.validity.judge_expert_correlation import check_varies

N = TypeVar("N", bound=str)

EPSILON = 0.2
"""What the authors advise where the annotators are experts."""
FALSE_DISCOVERIES = 0.05
"""The share of wrongly rejected hypotheses among the rejected that Benjamini & Yekutieli (2001) keep to."""
PASSING_RATE = 0.5
FEWEST_EXPERTS = 3
FEWEST_ITEMS = 30
"""Of each expert, as the authors advise."""

_TINY = 1e-9
"""Distances closer than this are a tie."""


@dataclass(frozen=True)
class Trial:
    """The judge beside the expert who was left out."""

    expert: str
    judge_advantage: float
    """Share of items on which the judge is at least as near to the remaining experts as this one."""
    expert_advantage: float
    """Share of items on which this expert is at least as near as the judge; ties are in both shares."""
    t: float
    """Of expert's minus judge's advantage, less epsilon; infinite where the difference is the same in every scene."""
    p: float
    """One-sided; small where the judge's share is above the expert's less epsilon."""
    n: int
    """Items scored by this expert, the judge and at least one other expert."""


@dataclass(frozen=True)
class AgainstExpert(Trial):
    """The same, with p adjusted."""

    adjusted_p: float
    """After Benjamini & Yekutieli (2001), for the number of experts and judges."""
    rejected: bool
    """Whether it is rejected that the judge is worse than this expert by epsilon or more."""


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
    tests: int
    """How many p were adjusted together."""
    epsilon: float = EPSILON
    false_discoveries: float = FALSE_DISCOVERIES


def alternative_annotator_tests(panels: Mapping[N, Panel]) -> dict[N, AlternativeAnnotator | Undefined]:
    """Whether each of these judges may stand in for one of the experts, by name; their p are adjusted together.

    Undefined is a judge that gives one score to everything, or is beside fewer than three experts, thirty items of one
    of them, or too few scenes.
    """
    trials = {name: or_undefined(_checked, panel) for name, panel in panels.items()}
    return _adjusted(panels, trials)


def alternative_annotator_of_baselines(panels: Mapping[N, Panel]) -> dict[N, AlternativeAnnotator | Undefined]:
    """The same of judges that look at no item, one of which gives one score to everything; each is adjusted for itself,
    which lets it pass the more easily."""
    found: dict[N, AlternativeAnnotator | Undefined] = {}
    for name, panel in panels.items():
        found |= _adjusted({name: panel}, {name: or_undefined(_trials, panel)})
    return found


def _checked(panel: Panel) -> list[Trial]:
    scores = panel.judged.dropna().to_numpy(dtype=float)
    if len(scores):
        check_varies(scores, panel.sides.called)
    return _trials(panel)


def _trials(panel: Panel) -> list[Trial]:
    names = [str(name) for name in panel.experts.columns]
    if len(names) < FEWEST_EXPERTS:
        raise UndefinedStatistic(
            "the alternative annotator test needs at least {fewest} experts; found {n}",
            fewest=FEWEST_EXPERTS,
            n=len(names),
        )
    experts, judged = panel.experts.to_numpy(dtype=float), panel.judged.to_numpy(dtype=float)
    scene, _ = pd.factorize(panel.sides.items["scene"])
    wins = [advantages(experts, judged, left_out) for left_out in range(len(names))]
    for name, (judge, _, _) in zip(names, wins, strict=True):
        if len(judge) < FEWEST_ITEMS:
            raise UndefinedStatistic(
                "the alternative annotator test needs, for each expert, at least {fewest} items scored by this"
                " expert, {judge} and another expert; for {expert} there are only {n}",
                fewest=FEWEST_ITEMS,
                judge=panel.sides.called,
                expert=name,
                n=len(judge),
            )
    return [
        Trial(
            name,
            float(judge.mean()),
            float(expert.mean()),
            *t_below_epsilon(expert.astype(float) - judge, scene[used]),
            len(judge),
        )
        for name, (judge, expert, used) in zip(names, wins, strict=True)
    ]


def _adjusted(
    panels: Mapping[N, Panel], trials: Mapping[N, list[Trial] | Undefined]
) -> dict[N, AlternativeAnnotator | Undefined]:
    p = {(name, one.expert): one.p for name, of in trials.items() if not isinstance(of, Undefined) for one in of}
    adjusted = dict(zip(p, benjamini_yekutieli([*p.values()]), strict=True))
    found: dict[N, AlternativeAnnotator | Undefined] = {}
    for name, of in trials.items():
        if isinstance(of, Undefined):
            found[name] = of
            continue
        outcomes = tuple(
            AgainstExpert(**vars(one), adjusted_p=(q := adjusted[name, one.expert]), rejected=q <= FALSE_DISCOVERIES)
            for one in of
        )
        rate = float(np.mean([each.rejected for each in outcomes]))
        average = float(np.mean([each.judge_advantage for each in outcomes]))
        panel = panels[name]
        found[name] = AlternativeAnnotator(
            panel.sides.judge, panel.metrics, outcomes, rate, average, rate >= PASSING_RATE, len(p)
        )
    return found


def advantages(
    experts: Floats, judged: Floats, left_out: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    """On which items the judge, and the expert left out, is at least as near to the others as the other of both, and
    which of all items these are.

    `experts` is items x experts, with NaN for missing scores. Nearness is the root mean square distance to the scores
    of those others who scored the item. Items without a score of the judge, the expert or any other are passed over.
    """
    own, others = experts[:, left_out], np.delete(experts, left_out, axis=1)
    used = ~np.isnan(own) & ~np.isnan(judged) & ~np.isnan(others).all(axis=1)
    own, others, judged = own[used], others[used], judged[used]
    judge, expert = (np.sqrt(np.nanmean((others - side[:, None]) ** 2, axis=1)) for side in (judged, own))
    return judge <= expert + _TINY, expert <= judge + _TINY, used


def t_below_epsilon(differences: Floats, scene: Ints) -> tuple[float, float]:
    """t and one-sided p of the hypothesis that the mean of `differences`, expert's win minus judge's, is `EPSILON` or
    more; scenes are taken as drawn.

    Raises UndefinedStatistic for too few scenes, and where the mean is the same in all of them.
    """
    error, apart = error_of_mean(differences, scene), float(differences.mean()) - EPSILON
    if error.se < _TINY:
        raise UndefinedStatistic(
            "the difference between the shares of items won by judge and expert is the same in every scene, so"
            " its error cannot be estimated"
        )
    t = apart / error.se
    return float(t), float(stdtr(error.df, t))


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
