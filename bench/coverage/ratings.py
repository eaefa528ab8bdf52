"""Ratings drawn from known effects: of models, scenes, raters, of each two of them together, and of chance.

The variances of `HANNA` are those of hanna.csv (see the test of them): its models differ much, its scenes hardly. Each
score is rounded to the scale from 1 to 5 and cut to its ends, and the mean lies so high that many scores are at the
upper one. Scenes are in two languages, of which one is rated a little lower.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annotations.resampling.jackknife import Floats
from annotations.validity.ceiling import Panel
from annotations.validity.judge_expert_correlation import Sides

METRICS = ("A", "B", "C")
MEAN, LANGUAGE = 3.6, 0.2
"""Of all scores, and by how much those of one language lie below the other's."""

Effect = tuple[float, float]
"""The variance that all metrics share, and that of each metric by itself."""


@dataclass(frozen=True)
class Effects:
    """Variances of single scores."""

    model: Effect
    scene: Effect
    item: Effect
    error: Effect
    """Of one rater's scores of an item: halo, and chance."""
    rater: float
    """Severity."""
    model_rater: float
    scene_rater: float
    judge: tuple[float, float, float]
    """The judge's own: of models, scenes and items."""


HANNA = Effects((0.22, 0.02), (0.01, 0.02), (0.06, 0.02), (0.6, 0.6), 0.02, 0.01, 0.02, (0.03, 0.03, 0.38))


@dataclass(frozen=True, eq=False)
class Study:
    """The scores of some scenes: NaN where one is missing."""

    experts: Floats
    """Scenes x models x raters x metrics."""
    judges: tuple[Floats, Floats]
    """Two judges with the same effects of models: scenes x models x metrics."""
    languages: NDArray[np.int64]
    """Of each scene, 0 or 1."""

    @property
    def places(self) -> pd.DataFrame:
        """The scene, the model and the language of each item."""
        scenes, models = self.experts.shape[:2]
        index = pd.Index(range(scenes * models), name="item")
        scene, model = np.repeat(np.arange(scenes), models), np.tile(np.arange(models), scenes)
        language = np.array(["en", "zh"])[self.languages[scene]]
        return pd.DataFrame({"scene": scene, "model": model, "language": language}, index=index)

    def sides(self) -> list[Sides]:
        """Each judge beside the experts' means."""
        places = self.places
        given = np.isfinite(self.experts).sum(axis=2)
        means = np.where(given > 0, np.nansum(self.experts, axis=2) / np.maximum(given, 1), np.nan)
        experts, *judged = (_table(scores, places.index) for scores in (means, *self.judges))
        return [Sides(f"judge {at}", places, experts, each) for at, each in enumerate(judged)]

    def panel(self, sides: Sides, metrics: tuple[str, ...]) -> Panel:
        """Each expert beside a judge, on a metric or on the means over several."""
        at = [METRICS.index(metric) for metric in metrics]
        scores = self.experts[..., at].mean(axis=3)
        experts = pd.DataFrame(scores.reshape(len(sides.items), -1), index=sides.items.index, columns=self.raters)
        return Panel(sides, metrics, experts, sides.judged[list(metrics)].mean(axis=1, skipna=False))

    @property
    def raters(self) -> list[str]:
        """Their names."""
        return [f"rater {number}" for number in range(self.experts.shape[2])]

    def long(self) -> pd.DataFrame:
        """The experts' ratings, one a row."""
        places, raters = self.places, len(self.raters)
        each = raters * len(METRICS)
        frame = places.reset_index().loc[np.repeat(np.arange(len(places)), each)].reset_index(drop=True)
        frame["rater"] = np.tile(np.repeat(self.raters, len(METRICS)), len(places))
        frame["metric"] = np.tile(METRICS, len(places) * raters)
        return frame.assign(kind="expert", score=self.experts.ravel()).dropna(subset=["score"])


def _table(scores: Floats, index: pd.Index) -> pd.DataFrame:
    return pd.DataFrame(scores.reshape(len(index), -1), index=index, columns=list(METRICS))


@dataclass(frozen=True, eq=False)
class World:
    """The models and the raters of a study, who stay what they are whichever scenes are drawn."""

    effects: Effects
    models: Floats
    """Models x metrics."""
    judges: Floats
    """Models x 1: what both judges see in a model beyond what experts do."""
    severity: Floats
    """By rater."""
    liking: Floats
    """Models x raters."""

    @classmethod
    def drawn(cls, random: np.random.Generator, effects: Effects, models: int, raters: int) -> "World":
        """With so many models and raters."""
        normal = Normal(random)
        return cls(
            effects,
            normal.both(effects.model, models),
            normal.one(effects.judge[0], models, 1),
            normal.one(effects.rater, raters),
            normal.one(effects.model_rater, models, raters),
        )

    def study(self, random: np.random.Generator, scenes: int, missing: float = 0.0, *, related: bool = True) -> Study:
        """The scores of so many scenes, of which a share is missing; where they are not `related`, the judges' scores
        have nothing to do with the experts'."""
        normal, of = Normal(random), self.effects
        models, raters = self.liking.shape
        languages = random.integers(0, 2, scenes)
        scene = normal.both(of.scene, scenes, 1) - LANGUAGE * languages[:, None, None]
        seen = MEAN + self.models + scene + normal.both(of.item, scenes, models)
        by_rater = self.severity + self.liking + normal.one(of.scene_rater, scenes, 1, raters)
        experts = seen[:, :, None] + by_rater[..., None] + normal.both(of.error, scenes, models, raters)
        known = seen + self.judges if related else np.full_like(seen, MEAN)
        judges = [known + own for own in self._own(normal, scenes)]
        scored = [np.clip(np.round(scores), 1, 5) for scores in (experts, *judges)]
        if missing:
            for scores in scored:
                scores[random.random(scores.shape[:-1]) < missing] = np.nan
        return Study(scored[0], (scored[1], scored[2]), languages)

    def _own(self, normal: "Normal", scenes: int) -> Iterator[Floats]:
        """What each judge adds of its own, by scene and item."""
        _, of_scene, of_item = self.effects.judge
        for _ in range(2):
            yield normal.both((of_scene / 2, of_scene / 2), scenes, 1) + normal.both(
                (of_item / 2, of_item / 2), scenes, len(self.models)
            )


@dataclass(frozen=True)
class Normal:
    """Normal effects."""

    random: np.random.Generator

    def one(self, variance: float, *shape: int) -> Floats:
        """Of a variance."""
        return self.random.normal(0, variance**0.5, shape)

    def both(self, effect: Effect, *shape: int) -> Floats:
        """On all metrics, which come as the last axis."""
        return self.one(effect[0], *shape, 1) + self.one(effect[1], *shape, len(METRICS))
