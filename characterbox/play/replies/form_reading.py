"""A form from the text of a reply: its fields by the labels that models give them, checked by the model of the form.

Text with labels, as in the paper's formats, is read as well as JSON.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import product
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from characterbox.errors import ReplyError
from characterbox.llm.replies.reading import Way, is_json, read_fields
from characterbox.pause_reasons import TEXTS, Reason, several

M = TypeVar("M", bound=BaseModel)

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
        *("affected character", "target", "target name"),
        *("受影响者", "受影响的角色", "受影响角色", "目标", "目标名称"),
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
"""For each field the words, beside its name, with which a model may name it."""
_DISPENSABLE = ("importance", "seen_by", "heard_by", "felt", "recognised", "to", "hidden")
"""Fields without which the last reply there will be can be used: they take their defaults."""


def labels_of(model: type[BaseModel]) -> dict[str, Sequence[str]]:
    """The labels of the fields; a word for several of them belongs to the first, such as `位置` to the position."""
    labels: dict[str, Sequence[str]] = {}
    for field in model.model_fields:
        taken = {word for words in labels.values() for word in words}
        labels[field] = [word for word in _LABELS[field] if word not in taken]
    return labels


def read_form(text: str, model: type[M], *, last: bool = False) -> M:
    """The form from a reply: JSON, or text with labels. Raises ReplyError, saying which field is missing or wrong."""
    return checked_form(text, model, read_fields(text, labels_of(model)), last=last)


def checked_form(text: str, model: type[M], ways: Sequence[Way], *, last: bool = False) -> M:
    """What the first of the ways gives that can be used.

    In the `last` reply there will be, dispensable fields are left out when nothing can be read with them.
    """
    problems: list[Reason] = []
    for without, way in product(((), _DISPENSABLE) if last else ((),), ways):
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


def is_form(text: str, model: type[BaseModel], main: str) -> bool:
    """Whether a reply is to be read as a form: it is JSON, or tells the main field behind a label."""
    if is_json(text):
        return True
    try:
        return any(main in way.fields for way in read_fields(text, labels_of(model)))
    except ReplyError:
        return False


def label_before(prose: str, model: type[BaseModel]) -> str | None:
    """The field of the form whose label the prose begins with; None where it begins with none."""
    for field, labels in labels_of(model).items():
        words = "|".join(map(re.escape, (field, *labels)))
        if re.match(rf"\W{{0,9}}(?:{words})\W{{0,9}}[:：]", prose, re.IGNORECASE):
            return field
    return None
