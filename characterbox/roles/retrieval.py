"""The rounds of a role that have most to do with what is said to it, by BM25 (RoleLLM, section 2.2)."""

import warnings
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np

from characterbox.roles.role import Role, Round
from characterbox.roles.words import words_of
from characterbox.values import Language

EXAMPLES = 5
"""Rounds that are shown to a model as examples, as in the paper."""


class Example(NamedTuple):
    """A round, and how much it has to do with what was said."""

    round: Round
    score: float


class Similarity:
    """How alike texts are to others, by BM25 (Robertson and Zaragoza, 2009): of each text, all words count."""

    def __init__(self, texts: Sequence[str], language: Language) -> None:
        self._language = language
        self._count = len(texts)
        split = [words_of(text, language) for text in texts]
        self._index = _indexed(split) if any(split) else None

    def scores(self, text: str) -> "np.ndarray[Any, np.dtype[np.float32]]":
        """How alike each of the texts is to this one, in their order; 0 where they share no word."""
        words = words_of(text, self._language)
        if self._index is None or not words:
            return np.zeros(self._count, dtype=np.float32)
        found: np.ndarray[Any, np.dtype[np.float32]] = self._index.get_scores(words)
        return found

    def nearest(self, text: str, count: int) -> list[tuple[int, float]]:
        """The numbers of the texts that are most alike, the most alike first, with their scores; of equally alike ones
        the first. Texts that share no word with it are none of them."""
        scores = self.scores(text)
        order = np.argsort(-scores, kind="stable")[:count]
        return [(int(place), float(scores[place])) for place in order if scores[place] > 0]


def _indexed(split: Sequence[Sequence[str]]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of what it does not find, such as a faster back end
        import bm25s  # noqa: PLC0415 - a second to load; most commands need none

    index = bm25s.BM25()
    index.index([list(words) for words in split], show_progress=False)
    return index


class Examples:
    """Finds examples among the rounds of a role; one in which the role speaks first answers nothing, and is none."""

    def __init__(self, role: Role) -> None:
        self._rounds = [one for one in role.rounds if one.before]
        self._similarity = Similarity([_text(one) for one in self._rounds], role.language)

    def nearest(self, said: str, count: int = EXAMPLES) -> list[Example]:
        """The rounds that have most to do with what was said, the best first; fewer where others share no word."""
        return [Example(self._rounds[place], score) for place, score in self._similarity.nearest(said, count)]


def _text(one: Round) -> str:
    return "\n".join(turn.text for turn in one.turns)


def examples_of(role: Role) -> Examples:
    """What finds the examples of a role."""
    return _kept(_Key(sha256(role.model_dump_json(include={"language", "dialogues"}).encode()).digest(), role))


class _Key:
    """A role by what its examples hang on: to compare ten thousand rounds one by one would take longer."""

    def __init__(self, digest: bytes, role: Role) -> None:
        self._digest = digest
        self.role = role

    def __hash__(self) -> int:
        return hash(self._digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self._digest == other._digest


@lru_cache(maxsize=8)
def _kept(key: _Key) -> Examples:
    """Kept: each question of a dialogue is put together again on each page, and 10,000 rounds take 0.4 s to index."""
    return Examples(key.role)
