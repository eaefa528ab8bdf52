"""Planning: how many experts and scenes would make a ranking of models reliable, and a correlation precise?

From the variance components of the ratings so far, a decision study (Brennan, 2001) foresees the reliability of a
model's mean over scenes and experts, when every expert scores every model in every scene. *Generalizability* counts as
error what changes the order of models: their interactions with scenes and experts. *Phi* counts also what moves all
models together, as strict experts and hard scenes do: it is for means that are to stand by themselves, or for models
that were given to different experts. A ranking needs generalizability.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from annotations.errors import UndefinedStatistic
from annotations.i18n.messages import to_say
from annotations.reliability.pingouin_check import confirmed_pearson
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
from annotations.resampling.estimates import as_they_stand
from annotations.resampling.resampling import HALF_WIDTH, MOST_UNDEFINED_DRAWS, USUAL, By, Drawing, Floats, resampling
from annotations.validity.judge_expert_correlation import Sides, varying_scores
from annotations.validity.pearson import pearson_figures

Coefficient = Literal["generalizability", "phi"]
MOST_EXPERTS = 20
"""Designs with more experts are not looked for: nobody finds as many."""
MOST_SCENES = 1000
"""Nor with more scenes: the paper's whole collection has 1,058."""
UNREACHED = to_say("not even {most:,} scenes reach it")
WISHED = (0.5, 0.6, 0.7, 0.8, 0.9)
"""Reliabilities that designs are looked for."""
EXPERTS_TO_FIND = (1, 2, 3, 5, 10)
"""Numbers of experts that the scenes they need are told for."""
FEWEST_PAIRS = 4
"""Fisher's z of fewer items has no variance."""
_TOO_FEW = to_say("the precision of r needs at least {fewest} items scored by the experts and {judge}; there are {n}")
_UNREACHED: Mapping[Coefficient, str] = {
    "generalizability": to_say(
        "even {experts} experts on {scenes:,} scenes bring the generalizability of {metric} to {most:.3f} only, and"
        " {wished:g} is wished"
    ),
    "phi": to_say(
        "even {experts} experts on {scenes:,} scenes bring the phi of {metric} to {most:.3f} only, and {wished:g} is"
        " wished"
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
    """The 95 % interval that r would have with so many scenes and models, were r to stay as it is."""

    scenes: int
    models: int
    low: float
    high: float

    @property
    def width(self) -> float:
        """From end to end."""
        return self.high - self.low


@dataclass(frozen=True)
class CorrelationPrecision:
    """What makes r between a judge and the experts imprecise: the choice of scenes, and the choice of models."""

    judge: str
    metrics: tuple[str, ...]
    """Each side's score of an item is its mean over these."""
    pearson: float
    by_scenes: float
    """The variance of Fisher's z when scenes alone are drawn anew."""
    by_models: float
    """The same for models."""
    n: int
    """Items scored by both sides."""
    scenes: int
    models: int
    draws: int
    seed: int

    def expected(self, scenes: int, models: int) -> ExpectedInterval:
        """The interval with other numbers of scenes and models, and as many items of a model in a scene as now.

        Each part of the variance is scaled by the number now over the number then. What neither explains is in both
        parts, so that the interval is rather too wide than too narrow.
        """
        if min(scenes, models) < 1:
            raise UndefinedStatistic(
                "a plan has at least 1 scene and 1 model, not {scenes} and {models}", scenes=scenes, models=models
            )
        se = np.sqrt(self.by_scenes * self.scenes / scenes + self.by_models * self.models / models)
        low, high = np.tanh(np.arctanh(self.pearson) + np.array([-HALF_WIDTH, HALF_WIDTH]) * se)
        return ExpectedInterval(scenes, models, float(low), float(high))


def design_study(components: VarianceComponents, experts: int, scenes: int, items: int = 1) -> Design:
    """The reliability that a design would have; `items` are a model's trajectories in a scene.

    Raises UndefinedStatistic where no differences between models were found, or there is nobody or nothing to rate.
    """
    if min(experts, scenes, items) < 1:
        raise UndefinedStatistic(
            "a design has at least 1 expert, 1 scene and 1 item, not {experts}, {scenes} and {items}",
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
        raise UndefinedStatistic("a wished reliability lies between 0 and 1, and is not {wished:g}", wished=wished)
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


def correlation_precision(sides: Sides, metrics: Sequence[str], drawing: Drawing = USUAL) -> CorrelationPrecision:
    """What the precision of r between a judge and the experts' mean rests on; scenes and models are drawn by turns,
    whatever `drawing` draws.

    Raises UndefinedStatistic for fewer than four items or five scenes or models, and where a side hardly varies.
    """
    pairs = varying_scores(sides, metrics, FEWEST_PAIRS, _TOO_FEW)
    expert, judged = (pairs[side].to_numpy(dtype=float) for side in ("expert", "judge"))
    figures, n = pearson_figures(expert, judged), len(pairs)
    [own] = as_they_stand(figures, n)
    pearson = confirmed_pearson(own, expert, judged)
    if 1 - abs(pearson) < 1e-9:
        raise UndefinedStatistic("r is {r:.0f}: its interval has no width to plan for", r=pearson)

    def variance(by: By) -> float:
        drawn = resampling(pairs["scene"], pairs["model"], replace(drawing, by=by))
        return _variance_of_z(drawn.values(figures)[0])

    return CorrelationPrecision(
        sides.judge,
        tuple(metrics),
        pearson,
        variance("scenes"),
        variance("models"),
        n,
        pairs["scene"].nunique(),
        pairs["model"].nunique(),
        drawing.draws,
        drawing.seed,
    )


def _between_models(components: VarianceComponents) -> float:
    wanted = components.components[MODEL]
    if wanted.variance <= 0:
        raise UndefinedStatistic(
            "no differences between the {models} models were found for {metric} (estimated variance"
            " {variance:.3f}): no number of experts and scenes can rank them",
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


def _variance_of_z(r: Floats) -> float:
    with np.errstate(divide="ignore"):
        z = np.arctanh(r)
    defined = z[np.isfinite(z)]
    if len(defined) < len(z) * (1 - MOST_UNDEFINED_DRAWS):
        raise UndefinedStatistic(
            "in {outside:,} of {draws:,} draws r has no value, or is 1 or -1",
            outside=len(z) - len(defined),
            draws=len(z),
        )
    return float(defined.var(ddof=1))
