"""The cluster jackknife: between which limits would a statistic lie if other scenes had been drawn?

Items of one scene resemble each other, so that n items carry less evidence than n independent ones. So scenes, and not
items, are left out, one after the other. How far a statistic moves tells its standard error (Tukey, 1958), and
Student's t with as many degrees of freedom as there are scenes but one gives the 95 % interval. It is made on a scale
on which the statistic is about normal, such as Fisher's z for a correlation, and its ends are taken back from there.

By default scenes are drawn, while models and raters are those of the study. Where models, or experts, are drawn, too,
they are left out in the same manner: both variances are added, which counts what is due to an item alone twice, with
degrees of freedom after Satterthwaite (1946). That makes intervals rather too wide, but for figures in points of three
or four experts, whose severities tell little of others'. How often the intervals hold the truth, by design, stands in
`docs/en/reference/statistics.md`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit, logit, stdtr, stdtrit

from annotations.errors import UndefinedStatistic
from annotations.i18n.messages import to_say

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Drawn = Literal["scenes", "scenes and models", "scenes and experts", "independent items"]
"""What intervals take as drawn; the rest is taken as it is. With `independent items` an interval has its formula
(Fisher, Feldt, F) where there is one; it is too narrow if items of one scene, or of one model, resemble each other."""
USUAL: Drawn = "scenes"
Figures = Callable[[Floats], Floats]
"""From counts (draws x items) to the values of all figures (figures x draws), NaN where a draw leaves one undefined."""
Clusters = Literal["scenes", "models", "items"]
ByExpert = Callable[[], Floats]
"""The values of all figures without each expert (figures x experts), NaN where one is undefined."""

FEWEST_CLUSTERS = 5
"""Scenes, or items that are taken as independent, without which there is no interval."""
FEWEST_MODELS = 8
"""The same of models where they are drawn: fewer don't tell how models differ, and intervals would be too narrow."""
FEWEST_ITEMS = 12
"""Items without which figures other than means have none, in however many scenes: one or two would decide how a figure
moves."""
HALF_WIDTH = 1.959963984540054
"""Of a 95 % interval, in standard errors of a normal distribution."""
FEWEST_EXPERTS = 3
"""The same of experts: two tell next to nothing of others."""
UPPER = 0.975
"""The point of Student's t at which a 95 % interval ends."""
END_OF_RANGE = to_say("{value:g} is at or beyond the end of its range")
"""Why a correlation of 1 or -1, or a reliability of 1, has no interval."""
_NO_WIDTH = 1e-9
_TINY = 1e-12
"""A correlation that is this near to 1, or -1, is so but for rounding."""
_BLOCK = 4_000_000
"""Counts (left out x items) that are worked on at once: 32 MB."""


@dataclass(frozen=True)
class Interval:
    """A 95 % interval, and how it was made."""

    low: float
    high: float
    way: str
    """Such as `jackknife by scenes`."""


@dataclass(frozen=True)
class Scale:
    """On what scale a figure is about normal: there its interval is made."""

    there: Callable[[Floats], Floats]
    back: Callable[[Floats], Floats]
    lowest: float = -np.inf
    """Where intervals end: below, a value says no more than that it lies there, unless all of its interval does."""
    fewest: int = FEWEST_ITEMS
    """Items without which a figure has no interval."""


def _as_it_is(values: Floats) -> Floats:
    return values


def _fisher_z(r: Floats) -> Floats:
    return np.asarray(np.arctanh(np.where(np.abs(r) > 1 - _TINY, np.sign(r), r)), dtype=float)


PLAIN = Scale(_as_it_is, _as_it_is)
"""Differences of correlations, and log odds."""
MEAN = Scale(_as_it_is, _as_it_is, fewest=0)
"""Means, and their differences: Student's t holds for few items, too."""
CORRELATION = Scale(_fisher_z, np.tanh)
"""Fisher's z (1921), for what lies between -1 and 1."""
ALPHA = Scale(lambda alpha: -np.log1p(-alpha), lambda value: -np.expm1(-value), lowest=-1)
"""For a reliability, which is at most 1 and has no lower end: the logarithm of 1 - alpha (Bonett, 2002)."""
SHARE = Scale(logit, expit)
"""The log odds of a share, from 0 to 1."""
POSITIVE = Scale(np.log, np.exp)
"""The logarithm, of distances and standard deviations."""


def intraclass_scale(raters: float) -> Scale:
    """Fisher's z (1925) of an intraclass correlation of single ratings, of so many ratings of an item."""

    def there(r: Floats) -> Floats:
        return np.asarray(np.log1p((raters - 1) * r) - np.log1p(-r), dtype=float)

    def back(value: Floats) -> Floats:
        return np.asarray(np.expm1(value) / (np.exp(value) + raters - 1), dtype=float)

    return Scale(there, back)


_CLUSTERS: Mapping[Drawn, tuple[Clusters, ...]] = {
    "scenes": ("scenes",),
    "scenes and models": ("scenes", "models"),
    "scenes and experts": ("scenes",),
    "independent items": ("items",),
}
TOO_FEW_CLUSTERS: Mapping[Clusters, str] = {
    "scenes": to_say("an interval needs at least {fewest} scenes; found {n}"),
    "models": to_say("an interval needs at least {fewest} models; found {n}"),
    "items": to_say("an interval needs at least {fewest} items; found {n}"),
}
_WAYS: Mapping[Drawn, str] = {
    "scenes": to_say("jackknife by scenes"),
    "scenes and models": to_say("jackknife by scenes and by models"),
    "scenes and experts": to_say("jackknife by scenes and by experts"),
    "independent items": to_say("jackknife by items"),
}


