"""What a model proposes for a role, read from its replies: a description, catchphrases, how distinct its speech is.

Nothing stands in for what can't be read.
"""

import re
from collections.abc import Mapping

from annotations.i18n.messages import Message
from characterbox.errors import ReplyError
from characterbox.llm.replies.reading import is_nothing, number_alone, plain, read_fields, read_prose, storable
from characterbox.llm.replies.refusals import is_refusal
from characterbox.llm.request import Form
from characterbox.pause_reasons import Reason
from characterbox.rolebench.candidates import objects_with
from characterbox.roles.role import LEVELS
from characterbox.scenes.scene import MOST_HEADING

MOST_PHRASES = 10
_TEXT = {"type": "string"}
CATCHPHRASES = Form(
    "catchphrases",
    {
        "type": "object",
        "properties": {"catchphrases": {"type": "array", "items": _TEXT}},
        "required": ["catchphrases"],
        "additionalProperties": False,
    },
)
LEVEL = Form(
    "distinctiveness",
    {
        "type": "object",
        "properties": {"reason": _TEXT, "level": {"type": "integer", "enum": [*LEVELS]}},
        "required": ["reason", "level"],
        "additionalProperties": False,
    },
)
_NAMED_LEVELS: Mapping[str, int] = {
    **{f"{word} distinct": level for level, word in enumerate(("not", "somewhat", "very", "extremely"), 1)},
    **{word: level for level, word in enumerate(("不鲜明", "比较鲜明", "很鲜明", "极其鲜明"), 1)},
}
"""The levels as the paper, and the Chinese prompt, name them."""
_ANNOUNCED = re.compile(
    r"[*_\s]{0,4}(?:the character'?s|your|该角色的?|你的)? ?(?:description(?: is)?|描述(?:是|为)?)"
    r"[*_]{0,2}\s?[:：][*_\s]{0,4}",
    re.IGNORECASE,
)
"""Words of the paper's prompts with which descriptions begin."""
_QUOTED = re.compile(r"[\"“「](.{1,400}?)[\"”」]")
_NONE = ("no", "none", "没有", "无")


def read_description(text: str) -> str:
    """The paragraph in a reply. Raises ReplyError where there is none."""
    told = read_prose(text, labels=("description", "描述"))
    begins = _ANNOUNCED.match(told.replace("’", "'"))
    return told[begins.end() :].strip() if begins and told[begins.end() :].strip() else told


def read_catchphrases(text: str) -> tuple[str, ...]:
    """The catchphrases in a reply, each once: as JSON, or in quotation marks as in the paper; none where it has none.

    Raises ReplyError where it refuses, tells none in such a way, or has one that is too long for it.
    """
    content = plain(text)
    if content.strip(" .。\"'“”").casefold() in _NONE:
        return ()
    if is_refusal(content):
        raise ReplyError(Reason("declined"), reply=text)
    found = objects_with(content, "catchphrases")
    told = found[0]["catchphrases"] if found else _QUOTED.findall(content)
    if told is None or (isinstance(told, str) and is_nothing(told)):
        return ()
    phrases = [told] if isinstance(told, str) else told
    if (not found and not phrases) or not all(isinstance(one, str) for one in phrases):
        raise ReplyError(Message("there is no list of catchphrases in the reply"), reply=text)
    kept = dict.fromkeys(storable(" ".join(one.split())) for one in phrases if one.strip())
    if longest := next((one for one in kept if len(one) > MOST_HEADING), None):
        told_of = {"phrase": longest[:40], "most": MOST_HEADING}
        why = Message("{phrase!r} ... is longer than {most} characters: no catchphrase", **told_of)
        raise ReplyError(why, reply=text)
    return tuple(kept)[:MOST_PHRASES]


def read_level(text: str) -> tuple[int, str]:
    """How distinct the way of speaking is, and why. Raises ReplyError where one of them is missing."""
    (way, *_) = read_fields(text, {"level": ("level", "程度", "鲜明程度"), "reason": ("reason", "理由")})
    levels, reasons = ({*map(str, way.fields.get(field, ()))} for field in ("level", "reason"))
    if len(levels) != 1 or len(reasons) != 1:
        raise ReplyError(Message("the reply has to give one level and one reason"), reply=text)
    (level,), (reason,) = levels, reasons
    number = _NAMED_LEVELS.get(level.strip(" .。*").casefold()) or number_alone(level, LEVELS[-1])
    if number not in LEVELS:
        raise ReplyError(Message("level is {value!r}; it has to be 1, 2, 3 or 4", value=level[:40]), reply=text)
    if not reason.strip():
        raise ReplyError(Message("{field} is missing; write it down", field="reason"), reply=text)
    return int(str(number)), storable(reason).strip()
