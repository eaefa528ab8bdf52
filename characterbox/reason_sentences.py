"""Reasons as English sentences, whose wording never changes, however pages word them today.

So they stand in databases of the time before they had codes (migration 0023), in the files of stories, whichever
version has saved them, and in prompts that ask a model once more: a story is recorded by its prompts. Here they are
made, and taken apart. A sentence that is none of those known may hold what a server said, so that admins alone read it.
"""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Annotated

from pydantic import BeforeValidator

from characterbox.pause_reasons import InnerAddress, OfferedModels, Reason, ServerWords, several

TEXTS: Mapping[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
"""The sentence of each reason, by its code."""
_MOST = 2000
"""Characters of a sentence that is taken apart, at most: with many more that would take too long."""
_NEVER = {"told", "several", "field_wrong", "status"}
"""What no sentence is read as: nearly any would be."""
_KNOWN = [code for code in TEXTS if code not in _NEVER]
"""From the outermost to the innermost: what a `{what}` or a `{detail}` stands for is one of those behind, or what a
server or the system said."""
_INNER = ("and", "not_a_number", "not_whole_number", "outside", "number_wanted", "whole_wanted")
_AT_ENDPOINTS = _KNOWN[_KNOWN.index("others_through") : _KNOWN.index("score_missing")]
"""What can stand behind the name of an endpoint: nothing that is wrong with a reply."""
_OF_REPLIES = [code for code in _KNOWN[_KNOWN.index("score_missing") :] if code not in _INNER]
"""What is wrong with a reply; several such reasons can follow each other."""
_OF_SERVERS = {
    *("status_said", "no_connection_said", "broken_said", "broken_off_said", "no_completion_said"),
    *("no_embeddings_said", "unaskable"),
}
_BEFORE_WORDS = re.compile(
    "|".join(
        re.escape(TEXTS[code].partition("{detail}")[0]).replace(re.escape("{status}"), r"\d{3}") for code in _OF_SERVERS
    )
)
"""What stands before what a server said."""
_OURS = ["leads_elsewhere", "leads_on", "not_whole", "too_long", "endless", "left_out"]
"""What can stand behind one of those but words of the server."""
_WITHIN = {"fields": ["and"], "rest": ["and"], "fault": _INNER[1:4], "remedy": _INNER[4:]}
_MARK = "; "
_LONGEST = 2
"""Pieces between semicolons that what is wrong with a reply has, at most."""
_STATUS = re.compile(r"HTTP (\d{3})")
_SIGNS = {
    "metric": "[^:]",
    "field": "[^:]",
    "count": "[0-9]",
    "seconds": "[0-9.]",
    "status": "[0-9]",
    "key": r"\w",
    "path": r"\S",
    "stride": "[a-z]",
}
"""What some values consist of: no sentence is one of these."""


def read_sentence(sentence: str) -> Reason:
    """The reason that a sentence tells; as English text it is that sentence again, as far as it is not too long."""
    known = None if len(sentence) > _MOST else _several(sentence.split(_MARK)) or _one(sentence, _KNOWN)
    return known or Reason("told", what=ServerWords(sentence))


def as_sentence(reason: Reason) -> str:
    """The sentence that an older version stores of a reason."""
    if (text := TEXTS.get(reason.code)) is None:
        return str(reason)
    told = {name: as_sentence(one) if isinstance(one, Reason) else str(one) for name, one in reason.values.items()}
    return text.format(**told)


def as_now(told: object) -> object:
    """What stands in the place of a reason in a file: one that is none of ours is told to all, unless it looks like
    what a server said."""
    if not isinstance(told, str):
        return told
    known = read_sentence(told)
    return known if known.code != "told" or _BEFORE_WORDS.search(told) else Reason("told", what=told)


AnyReason = Annotated[Reason, BeforeValidator(as_now)]
"""A reason in what also comes in files of older versions."""


def reread(stored: str) -> Reason:
    """The reason in a column, whichever version has written it."""
    try:
        return Reason.read(json.loads(stored))
    except (ValueError, RecursionError):
        return read_sentence(stored)


def _several(pieces: Sequence[str]) -> Reason | None:
    """What is wrong with a reply, if each of these reasons is known."""
    found: list[Reason] = []
    while pieces:
        ends = range(1, min(_LONGEST, len(pieces)) + 1)
        tried = ((end, _one(_MARK.join(pieces[:end]), _OF_REPLIES)) for end in ends)
        end, one = next(((end, one) for end, one in tried if one is not None), (0, None))
        if one is None:
            return None
        found.append(one)
        pieces = pieces[end:]
    return several(found)


def _one(sentence: str, codes: Sequence[str]) -> Reason | None:
    """The sentence as one of these reasons."""
    for number, code in enumerate(codes, 1):
        if (found := _pattern(code).fullmatch(sentence)) is not None:
            behind = _OURS if code in _OF_SERVERS else _AT_ENDPOINTS if code == "endpoint" else codes[number:]
            values = {name: _value(name, value, behind, code) for name, value in found.groupdict().items()}
            if None not in values.values():
                return Reason(code, **values)
    return None


def _value(name: str, value: str, behind: Sequence[str], code: str) -> object:
    """What stands in a place; None where it has to be a reason, and is none."""
    if name in ("what", "detail"):
        told = _several(value.split(_MARK)) if code in ("scores_unread", "no_critique") else None
        return told or _one(value, behind) or _unknown(value, code)
    if name in ("address", "models"):
        return Reason("left_out") if value == TEXTS["left_out"] else _HIDDEN[name](value)
    if name in ("count", "status"):
        return int(value)
    return _one(value, _WITHIN.get(name, ())) or (None if name in ("fault", "remedy") else value)


_HIDDEN = {"address": InnerAddress, "models": OfferedModels}


def _unknown(value: str, code: str) -> object:
    if (alone := _STATUS.fullmatch(value)) is not None and code not in _OF_SERVERS:
        return Reason("status", status=int(alone[1]))
    return value if code in ("scores_unread", "no_critique") else ServerWords(value)


@cache
def _pattern(code: str) -> re.Pattern[str]:
    """Finds the values in a sentence that was made of the text of a reason."""
    parts = ((re.escape(text), name) for text, name, _, _ in Formatter().parse(TEXTS[code]))
    return re.compile(
        "".join(text + (f"(?P<{name}>{_SIGNS.get(name, '.')}+?)" if name else "") for text, name in parts), re.DOTALL
    )
