"""Scripts in which the name of the speaker stands on a line of its own above the speech: screenplays, and Fountain.

Fountain says by its syntax what a line is (https://fountain.io/syntax). In other screenplays the layout says it: blank
lines, and the columns at which names, speeches and narration begin, as they are in most lines of the script.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from characterbox.roles.script_draft import Draft, Line, lines_of
from characterbox.roles.script_marks import MOST_CUE, capital_cue, cue_parts, left_out_as, name_key

_TITLE_PAGE = re.compile(
    r"(?i:title|credit|authors?|source|draft date|date|contact|copyright|notes|revision|format|font):.*"
)
_MARKED = re.compile(r"(?:@\S|=\s*[^=\s]).*")
_TWICE = 2
"""Columns by which two kinds of lines differ at least, where columns tell them apart."""
_FEW = 0.03
"""The share of other lines that begin at a column below which it is none of the layout."""


@dataclass(frozen=True, slots=True)
class _Layout:
    """How the lines of a screenplay lie, mostly."""

    tight: bool
    """Whether a speech stands right below its name, without a blank line between."""
    apart: bool
    """Whether a blank line stands above names."""
    cue_from: float
    """The column from which on a line in capitals may be a name."""
    speech_from: float | None
    """The column from which on lines are speech; None where they begin where narration does."""


def is_fountain(text: str, lines: Sequence[Line]) -> bool:
    """Whether marks of Fountain stand in a screenplay: a title page, a forced name, a synopsis, a note."""
    if lines and _TITLE_PAGE.fullmatch(lines[0].text):
        return True
    return "[[" in text or "/*" in text or any(line.gap and _MARKED.fullmatch(line.text) for line in lines)


def cue_places(lines: Sequence[Line]) -> list[int]:
    """The places of lines that look like the name of a speaker above a speech."""
    cues = [line.heading is None and capital_cue(line.text) is not None for line in lines]
    return [
        place
        for place, (line, after) in enumerate(pairwise(lines))
        if cues[place] and (not cues[place + 1] or (line.gap and not after.gap))
    ]


def read_fountain(text: str, draft: Draft) -> None:
    """A screenplay in Fountain."""
    for opening, closing in (("/*", "*/"), ("[[", "]]")):
        text = _without(text, opening, closing, draft)
    lines = list(lines_of(text, blank_is_empty=True))
    start = _title_page(lines, draft)
    for line, after in zip(lines[start:], [*lines[start + 1 :], None], strict=False):
        _read_marked(line, after is not None and not after.gap, draft)


def _read_marked(line: Line, followed: bool, draft: Draft) -> None:
    text = line.text
    if draft.speaking and not line.gap:
        draft.say(line, text.removeprefix("~").strip() or text)
    elif text.startswith("=") or _is_transition(line):
        page = text.startswith("=") and not text.strip("=")
        draft.leave_out("page" if page else "synopsis" if text.startswith("=") else "transition", line.number)
        draft.end_speech()
    elif text[0] in "!~>":
        draft.tell(line, text[1:].rstrip("<" if text[0] == ">" else "").strip() or text)
    elif text[0] == "." and text[1:2].isalnum():
        draft.begin_act(line, _without_scene_number(text[1:].strip()), told=True)
    elif line.heading:
        draft.begin_act(line, _without_scene_number(line.heading[0]), line.heading[1])
    elif line.gap and followed and (cue := _cue(text)):
        draft.begin_speech(line, *cue)
    else:
        draft.tell(line)


def _cue(text: str) -> tuple[str, tuple[str, ...]] | None:
    name, actions = cue_parts(text.removeprefix("@").rstrip("^ "))
    forced = text[0] == "@" and len(name) <= MOST_CUE and name_key(name)
    return (name, actions) if forced or capital_cue(text) else None


def _is_transition(line: Line) -> bool:
    text = line.text
    forced = text.startswith(">") and not text.endswith("<")
    return forced or left_out_as(text, alone=line.gap, indent=0) == "transition"


def _without_scene_number(text: str) -> str:
    """A heading without the number between two `#` at its end."""
    start = text.rfind("#", 0, -1) if text.endswith("#") else -1
    return text[:start].rstrip() if start > 0 else text


def _without(text: str, opening: str, closing: str, draft: Draft) -> str:
    """The text without what stands between two marks. Its lines keep their numbers."""
    pieces: list[str] = []
    at, number = 0, 1
    while (start := text.find(opening, at)) >= 0 and (end := text.find(closing, start + 2)) >= 0:
        number += text.count("\n", at, start)
        breaks = text.count("\n", start, end)
        for line in range(number, number + breaks + 1):
            draft.leave_out("note", line)
        pieces += [text[at:start], "\n" * breaks]
        number += breaks
        at = end + 2
    return "".join([*pieces, text[at:]])


def _title_page(lines: Sequence[Line], draft: Draft) -> int:
    """How many lines the title page has: those up to the first blank one, if it begins as one does."""
    if not lines or not _TITLE_PAGE.fullmatch(lines[0].text):
        return 0
    end = next((place for place, line in enumerate(lines[1:], start=1) if line.gap), len(lines))
    for line in lines[:end]:
        draft.leave_out("title page", line.number)
    return end


def read_screenplay(lines: Sequence[Line], draft: Draft) -> None:
    """A screenplay without syntax of its own."""
    layout = _layout(lines)
    broken = False  # by something that is left out, such as the end of a page
    for line, after in zip(lines, [*lines[1:], None], strict=False):
        apart, broken = line.gap or broken, False
        if not draft.awaited and (reason := left_out_as(line.text, alone=line.gap, indent=line.indent)):
            draft.leave_out(reason, line.number)
            broken = True
        elif line.heading and not (draft.awaited and not line.gap):
            draft.begin_act(line, *line.heading)
        elif capital_cue(line.text) and _is_cue(line, after, layout, apart=apart, said=draft.awaited):
            name, actions = cue_parts(line.text)
            draft.begin_speech(line, name, actions)
        elif _is_said(line, layout, draft):
            draft.say(line)
        else:
            draft.tell(line)


def _is_cue(line: Line, after: Line | None, layout: _Layout, *, apart: bool, said: bool) -> bool:
    """Whether a line in capitals is a name by its place. `said` says that words of a speech have to come."""
    if after is None or line.indent < layout.cue_from or (said and not line.gap):
        return False
    return (apart or not layout.apart or layout.cue_from > 0) and not (after.gap and layout.tight)


def _is_said(line: Line, layout: _Layout, draft: Draft) -> bool:
    if layout.speech_from is not None:
        centred = layout.cue_from and line.indent >= layout.cue_from and not draft.speaking
        return line.indent >= layout.speech_from and not centred
    return draft.speaking and (not line.gap or (draft.awaited and not layout.tight))


def _layout(lines: Sequence[Line]) -> _Layout:
    places = cue_places(lines)
    if not places:
        return _Layout(tight=True, apart=True, cue_from=0, speech_from=None)
    cue = _usual(lines[place].indent for place in places)
    speech = _usual(lines[place + 1].indent for place in places)
    near = {place + step for place in places for step in (0, 1)}
    others = Counter(line.indent for place, line in enumerate(lines) if place not in near)
    floor = _FEW * others.total()
    margin = min((column for column, times in others.items() if times >= floor), default=speech)
    return _Layout(
        tight=2 * sum(not lines[place + 1].gap for place in places) >= len(places),
        apart=2 * sum(lines[place].gap for place in places) >= len(places),
        cue_from=(cue + speech) / 2 if cue > speech else 0,
        speech_from=(margin + speech) / 2 if speech - margin >= _TWICE else None,
    )


def _usual(columns: Iterable[int]) -> int:
    times = Counter(columns)
    return max(times, key=lambda column: (times[column], column))
