"""How much of a crafted scene is copied from its source, and which known scenes it is close to.

A scene is copied where at least FEWEST words in a row (in Chinese: characters) stand in the source too, in the same
order, whatever the case, punctuation, quotation marks and blanks. Its share is the words that lie in such runs, of all
the words of its fields; fields shorter than a run are left out, for nothing can be told of them.

Why so many words: shorter runs are common property. Of the 208 scenes of the paper's authors that we have, about
20,000 runs in each language, 1.2 % of the English ones of 5 words stand in a scene of another work as well, 0.4 % of 6,
0.1 % of 7, and none of 8; of the Chinese ones of 6 characters 0.5 %, of 8 0.1 %, of 10 0.04 %, and none of 12.
So what is found is not chance; it may still be a name, a title or a saying. From NOTABLE on, a person should look: a
fifth of the wording, one sentence in five. That figure is a convention: we have no sources with rated scenes.

The similarity of two scenes of one language is the cosine of their embeddings, the lexical ones with which characters
remember (characterbox/play/memory.py), after what is common to all scenes of the language is taken off: the mean of
the bundled ones. 1 is the same text, 0 no more in common than any two scenes have. It sees letters, not meaning: a
scene that is told anew in other words is not near, nor is one's translation.

What counts as near is where unrelated scenes end, on the 208 scenes of the paper's authors that we have. Of two of them
of the same work, 99.9 % are less than 0.83 alike in English and 0.69 in Chinese; the closest are 0.84 and 0.74, two
accounts of one event. Of different works: at most 0.72 and 0.52. Copies of these scenes in which a tenth of the clauses
is left out are at least 0.92 like them; with a third left out, at least 0.85 and 0.79, and 95 in 100 at least 0.89 and
0.84. Where all characters have other names as well, half are beyond 0.86 and 0.78: not near is no proof.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import NamedTuple

import faiss
import numpy as np
from numpy.typing import NDArray

from characterbox.crafting.progress import Crafting
from characterbox.play.memory import DIMENSIONS, embedding
from characterbox.scenes.library import bundled
from characterbox.scenes.ngrams import Words, runs_of, words_of
from characterbox.scenes.scene import Scene, prose_of
from characterbox.store import Store
from characterbox.values import Language

FEWEST: Mapping[Language, int] = {"en": 8, "zh": 12}
"""Words of a run, at least."""
NOTABLE = 0.2
_LONGEST = 3
"""Runs that are told."""
_MOST_PLACES = 16
"""Places in the source at which a run is followed; it may stand there more often."""


@dataclass(frozen=True, slots=True)
class Run:
    """Wording that stands in the scene and in the source, as long as it can be made."""

    words: int
    field: str
    """Of the scene, as in `prose_of`."""
    start: int
    end: int
    """Characters of the field: the first, and the one after the last."""
    source_start: int
    source_end: int
    """Characters of the source's text."""


@dataclass(frozen=True, slots=True)
class Copied:
    """What of a scene is copied."""

    words: int
    """Those of all fields that are long enough to tell."""
    copied: int
    """Those of them that lie in runs."""
    runs: tuple[Run, ...]
    """The longest first. They may overlap where they come from different places of the source."""

    @property
    def share(self) -> float:
        """0 to 1; 0 for a scene without a field that is long enough."""
        return self.copied / self.words if self.words else 0.0

    @property
    def is_notable(self) -> bool:
        """Whether it is so much that a person should look."""
        return self.share >= NOTABLE

    def longest(self, scene: Scene) -> list[str]:
        """The longest runs in this scene, as they stand in it: three, or fewer where there are fewer."""
        fields = prose_of(scene)
        return [fields[run.field][run.start : run.end] for run in self.runs[:_LONGEST]]


class Wording:
    """The wording of a source, made ready once: to ask it of a scene takes milliseconds then."""

    def __init__(self, text: str, language: Language) -> None:
        self._fewest = FEWEST[language]
        self._words = words_of(text)
        codes = runs_of(self._words, self._fewest)
        self._places = np.argsort(codes, kind="stable").astype(np.uint32)
        self._codes = codes[self._places]

    def copied(self, scene: Scene) -> Copied:
        """What of the scene is copied from this source."""
        words = copied = 0
        runs: list[Run] = []
        for field, text in prose_of(scene).items():
            ours = words_of(text)
            if len(ours) < self._fewest:
                continue
            lengths, places = self._longest(ours)
            words += len(ours)
            copied += _covered(lengths)
            runs += self._runs(field, ours, lengths, places)
        return Copied(words, copied, tuple(sorted(runs, key=lambda run: -run.words)))

    def _longest(self, ours: Words) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """How many words from each word on stand in the source, 0 where it is no run; and where they stand there."""
        codes = runs_of(ours, self._fewest)
        firsts, lasts = (np.searchsorted(self._codes, codes, side) for side in ("left", "right"))
        lengths, places = np.zeros(len(ours), dtype=np.int64), np.zeros(len(ours), dtype=np.int64)
        for at in np.flatnonzero(lasts > firsts):
            for place in self._places[firsts[at] : min(lasts[at], firsts[at] + _MOST_PLACES)]:
                length = _common(ours.codes[at:], self._words.codes[place:])
                if length > lengths[at] and length >= self._fewest:  # else another run with the same hash
                    lengths[at], places[at] = length, place
        return lengths, places

    def _runs(self, field: str, ours: Words, lengths: NDArray[np.int64], places: NDArray[np.int64]) -> Iterator[Run]:
        """The runs that no other one of the field contains."""
        reached = 0
        for at in np.flatnonzero(lengths):
            end = int(at + lengths[at])
            if end <= reached:
                continue
            reached, place = end, int(places[at])
            yield Run(
                words=int(lengths[at]),
                field=field,
                start=int(ours.starts[at]),
                end=int(ours.ends[end - 1]),
                source_start=int(self._words.starts[place]),
                source_end=int(self._words.ends[place + lengths[at] - 1]),
            )


