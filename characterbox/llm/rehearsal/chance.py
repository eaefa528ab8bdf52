"""Chance that is a pure function of a key: the same on every machine and with every version of Python."""

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Chance:
    """Draws that depend on the key and the purpose alone, never on the draws before."""

    def __init__(self, *key: str) -> None:
        self._key = hashlib.sha256("\0".join(key).encode("utf-8", "surrogatepass")).digest()

    def number(self, purpose: str, below: int) -> int:
        """A number from 0 up to, but not including, `below`."""
        digest = hashlib.sha256(self._key + purpose.encode()).digest()
        return int.from_bytes(digest[:8], "big") % below

    def pick(self, purpose: str, items: Sequence[T]) -> T:
        """One of the items. Raises ZeroDivisionError if there are none."""
        return items[self.number(purpose, len(items))]

    def shuffled(self, purpose: str, items: Sequence[T]) -> list[T]:
        """All items in an order of chance."""
        order = sorted(range(len(items)), key=lambda at: self.number(f"{purpose} {at}", 2**64))
        return [items[at] for at in order]
