"""Planning: how many experts and scenes would make a ranking of models reliable, and a correlation precise?

From the variance components of the ratings so far, a decision study (Brennan, 2001) foresees the reliability of a
model's mean over scenes and experts, when every expert scores every model in every scene. *Generalizability* counts as
error what changes the order of models: their interactions with scenes and experts. *Phi* counts also what moves all
models together, as strict experts and hard scenes do: it is for means that are to stand by themselves, or for models
that were given to different experts. A ranking needs generalizability.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import stdtrit

from annotations.errors import UndefinedStatistic
from annotations.i18n.messages import to_say
from annotations.reliability.variance_components import (
    ITEM,
    MODEL,
    MODEL_RATER,
    MODEL_SCENE,
    RATER,
    RESIDUAL,
    SCENE,
    SCENE_RATER,
    VarianceComponents,
)
from annotations.resampling.jackknife import FEWEST_CLUSTERS, UPPER, USUAL
from annotations.validity.judge_expert_correlation import Paired, Sides, r_with_error, varying_scores

Coefficient = Literal["generalizability", "phi"]
MOST_EXPERTS = 20
"""Designs with more experts are not looked for: nobody finds as many."""
MOST_SCENES = 1000
"""Nor with more scenes: the paper's whole collection has 1,058."""
UNREACHED = to_say("more than {most:,} scenes would be needed")
WISHED = (0.5, 0.6, 0.7, 0.8, 0.9)
"""Reliabilities that designs are looked for."""
EXPERTS_TO_FIND = (1, 2, 3, 5, 10)
"""Numbers of experts that the scenes they need are told for."""
_NO_ERROR = 1e-9
FEWEST_PAIRS = 4
"""Fisher's z of fewer items has no variance."""
_TOO_FEW = to_say("the precision of r needs at least {fewest} items scored by the experts and {judge}; found {n}")
_UNREACHED: Mapping[Coefficient, str] = {
    "generalizability": to_say(
        "even {experts} experts and {scenes:,} scenes give {metric} a generalizability of only {most:.3f},"
        " below the target of {wished:g}"
    ),
    "phi": to_say(
        "even {experts} experts and {scenes:,} scenes give {metric} a phi of only {most:.3f}, below the target"
        " of {wished:g}"
    ),
}


@dataclass(frozen=True)
class Design:
    """A design, and the reliability of a model's mean that it would have."""

    experts: int
    scenes: int
    items: int
    """Trajectories of a model in a scene."""
    generalizability: float
    """For the order of models (relative decisions)."""
    phi: float
    """For the means themselves (absolute decisions); never above generalizability."""

    @property
    def ratings(self) -> int:
        """Ratings of one model on one metric."""
        return self.experts * self.scenes * self.items

    def reliability(self, coefficient: Coefficient) -> float:
        """One of the two."""
        return self.generalizability if coefficient == "generalizability" else self.phi


@dataclass(frozen=True)
class LeastDesign:
    """The designs that just reach a wished reliability."""

    metric: str
    wished: float
    coefficient: Coefficient
    best: Design
    """With the fewest ratings; of equal ones, with the fewest experts."""
    choices: tuple[Design, ...]
    """The least scenes for each number of experts that can reach it."""


@dataclass(frozen=True)
class ExpectedInterval:
    """The 95 % interval that r would have with so many scenes, were r to stay as it is."""

    scenes: int
    low: float
    high: float

    @property
    def width(self) -> float:
        """From end to end."""
        return self.high - self.low


@dataclass(frozen=True)
class CorrelationPrecision:
    """What the choice of scenes makes of the precision of r between a judge and the experts."""

    judge: str
    metrics: tuple[str, ...]
    """Each side's score of an item is its mean over these."""
    pearson: float
    se: float
    """The standard error of Fisher's z, by the jackknife over scenes."""
    n: int
    """Items scored by both sides."""
    scenes: int
    models: int

    def expected(self, scenes: int) -> ExpectedInterval:
        """The interval with another number of scenes, and as many items in a scene as now: the variance of Fisher's z
        goes with 1 / scenes, and Student's t has scenes - 1 degrees of freedom.

        Raises UndefinedStatistic for fewer scenes than an interval needs.
        """
        if scenes < FEWEST_CLUSTERS:
            raise UndefinedStatistic(
                "a plan needs at least {fewest} scenes, not {scenes}", fewest=FEWEST_CLUSTERS, scenes=scenes
            )
        half = float(stdtrit(scenes - 1, UPPER)) * self.se * (self.scenes / scenes) ** 0.5
        low, high = np.tanh(np.arctanh(self.pearson) + np.array([-half, half]))
        return ExpectedInterval(scenes, float(low), float(high))


