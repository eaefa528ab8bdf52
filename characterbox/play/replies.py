"""The replies that the narrator and the characters give in a form, and how to read them.

The forms are those of the paper (appendix D), as JSON; its text formats are read too.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, StringConstraints, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from characterbox.errors import ReplyError
from characterbox.llm.replies.character_names import match_name, means_nobody
from characterbox.llm.replies.reading import Way, is_json, is_nothing, number_alone, plain, read_fields, read_prose
from characterbox.llm.request import Form
from characterbox.pause_reasons import TEXTS, Reason, several
from characterbox.play.events import Importance
from characterbox.prompts import words
from characterbox.values import LANGUAGE_CODES, Value

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


def _nothing_or_text(value: Any) -> Any:
    """No text where a placeholder stands for it."""
    return None if isinstance(value, str) and is_nothing(value) else value


OptionalText = Annotated[str | None, StringConstraints(strip_whitespace=True), BeforeValidator(_nothing_or_text)]


def _flag(value: Any) -> Any:
    """No for what a placeholder stands for; else as `_yes_or_no`."""
    return False if value is None or (isinstance(value, str) and is_nothing(value)) else _yes_or_no(value)


def _some_names(value: Any) -> Any:
    """Names in a list, also where they are told as a text: none of them for nobody, None where nothing is told."""
    if isinstance(value, str):
        told = value.strip(" \t\r\n.。")
        bare = told.strip("[]【】 ")
        if told.casefold() in _NULL:
            return None
        return [] if not bare or means_nobody(bare) else [one.strip() for one in re.split(r"[,，、;；]", bare)]
    return value


_NULL = {"", "-", "null", "nil", "n/a", "na"}
"""What stands for a value that is not told, and is no word for nobody."""
_EVERYBODY = re.compile(
    r"(?:all|everyone|everybody|(?:all )?(?:the )?others|所有人|众人|在场的?(?:所有)?人|大家|其他人|其余的?人)"
    r"(?: else| others)?(?: present| there)?",
    re.IGNORECASE,
)
_EXCEPTS = re.compile(
    r"\b(?:all|everyone|everybody|anyone|but|except|excluding|without|not|save)\b|除|不包括|以外", re.IGNORECASE
)
"""What speaks of all but some: a name in it is that of somebody who is left out."""
NameList = Annotated[tuple[str, ...] | None, BeforeValidator(_some_names)]
"""None for all who are there, or for what is as it was."""


def _only_one(value: Any) -> Any:
    """What a list holds, where it is one thing."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


class ActionReply(Value):
    """What a character does and says. Words that are not told at all are asked for separately."""

    action: Text
    dialogue: OptionalText = None
    to: Annotated[str | None, BeforeValidator(_only_one)] = None
    whispered: Annotated[bool, BeforeValidator(_flag)] = False
    unseen: Annotated[bool, BeforeValidator(_flag)] = False


class InfluenceReply(Value):
    """Whom an action touches, and how."""

    affected: str | None
    effect: Text
    importance: Annotated[Importance | None, BeforeValidator(_number_to_ten)] = None
    """1 to 10; None when the narrator gave none, or twice none that can be used."""
    seen_by: NameList = None
    heard_by: NameList = None


class ByWhomReply(Value):
    """One character, and those others to whom something of it holds."""

    who: str
    by: Annotated[tuple[Text, ...], BeforeValidator(_some_names)]


def _objects(value: Any) -> Any:
    """Objects in a list, also one by itself; None where a placeholder stands for it."""
    if isinstance(value, tuple):
        value = [value]
    if isinstance(value, list):
        return [dict(one) if isinstance(one, tuple) else one for one in value]  # loose JSON gives objects as pairs
    return _nothing_or_text(value)


ByWhomList = Annotated[tuple[ByWhomReply, ...] | None, BeforeValidator(_objects)]


class ResultReply(Value):
    """What comes of an interaction."""

    result: Text
    felt: OptionalText = None
    importance: Annotated[Importance | None, BeforeValidator(_number_to_ten)] = None
    """1 to 10; None when the narrator gave none, or twice none that can be used."""
    seen_by: NameList = None
    recognised: ByWhomList = None


