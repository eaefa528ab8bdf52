"""Scripts: turns of speech and narration, and the rounds of a role in them (RoleLLM, appendices B, C and H).

Whoever reads a script reads it line by line, by rules: no model is asked. What nobody says is narration, what a speaker
does stands in brackets in what they say, and each act, scene, episode or chapter parts the turns.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, NamedTuple, get_args

from annotations.i18n.messages import cited, listed, to_say
from characterbox.errors import RoleError
from characterbox.roles.labelled_lines import Sign, is_speaker, labels_of, read_labelled_lines
from characterbox.roles.role import MOST_ROUNDS, Round, Turn
from characterbox.roles.screenplays import cue_places, is_fountain, read_fountain, read_screenplay
from characterbox.roles.script_draft import Draft, Line, lines_of
from characterbox.roles.script_marks import Reason, display_name, left_out_as, name_key

Format = Literal["fountain", "screenplay", "play", "lines", "chinese"]
FORMATS: Mapping[Format, str] = {
    "fountain": to_say("Fountain"),
    "screenplay": to_say("screenplay: names in capitals above the speeches"),
    "play": to_say("stage play: names in capitals before the speeches, with a full stop"),
    "lines": to_say("names before the speeches, with a colon"),
    "chinese": to_say("Chinese: names before the speeches, with a colon or blanks"),
}
"""What the forms of scripts are called; to be said."""
MOST_BEFORE = 12
"""Turns of a round before the role's own, at most. The paper has no such bound; but a role answers what has just been
said, and one that was silent for long would have a round longer than a segment of Context-Instruct (2,000 words)."""
_SHARE = 1 / 12
"""The share of paragraphs that name a speaker below which a text is no script: in novels it is next to none, in scripts
a third or more."""
_WIDE = 12
"""Lines of a paragraph above which blank lines part no paragraphs of a text."""
_SAMPLE = 20_000
"""Lines by which the form of a script is found out."""
_MOST_TOLD = 5


class Placed(NamedTuple):
    """A turn, and where it stands."""

    act: int
    """Counted from 1; 0 before the first."""
    turn: Turn
    line: int
    """The line of the text on which it begins, from 1."""


@dataclass(frozen=True, slots=True)
class Script:
    """What stands in a script, in its order."""

    name: str
    """That of its file."""
    format: Format
    acts: tuple[str, ...]
    """The headings of acts, scenes, episodes and chapters: each begins one."""
    turns: tuple[Placed, ...]
    left_out: Mapping[Reason, tuple[int, ...]]
    """The lines of which no turn was made, by why."""
    unnamed: tuple[int, ...] = ()
    """The lines where a paragraph begins that follows a speech, names nobody and is not marked as narration. They are
    speeches that go on, unless a script marks no narration and has some before its first speeches."""

    def speakers(self) -> Counter[str]:
        """How many turns each speaker has."""
        return Counter(one.turn.speaker for one in self.turns if one.turn.speaker is not None)


def parse_script(name: str, text: str, form: Format | None = None) -> Script:
    """The script in the text of the file `name`; its form is found out if it is not given.

    Raises RoleError where nobody speaks in it, as in a novel.
    """
    lines = list(lines_of(text))
    draft = Draft()
    found = form or _form_of(lines[:_SAMPLE], text)
    if found is not None:
        _read(text, lines, found, draft)
    if found is None or not any(turn.speaker for turn in draft.turns):
        raise _not_a_script(name, lines)
    names = _shown(Counter(told.speaker for told in draft.turns if told.speaker is not None))
    turns = (
        Placed(told.act, Turn(speaker=told.speaker and names[told.speaker], text=told.text), told.line)
        for told in draft.turns
    )
    left_out = {reason: tuple(numbers) for reason, numbers in draft.left_out.items()}
    return Script(name, found, tuple(draft.acts), tuple(turns), left_out, tuple(draft.unnamed))


def rounds_of(script: Script, name: str, other_names: Sequence[str] = ()) -> tuple[Round, ...]:
    """The rounds of the role that speaks in the script under any of these names, and is called `name` in them.

    A round has the turns since the role's last one in the same act, the last `MOST_BEFORE` of them, and the role's own;
    several of it in a row are one. Raises RoleError if it never speaks, or in too many rounds.
    """
    keys = {name_key(one) for one in (name, *other_names)}
    own = {speaker for speaker in script.speakers() if name_key(speaker) in keys}
    if not own:
        raise _never_speaks(script, (name, *other_names))
    rounds: list[Round] = []
    for act, placed in groupby(script.turns, key=lambda one: one.act):
        before: tuple[Turn, ...] = ()
        for speaks, several in groupby((one.turn for one in placed), key=lambda turn: turn.speaker in own):
            turns = tuple(several)
            if speaks:
                said = "\n".join(turn.text for turn in turns)
                rounds.append(Round(act=act, turns=(*before, Turn(speaker=name, text=said))))
            before = turns[-MOST_BEFORE:]
    if len(rounds) > MOST_ROUNDS:
        told = {"name": script.name, "role": cited(name), "count": len(rounds), "most": MOST_ROUNDS}
        raise RoleError("{name}: {count:,} rounds of {role} exceed the limit of {most:,}; split the file", **told)
    return tuple(rounds)


def _shown(spellings: Mapping[str, int]) -> dict[str, str]:
    """How each name is shown: all spellings of one alike."""
    same: dict[str, dict[str, int]] = defaultdict(dict)
    for name, times in spellings.items():
        same[name_key(name)][name] = times
    return {name: shown for several in same.values() for shown in [display_name(several)] for name in several}


def _read(text: str, lines: Sequence[Line], form: Format, draft: Draft) -> None:
    if form == "fountain":
        read_fountain(text, draft)
    elif form == "screenplay":
        read_screenplay(lines, draft)
    else:
        read_labelled_lines(lines, labels_of(lines, form), draft)
    draft.end()


def _form_of(lines: Sequence[Line], text: str) -> Format | None:
    """The form in which most lines name a speaker; None where that are few of them."""
    times: dict[Format, int] = {"screenplay": len(cue_places(lines))}
    for sign in get_args(Sign):
        labels = [label for label in labels_of(lines, sign) if label and is_speaker(label)]
        times[sign] = sum(label.han == (sign == "chinese") for label in labels)
    form = max(times, key=lambda one: times[one])
    blocks = sum(line.gap for line in lines)
    paragraphs = blocks if blocks * _WIDE > len(lines) else len(lines)
    if times[form] <= _SHARE * paragraphs:
        return None
    return "fountain" if form == "screenplay" and is_fountain(text, lines) else form


def _not_a_script(name: str, lines: Sequence[Line]) -> RoleError:
    for line in lines:
        if line.heading is None and not left_out_as(line.text, alone=line.gap, indent=line.indent):
            return RoleError(
                "{name}: this is not a script of a known form: no speaker was found, and line {line} names none:"
                " {text!r}. Put each speaker in capitals on a line above the speech (HOLMES), or before it (HOLMES:"
                " ..., HOLMES. ..., 福尔摩斯：……), or use Fountain",
                name=name, line=line.number, text=cited(line.text),
            )  # fmt: skip
    return RoleError("{name}: it contains no text; choose the file of a script", name=name)


def _never_speaks(script: Script, names: Iterable[str]) -> RoleError:
    most = (f"{speaker} ({times:,})" for speaker, times in script.speakers().most_common(_MOST_TOLD))
    return RoleError(
        "{name}: {role} never speaks; the most frequent speakers are {speakers}. Give one of these names",
        name=script.name, role=listed(map(cited, names)), speakers=listed(most),
    )  # fmt: skip
