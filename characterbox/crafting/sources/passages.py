"""A source in passages that a model can read at once, and which of them scenes are extracted from."""

import random
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from annotations.i18n.messages import count_message
from characterbox.crafting.request import Piece
from characterbox.crafting.sources.source import Source
from characterbox.errors import SceneError
from characterbox.scenes.scene import Passage
from characterbox.values import Language

_FEWEST_SPEECHES = 3
_FEWEST_NAMES = 2
_OPENED = re.compile(r"[“「『‘]")
_TOLD = re.compile(r"[曰道云][：:](?![“「『‘\"])")
"""In older Chinese prose speeches stand without marks."""
_SPOKEN_LINE = re.compile(
    r"^[ \t]*(?:[A-Z][A-Z .'’-]{1,30}[.:]?|[A-Z][\w .'’-]{0,30}:|[\u4e00-\u9fff]{1,6}：)\s", re.MULTILINE
)
"""As in a play: a name in capitals, or before a colon."""
_SPEAKER_ZH = re.compile(
    r"(?:^|[\s。！？；，”」』…])([\u4e00-\u9fff]{2,3}?)(?:[笑怒叹歎喝问問答骂罵哭忙大冷低]{0,2})[道曰云说說](?=[：:，。“「『])",
    re.MULTILINE,
)
_NAME_EN = re.compile(r"(?<=[a-z,;] )(?:Mr\.? |Mrs\.? |Miss |Dr\.? )?([A-Z][a-z’'-]+)")
"""A word with a capital within a sentence."""
_NO_NAMES = {"I", "I’m", "I'm", "God", "Mr", "Mrs", "Miss", "Dr", "English", "French"}
_PLAYER = re.compile(r"^[ \t]*([A-Z][A-Z .'’-]{1,30})[.:]?\s", re.MULTILINE)


def is_lively(text: str) -> bool:
    """Whether there are some speeches, and at least two names."""
    return speeches_in(text) >= _FEWEST_SPEECHES and len(names_in(text)) >= _FEWEST_NAMES


def speeches_in(text: str) -> int:
    """How many speeches there are, by quotation marks, words of saying with a colon, and lines of a play."""
    marked = len(_OPENED.findall(text)) + text.count('"') // 2
    return max(marked + len(_TOLD.findall(text)), len(_SPOKEN_LINE.findall(text)))


def names_in(text: str) -> set[str]:
    """What looks like a name: in English, a word with a capital within two sentences; in Chinese, who says something;
    in a play, who speaks."""
    capital = [name for name in _NAME_EN.findall(text) if name not in _NO_NAMES]
    players = [name.strip(" .") for name in _PLAYER.findall(text)]
    repeated = {name for found in (capital, players) for name, times in Counter(found).items() if times > 1}
    return repeated | set(_SPEAKER_ZH.findall(text))


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
        fault = count_message(
            "{name}: {scenes:,} scenes need one passage each, but there is only {count:,} passage of up to"
            " {most:,} characters; request fewer scenes or shorter passages",
            "{name}: {scenes:,} scenes need one passage each, but there are only {count:,} passages of up to"
            " {most:,} characters; request fewer scenes or shorter passages",
            len(chosen), name=source.name, most=most, scenes=count,
        )  # fmt: skip
        raise SceneError(fault)
    return tuple(Piece(passage=passage, text=text_of(source, passage)) for passage in chosen)
