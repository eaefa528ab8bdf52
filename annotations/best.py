"""The best and the second best of a column, which a table of results sets in bold and underlines, as the paper does."""

from collections.abc import Mapping
from typing import Literal

Place = Literal["best", "second"]


def best_two(ranks: Mapping[str, float]) -> dict[str, Place]:
    """Who has the lowest rank, and who the next one; several where several share it."""
    lowest = sorted(set(ranks.values()))[:2]
    names: tuple[Place, Place] = ("best", "second")
    places = dict(zip(lowest, names, strict=False))
    return {name: places[rank] for name, rank in ranks.items() if rank in places}
