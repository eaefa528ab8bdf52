"""Ratings drawn from known variance components, with the truth that a statistic of them estimates.

Three experts rate each of models x scenes items on three metrics, and a judge rates them on the first. A score is the
sum of normal effects: of its model, its scene and its item, in which judge and experts agree; of its rater; of what
colors all scores that a rater gives an item (halo); and of chance. The judge has effects of models, scenes and items of
its own. Scores are not rounded, so that each truth has a closed form.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd

from annotations.reliability.agreement import RatedItems
from annotations.resampling.jackknife import Floats
from annotations.validity.judge_expert_correlation import Sides

RATERS = ["r0", "r1", "r2"]
METRICS = ["AD", "BA", "EE"]
JUDGE = "judge"

Effect = tuple[float, float]
"""The variance that all metrics share, and that of each metric by itself."""


@dataclass(frozen=True)
class Components:
    """Variances of single scores."""

    model: Effect
    scene: Effect
    item: Effect
    error: Effect
    """Of one rater's scores of an item: halo, and chance."""
    rater: float
    judge: tuple[float, float, float]
    """The judge's own: of models, scenes and items."""

    @property
    def shared(self) -> float:
        """What all raters of an item, and the judge, see in it on one metric."""
        return sum(self.model) + sum(self.scene) + sum(self.item)

    def truths(self, levels: Floats) -> Mapping[str, float]:
        """Of r, alpha and ICC(A,1), for raters of these `levels`, who are not drawn anew: over all models and scenes
        there are."""
        experts = self.shared + sum(self.error) / len(RATERS)
        halo = self.model[0] + self.scene[0] + self.item[0] + self.error[0] + float(levels.var())
        own = self.model[1] + self.scene[1] + self.item[1] + self.error[1]
        return {
            "r": self.shared / (experts * (self.shared + sum(self.judge))) ** 0.5,
            "alpha": len(METRICS) * halo / (len(METRICS) * halo + own),
            "ICC(A,1)": self.shared / (self.shared + sum(self.error) + float(levels.var(ddof=1))),
        }


@dataclass(frozen=True, eq=False)
class SimulatedRatings:
    """The ratings of one run."""

    experts: Floats
    """Items x raters x metrics."""
    judge: Floats
    """Items."""
    truths: Mapping[str, float]
    places: pd.DataFrame
    """The scene and model of each item."""
    rows: pd.DataFrame
    """The experts' ratings as a long table, without their scores."""

    @property
    def sides(self) -> Sides:
        """The judge beside the means of the experts, for the first metric."""
        experts, judged = (
            pd.DataFrame({METRICS[0]: scores}, index=self.places.index)
            for scores in (self.experts[:, :, 0].mean(axis=1), self.judge)
        )
        return Sides(JUDGE, self.places, experts, judged)

    @property
    def rated(self) -> RatedItems:
        """The experts' scores for the first metric."""
        scores = pd.DataFrame(self.experts[:, :, 0], index=self.places.index, columns=RATERS)
        return RatedItems(METRICS[0], scores, self.places)

    @property
    def long(self) -> pd.DataFrame:
        """The experts' ratings on all metrics as a long table."""
        return self.rows.assign(score=self.experts.ravel())


def simulated(random: np.random.Generator, components: Components, models: int, scenes: int) -> SimulatedRatings:
    """The ratings of one run."""

    def effects(variance: float, *shape: int) -> Floats:
        return random.normal(0, variance**0.5, shape)

    def both(effect: Effect, *shape: int) -> Floats:
        return effects(effect[0], *shape, 1) + effects(effect[1], *shape, len(METRICS))

    seen = (
        both(components.model, models, 1) + both(components.scene, 1, scenes) + both(components.item, models, scenes)
    ).reshape(models * scenes, 1, len(METRICS))
    levels = effects(components.rater, len(RATERS))
    experts = seen + levels[:, None] + both(components.error, models * scenes, len(RATERS))
    of_model, of_scene, of_item = components.judge
    own = effects(of_model, models, 1) + effects(of_scene, 1, scenes) + effects(of_item, models, scenes)
    places, rows = _design(models, scenes)
    return SimulatedRatings(experts, seen[:, 0, 0] + own.ravel(), components.truths(levels), places, rows)


@lru_cache(maxsize=1)
def _design(models: int, scenes: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The places of the items, and the rows of a long table in the order of items x raters x metrics."""
    at = [(f"i{m:02}-{s:02}", f"s{s:02}", f"m{m:02}") for m in range(models) for s in range(scenes)]
    places = pd.DataFrame(at, columns=["item", "scene", "model"]).set_index("item")
    rows = [(*place, metric, rater, "expert") for place in at for rater in RATERS for metric in METRICS]
    return places, pd.DataFrame(rows, columns=["item", "scene", "model", "metric", "rater", "kind"])
