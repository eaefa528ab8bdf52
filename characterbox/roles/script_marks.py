"""What lines of a script are by their wording alone: headings, names of speakers, directions, and what is no text."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Literal
from unicodedata import normalize

from annotations.i18n.messages import to_say
from characterbox.scenes.scene import slug_of

Reason = Literal["page", "transition", "continued", "note", "synopsis", "title page", "time"]
REASONS: Mapping[Reason, str] = {
    "page": to_say("page numbers and page breaks"),
    "transition": to_say("transitions between scenes"),
    "continued": to_say("marks that a speech or a scene continues"),
    "note": to_say("notes and text that is commented out"),
    "synopsis": to_say("synopses"),
    "title page": to_say("the title page"),
    "time": to_say("times in a recording"),
}
"""Why a line of a script is left out; to be said."""
MOST_CUE = 40
"""Characters of the name of a speaker, at most."""
MOST_HAN = 10
"""Of a name in Chinese: those of foreigners have up to ten."""

_NUMBER = (
    r"[ivxlc]{1,7}|\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen"
    r"|first|second|third|fourth|fifth|last"
)
_ENGLISH = re.compile(
    rf"(?i:(?:act|scene|episode|chapter|part)\s{{1,3}}(?:the\s)?(?:{_NUMBER}))"
    r"(?P<rest>\s{0,3}[.:,;)\]–—-].{0,160}|\s{1,3}[A-Z(\d].{0,160})?"
    r"|(?i:prologue|epilogue|induction|interlude|teaser|cold open)[.:]?"
)
_HAN_NUMBER = "[零〇一二三四五六七八九十百千两兩\\d０-９]"
_CHINESE = re.compile(
    rf"第{_HAN_NUMBER}{{1,8}}[幕场場集回章折](?P<rest>[\s:：.．·、，—-][^。！？!?]{{0,80}}|[^\s。！？!?，,]{{0,12}})?"
    r"|序幕|尾[声聲]|楔子|引子"
)
_PLACE = re.compile(
    r"(?:\d{1,4}[A-Za-z]?[.)]?\s{1,20})?(?i:INT\.?/EXT|EXT\.?/INT|INT|EXT|EST|I/E)[.\s/].*"
    rf"|(?:场景|場景){_HAN_NUMBER}{{1,5}}(?:[\s：:].{{0,80}})?|[内內外]景[\s.．、·。：:—-].{{0,80}}"
    rf"|(?:场|場)?{_HAN_NUMBER}{{1,4}}(?:-\d{{1,4}})?[\s.．、：:]{{1,3}}(?:[^。！？]{{0,60}}[\s.、/，,])?[内內外日夜]景?"
    r"(?:[\s.、/，,—-][^。！？]{0,60})?"
)
"""Where, and mostly when, a scene plays."""
_AROUND = " \t\u3000*_【】[]"
_PAGE = re.compile(r"(?i:page\s|第\s?)?[-–—·.\s]{0,4}\d{1,4}[a-z]?[A-Z]?(?:\s?/\s?\d{1,4})?\s?(?:页|[-–—·.\s]{0,4})")
_FAR = 40
"""The columns before a line from which on it is at the right margin, where pages have their numbers."""
_TRANSITION = re.compile(
    r"(?:FADE (?:IN|OUT|UP)|[A-Z' ]{0,30}(?:CUT|DISSOLVE|WIPE|FADE)[A-Z' ]{0,20} TO[A-Z ]{0,20})[.:]{0,3}"
    r"|(?:淡[入出]|切[至到]?|化[入出]|[叠疊]化)[：:。.]?"
)
_CONTINUED = re.compile(r"\((?:MORE|CONTINUED|CONT['’]?D)\)|CONTINUED:?(?:\s?\(\d{1,3}\))?")
_BRACKETED = re.compile(r"[(\[（【〔][^()\[\]（）【】〔〕]*[)\]）】〕]?")
_DIRECTION = re.compile(r"[△▲※〔].*|([*_]{1,3})[^*_]+\1|[*_]{0,2}(?:Enter|Exit|Exeunt|Re-enter)\b.*")
_VOICE = re.compile(
    r"(?i:(?:v\.?\s?o|o\.?\s?s|o\.?\s?c)\.?(?:[\s,/]{1,3}cont['’]?d\.?)?|cont(?:['’]?d|inued|inuing)?\.?|more)"
    r"|画外音?|[续續]|[\d:.]{4,12}"
)
"""What stands behind a name and says only where the voice comes from, that it goes on, or when it is heard."""
_CLOSING = {")": "(", "）": "（", "]": "["}
_SHOT = re.compile(
    r"(?:(?:MOMENTS |MUCH |SOME TIME )?LATER|CONTINUOUS|INTERCUT|MONTAGE|SERIES OF|(?:END )?FLASHBACK|BACK TO|CLOSE"
    r"|ANGLE|POV|INSERT|SUPER|TITLE|THE END|END (?:OF|CREDITS)|WIDE|OMITTED|ON SCREEN)\b.*"
)
"""Lines in capitals that name a shot, not a speaker."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_ROMAN = re.compile(r"[IVX]{2,}")
_ACCENT = re.compile(r"[\u0300-\u036f]")


