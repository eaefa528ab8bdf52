"""The paragraphs and headings of a text that has lines only."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import quantiles

_UNSEEN = re.compile(
    r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Control, direction and zero-width characters, soft hyphens and halves of surrogate pairs."""
_LINE_END = re.compile(r"\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_CLOSED = re.compile(r"[.!?。！？…:：;；—”’」』\"')）】》*_-]\s*$")
"""How a line ends with which a sentence or a speech ends, too."""
_INDENTED = re.compile(r"\u3000| {2,}|\t")
_MARKED_HEADING = re.compile(r"(#{1,6})[ \t]+(.*)")
_RULE = re.compile(r"\s*(?:[*＊·•~—–_=#-]\s*){3,}$|\s*(?:[*＊※§◇◆□■☆★#]\s*){1,}$")
DEEPEST = 2
"""The level of headings down to which they begin chapters; those below divide them."""
_FULL = 0.75
"""The share of the usual width from which on a line goes to the margin, so that its end means nothing."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, or a heading."""

    text: str
    heading: bool = False
    """Whether a chapter begins with it."""
    apart: bool = False
    """Whether it stands further from the one before than is usual: the scene may change."""


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines without a blank one between them."""

    lines: tuple[str, ...]
    gap: int
    """The blank lines before it."""


def cleaned(text: str) -> str:
    """The text with plain line ends, composed letters, and nothing that can't be seen."""
    return unicodedata.normalize("NFC", _UNSEEN.sub("", _LINE_END.sub("\n", text)))


def is_rule(text: str) -> bool:
    """Whether a line is a drawn border between scenes, such as `* * *`."""
    return bool(_RULE.fullmatch(text))


def plain_paragraphs(text: str) -> list[Paragraph]:
    """The paragraphs of a text file: lines up to a blank one where lines are wrapped at a margin, else each line."""
    blocks = _blocks(cleaned(text))
    width = _margin(blocks)
    parts = [(number, part, block.gap) for block in blocks for number, part in enumerate(_parts(block, width))]
    gaps = Counter(gap if number == 0 else 0 for number, _, gap in parts[1:])
    usual = gaps.most_common(1)[0][0] if gaps else 0
    return [
        Paragraph(part, apart=is_rule(part) or (number == 0 and gap > usual)) for number, part, gap in parts if part
    ]


def markdown_paragraphs(text: str) -> list[Paragraph]:
    """The paragraphs of a Markdown file, as they are written, and its headings without their marks."""
    found: list[Paragraph] = []
    for block in _blocks(cleaned(text)):
        lines: list[str] = []
        for line in block.lines:
            if marked := _MARKED_HEADING.match(line):
                found += [*_joined(lines), Paragraph(marked[2].rstrip(" \t#"), heading=len(marked[1]) <= DEEPEST)]
                lines = []
            else:
                lines.append(line.strip())
        found += _joined(lines)
    return [one for one in found if one.text]


def _joined(lines: Sequence[str]) -> list[Paragraph]:
    text = "\n".join(lines)
    return [Paragraph(text, apart=is_rule(text))] if text else []


def _blocks(text: str) -> list[_Block]:
    blocks: list[_Block] = []
    lines: list[str] = []
    gap = 0
    for line in [*text.split("\n"), ""]:
        if line.strip():
            lines.append(line.rstrip())
            continue
        if lines:
            blocks.append(_Block(tuple(lines), gap))
            lines, gap = [], 0
        gap += 1
    return blocks


def _margin(blocks: Sequence[_Block]) -> float | None:
    """The usual length of wrapped lines; None where a line is a paragraph: there, nearly every line ends a sentence."""
    inner = [line for block in blocks for line in block.lines[:-1]]
    if sum(1 for line in inner if not _CLOSED.search(line)) <= len(inner) / 2:
        return None
    lengths = [len(line) for line in inner]
    return quantiles(lengths, n=10)[-1] if len(lengths) > 1 else lengths[0]


def _parts(block: _Block, width: float | None) -> list[str]:
    """The paragraphs of a block. A wrapped one begins with a line that is indented, too."""
    if width is None:
        return [line.strip() for line in block.lines]
    parts = [[block.lines[0].strip()]]
    for before, line in pairwise(block.lines):
        if _INDENTED.match(line) and not _INDENTED.match(before):
            parts.append([line.strip()])
        else:
            parts[-1] += [joint(before, line.strip(), full=len(before) >= _FULL * width), line.strip()]
    return ["".join(pieces) for pieces in parts]


def joint(before: str, after: str, *, full: bool) -> str:
    """What stands between two lines of a paragraph: nothing between Han characters, and a line end where the first
    does not go to the margin, as in verse."""
    if not full:
        return "\n"
    return "" if ord(before[-1]) >= 0x2E80 or ord(after[0]) >= 0x2E80 else " "


_MOST = 80
"""Characters of a heading, at most."""
_FEWEST_LISTED = 4
"""Headings one right after the other, from which on they are a table of contents."""
_NUMBER = (
    r"[ivxlcdm]+|\d{1,4}|(?:the\s+)?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last)"
    r"|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)?-?"
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen)"
    r"|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
)
_ENGLISH = re.compile(
    rf"(?P<key>(?:chapter|book|part|volume|act|scene|letter|stave|canto)\s+(?:{_NUMBER}))(?![\w’'])"
    r"(?P<rest>.*)|(?P<alone>prologue|epilogue|preface|introduction|foreword|afterword|interlude)\s*\.?",
    re.IGNORECASE | re.DOTALL,
)
_ENGLISH_REST = re.compile(r"\s*(?:[.:—–|\]-].*|\n.*|[\"“‘(A-Z\d].*[^.,;!?])?", re.DOTALL)
"""What may follow the number: nothing, a mark, a line end, or a title, but no sentence that goes on."""
_CHINESE = re.compile(
    r"(?:正文\s*)?(?P<key>第[零〇一二三四五六七八九十百千两兩\d０-９]{1,8}[回章节節卷部集幕折话話篇]|卷[一二三四五六七八九十百]{1,4})"
    r"(?P<rest>.*)|(?P<alone>楔子|序[章言幕曲]?|自序|引[子言]|前言|尾[声聲]|[后後][记記]|终章|終章|番外.{0,20})",
    re.DOTALL,
)
_CHINESE_REST = re.compile(r"(?:[\s:：.．·、—-].*|(?![合课課目的]).{0,20}[^。！？；，,.!?;])?", re.DOTALL)


