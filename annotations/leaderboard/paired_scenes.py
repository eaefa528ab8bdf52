"""By how much one model is better than another in the same scenes, in points and in per cent of the other.

A scene counts once, with the mean of each model in it. Both are worked out over the scenes that both models have, and
their intervals take these as drawn (see `annotations.resampling.jackknife`): that of the difference is Student's t of
the differences per scene; that of the per cent, a ratio of means, leaves out one scene after the other.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from annotations.errors import Undefined, UndefinedStatistic
from annotations.i18n.messages import Message
from annotations.resampling.estimates import Estimate, estimates
from annotations.resampling.jackknife import MEAN, USUAL, Floats


@dataclass(frozen=True)
class PairedScenes:
    """A model beside another one, over the scenes that both have."""

    mean: float
    """Of the model."""
    other: float
    """Of the other one."""
    difference: Estimate
    """The first minus the second; n counts scenes."""
    percent: Estimate | Undefined
    """The difference in per cent of the other's mean."""
    unpaired: int
    """Scenes that only one of them has."""


def paired_scenes(rows: pd.DataFrame, model: str, other: str) -> PairedScenes:
    """The columns of `rows` are `scene`, `model` and `score`, NaN where there is none; a scene may have several.

    Raises UndefinedStatistic where the two have no scene in common.
    """
    given = rows.dropna(subset=["score"])
    by_scene = given.groupby(["scene", "model"], observed=True)["score"].mean().unstack("model")
    both = by_scene.reindex(columns=[model, other]).dropna(how="all")
    pairs = both.dropna()
    if pairs.empty:
        raise UndefinedStatistic("{model} and {other} have scores in no scene in common", model=model, other=other)
    first, second = (pairs[name].to_numpy(dtype=float) for name in (model, other))

    def figures(counts: Floats) -> Floats:
        there, beside = counts @ first, counts @ second
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.stack([(there - beside) / counts.sum(axis=1), 100 * (there / beside - 1)])

    places = pd.DataFrame({"scene": pairs.index.astype(str), "model": model})
    difference, percent = estimates(places, figures, USUAL, [MEAN, MEAN])
    none = Undefined(Message("the mean of {other} is not above 0, so there are no per cent of it", other=other))
    return PairedScenes(
        float(first.mean()),
        float(second.mean()),
        difference,
        percent if second.mean() > 0 else none,
        len(both) - len(pairs),
    )