def design_study(components: VarianceComponents, experts: int, scenes: int, items: int = 1) -> Design:
    """The reliability that a design would have; `items` are a model's trajectories in a scene.

    Raises UndefinedStatistic where no differences between models were found, or there is nobody or nothing to rate.
    """
    if min(experts, scenes, items) < 1:
        raise UndefinedStatistic(
            "a design needs at least 1 expert, 1 scene and 1 item, not {experts}, {scenes} and {items}",
            experts=experts,
            scenes=scenes,
            items=items,
        )
    wanted = _between_models(components)
    relative, absolute = (
        (once + each / experts) / scenes + per_expert / experts
        for once, each, per_expert in (_errors(components, kind, items) for kind in ("generalizability", "phi"))
    )
    return Design(experts, scenes, items, wanted / (wanted + relative), wanted / (wanted + absolute))


def design_table(
    components: VarianceComponents, experts: Sequence[int], scenes: Sequence[int], items: int = 1
) -> tuple[Design, ...]:
    """`design_study` for each number of experts, and within it for each number of scenes: the data of its curves."""
    return tuple(design_study(components, n_experts, n_scenes, items) for n_experts in experts for n_scenes in scenes)


def least_design(
    components: VarianceComponents, wished: float, coefficient: Coefficient = "generalizability", items: int = 1
) -> LeastDesign:
    """The least numbers of experts and scenes that reach the reliability `wished`.

    Raises UndefinedStatistic with the reason where none up to `MOST_EXPERTS` and `MOST_SCENES` does.
    """
    if not 0 < wished < 1:
        raise UndefinedStatistic("the target reliability must lie between 0 and 1, not at {wished:g}", wished=wished)
    allowed = _between_models(components) * (1 - wished) / wished
    once, each, per_expert = _errors(components, coefficient, items)
    choices: list[Design] = []
    for experts in range(1, MOST_EXPERTS + 1):
        left = allowed - per_expert / experts
        if left > 0 and (once + each / experts) / left <= MOST_SCENES:
            scenes = max(1, int(np.ceil((once + each / experts) / left - 1e-9)))
            choices.append(design_study(components, experts, scenes, items))
    if not choices:
        most = design_study(components, MOST_EXPERTS, MOST_SCENES, items)
        raise UndefinedStatistic(
            _UNREACHED[coefficient],
            experts=MOST_EXPERTS,
            scenes=MOST_SCENES,
            metric=components.metric,
            most=most.reliability(coefficient),
            wished=wished,
        )
    best = min(choices, key=lambda design: (design.ratings, design.experts))
    return LeastDesign(components.metric, wished, coefficient, best, tuple(choices))


def correlation_precision(sides: Sides, metrics: Sequence[str]) -> CorrelationPrecision:
    """What the precision of r between a judge and the experts' mean rests on; scenes are taken as drawn, and models as
    they are.

    Raises UndefinedStatistic for fewer than four items, where r has no interval, and where a side does not vary.
    """
    paired = Paired(sides, lambda beside: varying_scores(beside, metrics, FEWEST_PAIRS, _TOO_FEW))
    pairs = paired.pairs
    r, error = r_with_error(paired, USUAL)
    if error.se < _NO_ERROR:
        raise UndefinedStatistic(
            "r stays the same whichever scene is left out, so its interval has zero width and cannot be used for"
            " planning"
        )
    return CorrelationPrecision(
        sides.judge,
        tuple(metrics),
        r,
        error.se,
        len(pairs),
        pairs["scene"].nunique(),
        pairs["model"].nunique(),
    )


def _between_models(components: VarianceComponents) -> float:
    wanted = components.components[MODEL]
    if wanted.variance <= 0:
        raise UndefinedStatistic(
            "the {models} models do not differ on {metric} (estimated variance {variance:.3f}), so no number of"
            " experts and scenes can rank them",
            models=components.models,
            metric=components.metric,
            variance=wanted.unbiased,
        )
    return wanted.variance


def _errors(components: VarianceComponents, coefficient: Coefficient, items: int) -> tuple[float, float, float]:
    """The error variances that are divided by scenes, by scenes x experts, and by experts."""
    of = components.variance
    once = of(MODEL_SCENE) + of(ITEM) / items
    each, per_expert = of(RESIDUAL) / items, of(MODEL_RATER)
    if coefficient == "generalizability":
        return once, each, per_expert
    return once + of(SCENE), each + of(SCENE_RATER), per_expert + of(RATER)