def heading_of(text: str) -> tuple[str, bool] | None:
    """The title of an act, a scene or the like, and whether it tells more than its number; None for other lines."""
    if text.startswith("#"):
        title = text.lstrip("#").strip()
        return (heading_of(title) or (title, False)) if title else None
    title = _without_numbers(text.strip(_AROUND))
    if found := _ENGLISH.fullmatch(title) or _CHINESE.fullmatch(title):
        rest = (found["rest"] or "").strip(" \t\u3000.:,;)]–—-：．·、，")
        inner = heading_of(rest)
        return title, inner[1] if inner else bool(rest)
    return (title, True) if _PLACE.fullmatch(title) else None


def left_out_as(text: str, *, alone: bool, indent: int) -> Reason | None:
    """Why the line is no part of the text; None if it is. `alone` says that a blank line stands before it."""
    bare_text = _without_numbers(text)
    if _CONTINUED.fullmatch(bare_text):
        return "continued"
    if (alone or text.endswith(":")) and _TRANSITION.fullmatch(text):
        return "transition"
    return "page" if (alone or indent >= _FAR or bare_text != text) and _PAGE.fullmatch(bare_text) else None


def _without_numbers(text: str) -> str:
    """The line without the number of its scene, where that stands at both of its ends."""
    words = text.split()
    if len(words) < 2 or words[0] != words[-1] or not words[0][0].isdigit():
        return text
    return " ".join(words[1:-1]) or words[0]


def is_bracketed(text: str) -> bool:
    """Whether a line stands in brackets as a whole, or begins what does."""
    return bool(_BRACKETED.fullmatch(text))


def is_open(text: str, *, within: bool = False) -> bool:
    """Whether a line opens brackets, or stands `within` such, and closes none."""
    return (within or text[0] in "([（【") and text[-1] not in ")]）】"


def bare(text: str) -> str:
    """A direction without the signs that mark it as one."""
    if text[0] in "△▲※":
        return text.lstrip("△▲※ ") or text
    return text.strip("()[]（）【】〔〕*_ ") or text if text[0] in "([（【〔*_" or text[-1] in ")]）】" else text


def is_direction(text: str) -> bool:
    """Whether a line is marked as one that nobody says."""
    return bool(_BRACKETED.fullmatch(text) or _DIRECTION.fullmatch(text))


def cue_parts(text: str) -> tuple[str, tuple[str, ...]]:
    """The name in a line such as `WATSON (V.O.) (limping)`, and what its speaker does meanwhile, in brackets."""
    actions: list[str] = []
    while text and text[-1] in _CLOSING and (start := text.rfind(_CLOSING[text[-1]])) > 0:
        inner = text[start + 1 : -1].strip()
        if inner and not _VOICE.fullmatch(inner):
            actions.append(text[start:])
        text = text[:start].rstrip()
    return text, tuple(reversed(actions))


def in_capitals(text: str) -> bool:
    """Whether all letters are capitals, and some are; `McCOY` is, too."""
    plain = text.replace("Mc", "MC")
    return plain.upper() == plain and plain.lower() != plain


def capital_cue(text: str) -> str | None:
    """The name of the speaker that a line in capitals is, if it is no heading; None if it is none."""
    if len(text) > 2 * MOST_CUE or text[-1] in ".:!?,;-–—" or not in_capitals(name := cue_parts(text.rstrip("^ "))[0]):
        return None
    return None if len(name) > MOST_CUE or _SHOT.fullmatch(name) or not name_key(name) else name


def name_key(name: str) -> str:
    """The name without case, blanks, signs and accents: `DR. WATSON` and `Dr Watson` are one."""
    return slug_of(_ACCENT.sub("", normalize("NFKD", name)))


def display_name(spellings: Mapping[str, int]) -> str:
    """How a name is shown that is spelled in these ways, so often: as it is written most, but not all in capitals."""
    mixed = {name: times for name, times in spellings.items() if not in_capitals(name)}
    name = Counter(mixed or spellings).most_common(1)[0][0]
    return name if mixed else _WORD.sub(_capitalized, name)


def _capitalized(word: re.Match[str]) -> str:
    if word.start() and _ROMAN.fullmatch(word[0]):
        return word[0]
    first, sign, rest = word[0].replace("’", "'").partition("'")
    rest = rest.capitalize() if len(first) == 1 else rest.lower()
    return first.capitalize() + word[0][len(first) : len(first) + len(sign)] + rest
