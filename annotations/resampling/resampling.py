"""Resampling: between which limits would a statistic lie if other scenes, and other models, had been drawn?

Items of one scene, and items of one model, resemble each other, so that n items carry less evidence than n independent
ones. So scenes and models are drawn anew, each with replacement, and an item counts as often as its scene was drawn
times its model was drawn (the pigeonhole bootstrap of Owen, 2007). The 95 % interval lies between two percentiles of
the statistic over the draws: the 2.5th and 97.5th where half of the draws lie below the statistic itself, and others
where draws tend to one side of it (bias-corrected percentiles; Efron, 1981). Of very few scenes, or models, draws tell
too little, and the interval would be too narrow: they are not drawn but stay as they are. What is due to an item alone
is counted more than once when its scene and its model are both drawn, so that the interval is rather too wide where
items of one scene, and of one model, hardly resemble each other (Owen, 2007).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from annotations.errors import UndefinedStatistic
from annotations.i18n.messages import AND, Message, count_message, joined, to_say

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Counts = NDArray[np.int16]
By = Literal["scenes and models", "scenes", "models", "independent items"]
"""What is drawn anew."""
Figures = Callable[[Floats], Floats]
"""From counts (draws x items) to the values of all figures (figures x draws), NaN where a draw leaves one undefined."""

FEWEST_CLUSTERS = 5
"""Scenes are drawn anew only where there are at least this many, and so are models."""
HALF_WIDTH = 1.959963984540054
"""Of a 95 % interval, in standard errors of a normal distribution."""
MOST_UNDEFINED_DRAWS = 0.05
"""The share of draws in which a statistic may be undefined (as where all scores are the same) before it is given up."""
_ONE_WAY = {
    "scenes": to_say("one-way cluster bootstrap by scenes"),
    "models": to_say("one-way cluster bootstrap by models"),
}
_BLOCK = 150_000
"""Counts (draws x items) that are worked on at once: what fits a processor's cache is worked on fastest."""
_KEPT = 4_000_000
"""Counts up to which all of some items are kept (32 MB), since one statistic after the other asks for them."""


@dataclass(frozen=True)
class Drawing:
    """How intervals are made: what is drawn anew, how often, and from which seed.

    With `independent items` an interval has its formula (Fisher, Feldt, F) where there is one; it is too narrow if
    items of one scene, or of one model, resemble each other.
    """

    by: By = "scenes and models"
    draws: int = 2000
    seed: int = 0


USUAL = Drawing()


@dataclass(frozen=True)
class Interval:
    """A 95 % interval, and how it was made."""

    low: float
    high: float
    way: str
    """Such as `two-way cluster bootstrap`."""
    draws: int = 0
    """Draws that it rests on; 0 where nothing was drawn."""
    seed: int | None = None


