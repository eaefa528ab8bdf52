"""What a campaign is planned from and comes to: items, raters, the design asked for, and assignments.

Ids are opaque: nothing is read out of them, and they are only ever compared.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np

Kin = tuple[str, str]
"""Scene and character: items that share both show the same role, and never come one after the other."""


@dataclass(frozen=True)
class Candidate:
    """An item that a campaign may have rated."""

    item: str
    scene: str
    character: str
    model: str
    language: str

    @property
    def kin(self) -> Kin:
        """The role that is played."""
        return self.scene, self.character


@dataclass(frozen=True)
class Rater:
    """An expert."""

    id: str
    languages: frozenset[str]
    """What they are given items in. Whoever has left has none: they keep what they have, and get nothing new."""


@dataclass(frozen=True)
class Names:
    """What sentences call raters, items and languages. Whatever has no name goes by its id."""

    raters: tuple[tuple[str, str], ...] = ()
    """Ids of raters, each with the name."""
    item: Callable[[str], str] = field(default=str, compare=False)
    """Gives the title of an item by its id; asked only where a sentence names one."""
    language: Callable[[str], str] = field(default=str, compare=False)
    """Gives the name of a language by its code."""

    def rater(self, id: str) -> str:
        """The name of a rater."""
        return dict(self.raters).get(id, id)


UNNAMED = Names()


@dataclass(frozen=True)
class Design:
    """What is asked of a plan."""

    raters_per_item: int
    seed: int
    """Decides everything that is left to chance; any whole number."""
    repeats: float = 0.0
    """Share of a rater's items that come a second time unannounced: 0, or 0.05 to 0.10."""
    rates_scenes: bool = False
    """Whether scenes themselves are rated: each is the work of one model, so that models have none in common."""


@dataclass(frozen=True)
class Assignment:
    """One item for one rater to rate."""

    rater: str
    item: str
    repeat: bool = False
    """Whether it is the hidden repeat of an item that the rater has had before."""


def chance(seed: int, *purpose: str) -> np.random.Generator:
    """Random numbers for one purpose: the same for the same seed, unrelated for another purpose."""
    name = "\0".join([str(seed), *purpose]).encode("utf-8", "surrogatepass")
    return np.random.default_rng(int.from_bytes(sha256(name).digest()))
