"""Who rates what: raters are spread over items so that the design is balanced.

Guaranteed: every item gets exactly the raters that it wants, each one who may rate it and none twice; and the loads
(items per rater, those held before included) are as even as they can be: no chain of items handed from one rater to the
next would bring closer together two loads that are two or more apart. So raters who may rate the same items and held
nothing before differ by one at most. (Roles can force an exception: see the end.)

Sought, by the least weighted sum of squares of the counts: every rater meets each value of a trait (a model, a role, a
language, a scene) equally often, and every pair of raters shares equally many items.
Items are dealt out one by one, then pairs of raters exchange items as long as that lowers the sum. The best of a few
such tries is near the best design, not always on it. Two faults are then mended, where exchanges can, even if the sum
rises: raters without a link to the others by shared items, and roles so frequent with one rater that they would have to
come one after the other. Only for the last, where no exchange helps, is an item handed on for nothing, and loads become
less even.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

SHORTLIST = 64
"""Items of each side that an exchange is chosen from: the ones that are the best to give away."""


@dataclass(frozen=True, eq=False)
class Trait:
    """Something about items that a rater should meet evenly often."""

    codes: Ints
    """Per item, a number from 0 for each value."""
    weight: int
    """Against one item that two raters share."""


@dataclass(frozen=True, eq=False)
class Demand:
    """What is to be allocated. Arrays of flags are raters x items."""

    held: Bools
    """What raters have from before, and keep."""
    may: Bools
    """What raters may be given: what they can read and do not hold."""
    wanted: Ints
    """Per item, how many further raters."""
    kin: Trait
    """The role that an item shows."""
    traits: tuple[Trait, ...]
    """All others."""
    last: Ints
    """Per rater, the role of the last item held, which the first new one must differ from; -1 for none."""


class Tally:
    """Who has what, and the counts that follow from it.

    They are whole numbers in floats, where products of matrices are fast and still exact.
    """

    def __init__(self, demand: Demand) -> None:
        raters, items = demand.held.shape
        self.demand = demand
        self.having = demand.held.astype(float)
        self.new = np.zeros((raters, items), dtype=bool)
        self.open = demand.may.copy()
        """Who may be given what now."""
        self.load = self.having.sum(axis=1)
        self.shared = self.having @ self.having.T
        np.fill_diagonal(self.shared, 0)
        self.traits = (demand.kin, *demand.traits)
        self.counts = [_counted(demand.held, trait) for trait in self.traits]
        """For each trait, raters x values."""
        self.roles_held = self.counts[0].copy()

    def give(self, rater: int, item: int) -> None:
        """The rater, to whom the item is open, has it from now on."""
        self._change(rater, item, 1)

    def take(self, rater: int, item: int) -> None:
        """The rater, who has the item as a new one, has it no longer."""
        self._change(rater, item, -1)

    def _change(self, rater: int, item: int, by: int) -> None:
        self.having[rater, item] = 0
        others = self.having[:, item] * by
        self.shared[rater] += others
        self.shared[:, rater] += others
        self.having[rater, item] = by > 0
        self.new[rater, item], self.open[rater, item] = by > 0, by < 0
        self.load[rater] += by
        for trait, counts in zip(self.traits, self.counts, strict=True):
            counts[rater, trait.codes[item]] += by

    def squares(self) -> float:
        """The weighted sum of squares of the counts."""
        traits = zip(self.traits, self.counts, strict=True)
        return float((self.shared**2).sum() / 2 + sum(trait.weight * (counts**2).sum() for trait, counts in traits))

    def exchange(self, one: int, other: int, given: int, taken: int | None) -> None:
        """`one` gives an item to `other` and takes one for it, if any."""
        self.take(one, given)
        self.give(other, given)
        if taken is not None:
            self.take(other, taken)
            self.give(one, taken)

    def crowding(self, raters: list[int] | slice, items: Ints) -> Floats:
        """How full the counts are that each item would add to (items x raters)."""
        crowding: Floats = self.having[:, items].T @ self.shared[:, raters]
        for trait, counts in zip(self.traits, self.counts, strict=True):
            crowding += trait.weight * counts[raters][:, trait.codes[items]].T
        return crowding

    def handing_over(self, one: int, other: int) -> tuple[Ints, Floats]:
        """What `one` can hand over to `other`, best first, and half of the change in the sum of squares for each."""
        items = np.flatnonzero(self.new[one] & self.open[other])
        crowding = self.crowding([one, other], items)
        fixed = sum(trait.weight for trait in self.traits) - self.shared[one, other]
        change = crowding[:, 1] - crowding[:, 0] + self.having[:, items].sum(axis=0) - 1 + fixed
        best = np.argsort(change, kind="stable")[:SHORTLIST]
        return items[best], change[best]

    def exchanges(self, one: int, other: int) -> tuple[Ints, Ints, Floats]:
        """What each can give, and half of the change in the sum of squares for each exchange (given x taken)."""
        given, losing = self.handing_over(one, other)
        taken, winning = self.handing_over(other, one)
        change = losing[:, None] + winning[None, :]
        change -= 2 * self.having[:, given].T @ self.having[:, taken]
        for trait in self.traits:
            change -= 2 * trait.weight * (trait.codes[given][:, None] == trait.codes[taken][None, :])
        return given, taken, change


def linked(shared: Floats) -> list[list[int]]:
    """Groups of raters whom shared items link, directly or over others, given how many items each two share."""
    count, labels = connected_components(shared, directed=False)
    return sorted(np.flatnonzero(labels == label).tolist() for label in range(count))


def _counted(held: Bools, trait: Trait) -> Floats:
    """How many items of each value every rater has (raters x values)."""
    counts = np.zeros((len(held), trait.codes.max() + 1))
    raters, items = np.nonzero(held)
    np.add.at(counts, (raters, trait.codes[items]), 1)
    return counts


LOOKS = 4000
"""How often two raters are brought together to exchange items; a count and not a time, so that the seed decides."""
DEALT_IN_A_LOOK = 8
"""Items that are dealt out in about the time of a look."""
STARTS = 6
"""How many tries the best allocation is chosen from, as far as the looks suffice."""
MENDING = 4000
"""How many exchanges are tried before a fault is left as it is."""
TRIALS = 32
"""How many of them between the same two raters."""


def allocate(demand: Demand, random: np.random.Generator) -> Bools:
    """The new items of each rater. Each item must have as many raters who may rate it as it wants."""
    tally, looks = _start(demand, random, LOOKS)
    for _ in range(STARTS - 1):
        if looks <= 0:
            break
        other, looks = _start(demand, random, looks)
        tally = min(tally, other, key=Tally.squares)
    if np.maximum(tally.having.sum(axis=0) - 1, 0).sum() >= np.count_nonzero(tally.load) - 1:
        _mend(tally, _apart)
    _mend(tally, _crowded)
    return tally.new


def _start(demand: Demand, random: np.random.Generator, looks: int) -> tuple[Tally, int]:
    """One try at an allocation, and how many looks it has left over. Dealing out costs some, too."""
    tally = Tally(demand)
    _deal(tally, random)
    _even(tally)
    looks -= _exchange(tally, random, looks)
    return tally, looks - int(demand.wanted.sum()) // DEALT_IN_A_LOOK


def _deal(tally: Tally, random: np.random.Generator) -> None:
    """Give items out one by one, each to those who have the least, and among them to whom it suits best."""
    raters, items = tally.new.shape
    for item in random.permutation(items).tolist():
        tie = random.permutation(raters)
        for _ in range(tally.demand.wanted[item]):
            crowding = tally.crowding(slice(None), np.array([item]))[0]
            order = np.lexsort((tie, crowding, tally.load, ~tally.open[:, item]))
            tally.give(int(order[0]), item)


def _even(tally: Tally) -> None:
    """Hand items on along chains of raters until no chain brings two loads closer together."""
    while chain := _evening_chain(tally):
        for one, other in pairwise(chain):
            item = int(tally.handing_over(one, other)[0][0])
            tally.take(one, item)
            tally.give(other, item)


def _evening_chain(tally: Tally) -> list[int]:
    """Raters who can hand on an item each, from one to another who has at least two less; empty if there are none."""
    can = tally.new.astype(float) @ tally.open.T.astype(float) > 0
    for start in np.argsort(-tally.load, kind="stable").tolist():
        came_from = {start: start}
        queue = [start]
        for rater in queue:
            ahead = [other for other in np.flatnonzero(can[rater]).tolist() if other not in came_from]
            came_from |= dict.fromkeys(ahead, rater)
            queue += ahead
        end = min(queue, key=lambda rater: tally.load[rater])
        if tally.load[start] - tally.load[end] >= 2:
            chain = [end]
            while chain[-1] != start:
                chain.append(came_from[chain[-1]])
            return chain[::-1]
    return []


def _exchange(tally: Tally, random: np.random.Generator, most: int) -> int:
    """Let pairs of raters exchange items as long as that lowers the sum of squares; how many looks that took."""
    pairs = np.transpose(np.triu_indices(len(tally.new), 1))
    looks, idle = 0, 0
    while idle < len(pairs) and looks < most:
        for one, other in random.permutation(pairs)[: most - looks].tolist():
            looks += 1
            idle = 0 if _exchange_between(tally, one, other) else idle + 1
    return looks


def _exchange_between(tally: Tally, one: int, other: int) -> bool:
    """Make the best exchange, if there is one that helps, and say whether."""
    given, taken, change = tally.exchanges(one, other)
    if not change.size or change.min() >= 0:
        return False
    row, column = np.unravel_index(np.argmin(change), change.shape)
    tally.exchange(one, other, int(given[row]), int(taken[column]))
    return True


Exchange = tuple[int, int, int, int | None]
"""Two raters, what the first gives, and what it takes, if anything."""
Fault = Callable[[Tally], tuple[int, Iterator[Exchange]]]
"""How bad a fault is, 0 for not at all, and the exchanges that might make it less."""


def _mend(tally: Tally, fault: Fault) -> None:
    """Exchange items until the fault is gone, or nothing tried makes it less."""
    amount, trials = fault(tally)
    while amount:
        for one, other, given, taken in islice(trials, MENDING):
            tally.exchange(one, other, given, taken)
            now, further = fault(tally)
            if now < amount:
                amount, trials = now, further
                break
            tally.exchange(other, one, given, taken)
        else:
            return


def _apart(tally: Tally) -> tuple[int, Iterator[Exchange]]:
    """Groups of raters without a link to the largest one."""
    groups = sorted((group for group in linked(tally.shared) if tally.load[group[0]]), key=len)
    trials = (
        trial
        for group in groups[:-1]
        for one in group
        for other in sorted(set(range(len(tally.new))) - set(group))
        for trial in _cheapest(tally, one, other)
    )
    return max(len(groups) - 1, 0), trials


def _crowded(tally: Tally) -> tuple[int, Iterator[Exchange]]:
    """New items beyond the number of one role that fits between others."""
    kin, last = tally.demand.kin.codes, tally.demand.last
    size = tally.new.sum(axis=1)
    roles = tally.counts[0] - tally.roles_held
    fits = np.repeat(((size + 1) // 2)[:, None], roles.shape[1], axis=1)
    ended = np.flatnonzero(last >= 0)
    fits[ended, last[ended]] = size[ended] // 2
    excess = np.maximum(roles - fits, 0)
    trials = (
        trial
        for one in np.flatnonzero(excess.any(axis=1)).tolist()
        for trial in _relieving(tally, one, giving=(excess[one] > 0)[kin])
    )
    return int(excess.sum()), trials


def _relieving(tally: Tally, one: int, giving: Bools) -> Iterator[Exchange]:
    """Exchanges in which a rater gives such items for others; then what it could hand on, to the least loaded first."""
    for other in range(len(tally.new)):
        yield from _cheapest(tally, one, other, giving)
    for other in np.argsort(tally.load, kind="stable").tolist():
        for item in np.flatnonzero(tally.new[one] & tally.open[other] & giving)[:TRIALS].tolist():
            yield one, other, item, None


def _cheapest(tally: Tally, one: int, other: int, giving: Bools | None = None) -> Iterator[Exchange]:
    """Exchanges of two raters by rising cost; with `giving`, only those in which `one` gives such for other items."""
    given, taken, change = tally.exchanges(one, other)
    if giving is not None:
        change = np.where(giving[given][:, None] & ~giving[taken][None, :], change, np.inf)
    for place in np.argsort(change, axis=None, kind="stable")[:TRIALS].tolist():
        row, column = divmod(place, len(taken))
        if np.isfinite(change[row, column]):
            yield one, other, int(given[row]), int(taken[column])
