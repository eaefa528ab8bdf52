"""A source in passages that a model can read at once, and which of them scenes are to be extracted from."""

import random
import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise

from characterbox.crafting.liveliness import is_lively, speeches_in
from characterbox.crafting.source import Source
from characterbox.scenes.scene import Passage

_CLOSERS = "\"'”’」』）)\\]】》"
_NO_TITLE = r"(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bSt)"
_BORDERS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\n{3,}",
        r"\n{2}",
        r"\n",
        rf"(?<![.!?…]){_NO_TITLE}[.!?…]+[{_CLOSERS}]*\s+|(?<![。！？…])[。！？…]+[{_CLOSERS}]*\s*",
        rf"(?<![,;:—–])[,;:—–]+[{_CLOSERS}]*\s+|[，；：、—]+[{_CLOSERS}]*",
    )
)
"""What may stand before a cut, the best first: the end of a scene, a paragraph, a line, a sentence, a clause."""
_BETWEEN_WORDS = re.compile(r"\s+|(?<=[\u3040-\u30ff\u3400-\u9fff])(?=[\u3040-\u30ff\u3400-\u9fff])")
_QUOTES = (("“", "”"), ("「", "」"), ("『", "』"))
_JOINERS = "\u200d\ufe0e\ufe0f"


def split(source: Source, most: int) -> tuple[Passage, ...]:
    """The source in passages of at most so many characters: all of it, in order, each character once.

    None goes beyond a chapter. Those of a chapter are about equally long and end, if they can, with a scene, else
    with a paragraph, a line, a sentence or a clause, and outside of speeches; else with a word. A model's window is
    in tokens: an English one has about four characters, a Chinese one about one and a half.
    """
    if most < 1:
        raise ValueError("a passage has at least one character")
    return tuple(
        Passage(source=source.name, start=start, end=end, chapter=chapter)
        for chapter, first, last in _sections(source)
        for start, end in _cut(source.text, first, last, most)
    )


def text_of(source: Source, passage: Passage) -> str:
    """The text of a passage."""
    return source.text[passage.start : passage.end]


def choose(source: Source, passages: Sequence[Passage], count: int, seed: int) -> tuple[Passage, ...]:
    """So many of the passages, spread evenly over the source, in their order; all where there are no more.

    The passages fall into as many stretches as are wanted. From each comes one in which at least two people with names
    talk, drawn by the seed, or where there is none, the one with the most speeches. The same seed draws the same.
    """
    if count >= len(passages):
        return tuple(passages)
    draw = random.Random(seed)  # noqa: S311 # nosec B311 # a choice, no secret
    borders = [len(passages) * place // max(count, 1) for place in range(count + 1)]
    stretches = [passages[first:last] for first, last in pairwise(borders)]
    return tuple(_one_of(source, stretch, draw) for stretch in stretches)


def _one_of(source: Source, stretch: Sequence[Passage], draw: random.Random) -> Passage:
    for passage in draw.sample(stretch, len(stretch)):
        if is_lively(text_of(source, passage)):
            return passage
    return max(stretch, key=lambda passage: speeches_in(text_of(source, passage)))


def _sections(source: Source) -> Iterator[tuple[str | None, int, int]]:
    """The chapters, and what stands before the first of them."""
    before = source.chapters[0].start if source.chapters else len(source.text)
    if before:
        yield None, 0, before
    for chapter in source.chapters:
        if chapter.end > chapter.start:
            yield chapter.title, chapter.start, chapter.end


def _cut(text: str, start: int, end: int, most: int) -> Iterator[tuple[int, int]]:
    while end - start > most:
        pieces = -(-(end - start) // most)
        cut = _best(text, start, start + (end - start) // pieces, most)
        yield start, cut
        start = cut
    yield start, end


def _best(text: str, start: int, wanted: int, most: int) -> int:
    """The best place for a cut in the later half of what is allowed, near the wanted one."""
    first, last = start + max(most // 2, 1), start + most
    found = [sorted(_ends(border, text, first, last), key=lambda cut: abs(cut - wanted)) for border in _BORDERS]
    for cuts in found:
        for cut in cuts:
            if not _within_speech(text, start, cut):
                return cut
    for cuts in [*found, [*_ends(_BETWEEN_WORDS, text, first, last)][::-1]]:
        if cuts:
            return cuts[0]
    return next((cut for cut in range(last, first, -1) if not _joined(text[cut])), last)


def _ends(border: re.Pattern[str], text: str, first: int, last: int) -> Iterator[int]:
    """Where borders end: what follows is never the rest of one, or a mark that closes."""
    for found in border.finditer(text, first - 1, last + 1):
        if first <= found.end() <= last:
            yield found.end()


def _within_speech(text: str, start: int, cut: int) -> bool:
    """Whether a quotation of the paragraph that the cut ends or divides is open there."""
    end = len(text[start:cut].rstrip()) + start
    begin = max(text.rfind("\n\n", start, end), start)
    if text.count('"', begin, end) % 2:
        return True
    return any(text.count(opens, begin, end) > text.count(closes, begin, end) for opens, closes in _QUOTES)


def _joined(sign: str) -> bool:
    """Whether a sign belongs to the one before it."""
    return sign in _JOINERS or bool(unicodedata.combining(sign))
