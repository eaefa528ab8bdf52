"""Texts that say much the same as an earlier one, by BM25 (RoleLLM, sections 2.3 and 3.1, appendix B)."""

from collections.abc import Sequence
from typing import NamedTuple

from characterbox.roles.retrieval import Similarity
from characterbox.values import Language

ALIKE = 0.5
"""The similarity from which on a text counts as a duplicate; the paper gives none."""


class Nearest(NamedTuple):
    """The text that was kept and is most alike to another one."""

    place: int
    similarity: float
    """BM25 of the other one with this text, as a share of that with itself: 1 for the same words."""


def duplicates(texts: Sequence[str], language: Language, alike: float = ALIKE) -> dict[int, Nearest]:
    """The texts that are as alike to an earlier one that is kept, by their places; all others are kept."""
    index = Similarity(texts, language)
    kept: list[int] = []
    found: dict[int, Nearest] = {}
    first: dict[str, int] = {}
    for place, text in enumerate(texts):
        if (same := first.setdefault(text.strip(), place)) != place:
            found[place] = found.get(same, Nearest(same, 1.0))
            continue
        scores = index.scores(text)
        nearest = max(kept, key=lambda one: scores[one], default=None)
        share = 0.0 if nearest is None or not scores[place] else float(scores[nearest] / scores[place])
        if nearest is not None and share >= alike:
            found[place] = Nearest(nearest, share)
        else:
            kept.append(place)
    return found
