"""The replies that the narrator and the characters give in a form, and how to read them.

The forms are those of the paper (appendix D), as JSON; its text formats are read too.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator, StringConstraints

from characterbox.errors import ReplyError
from characterbox.llm.reading import (
    is_json,
    is_nothing,
    match_name,
    means_nobody,
    plain,
    read_fields,
    read_object,
    read_prose,
)
from characterbox.llm.request import Form
from characterbox.play.events import Importance
from characterbox.values import Value


def _no_placeholder(value: Any) -> Any:
    if value is None or (isinstance(value, str) and is_nothing(value)):
        raise ValueError("has no text")
    return value


def _number_alone(value: Any) -> Any:
    """The `7` of `7/10` and `7.`; anything else stays as it is."""
    found = re.fullmatch(r"\s*(\d+)\s*(?:[/／]\s*10|分)?\s*[.。]?\s*", value) if isinstance(value, str) else None
    return found.group(1) if found else value


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
    importance: Annotated[Importance | None, BeforeValidator(_number_alone)] = None
    """1 to 10; None when the narrator gave none, or twice none that can be used."""


class ResultReply(Value):
    """What comes of an interaction."""

    result: Text
    importance: Annotated[Importance | None, BeforeValidator(_number_alone)] = None
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
RESULT = Form.of("result", ResultReply)
CHARACTER_UPDATE = Form.of("character_update", CharacterUpdateReply)
ENVIRONMENT_UPDATE = Form.of("environment_update", EnvironmentUpdateReply)
SELF_BELIEF = Form.of("self_belief", SelfBeliefReply)
ENVIRONMENT_BELIEF = Form.of("environment_belief", EnvironmentBeliefReply)

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


def _labels(reply: type[Value]) -> dict[str, Sequence[str]]:
    return {field: _LABELS[field] for field in reply.model_fields}


def read_influence(text: str, *, actor: str, names: Sequence[str], last: bool = False) -> InfluenceReply:
    """The influence of the actor's action, with `affected` the exact name of another character or None.

    The paper's `[actor];; [target];; [effect]` is read too; the actor as target means that nobody is affected. In the
    `last` reply there will be, an importance that can't be used is left out.
    Raises ReplyError if a target is named that is not in the cast, or no effect is told.
    """
    parts = [part.strip(" \t\r\n[]【】*") for part in re.split(r"[;；]{2}", plain(text))]
    if len(parts) == 3 and all(parts):
        reply = InfluenceReply(affected=parts[1], effect=parts[2])
    else:
        dispensable = _DISPENSABLE if last else ()
        reply = read_object(text, InfluenceReply, _labels(InfluenceReply), dispensable=dispensable)
    if reply.affected is None:
        return reply
    affected = match_name(reply.affected, names)
    if affected is None and not means_nobody(reply.affected):
        known = ", ".join(name for name in names if name != actor)
        raise ReplyError(f"affected: {reply.affected!r} is none of the characters {known}", reply=text)
    return reply.model_copy(update={"affected": None if affected == actor else affected})


def read_result(text: str, *, last: bool = False) -> ResultReply:
    """The result of an interaction: the JSON form, a labelled text, or plain prose, which then has no importance.

    In the `last` reply there will be, an importance that can't be used is left out. Raises ReplyError if there is no
    result.
    """
    labels = _labels(ResultReply)
    try:
        told = any("result" in fields for fields in read_fields(text, labels))
    except ReplyError:
        told = False
    if told or is_json(text):
        return read_object(text, ResultReply, labels, dispensable=_DISPENSABLE if last else ())
    return ResultReply(result=read_prose(text, labels=("result", *labels["result"])))


def read_character_update(text: str) -> CharacterUpdateReply:
    """Position and state of a character. Raises ReplyError if either is missing."""
    return read_object(text, CharacterUpdateReply, _labels(CharacterUpdateReply))


def read_environment_update(text: str) -> EnvironmentUpdateReply:
    """Time, location and description of the environment. Raises ReplyError if one is missing."""
    return read_object(text, EnvironmentUpdateReply, _labels(EnvironmentUpdateReply))


def read_self_belief(text: str) -> SelfBeliefReply:
    """Belief, desire and intention. Raises ReplyError if one is missing."""
    return read_object(text, SelfBeliefReply, _labels(SelfBeliefReply))


def read_environment_belief(text: str) -> EnvironmentBeliefReply:
    """The view of others, of the scene and its bearing. Raises ReplyError if one is missing."""
    return read_object(text, EnvironmentBeliefReply, _labels(EnvironmentBeliefReply))