class CharacterUpdateReply(Value):
    """Where and how a character is now."""

    position: Text
    state: Text


def _cleared(value: Any) -> Any:
    """An empty text where a placeholder says that there is nothing."""
    return "" if isinstance(value, str) and is_nothing(value) else value


Clearable = Annotated[str | None, StringConstraints(strip_whitespace=True), BeforeValidator(_cleared)]


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
    concluded: Annotated[bool, BeforeValidator(_flag)] = False
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
_OF_ONE = ("to", "affected")
_OF_SOME = ("seen_by", "heard_by")
"""The fields that hold names: guided decoding can name nobody else."""


@lru_cache(maxsize=256)
def form_among(name: str, others: tuple[str, ...], without: tuple[str, ...] = ()) -> Form:
    """A form in which only these can be named, without some of its fields.

    Kept: each call of a story asks for one, and to make it takes 0.03 ms.
    """
    form = _FORMS[name]
    names: dict[str, Any] = {"type": "string", "enum": list(others)}
    nobody = {"type": "null"}
    one = {"anyOf": [names, nobody]} if others else nobody
    some = {"anyOf": [{"type": "array", "items": names}, nobody]} if others else nobody
    fields = {key: field for key, field in form.schema["properties"].items() if key not in without}
    fields |= {key: one for key in _OF_ONE if key in fields} | {key: some for key in _OF_SOME if key in fields}
    refers = "$ref" in repr(fields)
    schema = {key: told for key, told in form.schema.items() if refers or key != "$defs"}
    return Form(form.name, {**schema, "properties": fields, "required": list(fields)}, form.live)


_FORMS: Mapping[str, Form] = {form.name: form for form in (ACTION, INFLUENCE, RESULT, UPDATES)}
OF_THE_AFFECTED = ("other_position", "other_state", "other_visible")
"""The fields of an update that are about the one whom the turn affected."""
LATER: Mapping[str, tuple[str, ...]] = {
    "influence": ("seen_by", "heard_by"),
    "result": ("felt", "seen_by", "recognised"),
}
"""The fields of a form that the first version of the prompts does not ask for."""


