"""Variance components: how much of the differences between experts' ratings is due to what?

A rating is taken as the sum of a constant and of random effects of its model, its scene, its rater, of each two of
them together, and of what remains (a generalizability study of models x scenes x raters; Brennan, 2001). Designs are
seldom complete or balanced, so the components are not taken from an analysis of variance but from symmetric differences
(Koch, 1968): half the mean squared difference of two ratings that share exactly some facets estimates the sum of the
components that these two do not share. One such mean for each way of sharing gives as many linear equations as there
are components. In a balanced design the estimates equal those of the analysis of variance. They are unbiased, and so
may come out negative; a variance cannot, and is then set to 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from annotations.errors import UndefinedStatistic
from annotations.i18n.messages import OR, Message, all_of, joined, to_say
from annotations.resampling.jackknife import Floats, Ints

MODEL, SCENE, RATER = "model", "scene", "rater"
MODEL_SCENE, MODEL_RATER, SCENE_RATER = "model x scene", "model x rater", "scene x rater"
ITEM = "item"
RESIDUAL = "residual"

_Facets = frozenset[str]
_CROSSED: dict[str, _Facets] = {
    MODEL: frozenset({MODEL}),
    SCENE: frozenset({SCENE}),
    RATER: frozenset({RATER}),
    MODEL_SCENE: frozenset({MODEL, SCENE}),
    MODEL_RATER: frozenset({MODEL, RATER}),
    SCENE_RATER: frozenset({SCENE, RATER}),
}
_SAME_ITEM: _Facets = frozenset({MODEL, SCENE, ITEM})
_SAME_RATING = _SAME_ITEM | {RATER}
_ALL = (frozenset[str](), *_CROSSED.values(), frozenset({MODEL, SCENE, RATER}), _SAME_ITEM, _SAME_RATING)
"""All that two ratings can share. Ratings of one item share its model and scene."""
_SHARING: Mapping[_Facets, str] = {
    frozenset(): to_say("no factor"),
    _CROSSED[MODEL]: to_say("only the model"),
    _CROSSED[SCENE]: to_say("only the scene"),
    _CROSSED[RATER]: to_say("only the rater"),
    _CROSSED[MODEL_SCENE]: to_say("only model and scene"),
    _CROSSED[MODEL_RATER]: to_say("only model and rater"),
    _CROSSED[SCENE_RATER]: to_say("only scene and rater"),
    _SAME_ITEM: to_say("only the item"),
}
"""What the two ratings of an equation share, in words."""
_FEW = {MODEL: to_say("{n} model"), SCENE: to_say("{n} scene"), RATER: to_say("{n} rater")}
_TINY = 1e-12


@dataclass(frozen=True)
class Component:
    """The variance that one source adds to a single rating, in squared points of the scale."""

    variance: float
    """The estimate, or 0 where it is negative."""
    unbiased: float
    """The estimate as it came out."""
    share: float
    """Of the sum of all variances."""


@dataclass(frozen=True)
class VarianceComponents:
    """The components of the experts' ratings for one metric."""

    metric: str
    components: Mapping[str, Component]
    """By source: model, scene, rater, model x scene, model x rater, scene x rater, item, residual. `item`, the
    trajectories of one model in one scene, is there only where most models have several in a scene; otherwise model x
    scene holds it too. The residual holds all three facets together, and error."""
    n: int
    """Ratings."""
    items: int
    models: int
    scenes: int
    raters: int
    pairs: Mapping[str, int]
    """Pairs of ratings behind each equation, by what they share."""

    @property
    def negative(self) -> tuple[str, ...]:
        """The sources whose estimate was negative and is set to 0."""
        return tuple(name for name, component in self.components.items() if component.unbiased < 0)

    @property
    def note(self) -> str | None:
        """What was set to 0, in a sentence."""
        if not self.negative:
            return None
        values = (f"{name} ({self.components[name].unbiased:.3f})" for name in self.negative)
        return f"{self.metric}: negative estimates are set to 0: {', '.join(values)}."

    def variance(self, source: str) -> float:
        """Of a source; 0 for `item` where it is not told apart."""
        return self.components[source].variance if source in self.components else 0.0


