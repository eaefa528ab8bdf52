"""A caveat: what a reader must know before trusting a figure or a column of scores."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from annotations.i18n.messages import Readable

Kind = Literal[
    "constant",
    "restricted range",
    "outside the experts' range",
    "off the scale",
    "negative alpha",
    "halo",
    "convergence",
    "pooled",
    "selection",
    "shared teacher",
    "dropped",
]
Scale = tuple[float, float]
"""Its lowest and its highest point."""


@dataclass(frozen=True)
class Caveat:
    """Something to know about a figure or a column of scores."""

    kind: Kind
    of: Readable
    """Whose and of what, such as `gpt-4, KA`."""
    sentence: Readable
    numbers: Mapping[str, float]
    """What the sentence rests on, by name."""
