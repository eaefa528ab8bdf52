"""What the next study would need, as figures."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from annotations.components import VarianceComponents
from annotations.errors import UndefinedStatistic
from annotations.figure import EXPERTS, By, Figure, Of, valued
from annotations.planning import (
    EXPERTS_TO_FIND,
    MOST_SCENES,
    WISHED,
    CorrelationPrecision,
    design_study,
    least_design,
)
from annotations.undefined import Undefined, or_undefined
from annotations.validity import OVERALL

PRESENT = (
    "reliability of the order of the models' means over as many scenes as now, and as many experts as rate an item now,"
    " if every expert scores every model in every scene (Brennan, 2001)"
)
NEEDED = f"the least that reach it, from the estimated variance components; not looked for beyond {MOST_SCENES:,}"
WIDTH = (
    "of r overall, with as many models as now, were r to stay as it is; from the variances of Fisher's z (1921) when"
    " scenes alone, and when models alone, are drawn anew, each scaled by the number now over the number then"
)


def figures_of_designs(components: VarianceComponents | Undefined, metric: str) -> Iterator[Figure]:
    """The generalizability of the present design, and the least scenes that reach each wished one."""
    yield _now(components, metric)
    for wished in WISHED:
        found = components if isinstance(components, Undefined) else _least_scenes(components, wished)
        for experts in EXPERTS_TO_FIND:
            name = f"scenes for a generalizability of {wished:g}, {experts} expert{'s' if experts > 1 else ''}"
            yield _needed(Figure(name, Of(metric=metric), EXPERTS, definition=NEEDED), found, experts)


def figures_of_precision(found: CorrelationPrecision | Undefined, by: By) -> Iterator[Figure]:
    """How wide the interval of a judge's r overall is to be with the scenes of now, and with twice as many."""
    for name, times in (("as now", 1), ("twice the scenes", 2)):
        base = Figure(f"expected width of the interval of r, {name}", Of(metric=OVERALL), by, definition=WIDTH)
        if isinstance(found, Undefined):
            yield replace(base, undefined=found.reason)
            continue
        then = found.expected(times * found.scenes, found.models)
        counts = f"items, for {then.scenes} scenes and {then.models} models"
        told = valued(base, then.width, None, (found.n, counts))
        yield replace(told, draws=found.draws, seed=found.seed)


def _now(components: VarianceComponents | Undefined, metric: str) -> Figure:
    base = Figure("generalizability of the present design", Of(metric=metric), EXPERTS, definition=PRESENT)
    if isinstance(components, Undefined):
        return replace(base, undefined=components.reason)
    experts = round(components.n / components.items)
    try:
        now = design_study(components, experts, components.scenes)
    except UndefinedStatistic as undefined:
        return replace(base, undefined=str(undefined))
    counts = f"ratings, for {now.experts} experts and {now.scenes} scenes"
    return valued(base, now.generalizability, None, (components.n, counts))


def _least_scenes(components: VarianceComponents, wished: float) -> tuple[Mapping[int, int], int] | Undefined:
    """By number of experts, and the ratings that this rests on."""
    found = or_undefined(least_design, components, wished)
    if isinstance(found, Undefined):
        return found
    return {design.experts: design.scenes for design in found.choices}, components.n


def _needed(base: Figure, found: tuple[Mapping[int, int], int] | Undefined, experts: int) -> Figure:
    if isinstance(found, Undefined):
        return replace(base, undefined=found.reason)
    scenes, n = found
    if experts not in scenes:
        return replace(base, undefined=f"not even {MOST_SCENES:,} scenes reach it")
    return valued(base, scenes[experts], None, (n, "ratings"))
