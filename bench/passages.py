"""Sources: novels of 3 MB in English and Chinese are split into passages, and searched for the wording of a scene."""

import timeit
from collections.abc import Callable
from functools import cache, partial

from characterbox.crafting.originality import Copied, Wording
from characterbox.crafting.sources.passages import split
from characterbox.crafting.sources.source import Source, pasted_source
from characterbox.scenes.library import bundled
from characterbox.scenes.scene import Scene
from characterbox.values import Language
from tests.crafting.novels import novel

LENGTHS: dict[Language, int] = {"en": 3_000_000, "zh": 1_000_000}
"""Characters; a Chinese one has three bytes."""
MOST = (1_000, 4_000, 16_000)
"""Characters of a passage."""


def slowest_splitting() -> float:
    """Seconds to split the slower of the novels, into small passages or large ones."""
    return max(_seconds(partial(split, _source(language), most)) for language in LENGTHS for most in MOST)


def slowest_search() -> float:
    """Seconds from the text of the slower of the novels to what of a scene is copied from it."""
    return max(_seconds(partial(_search, _source(scene.language), scene)) for scene in bundled())


def _search(source: Source, scene: Scene) -> Copied:
    return Wording(source.text, scene.language).copied(scene)


@cache
def _source(language: Language) -> Source:
    return pasted_source("novel", novel(language, LENGTHS[language]))


def _seconds(work: Callable[[], object]) -> float:
    """Those of the best of three: the slowest of many single ones would be what else ran meanwhile."""
    return min(timeit.repeat(work, number=1, repeat=3))
