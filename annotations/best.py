"""The best and the second best of a column, which a table of results sets in bold and underlines, as the paper does."""

from collections.abc import Mapping
from typing import Literal

Place = Literal["best", "second"]


def best_two(means: Mapping[str, float]) -> dict[str, Place]:
    """Who has the highest mean, and who the next lower one; several where several share it."""
    highest = sorted(set(means.values()), reverse=True)[:2]
    names: tuple[Place, Place] = ("best", "second")
    places = dict(zip(highest, names, strict=False))
    return {name: places[mean] for name, mean in means.items() if mean in places}
