"""The headings of chapters, by their wording, where a file does not mark them."""

import re
from collections.abc import Sequence
from dataclasses import replace

from characterbox.crafting.paragraphs import Paragraph

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
