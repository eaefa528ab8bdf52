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
    """A metric, a dimension, `overall`, two metrics or a source of variance."""
    by: str
    """Whose scores: `experts`, a judge, an expert, or two judges."""
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
