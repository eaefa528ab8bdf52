"""The replies that the narrator and the characters give in a form, and how to read them.

The forms are those of the paper (appendix D), as JSON; its text formats are read too.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, StringConstraints, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from characterbox.errors import ReplyError
from characterbox.llm.replies.character_names import match_name, means_nobody
from characterbox.llm.replies.reading import Way, is_json, is_nothing, number_alone, plain, read_fields, read_prose
from characterbox.llm.request import Form
from characterbox.pause_reasons import TEXTS, Reason, several
from characterbox.play.events import Importance
from characterbox.values import Value

M = TypeVar("M", bound=BaseModel)


def _no_placeholder(value: Any) -> Any:
    if value is None or (isinstance(value, str) and is_nothing(value)):
        raise PydanticCustomError("no_text", "Value error, has no text")
    return value


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


Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1), BeforeValidator(_no_placeholder)]


class InfluenceReply(Value):
    """Whom an action touches, and how."""

    affected: str | None
    effect: Text
    importance: Annotated[Importance | None, BeforeValidator(_number_to_ten)] = None
    """1 to 10; None when the narrator gave none, or twice none that can be used."""


class ResultReply(Value):
    """What comes of an interaction."""

    result: Text
    importance: Annotated[Importance | None, BeforeValidator(_number_to_ten)] = None
    """1 to 10; None when the narrator gave none, or twice none that can be used."""


class CharacterUpdateReply(Value):
    """Where and how a character is now."""

    position: Text
    state: Text


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


INFLUENCE = Form.of("influence", InfluenceReply)
"""Whatever the cast; asked for in the narrower form that `influence_form` makes of it."""
RESULT = Form.of("result", ResultReply)
CHARACTER_UPDATE = Form.of("character_update", CharacterUpdateReply)
ENVIRONMENT_UPDATE = Form.of("environment_update", EnvironmentUpdateReply)
SELF_BELIEF = Form.of("self_belief", SelfBeliefReply)
ENVIRONMENT_BELIEF = Form.of("environment_belief", EnvironmentBeliefReply)


def influence_form(others: Sequence[str]) -> Form:
    """The form of an influence on one of the `others` or on nobody: guided decoding can name nobody else."""
    nobody = {"type": "null"}
    affected = {"anyOf": [{"type": "string", "enum": list(others)}, nobody]} if others else nobody
    schema = INFLUENCE.schema
    return Form(INFLUENCE.name, {**schema, "properties": {**schema["properties"], "affected": affected}})


_LABELS: Mapping[str, Sequence[str]] = {
    "affected": (
        "affected character",
        "target",
        "target name",
        "受影响者",
        "受影响的角色",
        "受影响角色",
        "目标",
        "目标名称",
    ),
    "effect": ("influence", "impact", "影响", "效果", "具体影响"),
    "importance": ("重要性", "重要程度"),
    "result": ("outcome", "interaction result", "结果", "互动结果"),
    "position": ("位置", "所在位置"),
    "state": ("states", "condition", "状态"),
    "time": ("时间",),
    "location": ("place", "地点", "位置"),
    "description": ("描述", "场景描述"),
    "concluded": ("story concluded", "已结束", "是否结束", "故事结束"),
    "belief": ("beliefs", "信念"),
    "desire": ("desires", "愿望", "欲望"),
    "intention": ("intentions", "意图"),
    "others": ("perception of others", "view of others", "对他人的感知", "对他人的看法", "他人"),
    "scene": ("understanding of the scene", "understanding of scene", "对场景的理解", "场景"),
    "bearing": ("influence on behavior", "influence on behaviour", "impact on behavior", "对行为的影响", "影响"),
}


PROSE_LABELS: Mapping[str, Sequence[str]] = {
    "action": ("action", "行动", "动作"),
    "dialogue": ("dialogue", "speech", "对话", "台词"),
    "reaction": ("reaction", "反应"),
}
"""For each task of prose the words with which a model may name what it gives."""

_DISPENSABLE = ("importance",)


_BETWEEN = re.compile(r"[;；]{2}|(?<=[\]】])[;；](?=[ \t]{0,9}[\[【])")
_BRACKETS = "[]【】"
_IMPORTANCE = re.compile(r"\W{0,9}(?:importance|重要性|重要程度)\W{0,9}[:：]", re.IGNORECASE)


def _labels(reply: type[BaseModel]) -> dict[str, Sequence[str]]:
    return {field: _LABELS[field] for field in reply.model_fields}


def _read(text: str, model: type[M], dispensable: Collection[str] = ()) -> M:
    """The form from a reply: JSON, or text with labels. Raises ReplyError, saying which field is missing or wrong."""
    return _checked(text, model, read_fields(text, _labels(model)), dispensable)


def _checked(text: str, model: type[M], ways: Sequence[Way], dispensable: Collection[str]) -> M:
    """What the first of the ways gives that can be used.

    The `dispensable` fields are left out, to take their defaults, when nothing can be read with them.
    """
    problems: list[Reason] = []
    for without in ((), dispensable) if dispensable else ((),):
        for way in ways:
            told = {field: values for field, values in way.fields.items() if field not in without}
            lost = [field for field in model.model_fields if field not in told and field not in without]
            problems += [Reason("field_twice", field=field) for field, values in told.items() if values[1:]]
            if way.cut and lost:
                problems.append(Reason("fields_cut_off", fields=_in_a_row(lost)))
            elif not any(values[1:] for values in told.values()):
                try:
                    return model.model_validate({field: value for field, [value] in told.items()})
                except ValidationError as error:
                    problems += map(_wrong, error.errors())
    raise ReplyError(several(problems), reply=text)


def _in_a_row(fields: Sequence[str]) -> Reason | str:
    first, *rest = fields
    return Reason("and", first=first, rest=_in_a_row(rest)) if rest else first


def _wrong(error: ErrorDetails) -> Reason:
    """What pydantic finds wrong with a field, in the words of pydantic, which models know."""
    field, bounds = ".".join(map(str, error["loc"])), error.get("ctx", {})
    match error["type"]:
        case "greater_than_equal":
            return Reason("field_greater_than_equal", field=field, least=bounds["ge"])
        case "less_than_equal":
            return Reason("field_less_than_equal", field=field, most=bounds["le"])
        case kind if f"field_{kind}" in TEXTS:
            return Reason(f"field_{kind}", field=field)
        case _:
            return Reason("field_wrong", field=field, what=error["msg"])


def _in_three_parts(text: str) -> Way | None:
    """The paper's `[actor];; [target];; [effect]`; None if the reply has another form.

    Raises ReplyError if the last bracket is not closed: a text that is cut off is no text.
    """
    parts = [part.strip(" \t\r\n*") for part in _BETWEEN.split(plain(text).rstrip(" \t\n;；"))]
    if len(parts) != 3 or not all(part.strip(f"{_BRACKETS} ") for part in parts):
        return None
    if parts[2][0] in _BRACKETS and not any(closing in parts[2] for closing in "]】"):
        raise ReplyError(Reason("field_cut_off", field="effect"), reply=text)
    affected, effect = (part.strip(f"{_BRACKETS} ") for part in parts[1:])
    return Way({"affected": [affected], "effect": [effect]}, cut=False)


def read_influence(text: str, *, actor: str, names: Sequence[str], last: bool = False) -> InfluenceReply:
    """The influence of the actor's action, with `affected` the exact name of another character or None.

    The paper's `[actor];; [target];; [effect]` is read too; the actor as target means that nobody is affected. In the
    `last` reply there will be, an importance that can't be used is left out.
    Raises ReplyError if a target is named that is not in the cast, or no effect is told.
    """
    dispensable = _DISPENSABLE if last else ()
    way = _in_three_parts(text)
    reply = _checked(text, InfluenceReply, [way], dispensable) if way else _read(text, InfluenceReply, dispensable)
    if reply.affected is None:
        return reply
    affected = match_name(reply.affected, names)
    if affected is None and not means_nobody(reply.affected):
        known = ", ".join(name for name in names if name != actor)
        raise ReplyError(Reason("nobody_known", name=repr(reply.affected), known=known), reply=text)
    return reply.model_copy(update={"affected": None if affected == actor else affected})


def read_result(text: str, *, last: bool = False) -> ResultReply:
    """The result of an interaction: the JSON form, a labelled text, or plain prose, which then has no importance.

    In the `last` reply there will be, an importance that can't be used is left out. Raises ReplyError if there is no
    result.
    """
    labels = _labels(ResultReply)
    try:
        told = any("result" in way.fields for way in read_fields(text, labels))
    except ReplyError:
        told = False
    if told or is_json(text):
        return _read(text, ResultReply, _DISPENSABLE if last else ())
    prose = read_prose(text, labels=("result", *labels["result"]))
    if _IMPORTANCE.match(prose):
        raise ReplyError(Reason("importance_alone"), reply=text)
    return ResultReply(result=prose)


def read_character_update(text: str) -> CharacterUpdateReply:
    """Position and state of a character. Raises ReplyError if either is missing."""
    return _read(text, CharacterUpdateReply)


def read_environment_update(text: str) -> EnvironmentUpdateReply:
    """Time, location and description of the environment. Raises ReplyError if one is missing."""
    return _read(text, EnvironmentUpdateReply)


def read_self_belief(text: str) -> SelfBeliefReply:
    """Belief, desire and intention. Raises ReplyError if one is missing."""
    return _read(text, SelfBeliefReply)


def read_environment_belief(text: str) -> EnvironmentBeliefReply:
    """The view of others, of the scene and its bearing. Raises ReplyError if one is missing."""
    return _read(text, EnvironmentBeliefReply)
