"""The passages of a source that scenes are made from."""

from annotations.wording import say_count
from characterbox.crafting.source import Source
from characterbox.crafting.splitting import choose, split, text_of
from characterbox.crafting.wish import Piece
from characterbox.errors import SceneError
from characterbox.values import Language

PASSAGE: dict[Language, int] = {"en": 6_000, "zh": 2_500}
"""Characters of a passage where nobody says otherwise: about 1,500 tokens."""
SHORTEST, LONGEST = 300, 60_000
"""Characters that a passage may have, at most, as people choose it."""


def pieces_of(source: Source, count: int, most: int, seed: int) -> tuple[Piece, ...]:
    """So many passages of at most `most` characters, spread over the source.

    Raises SceneError if the source has fewer.
    """
    told = [passage for passage in split(source, most) if text_of(source, passage).strip()]
    chosen = choose(source, told, count, seed)
    if len(chosen) < count:
        fault = say_count(
            "{name}: it has {count:,} passage of up to {most:,} characters, and {scenes:,} scenes need one each; ask"
            " for fewer scenes, or for shorter passages",
            "{name}: it has {count:,} passages of up to {most:,} characters, and {scenes:,} scenes need one each; ask"
            " for fewer scenes, or for shorter passages",
            len(chosen), name=source.name, most=most, scenes=count,
        )  # fmt: skip
        raise SceneError(fault)
    return tuple(Piece(passage=passage, text=text_of(source, passage)) for passage in chosen)
