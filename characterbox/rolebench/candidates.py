"""Candidates for questions about a role, as a model writes them down (RoleLLM, section 2.3).

A candidate is a triplet: a question, how sure the model is of it with the reason, and the role's answer. A reply holds
several, as JSON, or as text with labels as in the paper's examples. What of it can't be read is told; nothing stands in
for it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from annotations.i18n.messages import Message
from characterbox.errors import ReplyError
from characterbox.llm.replies.loose_json import json_objects
from characterbox.llm.replies.reading import plain, storable
from characterbox.llm.replies.refusals import is_refusal
from characterbox.llm.request import Form
from characterbox.pause_reasons import Reason

Confidence = Literal["high", "low"]
_LEVELS: Mapping[str, Confidence] = {"high": "high", "low": "low", "高": "high", "低": "low"}
_FIELDS = ("question", "rationale", "confidence", "answer")
_TEXT = {"type": "string"}
_TRIPLET = {
    "type": "object",
    "properties": {**dict.fromkeys(_FIELDS, _TEXT), "confidence": {"type": "string", "enum": ["high", "low"]}},
    "required": [*_FIELDS],
    "additionalProperties": False,
}
TRIPLETS = Form(
    "triplets",
    {
        "type": "object",
        "properties": {"triplets": {"type": "array", "items": _TRIPLET}},
        "required": ["triplets"],
        "additionalProperties": False,
    },
)
_LABELS = {
    "question": "question",
    "问题": "question",
    **dict.fromkeys(("completeness", "factualness", "confidence", "完整性", "真实性", "可信度"), "confidence"),
    **dict.fromkeys(("rationale", "理由"), "rationale"),
    **dict.fromkeys(("response", "answer", "回复", "回答"), "answer"),
}
_LABEL = re.compile(rf"^[ \t*#>-]{{0,8}}({'|'.join(_LABELS)}) ?\d{{0,3}}\*{{0,2}} ?[:：]", re.IGNORECASE | re.MULTILINE)
_LEVEL = re.compile(r"\W{0,4}(high|low|高|低)(?![a-z])\W{0,4}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Triplet:
    """A candidate as it was written down."""

    question: str
    confidence: Confidence
    rationale: str
    """Why the question is complete, or founded on fact, or not."""
    answer: str


class NoTriplet(NamedTuple):
    """A candidate that can't be read."""

    text: str
    """As it stands in the reply."""
    why: Message


class Reading(NamedTuple):
    """What a reply holds."""

    triplets: tuple[Triplet, ...]
    unreadable: tuple[NoTriplet, ...]


def read_triplets(text: str) -> Reading:
    """The candidates in a reply. Raises ReplyError if it refuses, or has none that can be read."""
    content = plain(text)
    if is_refusal(content):
        raise ReplyError(Reason("declined"), reply=text)
    found = [_triplet(one) for one in objects_with(content, "question") or _in_text(content)]
    triplets = tuple(one for one in found if isinstance(one, Triplet))
    unreadable = tuple(one for one in found if isinstance(one, NoTriplet))
    if not found:
        raise ReplyError(Message("there is no question in the reply: no JSON object with 'question'"), reply=text)
    if not triplets:
        raise ReplyError(unreadable[0].why, reply=text)
    return Reading(triplets, unreadable)


def _triplet(fields: Mapping[str, Any]) -> Triplet | NoTriplet:
    told = {key: storable(value).strip() for key, value in fields.items() if isinstance(value, str)}
    level = _LEVEL.match(told.get("confidence", ""))
    if level is not None:
        behind = told["confidence"][level.end() :].rstrip(" )）")
        told["rationale"] = told.get("rationale") or behind
    missing = next((name for name in _FIELDS if not told.get(name)), None)
    shown = "\n".join(f"{key}: {value}" for key, value in fields.items())
    if missing is not None:
        return NoTriplet(storable(shown), Message("{field} is missing; write it down", field=missing))
    if level is None:
        told_of = {"field": "confidence", "value": told["confidence"][:40]}
        return NoTriplet(storable(shown), Message("{field} is {value!r}; it has to be high or low", **told_of))
    return Triplet(told["question"], _LEVELS[level[1].casefold()], told["rationale"], told["answer"])


def objects_with(content: str, key: str) -> list[dict[str, Any]]:
    """All objects in a reply that have a key, at whatever depth; one that was cut off is one, too. What is in one of
    them is not looked through."""
    return [one for found in json_objects(content) for one in _with(found.pairs, key)]


def _with(value: Any, key: str) -> Iterator[dict[str, Any]]:
    """Objects are tuples of pairs here, lists are lists."""
    if isinstance(value, tuple):
        fields = {str(name).strip().casefold(): one for name, one in value}
        if key in fields:
            yield fields
        else:
            yield from (found for one in fields.values() for found in _with(one, key))
    elif isinstance(value, list):
        yield from (found for one in value for found in _with(one, key))


def _in_text(content: str) -> list[dict[str, str]]:
    """The texts behind labels; each question begins another candidate."""
    marks = [*_LABEL.finditer(content)]
    ends = [*(mark.start() for mark in marks[1:]), len(content)]
    found: list[dict[str, str]] = []
    for mark, end in zip(marks, ends, strict=False):  # one end more where there are no marks
        field = _LABELS[mark[1].casefold()]
        if field == "question":
            found.append({})
        if found:
            found[-1].setdefault(field, content[mark.end() : end].strip(" \t\r\n*"))
    return found
