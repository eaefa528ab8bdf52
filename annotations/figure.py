"""A figure: one statistic of one thing as a row, for a file, or for another computation to check."""

from dataclasses import dataclass, replace

from annotations.estimates import Estimate
from annotations.resampling import Interval
from annotations.undefined import Undefined

EXPERTS = "experts"


@dataclass(frozen=True)
class Figure:
    """One statistic of one thing, with its evidence; what a statistic does not have is None, or empty."""

    statistic: str
    of: str
    """A metric, `overall` (or `overall, pooled` and `overall, model mean`), a dimension, `all metrics`, or two metrics,
    such as `BA and KA`; `BA and the experts' KA` where the first is the judge's."""
    by: str
    """Whose scores, and for a judge how they go with the experts': `experts`, an expert, a judge, or two judges, as in
    `glm and gpt`.

    `experts beside gpt` is of experts, on items that the judge scored too, and `experts beside glm and gpt` on items
    that both judges did; `ann beside gpt` is of the expert who agrees best with the others on such items.
    """
    language: str | None = None
    model: str | None = None
    """The part of the ratings, where it is not all."""
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    counts: str = ""
    """What n counts."""
    interval: str = ""
    """How the 95 % interval from `low` to `high` was made, or why there is none."""
    draws: int | None = None
    seed: int | None = None
    definition: str = ""
    undefined: str = ""
    """Why there is no estimate."""


def figured(base: Figure, found: Estimate | Undefined, counts: str) -> Figure:
    """With what was found, or why it is undefined; `counts` says what its n counts."""
    if isinstance(found, Undefined):
        return replace(base, undefined=found.reason)
    return valued(base, found.estimate, found.interval, (found.n, counts))


def valued(base: Figure, value: float, interval: Interval | Undefined | None, n: tuple[int, str]) -> Figure:
    """With a value, its interval (None where it has none) and n with what that counts."""
    told = replace(base, estimate=value, n=n[0], counts=n[1])
    match interval:
        case None:
            return told
        case Undefined():
            return replace(told, interval=f"none: {interval.reason}")
    drawn = interval.draws or None
    return replace(told, low=interval.low, high=interval.high, interval=interval.way, draws=drawn, seed=interval.seed)
