"""The forms in which the narrator and the characters reply, as models of JSON.

They are those of the paper (appendix D). A value is taken as models really write it: a number in words, a list told as
a text, a placeholder for nothing.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BeforeValidator, StringConstraints
from pydantic_core import PydanticCustomError

from characterbox.llm.replies.character_names import means_nobody
from characterbox.llm.replies.reading import is_nothing, number_alone
from characterbox.llm.request import Form
from characterbox.play.events import Importance
from characterbox.values import Value

_NOT_TOLD = {"", "-", "null", "nil", "n/a", "na"}
"""What stands for a list that is not told, and is no word for nobody."""


def _is_placeholder(value: Any) -> bool:
    return isinstance(value, str) and is_nothing(value)


def _needed(value: Any) -> Any:
    if value is None or _is_placeholder(value):
        raise PydanticCustomError("no_text", "Value error, has no text")
    return value


def _none_for_placeholder(value: Any) -> Any:
    return None if _is_placeholder(value) else value


def _empty_for_placeholder(value: Any) -> Any:
    return "" if _is_placeholder(value) else value


def _number_to_ten(value: Any) -> Any:
    """A number, also when told in words or out of ten; a truth value is none."""
    if isinstance(value, bool):
        raise PydanticCustomError("no_number", "Value error, is no number")
    return number_alone(value, 10)


def _yes_or_no(value: Any) -> Any:
    """The truth of a `是` or `否`; other words are left to pydantic, without the full stop."""
    if not isinstance(value, str):
        return value
    word = value.strip(" \t\r\n.。")
    return {"是": True, "否": False, "已结束": True, "未结束": False}.get(word, word)


def _no_unless_told(value: Any) -> Any:
    return False if value is None or _is_placeholder(value) else _yes_or_no(value)


def _listed(value: Any) -> Any:
    """Names in a list, also where they are told as a text: none of them for nobody, None where nothing is told."""
    if not isinstance(value, str):
        return value
    told = value.strip(" \t\r\n.。")
    if told.casefold() in _NOT_TOLD:
        return None
    bare = told.strip("[]【】 ")
    return [] if not bare or means_nobody(bare) else [one.strip() for one in re.split(r"[,，、;；]", bare)]


def _only_one(value: Any) -> Any:
    """What a list holds, where it is one thing."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def objects(value: Any) -> Any:
    """Objects in a list, also one by itself; None where a placeholder stands for it."""
    if isinstance(value, tuple):
        value = [value]
    if isinstance(value, list):
        return [dict(one) if isinstance(one, tuple) else one for one in value]  # loose JSON gives objects as pairs
    return _none_for_placeholder(value)


Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1), BeforeValidator(_needed)]
OptionalText = Annotated[str | None, StringConstraints(strip_whitespace=True), BeforeValidator(_none_for_placeholder)]
Clearable = Annotated[str | None, StringConstraints(strip_whitespace=True), BeforeValidator(_empty_for_placeholder)]
"""None for what is as it was, empty where there is nothing any more."""
Score = Annotated[Importance | None, BeforeValidator(_number_to_ten)]
"""1 to 10; None when the narrator gave none, or twice none that can be used."""
Flag = Annotated[bool, BeforeValidator(_no_unless_told)]
NameList = Annotated[tuple[str, ...] | None, BeforeValidator(_listed)]
"""None for all who are there, or for what is as it was."""


class ActionReply(Value):
    """What a character does and says. Words that are not told at all are asked for separately."""

    action: Text
    dialogue: OptionalText = None
    to: Annotated[str | None, BeforeValidator(_only_one)] = None
    whispered: Flag = False
    unseen: Flag = False


class InfluenceReply(Value):
    """Whom an action touches, and how."""

    affected: str | None
    effect: Text
    importance: Score = None
    seen_by: NameList = None
    heard_by: NameList = None


class ByWhomReply(Value):
    """One character, and those others to whom something of it holds."""

    who: str
    by: Annotated[tuple[Text, ...], BeforeValidator(_listed)]


ByWhomList = Annotated[tuple[ByWhomReply, ...] | None, BeforeValidator(objects)]


class ResultReply(Value):
    """What comes of an interaction."""

    result: Text
    felt: OptionalText = None
    importance: Score = None
    seen_by: NameList = None
    recognised: ByWhomList = None


class CharacterUpdateReply(Value):
    """Where and how a character is now."""

    position: Text
    state: Text


class UpdatesReply(Value):
    """How things are after a turn: what it does not tell is as it was."""

    position: OptionalText = None
    state: OptionalText = None
    visible: Clearable = None
    other_position: OptionalText = None
    other_state: OptionalText = None
    other_visible: Clearable = None
    time: OptionalText = None
    location: OptionalText = None
    description: OptionalText = None
    concluded: Flag = False
    hidden: ByWhomList = None


class EnvironmentUpdateReply(Value):
    """How the environment is now."""

    time: Text
    location: Text
    description: Text
    concluded: Annotated[bool, BeforeValidator(_yes_or_no)] = False
    """Whether the story is over. The text format of the paper has no label for it: a reply that does not say so goes
    on."""


class SelfBeliefReply(Value):
    """Belief, desire and intention."""

    belief: Text
    desire: Text
    intention: Text


class EnvironmentBeliefReply(Value):
    """The view of others, of the scene, and its bearing on what the character does."""

    others: Text
    scene: Text
    bearing: Text


ACTION = Form.of("action", ActionReply, live="action")
INFLUENCE = Form.of("influence", InfluenceReply)
RESULT = Form.of("result", ResultReply)
UPDATES = Form.of("updates", UpdatesReply)
CHARACTER_UPDATE = Form.of("character_update", CharacterUpdateReply)
ENVIRONMENT_UPDATE = Form.of("environment_update", EnvironmentUpdateReply)
SELF_BELIEF = Form.of("self_belief", SelfBeliefReply)
ENVIRONMENT_BELIEF = Form.of("environment_belief", EnvironmentBeliefReply)
_NAMING: Mapping[str, Form] = {form.name: form for form in (ACTION, INFLUENCE, RESULT, UPDATES)}
"""The forms in which somebody can be named, by task."""
_OF_ONE = ("to", "affected")
PERCEIVED_BY = ("seen_by", "heard_by")
"""The fields that hold names: guided decoding can name nobody else."""
OF_THE_AFFECTED = ("other_position", "other_state", "other_visible")
"""The fields of an update that are about the one whom the turn affected."""
LATER: Mapping[str, tuple[str, ...]] = {
    "influence": PERCEIVED_BY,
    "result": ("felt", "seen_by", "recognised"),
}
"""The fields of a form that the first version of the prompts does not ask for."""


@lru_cache(maxsize=256)
def form_among(name: str, others: tuple[str, ...], without: tuple[str, ...] = ()) -> Form:
    """A form in which only these can be named, without some of its fields.

    Kept: each call of a story asks for one, and to make it takes 0.03 ms.
    """
    form = _NAMING[name]
    names: dict[str, Any] = {"type": "string", "enum": list(others)}
    nobody = {"type": "null"}
    one = {"anyOf": [names, nobody]} if others else nobody
    some = {"anyOf": [{"type": "array", "items": names}, nobody]} if others else nobody
    fields = {key: field for key, field in form.schema["properties"].items() if key not in without}
    fields |= {key: one for key in _OF_ONE if key in fields} | {key: some for key in PERCEIVED_BY if key in fields}
    refers = "$ref" in repr(fields)
    schema = {key: told for key, told in form.schema.items() if refers or key != "$defs"}
    return Form(form.name, {**schema, "properties": fields, "required": list(fields)}, form.live)