def variance_components(frame: pd.DataFrame, metric: str) -> VarianceComponents:
    """The components of the experts' ratings for `metric`; ratings without a score are left out.

    Raises UndefinedStatistic where a facet has a single level, all ratings are the same, or the design has no pair of
    ratings that share just what an equation needs.
    """
    ratings = frame[(frame["kind"] == "expert") & (frame["metric"] == metric) & frame["score"].notna()]
    ratings = ratings.sort_values(["item", "rater"])
    counted = {facet: ratings[facet].nunique() for facet in (MODEL, SCENE, RATER)}
    few = [Message(_FEW[facet], n=count) for facet, count in counted.items() if count < 2]
    if few:
        raise UndefinedStatistic(
            "variance components of {metric} need at least two models, two scenes and two raters; found only {few}",
            metric=metric,
            few=all_of(few),
        )
    scores = ratings["score"].to_numpy(dtype=float)
    if np.isclose(np.ptp(scores), 0):
        raise UndefinedStatistic(
            "all {n} ratings on {metric} are {score:g}", n=len(scores), metric=metric, score=scores[0]
        )
    differences = _differences(ratings, scores)
    sources = _sources(ratings)
    estimates, pairs = _solved(sources, differences, metric)
    positive = np.maximum(estimates, 0)
    if positive.sum() < _TINY:
        raise UndefinedStatistic(
            "ratings on {metric} that share neither model, scene nor rater are all equal", metric=metric
        )
    components = {
        name: Component(float(variance), float(raw), float(variance / positive.sum()))
        for name, variance, raw in zip(sources, positive, estimates, strict=True)
    }
    items = ratings[ITEM].nunique()
    return VarianceComponents(
        metric, components, len(scores), items, counted[MODEL], counted[SCENE], counted[RATER], pairs
    )


def _differences(ratings: pd.DataFrame, scores: Floats) -> dict[_Facets, tuple[float, int]]:
    """For each set of facets, over the ordered pairs of ratings that share exactly it: half the sum of the squared
    differences, and the number of pairs.

    Within a group of n ratings that share at least the set, half the squared differences of all n x n pairs sum to
    n * (sum of squares) - (sum)^2. What shares more is taken away, from the largest sets down.
    """
    centred = scores - scores.mean()
    exactly: dict[_Facets, tuple[float, int]] = {}
    for shared in sorted(_ALL, key=len, reverse=True):
        group = _groups(ratings, shared)
        n = np.bincount(group)
        squares, sums = np.bincount(group, weights=centred**2), np.bincount(group, weights=centred)
        more = [exactly[larger] for larger in exactly if shared < larger]
        half = float((n * squares - sums**2).sum()) - sum(part for part, _ in more)
        exactly[shared] = half, int((n**2).sum()) - sum(count for _, count in more)
    return exactly


def _groups(ratings: pd.DataFrame, shared: _Facets) -> Ints:
    """A number for each rating, the same for those that share these facets."""
    if not shared:
        return np.zeros(len(ratings), dtype=np.intp)
    return np.asarray(ratings.groupby(sorted(shared), sort=False).ngroup(), dtype=np.intp)


def _sources(ratings: pd.DataFrame) -> dict[str, _Facets]:
    """The sources that the design tells apart, and the facets of each."""
    items = ratings.groupby([MODEL, SCENE])[ITEM].nunique()
    if (items > 1).mean() > 0.5:
        return {**_CROSSED, ITEM: _SAME_ITEM, RESIDUAL: _SAME_RATING}
    return {**_CROSSED, RESIDUAL: _SAME_RATING}


def _solved(
    sources: Mapping[str, _Facets], differences: Mapping[_Facets, tuple[float, int]], metric: str
) -> tuple[Floats, dict[str, int]]:
    """The components, and the (unordered) pairs of ratings behind each equation."""
    shared = [frozenset[str](), *(facets for name, facets in sources.items() if name != RESIDUAL)]
    if ITEM not in sources:
        shared[shared.index(_CROSSED[MODEL_SCENE])] = _SAME_ITEM
    missing = [Message(_SHARING[facets]) for facets in shared if not differences[facets][1]]
    if missing:
        raise UndefinedStatistic(
            "variance components of {metric} cannot be estimated: there are no pairs of ratings that share {missing}",
            metric=metric,
            missing=joined(missing, OR),
        )
    distinct = np.array([[not facets <= held for facets in sources.values()] for held in shared], dtype=float)
    means = np.array([differences[held][0] / differences[held][1] for held in shared])
    pairs = {_SHARING[held]: differences[held][1] // 2 for held in shared}
    return np.linalg.solve(distinct, means), pairs