def _common(ours: NDArray[np.uint32], theirs: NDArray[np.uint32]) -> int:
    """How many words both begin with."""
    length = min(len(ours), len(theirs))
    differ = np.flatnonzero(ours[:length] != theirs[:length])
    return int(differ[0]) if len(differ) else length


def _covered(lengths: NDArray[np.int64]) -> int:
    """The words that lie in a run."""
    ends = np.maximum.accumulate(np.where(lengths > 0, np.arange(len(lengths)) + lengths, 0))
    return int((ends > np.arange(len(lengths))).sum())


NEAR: Mapping[Language, float] = {"en": 0.85, "zh": 0.75}
"""The similarity from which on scenes are near."""


_ROWS = 1024
"""Scenes that are compared with all others at once."""
_TINY = 1e-12
"""A length instead of 0, by which nothing can be divided."""


class Near(NamedTuple):
    """A known scene, and how similar another one is to it."""

    scene: Scene
    similarity: float
    """-1 to 1."""

    @property
    def is_near(self) -> bool:
        """Whether the one may be a copy of the other."""
        return self.similarity >= NEAR[self.scene.language]


def nearest(scene: Scene, known: Sequence[Scene], k: int) -> list[Near]:
    """The `k` known scenes of the same language that are most similar to the scene, the most similar first; fewer where
    there are fewer. The scene itself, by its id, is none of them."""
    others = [one for one in known if one.language == scene.language and one.id != scene.id]
    if not others or k < 1:
        return []
    index = faiss.IndexFlatIP(DIMENSIONS)
    index.add(np.stack([_direction(one) for one in others]))
    found, numbers = index.search(_direction(scene).reshape(1, DIMENSIONS), min(k, len(others)))
    return [Near(others[number], float(similarity)) for similarity, number in zip(found[0], numbers[0], strict=True)]


def near_pairs(scenes: Sequence[Scene]) -> list[tuple[Scene, Near]]:
    """Every two of these scenes, of one language and different ids, of which the one may be a copy of the other."""
    found = []
    for language in NEAR:
        some = [scene for scene in scenes if scene.language == language]
        if some:
            directions = np.stack([_direction(scene) for scene in some])
            for first in range(0, len(some), _ROWS):
                alike = directions[first : first + _ROWS] @ directions[first:].T
                for row, column in zip(*np.triu(alike >= NEAR[language], 1).nonzero(), strict=True):
                    one, other = some[first + row], some[first + column]
                    if one.id != other.id:
                        found.append((one, Near(other, float(alike[row, column]))))
    return found


def _direction(scene: Scene) -> NDArray[np.float32]:
    """Where the scene lies from what is common to all, with length 1."""
    away = embedding(_text(scene)) - _common_wording(scene.language)
    direction: NDArray[np.float32] = away / max(float(np.linalg.norm(away)), _TINY)
    return direction


@cache
def _common_wording(language: Language) -> NDArray[np.float32]:
    texts = [_text(one) for one in bundled() if one.language == language]
    mean: NDArray[np.float32] = np.stack([embedding(text) for text in texts]).mean(axis=0, dtype=np.float32)
    return mean


def _text(scene: Scene) -> str:
    return "\n".join(prose_of(scene).values())


@dataclass(frozen=True, slots=True)
class Checks:
    """What was found in one scene."""

    copied: Copied | None
    """None where there is no source."""
    near: Near | None
    """The known scene that is most like it; None where no other is known in its language."""


def known_scenes(store: Store) -> list[Scene]:
    """All scenes that one may be close to: the bundled ones, and the library's."""
    return [*bundled(), *store.scenes.all()]


def check(store: Store, crafting: Crafting, scene: Scene, known: Sequence[Scene]) -> Checks:
    """Look at a scene of a crafting, accepted or not, beside the known ones (see `known_scenes`)."""
    copied = None
    if crafting.source is not None:
        copied = _READY.wording(store, crafting.source, crafting.wish.language).copied(scene)
    found = nearest(scene, known, 1)
    return Checks(copied, found[0] if found else None)


class _Ready:
    """The wording of the source that was asked last. To make it takes seconds, and it has up to 400 MB: never two."""

    def __init__(self) -> None:
        self._making = Lock()
        self._of: tuple[str, Language] | None = None
        self._wording: Wording | None = None

    def wording(self, store: Store, digest: str, language: Language) -> Wording:
        """That of the text with this digest, which is the same text in every store."""
        with self._making:
            if self._wording is None or self._of != (digest, language):
                self._wording = None
                self._wording = Wording(store.craftings.text(digest), language)
                self._of = (digest, language)
            return self._wording


_READY = _Ready()
