"""An allocation of items to raters that is being made, with the counts that its balance is judged by."""

from dataclasses import dataclass

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