_LABELS: Mapping[str, Sequence[str]] = {
    "action": ("act", "行动", "动作"),
    "dialogue": ("words", "speech", "says", "对话", "台词", "话语"),
    "to": ("addressee", "spoken to", "对谁", "对象"),
    "whispered": ("whisper", "quietly", "低声", "是否低声"),
    "unseen": ("secretly", "不被察觉", "是否隐蔽"),
    "felt": ("feels", "感受", "感觉"),
    "visible": ("looks", "外表", "可见"),
    "seen_by": ("seen by", "看见者", "谁看见"),
    "heard_by": ("heard by", "听见者", "谁听见"),
    "recognised": ("recognized", "被认出"),
    "hidden": ("unseen by", "不被察觉"),
    "other_position": ("other position", "对方位置"),
    "other_state": ("other state", "对方状态"),
    "other_visible": ("other visible", "对方外表"),
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

_DISPENSABLE = ("importance", "seen_by", "heard_by", "felt", "recognised", "to", "hidden")
"""Fields without which the last reply there will be can be used: they take their defaults."""


_BETWEEN = re.compile(r"[;；]{2}|(?<=[\]】])[;；](?=[ \t]{0,9}[\[【])")
_BRACKETS = "[]【】"
_IMPORTANCE = re.compile(r"\W{0,9}(?:importance|重要性|重要程度)\W{0,9}[:：]", re.IGNORECASE)


def _labels(reply: type[BaseModel]) -> dict[str, Sequence[str]]:
    """The labels of the fields; a word for several of them belongs to the first, such as `位置` to the position."""
    labels: dict[str, Sequence[str]] = {}
    for field in reply.model_fields:
        taken = {word for words in labels.values() for word in words}
        labels[field] = [word for word in _LABELS[field] if word not in taken]
    return labels


def _tells_all_but(field: str, reply: type[BaseModel], prose: str) -> bool:
    """Whether prose begins with the label of another field of the reply."""
    words = "|".join(
        re.escape(word) for one, labels in _labels(reply).items() if one != field for word in (one, *labels)
    )
    return re.match(rf"\W{{0,9}}(?:{words})\W{{0,9}}[:：]", prose, re.IGNORECASE) is not None


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


def read_action(text: str, *, speaker: str, names: Mapping[str, str], last: bool = False) -> ActionReply:
    """What a character does and says: the JSON form, a labelled text, or plain prose, which is the action alone.

    `names` gives the true name of each other by what the character calls it. In the `last` reply there will be, an
    addressee that can't be used is left out. Raises ReplyError if there is no action, or either is a refusal.
    """
    labels = _labels(ActionReply)
    try:
        told = any("action" in way.fields for way in read_fields(text, labels))
    except ReplyError:
        told = False
    if not told and not is_json(text):
        prose = read_prose(text, speaker=speaker, labels=PROSE_LABELS["action"])
        if not _tells_all_but("action", ActionReply, prose):
            return ActionReply(action=prose)
    reply = _performed(_read(text, ActionReply, _DISPENSABLE if last else ()), text, speaker)
    to = match_name(reply.to or "", names)
    if to is None and not last and not _is_to_all(reply.to):
        raise ReplyError(_no_such_name("to", reply.to or "", names), reply=text)
    if "dialogue" not in reply.model_fields_set and (reply.whispered or to is not None):
        if not last:  # the words would be asked for without saying for whom they are
            raise ReplyError(Reason("field_missing", field="dialogue"), reply=text)
        reply = reply.model_copy(update={"dialogue": None})
    return reply.model_copy(update={"to": None if to is None else names[to]})


def _is_to_all(to: str | None) -> bool:
    """Whether words are for nobody in particular."""
    return to is None or means_nobody(to) or _EVERYBODY.fullmatch(to.strip(" .。")) is not None


def _performed(reply: ActionReply, text: str, speaker: str) -> ActionReply:
    """The reply with action and words as their prose is read. Raises ReplyError if either is a refusal."""
    try:
        told = {"action": read_prose(reply.action, speaker=speaker, labels=PROSE_LABELS["action"])}
        if reply.dialogue:
            told["dialogue"] = read_speech(reply.dialogue, speaker=speaker)
    except ReplyError as error:
        raise ReplyError(Reason.of(error), reply=text) from None
    return reply.model_copy(update=told)


def read_speech(text: str, *, speaker: str) -> str:
    """The words spoken; empty for the agreed sign of silence, and for nothing else."""
    speech = read_prose(text, speaker=speaker, labels=PROSE_LABELS["dialogue"])
    bare = speech.strip(" ()（）[].。").casefold()
    return "" if bare in {words(language).silence.strip("()（）") for language in LANGUAGE_CODES} else speech


def read_influence(
    text: str, *, actor: str, names: Sequence[str], there: Collection[str] | None = None, last: bool = False
) -> InfluenceReply:
    """The influence of the actor's action, with `affected` the exact name of another character or None.

    `there` are those who are meant by everybody: all, where that is not told.

    The paper's `[actor];; [target];; [effect]` is read too; the actor as target means that nobody is affected. In the
    `last` reply there will be, an importance or a list that can't be used is left out.
    Raises ReplyError if a target is named that is not in the cast, or no effect is told.
    """
    dispensable = _DISPENSABLE if last else ()
    way = _in_three_parts(text)
    reply = _checked(text, InfluenceReply, [way], dispensable) if way else _read(text, InfluenceReply, dispensable)
    reply = _among(reply, names, text, there=there, last=last, without=actor)
    if reply.affected is None:
        return reply
    affected = match_name(reply.affected, names)
    if affected is None and not means_nobody(reply.affected):
        known = ", ".join(name for name in names if name != actor)
        raise ReplyError(Reason("nobody_known", name=repr(reply.affected), known=known), reply=text)
    return reply.model_copy(update={"affected": None if affected == actor else affected})


def _among(reply: M, names: Sequence[str], text: str, *, there: Collection[str] | None, last: bool, without: str) -> M:
    """The reply with the exact names of the cast in its lists, but for the one whom they are about.

    Raises ReplyError if somebody is named that is not in the cast; in the `last` reply the list is left out.
    """
    changes: dict[str, object] = {}
    for field in _OF_SOME:
        listed = getattr(reply, field, None)
        if listed is None:
            continue
        told, strangers = _named(listed, names, names if there is None else there)
        if strangers and not last:
            known = [name for name in names if name != without]
            raise ReplyError(_no_such_name(field, strangers[0], known), reply=text)
        changes[field] = None if strangers else tuple(name for name in names if name in told and name != without)
    return reply.model_copy(update=changes)


def _named(listed: Iterable[str], names: Sequence[str], everybody: Collection[str]) -> tuple[set[str], list[str]]:
    """Those who are named in a list, and what names nobody who is known; somebody who is left out is not named."""
    told, strangers = set[str](), list[str]()
    for one in listed:
        if (name := match_name(one, names)) is not None and (one in names or not _EXCEPTS.search(one)):
            told.add(name)
        elif _EVERYBODY.fullmatch(one.strip(" .。")):
            told.update(everybody)
        elif name is not None or not means_nobody(one):
            strangers.append(one)
    return told, strangers


def read_result(
    text: str, *, names: Sequence[str], there: Collection[str] | None = None, last: bool = False
) -> ResultReply:
    """The result of an interaction: the JSON form, a labelled text, or plain prose, which then has no importance.

    `there` are those who are meant by everybody: all, where that is not told.

    In the `last` reply there will be, an importance or a list that can't be used is left out. Raises ReplyError if
    there is no result.
    """
    labels = _labels(ResultReply)
    try:
        told = any("result" in way.fields for way in read_fields(text, labels))
    except ReplyError:
        told = False
    if told or is_json(text):
        reply = _read(text, ResultReply, _DISPENSABLE if last else ())
        reply = _among(reply, names, text, there=there, last=last, without="")
        recognised = _by_whom("recognised", reply.recognised or (), names, text, last=last)
        return reply.model_copy(update={"recognised": recognised})
    prose = read_prose(text, labels=("result", *labels["result"]))
    if _IMPORTANCE.match(prose):
        raise ReplyError(Reason("importance_alone"), reply=text)
    if _tells_all_but("result", ResultReply, prose):
        raise ReplyError(Reason("field_missing", field="result"), reply=text)
    return ResultReply(result=prose)


def _no_such_name(field: str, name: str, known: Iterable[str]) -> Reason:
    return Reason("field_nobody_known", field=field, name=repr(name), known=", ".join(known))


def _by_whom(
    field: str, listed: Sequence[ByWhomReply], names: Sequence[str], text: str, *, last: bool = False
) -> tuple[ByWhomReply, ...]:
    """The same with the exact names of the cast, each character once. Raises ReplyError if somebody is named that is
    not in it; in the `last` reply those are left out."""
    found: dict[str, set[str]] = {}
    for one in listed:
        who = match_name(one.who, names)
        by, strangers = _named(one.by, names, names)
        if who is None and not means_nobody(one.who):
            strangers = [one.who]
        if strangers and not last:
            raise ReplyError(_no_such_name(field, strangers[0], names), reply=text)
        if who is not None:
            found.setdefault(who, set()).update(by - {who})
    return tuple(
        ByWhomReply(who=who, by=tuple(name for name in names if name in by)) for who, by in found.items() if by
    )


def read_updates(text: str, *, names: Sequence[str], last: bool = False) -> UpdatesReply:
    """How things are after a turn. In the `last` reply there will be, who is hidden is as before where that can't be
    used. Raises ReplyError if it can't be read."""
    reply = _read(text, UpdatesReply, _DISPENSABLE if last else ())
    if reply.hidden is None:
        return reply
    try:
        if any(not one.by and match_name(one.who, names) for one in reply.hidden):
            raise ReplyError(Reason("field_missing", field="hidden.by"), reply=text)  # nobody, or everybody?
        hidden = _by_whom("hidden", reply.hidden, names, text)
    except ReplyError:
        if not last:
            raise
        hidden = None  # with somebody left out, whoever is not listed would come into sight
    return reply.model_copy(update={"hidden": hidden})


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
