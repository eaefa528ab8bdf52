"""The dialogues of a role in pieces that a model can be shown (RoleLLM, appendix B).

The six rules of the paper: turns stay whole; a segment has at least 500 words, in Chinese 1,000 characters, and four
turns; a turn of more than 500 words, or characters, is left out; a role has at most 100 segments, drawn by seed; none
is longer than 2,000 words; where acts and episodes begin does not matter. What is left at the end and makes no segment
belongs to the last one.
"""

from dataclasses import dataclass
from random import Random

from characterbox.roles.role import Role, Turn
from characterbox.values import Language

FEWEST_WORDS: dict[Language, int] = {"en": 500, "zh": 1_000}
"""Words of a segment; in Chinese characters, as everywhere here."""
FEWEST_TURNS = 4
LONGEST_TURN = 500
LONGEST_SEGMENT = 2_000
MOST_SEGMENTS = 100


@dataclass(frozen=True, slots=True)
class Segments:
    """The segments of a role, and what of its dialogues stands in none."""

    chosen: tuple[tuple[Turn, ...], ...]
    """In the order of the dialogues."""
    all: int
    """How many there were to draw from."""
    too_long: int
    """Turns that were left out as they are too long."""
    cut: int
    """Turns at the ends of segments that would have become too long."""
    left: int
    """Turns that are too few to make a segment, where there is none."""


def length(text: str, language: Language) -> int:
    """The words of a text; the characters without blanks of a Chinese one."""
    words = text.split()
    return len(words) if language == "en" else sum(map(len, words))


def segments_of(role: Role, seed: int) -> Segments:
    """The segments of a role."""
    turns = [turn for one in role.rounds for turn in one.turns]
    fitting = [turn for turn in turns if length(turn.text, role.language) <= LONGEST_TURN]
    found, left = _pieces(fitting, role.language)
    whole = [_cut(one, role.language) for one in found]
    chance = Random(f"{seed}/{role.id}")  # noqa: S311 - no secret
    places = sorted(chance.sample(range(len(whole)), min(len(whole), MOST_SEGMENTS)))
    cut = sum(map(len, found)) - sum(map(len, whole))
    return Segments(tuple(whole[at] for at in places), len(whole), len(turns) - len(fitting), cut, left)


def _pieces(turns: list[Turn], language: Language) -> tuple[list[list[Turn]], int]:
    """The turns in pieces that are long enough, and how many are left where there are none."""
    found: list[list[Turn]] = []
    piece: list[Turn] = []
    words = 0
    for turn in turns:
        piece.append(turn)
        words += length(turn.text, language)
        if words >= FEWEST_WORDS[language] and len(piece) >= FEWEST_TURNS:
            found.append(piece)
            piece, words = [], 0
    if found:
        found[-1] += piece
        return found, 0
    return found, len(piece)


def _cut(piece: list[Turn], language: Language) -> tuple[Turn, ...]:
    """The turns of a piece before it becomes too long."""
    words = 0
    for place, turn in enumerate(piece):
        words += length(turn.text, language)
        if words > LONGEST_SEGMENT:
            return tuple(piece[:place])
    return tuple(piece)
