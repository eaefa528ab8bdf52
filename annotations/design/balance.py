"""How well a plan is balanced, in figures that can be read before a campaign starts."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from annotations.design.allocation import Floats, linked
from annotations.design.settings import Assignment, Candidate, Rater
from annotations.errors import RatingError


@dataclass(frozen=True)
class Range:
    """The least and the most of a figure."""

    low: int
    high: int

    @property
    def spread(self) -> int:
        """How far apart they are."""
        return self.high - self.low


@dataclass(frozen=True)
class Share:
    """What falls to one model, scene or language."""

    name: str
    items: int
    ratings: int
    """Hidden repeats not counted."""


@dataclass(frozen=True)
class Load:
    """What one rater is assigned."""

    rater: str
    items: int
    repeats: int
    added: int
    """How many of the two together are new with this plan."""
    models: Mapping[str, int]
    """Items of each model that has any in a language that the rater reads."""
    languages: Mapping[str, int]
    """Items of each language of the campaign that the rater reads."""

    @property
    def ratings(self) -> int:
        """Items and hidden repeats."""
        return self.items + self.repeats

    @property
    def per_model(self) -> Range | None:
        """How many items of a model the rater has; None where there is nothing that the rater reads."""
        return _range(self.models.values()) if self.models else None

    def hours(self, minutes_per_item: float) -> float:
        """Hours for what is new. Raises RatingError unless the minutes are more than 0."""
        return _hours(self.added, minutes_per_item)


@dataclass(frozen=True)
class Balance:
    """The figures of a plan, what was assigned before included."""

    items: int
    ratings: int
    """Hidden repeats included."""
    repeats: int
    added: int
    """Ratings that are new with this plan, hidden repeats included."""
    raters_per_item: Range
    loads: tuple[Load, ...]
    """By rater."""
    models: tuple[Share, ...]
    scenes: tuple[Share, ...]
    languages: tuple[Share, ...]
    shared_by: Mapping[tuple[str, str], int]
    """How many items two raters share, for every two who read a language of the campaign in common."""
    groups: tuple[tuple[str, ...], ...]
    """Raters with items, by whom shared items link, directly or over others; the largest group first."""

    @property
    def load(self) -> Range:
        """Items per rater, hidden repeats not counted."""
        return _range(load.items for load in self.loads)

    @property
    def shared(self) -> Range | None:
        """How many items two raters share; None where no two read a language in common."""
        return _range(self.shared_by.values()) if self.shared_by else None

    @property
    def connected(self) -> bool:
        """Whether shared items link all raters who have any: only then are strict raters told from poor items."""
        return len(self.groups) == 1

    def hours(self, minutes_per_item: float) -> float:
        """Hours for what is new, of all raters together. Raises RatingError unless the minutes are more than 0."""
        return _hours(self.added, minutes_per_item)


def balance_of(
    items: Sequence[Candidate], raters: Sequence[Rater], assignments: Sequence[Assignment], added: Sequence[Assignment]
) -> Balance:
    """The figures of `assignments`, of which `added` are new. There must be items and raters."""
    once = [assignment for assignment in assignments if not assignment.repeat]
    per_item = Counter(assignment.item for assignment in once)
    loads = _loads(items, raters, assignments, added)
    shared = _shared(items, raters, once)
    busy = [row for row, load in enumerate(loads) if load.items]
    groups = [tuple(raters[busy[place]].id for place in group) for group in linked(shared[np.ix_(busy, busy)])]
    return Balance(
        items=len(items),
        ratings=len(assignments),
        repeats=len(assignments) - len(once),
        added=len(added),
        raters_per_item=_range(per_item[item.item] for item in items),
        loads=loads,
        models=_shares(items, per_item, lambda item: item.model),
        scenes=_shares(items, per_item, lambda item: item.scene),
        languages=_shares(items, per_item, lambda item: item.language),
        shared_by={(raters[one].id, raters[other].id): int(shared[one, other]) for one, other in _pairs(items, raters)},
        groups=tuple(sorted(groups, key=len, reverse=True)),
    )


def _loads(
    items: Sequence[Candidate], raters: Sequence[Rater], assignments: Sequence[Assignment], added: Sequence[Assignment]
) -> tuple[Load, ...]:
    of = {item.item: item for item in items}
    has: dict[str, list[Candidate]] = {rater.id: [] for rater in raters}
    for assignment in assignments:
        if not assignment.repeat:
            has[assignment.rater].append(of[assignment.item])
    repeats = Counter(assignment.rater for assignment in assignments if assignment.repeat)
    new = Counter(assignment.rater for assignment in added)
    return tuple(
        Load(
            rater=rater.id,
            items=len(has[rater.id]),
            repeats=repeats[rater.id],
            added=new[rater.id],
            models=_counts(items, has[rater.id], rater, lambda item: item.model),
            languages=_counts(items, has[rater.id], rater, lambda item: item.language),
        )
        for rater in raters
    )


def _counts(
    items: Sequence[Candidate], has: Sequence[Candidate], rater: Rater, name: Callable[[Candidate], str]
) -> dict[str, int]:
    """How many of the rater's items have each name, of the names that the rater could meet."""
    counts = Counter(map(name, has))
    return {each: counts[each] for each in sorted({name(item) for item in items if item.language in rater.languages})}


def _shares(
    items: Sequence[Candidate], per_item: Mapping[str, int], name: Callable[[Candidate], str]
) -> tuple[Share, ...]:
    counts = Counter(map(name, items))
    ratings: Counter[str] = Counter()
    for item in items:
        ratings[name(item)] += per_item[item.item]
    return tuple(Share(each, counts[each], ratings[each]) for each in sorted(counts))


def _shared(items: Sequence[Candidate], raters: Sequence[Rater], once: Sequence[Assignment]) -> Floats:
    """How many items each two raters share, 0 on the diagonal."""
    rows = {rater.id: row for row, rater in enumerate(raters)}
    columns = {item.item: column for column, item in enumerate(items)}
    has = np.zeros((len(rows), len(columns)))
    for assignment in once:
        has[rows[assignment.rater], columns[assignment.item]] = 1
    shared = has @ has.T
    np.fill_diagonal(shared, 0)
    return shared


def _pairs(items: Sequence[Candidate], raters: Sequence[Rater]) -> list[tuple[int, int]]:
    """Places of every two raters who read a language of the items in common."""
    languages = {item.language for item in items}
    reads = [rater.languages & languages for rater in raters]
    return [(one, other) for one, other in combinations(range(len(raters)), 2) if reads[one] & reads[other]]


def _range(figures: Iterable[int]) -> Range:
    counted = list(figures)
    return Range(min(counted), max(counted))


def _hours(ratings: int, minutes_per_item: float) -> float:
    if not minutes_per_item > 0:
        raise RatingError(
            "{minutes:g} minutes per item is not possible; enter a number above 0", minutes=minutes_per_item
        )
    return ratings * minutes_per_item / 60