def with_headings(paragraphs: Sequence[Paragraph]) -> list[Paragraph]:
    """The paragraphs, with those as headings that are worded so, unless some are marked as headings already."""
    if any(one.heading for one in paragraphs):
        return list(paragraphs)
    keys = [heading_key(one.text) for one in paragraphs]
    listed = _listed(keys)
    return [
        replace(one, heading=key is not None and place not in listed)
        for place, (one, key) in enumerate(zip(paragraphs, keys, strict=True))
    ]


def heading_key(text: str) -> str | None:
    """What tells a heading from others (`chapter ii`, `第十二回`); None for a text that is none."""
    if len(text) > _MOST or text.count("\n") > 1:
        return None
    for heading, after in ((_ENGLISH, _ENGLISH_REST), (_CHINESE, _CHINESE_REST)):
        found = heading.fullmatch(text.strip(" \t\u3000*_【】[]"))
        if found and found["alone"]:
            return found["alone"].casefold()
        if found and after.fullmatch(found["rest"]):
            return " ".join(found["key"].casefold().split())
    return None


def _listed(keys: Sequence[str | None]) -> set[int]:
    """The places of headings in a table of contents: they come again further down."""
    last = {key: place for place, key in enumerate(keys)}
    found: set[int] = set()
    run: list[int] = []
    for place, key in enumerate([*keys, None]):
        if key is not None:
            run.append(place)
            continue
        if len(run) >= _FEWEST_LISTED:
            found |= {one for one in run if last[keys[one]] > one}
        run = []
    return found
