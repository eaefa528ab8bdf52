"""A figure: one statistic of one thing as a row, for a file, or for another computation to check."""

from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, fields, replace
from typing import Literal, TypeVar

from annotations.errors import Undefined
from annotations.resampling.estimates import Estimate
from annotations.resampling.jackknife import Interval

E = TypeVar("E", bound=Estimate)
T = TypeVar("T")


@dataclass(frozen=True)
class Of:
    """What a figure is of: a dimension, a metric, or two of them; all metrics where neither is given."""

    dimension: str = ""
    metric: str = ""
    """`overall` for the mean of all."""
    other_metric: str = ""
    """The second of two metrics, or the one that is left out."""


@dataclass(frozen=True)
class By:
    """Whose scores a figure is of.

    Those of experts, or of one, beside a judge are on items that the judge scored too; beside two, on items that both
    did.
    """

    side: Literal["experts", "expert", "judge", "judges", "judge and experts", "baseline"]
    """For `judge` and `judges`, too, a figure can say how they go with the experts'."""
    expert: str = ""
    judge: str = ""
    other_judge: str = ""
    baseline: str = ""
    """One that looks at no item, on the items of the judge (see `annotations.validity.baselines`)."""


ALL_METRICS = Of()
EXPERTS = By("experts")


@dataclass(frozen=True)
class Figure:
    """One statistic of one thing, with its evidence; what a statistic does not have is None, or empty."""

    statistic: str
    of: Of
    """Between a metric of the judge and one of the experts, the judge's comes first."""
    by: By
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
    definition: str = ""
    undefined: str = ""
    """Why there is no estimate."""

    def row(self) -> tuple[object, ...]:
        """Its values in the order of `COLUMNS`."""
        values = (getattr(self, field.name) for field in fields(self))
        return tuple(one for value in values for one in (astuple(value) if isinstance(value, (Of, By)) else (value,)))


COLUMNS = tuple(
    name
    for field in fields(Figure)
    for name in ([part.name for part in fields(field.type)] if field.type in (Of, By) else [field.name])
)
"""The columns of figures in a file, with those of what they are of and of whose scores in the places of these."""


def figured(base: Figure, found: E | Undefined, counts: str | Callable[[E], str]) -> Figure:
    """With what was found, or why it is undefined; `counts` says what its n counts."""
    if isinstance(found, Undefined):
        return replace(base, undefined=str(found.reason))
    counted = counts if isinstance(counts, str) else counts(found)
    return valued(base, found.estimate, found.interval, found.n, counted)


def valued(
    base: Figure, value: float | Undefined, interval: Interval | Undefined | None, n: int, counts: str
) -> Figure:
    """With a value, or why there is none, its interval (None where it has none) and n with what that counts."""
    if isinstance(value, Undefined):
        return replace(base, undefined=str(value.reason))
    told = replace(base, estimate=value, n=n, counts=counts)
    match interval:
        case None:
            return told
        case Undefined():
            return replace(told, interval=f"none: {interval.reason}")
    return replace(told, low=interval.low, high=interval.high, interval=interval.way)


def figures_or_reason(base: Figure, found: T | Undefined, told: Callable[[T], Iterator[Figure]]) -> Iterator[Figure]:
    """What is `told` of what was found; where it is undefined, one figure that says why."""
    if isinstance(found, Undefined):
        yield replace(base, undefined=str(found.reason))
    else:
        yield from told(found)
