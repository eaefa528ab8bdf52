"""Rounds of a role that a model takes out of a passage of a novel: only what stands there, word for word.

A line counts as one of the passage where it stands in it but for blanks and quotation marks; also where its parts are
the speeches of one paragraph, and only what is told between them is left out (“Yes,” said she, “indeed.”). Any other
round is rejected, with the reason.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from annotations.i18n.messages import Message, to_say
from characterbox.errors import ReplyError
from characterbox.llm.replies.reading import plain, storable
from characterbox.llm.replies.refusals import is_refusal
from characterbox.llm.request import Form
from characterbox.pause_reasons import Reason
from characterbox.rolebench.candidates import objects_with
from characterbox.roles.role import Round, Turn
from characterbox.roles.script_marks import name_key
from characterbox.scenes.scene import MOST_NAME

MOST_TURNS = 12
"""Turns of a round, at most: twice as many as a model is asked for."""
Refusal = Literal["unreadable", "another_speaker", "not_in_passage", "repeated"]
REFUSALS: Mapping[Refusal, str] = {
    "unreadable": to_say("the round could not be read"),
    "another_speaker": to_say("the round does not end with the role"),
    "not_in_passage": to_say("a line does not stand in the passage"),
    "repeated": to_say("the round was given before"),
}
"""What is told of each reason, in the order in which they are looked for."""
_TEXT = {"type": "string"}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


ROUNDS = Form("rounds", _object(rounds=_list(_object(turns=_list(_object(speaker=_TEXT, text=_TEXT))))))
_IGNORED = re.compile(r"[\s\"'“”„‟‘’‚‛「」『』«»`\u200b\ufeff]+")
_QUOTES = "\"'“”„‘’「」『』«»"
_SPEECH = re.compile(r'“([^“”]*)”?|"([^"]*)"?|「([^「」]*)」?|『([^『』]*)』?|«([^«»]*)»?|‘((?:[^‘’]|’(?=\w))*)’?')
"""A speech within a paragraph; one that goes on in the next has no mark at its end."""


class RejectedRound(NamedTuple):
    """A round that is not taken."""

    reason: Refusal
    text: str
    """As the model wrote it, a line for each turn."""


class Excerpt(NamedTuple):
    """What a reply about a passage holds."""

    rounds: tuple[Round, ...]
    rejected: tuple[RejectedRound, ...]


def read_excerpt(text: str, passage: str, names: Sequence[str]) -> Excerpt:
    """The rounds in a reply, of the role that is called by any of these names, by the first in what comes of it.

    Raises ReplyError where the reply refuses, or has no list of rounds.
    """
    content = plain(text)
    if is_refusal(content):
        raise ReplyError(Reason("declined"), reply=text)
    found = objects_with(content, "turns")
    if not found and not objects_with(content, "rounds"):
        raise ReplyError(Message("there are no rounds in the reply: no JSON object with 'rounds'"), reply=text)
    there = _Passage(passage)
    rounds: list[Round] = []
    rejected: list[RejectedRound] = []
    for one in found:
        told = _round(one["turns"], there, names, rounds)
        (rounds if isinstance(told, Round) else rejected).append(told)  # type: ignore[arg-type]
    return Excerpt(tuple(rounds), tuple(rejected))


def _round(turns: Any, there: "_Passage", names: Sequence[str], earlier: Sequence[Round]) -> Round | RejectedRound:
    told = [dict(one) for one in turns if isinstance(one, tuple)] if isinstance(turns, list) else []
    said = [(str(one.get("speaker") or "").strip(), str(one.get("text") or "").strip()) for one in told]
    shown = storable("\n".join(f"{speaker}: {text}" for speaker, text in said) or str(turns))
    whole = [speaker and len(speaker) <= MOST_NAME and letters(text) for speaker, text in said]
    if not said or len(said) > MOST_TURNS or len(said) != len(turns) or not all(whole):
        return RejectedRound("unreadable", shown)
    keys = {name_key(name) for name in names}
    spoken = [(names[0] if name_key(speaker) in keys else speaker, text) for speaker, text in said]
    if spoken[-1][0] != names[0]:
        return RejectedRound("another_speaker", shown)
    if not all(there.has(text) for _, text in spoken):
        return RejectedRound("not_in_passage", shown)
    if any(letters(spoken[-1][1]) == letters(one.answer) for one in earlier):
        return RejectedRound("repeated", shown)
    return Round(turns=tuple(Turn(speaker=storable(who), text=_unquoted(text)) for who, text in spoken))


def letters(text: str) -> str:
    """All of a text but blanks and quotation marks: the same for what says the same."""
    return _IGNORED.sub("", text)


def _unquoted(text: str) -> str:
    """The text without the quotation marks around all of it."""
    inner = text[1:-1]
    around = len(text) > 2 and text[0] in _QUOTES and text[-1] in _QUOTES
    return storable(inner.strip() if around and not set(inner) & set('"“”「」«»') else text)


class _Passage:
    """A passage, as it is looked through for lines."""

    def __init__(self, text: str) -> None:
        paragraphs = re.split(r"\n\s*\n", text)
        speeches = ["".join("".join(parts) for parts in _SPEECH.findall(paragraph)) for paragraph in paragraphs]
        self._all = letters(text)
        self._speeches = [letters(one) for one in speeches]

    def has(self, line: str) -> bool:
        """Whether a line stands in it."""
        wanted = letters(line)
        return wanted in self._all or any(wanted in speech for speech in self._speeches)