@dataclass(frozen=True)
class Error:
    """A figure with its standard error, both on the scale on which it is about normal."""

    value: float
    se: float
    df: float
    """Degrees of freedom of Student's t."""
    scale: Scale
    way: str

    @property
    def interval(self) -> Interval:
        """The 95 % interval of the figure. Raises UndefinedStatistic for one without width."""
        return Interval(*self._ends(), self.way)

    @property
    def p(self) -> float:
        """Two-sided, against the figure's being 0 on its scale; raises UndefinedStatistic as `interval` does."""
        return self._p(self.value)

    def p_against(self, value: float) -> float:
        """Two-sided, against the figure's being `value`. Raises UndefinedStatistic as `interval` does, and for a value
        at the end of its range, from which every figure is infinitely far."""
        with np.errstate(divide="ignore", invalid="ignore"):
            there = float(self.scale.there(np.array(value)))
        if not np.isfinite(there):
            raise UndefinedStatistic(END_OF_RANGE, value=value)
        return self._p(self.value - there)

    def _p(self, away: float) -> float:
        self._ends()
        return float(2 * stdtr(self.df, -abs(away / self.se)))

    def _ends(self) -> tuple[float, float]:
        half = float(stdtrit(self.df, UPPER)) * self.se
        low, value, high = map(float, self.scale.back(np.array([self.value - half, self.value, self.value + half])))
        if value < self.scale.lowest and high >= 0:
            raise UndefinedStatistic(
                "a value below {lowest:g} only shows that there is no reliability", lowest=self.scale.lowest
            )
        if not np.isfinite([low, high]).all():
            raise UndefinedStatistic(
                "the estimate varies too much when single scenes, models, experts or items are left out"
            )
        if high - low < _NO_WIDTH:
            raise UndefinedStatistic(
                "the estimate hardly changes whatever is left out, so its error cannot be estimated"
            )
        return low if value < self.scale.lowest else max(low, self.scale.lowest), high


@dataclass(frozen=True, eq=False)
class Jackknife:
    """Figures of some items as they stand, and without each scene, model or item."""

    values: Floats
    left_out: tuple[Floats, ...]
    """For each of what is drawn: figures x clusters."""
    way: str

    def error(self, figure: int, scale: Scale) -> Error:
        """The error of one of the figures.

        Raises UndefinedStatistic where it has no value as the items stand, or without one of the clusters, or lies at
        the end of its range.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            value = float(scale.there(self.values[figure]))
            moved = [np.asarray(scale.there(values[figure])) for values in self.left_out]
        if not np.isfinite(value):
            if np.isfinite(self.values[figure]):
                raise UndefinedStatistic(END_OF_RANGE, value=float(self.values[figure]))
            raise UndefinedStatistic("the statistic cannot be computed for these items")
        if not all(np.isfinite(each).all() for each in moved):
            raise UndefinedStatistic(
                "if one of the scenes, models, experts or items is left out, the statistic cannot be computed or is at"
                " the limit of its range"
            )
        parts = [((len(each) - 1) / len(each) * float(((each - each.mean()) ** 2).sum()), len(each)) for each in moved]
        variance = sum(part for part, _ in parts)
        below = sum(part**2 / (clusters - 1) for part, clusters in parts)
        df = variance**2 / below if below > 0 else float(parts[0][1] - 1)
        return Error(value, float(np.sqrt(variance)), df, scale, self.way)


def jackknife(
    places: pd.DataFrame, figures: Figures, drawn: Drawn = USUAL, by_expert: ByExpert | None = None
) -> Jackknife:
    """The figures of the items in these `places` (columns scene and model, in the items' order); `by_expert` is None of
    figures that rest on no expert.

    Raises UndefinedStatistic where there are too few scenes, models, experts or items for an interval.
    """
    items = len(places)
    codes = [_codes(places, name) for name in _CLUSTERS[drawn]]
    for name, (_, there) in zip(_CLUSTERS[drawn], codes, strict=True):
        fewest = FEWEST_MODELS if name == "models" else FEWEST_CLUSTERS
        if there < fewest:
            raise UndefinedStatistic(TOO_FEW_CLUSTERS[name], fewest=fewest, n=there)
    values = [figures(np.ones((1, items)))]
    for code, there in codes:
        step = max(1, _BLOCK // max(items, 1))
        blocks = (np.arange(start, min(start + step, there)) for start in range(0, there, step))
        values.append(np.concatenate([figures((code != block[:, None]).astype(float)) for block in blocks], axis=1))
    if drawn == "scenes and experts" and by_expert is not None:
        without = by_expert()
        check_experts(without.shape[1])
        values.append(without)
    rests_on = "scenes" if drawn == "scenes and experts" and by_expert is None else drawn
    return Jackknife(values[0][:, 0], tuple(values[1:]), _WAYS[rests_on])


def check_experts(experts: int) -> None:
    """Raises UndefinedStatistic where there are too few to take them as drawn."""
    if experts < FEWEST_EXPERTS:
        raise UndefinedStatistic(
            "an interval that resamples experts needs at least {fewest} experts; found {n}",
            fewest=FEWEST_EXPERTS,
            n=experts,
        )


def _codes(places: pd.DataFrame, clusters: Clusters) -> tuple[Ints, int]:
    """The number of each row's cluster, from 0, and how many there are; each row is an item where none are named."""
    name = clusters.removesuffix("s")
    if clusters == "items" and name not in places:
        return np.arange(len(places)), len(places)
    codes, names = pd.factorize(places[name])
    return codes, len(names)
