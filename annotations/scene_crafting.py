"""How well scenes are crafted, by method and model, extracted and generated apart (paper, section 6.5, table 4)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import stdtrit

_HIGH = 0.975


@dataclass(frozen=True)
class CraftingScore:
    """One cell of the table: the mean over scenes of their scores on a metric."""

    crafter: str
    """The method and models by which the scenes were crafted."""
    origin: str
    """`extracted` or `generated`."""
    metric: str
    mean: float
    sd: float | None
    """Over scenes; None where there is one."""
    low: float | None
    high: float | None
    """The 95 % interval of the mean by Student's t, each scene one draw, cut to the ends of the scale.

    None where there is one scene, and where all have the same score: how they spread can't be told then.
    """
    scenes: int


def crafting_scores(scores: pd.DataFrame, metrics: Sequence[str], ends: tuple[float, float]) -> list[CraftingScore]:
    """The cells of all crafters, origins and metrics that have a score.

    `scores` holds one row a scene and rater: `scene`, `crafter`, `origin` and a column for each metric, NaN where none
    was given. Of a scene with several raters the mean over them counts, each metric for itself.
    `ends` are the lowest and the highest score that can be given.
    """
    by_scene = scores.groupby(["crafter", "origin", "scene"], observed=True, sort=True)[[*metrics]].mean()
    found = []
    for (crafter, origin), rows in by_scene.groupby(level=["crafter", "origin"], observed=True, sort=True):
        for metric in metrics:
            given = rows[metric].dropna().to_numpy(float)
            if given.size:
                found.append(_cell((str(crafter), str(origin), metric), given, ends))
    return found


def _cell(
    of: tuple[str, str, str], given: "np.ndarray[tuple[int], np.dtype[np.float64]]", ends: tuple[float, float]
) -> CraftingScore:
    crafter, origin, metric = of
    n, mean = given.size, float(given.mean())
    if n == 1:
        return CraftingScore(crafter, origin, metric, mean, None, None, None, n)
    if given.min() == given.max():
        return CraftingScore(crafter, origin, metric, mean, 0.0, None, None, n)
    sd = float(given.std(ddof=1))
    half = float(stdtrit(n - 1, _HIGH)) * sd / n**0.5
    return CraftingScore(crafter, origin, metric, mean, sd, max(mean - half, ends[0]), min(mean + half, ends[1]), n)
