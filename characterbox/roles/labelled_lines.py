"""Scripts in which the name of the speaker stands before the speech: transcripts, stage plays, scripts in Chinese."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple

from characterbox.roles.script_draft import HAN, Draft, Line
from characterbox.roles.script_marks import (
    MOST_CUE,
    MOST_HAN,
    bare,
    cue_parts,
    in_capitals,
    is_bracketed,
    is_direction,
    is_open,
    left_out_as,
    name_key,
)

Sign = Literal["lines", "play", "chinese"]
"""What follows a name: a colon; a full stop; behind one in Chinese, a colon or blanks."""
_TIME = re.compile(r"[\[(]?\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?[\])]?\s{0,3}(?:-+>\s{0,3}[\d:.,]{4,12})?\s{0,3}")
_COLON = re.compile(
    r"(?P<around>[*_]{0,3})(?P<head>[^:：()（）\[\]]{1,80}(?:[(（\[][^()（）\[\]]{1,80}[)）\]][\s*_]{0,4}){0,3})[:：]"
    r"(?P<rest>.*)"
)
_STOP = re.compile(
    r"(?P<around>[*_]{0,3})(?P<head>(?:(?:DR|MRS?|MS|ST|PROF|CAPT|SGT|LT|COL|GEN|REV|HON)\.\s)?[^.:!?()\[\]]{2,40}"
    r"(?:[(\[][^()\[\]]{1,80}[)\]])?)\.(?P<rest>(?:[*_\s].*)?)"
)
_BLANK = re.compile(rf"(?P<head>[\u3400-\u9fff·]{{2,{MOST_HAN}}}(?:（[^（）]{{1,80}}）)?)\s{{1,8}}(?P<rest>\S.*)")
_LATIN_NAME = re.compile(r"[^\W\d_][\w .'’&/#-]*")
_HAN_NAME = re.compile(rf"(?=.{{0,12}}[\u3400-\u9fff])[\u3400-\u9fff\w·•]{{1,{MOST_HAN}}}")
_PARTICLES = frozenset({"of", "the", "and", "de", "la", "le", "von", "van", "der", "du", "in", "with"})
_MOST_WORDS = 6
_ROMAN = re.compile(r"X{0,3}(?:IX|IV|V?I{0,3})")
_SAYS = re.compile(r".+[说說道曰问問喊叫骂罵答想]")
_EMPHASIS = "*_ \t"
_QUOTES = ("“", "「", "『", '"')
_NARRATOR = frozenset({"narrator", "narration", "旁白", "字幕"})
_ABOUT = frozenset(
    {
        *("time", "place", "setting", "scene", "location", "characters", "cast", "dramatis-personae", "title"),
        *("author", "written-by", "super", "title-card", "note", "时间", "時間", "时", "時", "地点", "地點", "地"),
        *("人物", "出场人物", "剧中人", "劇中人", "剧中人物", "场景", "場景", "景", "道具", "布景", "佈景", "编剧"),
        *("編劇", "导演", "導演", "剧名", "劇名", "片名", "备注", "備註", "注", "註"),
    }
)
"""What stands before a colon and is no speaker, as `name_key` has it."""
_NOBODY = _ABOUT | _NARRATOR
_WORDS, _LONG = 3, 6
"""Words, and Han characters, from which on a line is no title."""
_ENDED = re.compile(r".*[.!?。！？…][\"'”’」』)）*_]{0,3}")


class Label(NamedTuple):
    """The name before a speech, and the rest of its line."""

    name: str
    actions: tuple[str, ...]
    rest: str
    han: bool
    """Whether the name is in Chinese."""


def labels_of(lines: Sequence[Line], sign: Sign) -> list[Label | None]:
    """The label of each line that has one.

    Where most names are in capitals, others are words of a speech, such as `Remember: ...`.
    """
    texts = [None if line.heading else line.text[_time_before(line.text) :] for line in lines]
    labels = [_label(_STOP if sign == "play" else _COLON, text) for text in texts]
    if sign == "chinese":
        labels = _with_blanks(labels, [_label(_BLANK, text) for text in texts], texts)
    latin = Counter(label.name for label in labels if label and not label.han)
    speaking = {name: times for name, times in latin.items() if name_key(name) not in _NOBODY}
    capitals = {name for name in speaking if in_capitals(name)}
    if 2 * sum(speaking[name] for name in capitals) > sum(speaking.values()):
        known = _NOBODY | {name_key(name) for name in capitals}
        wrong = {name for name in latin if name_key(name) not in known}
        return [None if label and label.name in wrong else label for label in labels]
    return labels


def _with_blanks(
    colons: Sequence[Label | None], blanks: Sequence[Label | None], texts: Sequence[str | None]
) -> list[Label | None]:
    """The labels of lines, with such as only blanks part from the speech: those of a name that stands before colons,
    too; where more lines have them than colons, also those with wide blanks, and of names that come again."""
    known = {label.name for label in colons if label}
    times = Counter(label.name for label in blanks if label)
    more = times.total() > len(colons) - colons.count(None)

    def fits(label: Label, text: str) -> bool:
        wide = "\u3000" in text or "  " in text or "\t" in text or bool(label.actions)
        return label.name in known or (more and (wide or times[label.name] > 1))

    return [
        colon or (blank if blank and text and fits(blank, text) else None)
        for colon, blank, text in zip(colons, blanks, texts, strict=True)
    ]


def is_speaker(label: Label) -> bool:
    """Whether the name is one of somebody who speaks, rather than `Time` or `Narrator`."""
    return name_key(label.name) not in _NOBODY


def read_labelled_lines(lines: Sequence[Line], labels: Sequence[Label | None], draft: Draft) -> None:
    """The turns of lines that have these labels."""
    narrated = _is_narrated(lines, labels)
    telling: Literal["", "brackets", "paragraph"] = ""
    for line, label, new in zip(lines, labels, _beginnings(lines, labels), strict=True):
        if label:
            telling = ""
            _read_labelled(line, label, draft)
        elif telling and not new:
            draft.tell(line, bare(line.text) if telling == "brackets" else None)
            telling = "" if telling == "brackets" and not is_open(line.text, within=True) else telling
        elif _read_apart(line, draft):
            telling = "brackets" if is_open(line.text) else ""
        else:
            if new and draft.speaker:
                draft.unnamed.append(line.number)
            telling = "paragraph" if new and narrated else ""
            (draft.tell if telling else draft.say)(line)


def _read_labelled(line: Line, label: Label, draft: Draft) -> None:
    if _time_before(line.text):
        draft.leave_out("time", line.number)
    key = name_key(label.name)
    if key in _NOBODY:
        draft.tell(line, label.rest if key in _NARRATOR and label.rest else line.text, over=True)
        return
    draft.begin_speech(line, label.name, label.actions)
    if label.rest:
        draft.say(line, label.rest)


def _read_apart(line: Line, draft: Draft) -> bool:
    """Whether a line is marked as none that somebody says; it is read then."""
    if not draft.awaited and (reason := left_out_as(line.text, alone=line.gap, indent=line.indent)):
        draft.leave_out(reason, line.number)
    elif not draft.awaited and line.gap and _time_before(line.text) == len(line.text):
        draft.leave_out("time", line.number)
    elif line.heading:
        draft.begin_act(line, *line.heading)
    elif draft.awaited and is_bracketed(line.text):
        draft.say(line)
    elif is_direction(line.text):
        draft.tell(line, bare(line.text))
    else:
        return False
    return True


def _label(pattern: re.Pattern[str], text: str | None) -> Label | None:
    found = pattern.match(text) if text else None
    if found is None:
        return None
    around = found.groupdict().get("around") or ""
    head, rest = found["head"], found["rest"].strip()
    if around and around in head:
        head = head.replace(around, "", 1)
    else:
        rest = rest.removeprefix(around).strip()
    name, actions = cue_parts(head.strip(_EMPHASIS))
    if _HAN_NAME.fullmatch(name):
        told = _SAYS.fullmatch(name) and (not rest or rest.startswith(_QUOTES))
        return None if told else Label(name, actions, rest, han=True)
    if not _is_latin_name(name) or (pattern is _STOP and not _is_before_stop(name, italic=bool(around and rest))):
        return None
    return Label(name, actions, rest, han=False)


def _is_before_stop(name: str, *, italic: bool) -> bool:
    """Whether a full stop may part a name from a speech: it may end a sentence, or follow the number of a list."""
    return (italic or in_capitals(name)) and len(name) > 1 and not _ROMAN.fullmatch(name)


def _is_latin_name(name: str) -> bool:
    words = name.split()
    return (
        len(name) <= MOST_CUE
        and len(words) <= _MOST_WORDS
        and bool(_LATIN_NAME.fullmatch(name))
        and all(word[0].isupper() or not word[0].isalpha() or word in _PARTICLES for word in words)
        and name[0].isupper()
    )


def _time_before(text: str) -> int:
    """How many letters of a line tell only the time."""
    found = _TIME.match(text)
    return found.end() if found else 0


def _beginnings(lines: Sequence[Line], labels: Sequence[Label | None]) -> list[bool]:
    """Whether a paragraph begins with each line: after a blank one, or where these part no turns, after a sentence."""
    named = [line.gap for line, label in zip(lines, labels, strict=True) if label]
    apart = 2 * sum(named) >= len(named)
    ended = [True, *(bool(_ENDED.fullmatch(line.text)) for line in lines)]
    return [line.gap or (not apart and after) for line, after in zip(lines, ended, strict=False)]


def _is_narrated(lines: Sequence[Line], labels: Sequence[Label | None]) -> bool:
    """Whether paragraphs that nobody's name stands before are narration, rather than speeches that go on.

    They are where none is marked as narration, and sentences stand before the first speech of all or of an act.
    """
    first = True
    found = False
    for line, label in zip(lines, labels, strict=True):
        if label:
            first = False
        elif line.heading:
            first = True
        elif is_direction(line.text):
            return False
        else:
            found = found or (first and _is_sentence(line.text))
    return found


def _is_sentence(text: str) -> bool:
    long = len(text) >= _LONG if ord(text[0]) >= HAN else len(text.split()) >= _WORDS and not in_capitals(text)
    return long and bool(_ENDED.fullmatch(text))
