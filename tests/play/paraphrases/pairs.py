"""What a character remembers, and what should bring it back: the same said in other words, to measure recall by."""

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from characterbox.values import Language

KEPT = 6
"""Memories that come back: one in ten of those that there are."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A memory in the words of the one who perceived it, and a moment in which it matters."""

    situation: str
    memory: str
    query: str


def pairs(language: Language) -> list[Pair]:
    """The pairs of a language. All their memories together are those of one character."""
    text = (Path(__file__).parent / f"{language}.toml").read_text(encoding="utf-8")
    return [Pair(situation, **one) for situation, found in tomllib.loads(text).items() for one in found]


def recall(embed: Callable[[str], NDArray[np.float32]], told: Sequence[Pair], kept: int = KEPT) -> float:
    """The share of queries whose own memory is among the `kept` that are nearest to it.

    `embed` gives a text's vector, of length 1.
    """
    memories = np.stack([embed(pair.memory) for pair in told])
    nearest = [np.argsort(-(memories @ embed(pair.query)), kind="stable")[:kept] for pair in told]
    return sum(own in found for own, found in enumerate(nearest)) / len(told)