@dataclass(frozen=True, eq=False)
class Resampling:
    """Draws of the scenes and models of some items, the same for every statistic of these items."""

    scene: Ints
    """Of each item, as a number from 0."""
    model: Ints
    scenes: int
    models: int
    drawing: Drawing

    @property
    def way(self) -> str:
        """What an interval by these draws is called."""
        if self.drawing.by == "independent items":
            return to_say("bootstrap of items")
        sides = {"scenes": self.scenes, "models": self.models}
        drawn = [name for name, there in sides.items() if name in self.drawing.by and there >= FEWEST_CLUSTERS]
        return to_say("two-way cluster bootstrap") if len(drawn) == 2 else _ONE_WAY[drawn[0]]

    def counts(self) -> Iterator[Floats]:
        """How often each item is in each draw (draws x items), in blocks of draws."""
        items = len(self.scene)
        step = max(1, _BLOCK // max(items, 1))
        blocks = (slice(start, start + step) for start in range(0, self.drawing.draws, step))
        drawn = (self.scenes, self.models, self.drawing)
        if items * self.drawing.draws <= _KEPT:
            kept = _all_counts(self.scene.tobytes(), self.model.tobytes(), *drawn)
            yield from (kept[block] for block in blocks)
        else:
            scenes, models = _drawn(*drawn)
            yield from (_multiplied(scenes[block][:, self.scene], models[block][:, self.model]) for block in blocks)

    def values(self, figures: Figures) -> Floats:
        """The figures in every draw: figures x draws."""
        return np.concatenate([figures(counts) for counts in self.counts()], axis=1)

    def interval_of(self, estimate: float, values: Floats) -> Interval:
        """The interval of a statistic that is `estimate` for the items as they stand, by its values in all draws, NaN
        where it has none.

        Raises UndefinedStatistic where too many draws, or the items as they stand, leave it undefined.
        """
        if not np.isfinite(estimate):
            raise UndefinedStatistic("it has no value on the items as they stand")
        defined = values[np.isfinite(values)]
        if len(defined) < len(values) * (1 - MOST_UNDEFINED_DRAWS):
            raise UndefinedStatistic(
                "in {undefined:,} of {draws:,} draws it has no value",
                undefined=len(values) - len(defined),
                draws=len(values),
            )
        low, high = map(float, np.quantile(defined, _percentiles(estimate, defined)))
        return Interval(low, high, self.way, len(defined), self.drawing.seed)


def resampling(scene: pd.Series, model: pd.Series, drawing: Drawing = USUAL) -> Resampling:
    """Draws for items of these scenes and models.

    Raises UndefinedStatistic where there are fewer than `FEWEST_CLUSTERS` of all that is to be drawn.
    """
    if drawing.by == "independent items":
        scene, model = pd.Series(range(len(scene))), pd.Series(np.zeros(len(scene), int))
    scene_codes, scenes = pd.factorize(scene, sort=True)
    model_codes, models = pd.factorize(model, sort=True)
    there = {"scenes": len(scenes), "models": len(models), "independent items": len(scenes)}
    if all(there[name] < FEWEST_CLUSTERS for name in drawing.by.split(" and ")):
        counted = joined((_counted(there[name], name) for name in drawing.by.split(" and ")), AND)
        raise UndefinedStatistic(
            "too few to resample: {counted}, of {fewest} that are needed",
            fewest=FEWEST_CLUSTERS,
            counted=counted,
        )
    return Resampling(scene_codes, model_codes, len(scenes), len(models), drawing)


def scene_counts(scenes: int, drawing: Drawing) -> Floats:
    """How often each scene comes in each draw, whatever else `drawing` draws: scenes x draws."""
    counts, _ = _drawn(scenes, 1, replace(drawing, by="scenes"))
    return np.ascontiguousarray(counts.T, dtype=float)


def _counted(number: int, things: str) -> Message:
    match things:
        case "scenes":
            return count_message("{count} scene", "{count} scenes", number)
        case "models":
            return count_message("{count} model", "{count} models", number)
    return count_message("{count} independent item", "{count} independent items", number)


def _percentiles(estimate: float, values: Floats) -> Floats:
    """Between which shares of the values the interval lies (Efron, 1981); draws that equal the estimate are halved."""
    n = len(values)
    tied = np.isclose(values, estimate, rtol=0, atol=1e-12)
    below = float((values[~tied] < estimate).sum() + tied.sum() / 2) / n
    shift = 2 * ndtri(np.clip(below, 0.5 / n, 1 - 0.5 / n))
    return np.asarray(ndtr(shift + np.array([-HALF_WIDTH, HALF_WIDTH])), dtype=float)


@lru_cache(maxsize=4)
def _all_counts(scene: bytes, model: bytes, scenes: int, models: int, drawing: Drawing) -> Floats:
    """All counts of the items of these scenes and models, given as the bytes of their numbers (draws x items)."""
    of_scenes, of_models = _drawn(scenes, models, drawing)
    return _multiplied(of_scenes[:, np.frombuffer(scene, np.intp)], of_models[:, np.frombuffer(model, np.intp)])


def _multiplied(of_scenes: Counts, of_models: Counts) -> Floats:
    counts = np.multiply(of_scenes, of_models, dtype=float)
    counts.setflags(write=False)
    return counts


def _drawn(scenes: int, models: int, drawing: Drawing) -> tuple[Counts, Counts]:
    """How often each scene, and each model, comes up when as many as there are get drawn with replacement.

    One row per draw. All statistics over the same numbers of scenes and models share their draws.
    """
    small = (scenes + models) * drawing.draws <= _KEPT
    return (_kept_drawn if small else _draw)(scenes, models, drawing)


def _draw(scenes: int, models: int, drawing: Drawing) -> tuple[Counts, Counts]:
    random = np.random.default_rng(drawing.seed)
    anew = "scenes" if drawing.by == "independent items" else drawing.by
    of_scenes, of_models = (
        random.multinomial(clusters, np.full(clusters, 1 / clusters), size=drawing.draws).astype(np.int16)
        if clusters >= FEWEST_CLUSTERS and name in anew
        else np.ones((drawing.draws, clusters), np.int16)
        for clusters, name in ((scenes, "scenes"), (models, "models"))
    )
    return of_scenes, of_models


_kept_drawn = lru_cache(maxsize=8)(_draw)
