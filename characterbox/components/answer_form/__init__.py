"""The form in which a person writes what a model would have replied, and the reply that comes of it.

What the browser is given is one JSON object::

    {"id": names what is answered, "language": "en" | "zh", "submit": the label of the button,
     "fields": [{"name", "label", "hint", "kind": "text" | "choice" | "scale" | "toggle",
                 "options": [{"label", "value"}, ...]}, ...],
     "values": {name: value} to begin with, "kept": the values that are stored, or None where nothing stores them,
     "problem": {"field": name or None, "text"} or None}

It tells each change of a field as the state `draft`, and the press of the button as the trigger `answer`; both are
`{"id", "values"}`. What is in the fields is never replaced while the same thing is answered.
"""

import json
from collections.abc import Iterable, Mapping
from string import Template
from typing import Any

from characterbox.components.web import Component, Told, form_heard
from characterbox.errors import ReplyError
from characterbox.llm.request import Form
from characterbox.pause_reasons import Reason
from characterbox.play import replies
from characterbox.play.events import Dialogue, Event
from characterbox.play.paths import parse_path
from characterbox.play.world import World
from characterbox.prompts import words
from characterbox.scenes.scene import Scene, slug_of
from characterbox.values import Language

LABELS: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "action": "What $name does next",
        "dialogue": "What $name says with it",
        "reaction": "How $name reacts",
        "affected": "Whom it affects most",
        "effect": "What it does to them; if it affects nobody, what it visibly does",
        "importance": "How memorable it is for those present: 1 is everyday, 10 changes a life",
        "result": "What comes of it",
        "position": "Where they are now",
        "state": "How they are now",
        "time": "Time",
        "location": "Place",
        "description": "What the place is like now",
        "concluded": "The story has come to its end",
        "belief": "Who I am, where I am, and how I am doing",
        "desire": "What I want",
        "intention": "What I mean to do",
        "others": "What I make of the others",
        "scene": "What the situation means to me",
        "bearing": "What follows from this for how I act",
    },
    "zh": {
        "action": "$name接下来做什么",
        "dialogue": "$name同时说什么",
        "reaction": "$name作何反应",
        "affected": "此举对谁影响最大",
        "effect": "对那个角色造成了什么影响；若未影响任何人，则写此举可见的结果",
        "importance": "在场者会记得多深：1 为平常小事，10 为改变一生",
        "result": "由此产生了什么结果",
        "position": "现在身在何处",
        "state": "现在状态如何",
        "time": "时间",
        "location": "地点",
        "description": "周围此刻的景象",
        "concluded": "故事到此结束",
        "belief": "我是谁、身在何处、身心如何",
        "desire": "我想要什么",
        "intention": "我打算做什么",
        "others": "我怎么看其他人",
        "scene": "眼下的局面对我意味着什么",
        "bearing": "因此我会怎样行事",
    },
}
"""For each field of a form, and each task of prose, what it asks; `$name` is the one who answers."""

HINTS: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "dialogue": "The words alone. To stay silent, write $silence",
    },
    "zh": {
        "dialogue": "只写台词。若沉默不语，请写$silence",
    },
}

NOBODY: Mapping[Language, str] = {"en": "nobody", "zh": "无人"}
SUBMIT: Mapping[Language, str] = {"en": "Play it", "zh": "就这样演"}


Values = Mapping[str, Any]
"""What stands in the fields, by name. A field that nobody has touched is not there."""

FORMS: Mapping[str, Form] = {
    "influence": replies.INFLUENCE,
    "result": replies.RESULT,
    "update": replies.CHARACTER_UPDATE,
    "environment": replies.ENVIRONMENT_UPDATE,
    "self-belief": replies.SELF_BELIEF,
    "environment-belief": replies.ENVIRONMENT_BELIEF,
}
"""The form of each step that has one, by the name of the step in its path."""

PROSE = "text"
"""The one field of a step without a form."""


def step_of(path: str) -> str:
    """The name of the step in a path: `action` in `r2/ron/action`, also where it is asked again."""
    return parse_path(path)[0].step


def fields_of(path: str, scene: Scene) -> list[dict[str, Any]]:
    """The fields for the reply at a path, as the browser is given them."""
    language, step = scene.language, step_of(path)
    form = FORMS.get(step)
    if form is None:
        name = _name_in(path, scene)
        hint = Template(HINTS[language].get(step, "")).substitute(silence=words(language).silence)
        return [_field(PROSE, Template(LABELS[language][step]).substitute(name=name), "text", hint=hint)]
    return [_form_field(name, path, scene) for name in form.schema["properties"]]


def written(path: str, values: Values) -> str:
    """The reply that these values make, as a model would give it."""
    form = FORMS.get(step_of(path))
    if form is None:
        return str(values.get(PROSE, "")).strip()
    return json.dumps({name: values[name] for name in form.schema["properties"] if name in values}, ensure_ascii=False)


def read_draft(path: str, draft: str) -> dict[str, Any]:
    """The values of a draft, which is their JSON; of another form, only what fits into the fields."""
    form = FORMS.get(step_of(path))
    names = [PROSE] if form is None else form.schema["properties"]
    values = json.loads(draft)
    return {name: values[name] for name in names if name in values}


def values_in(event: Event, language: Language) -> dict[str, Any]:
    """What the reply behind an event said."""
    form = FORMS.get(step_of(event.path))
    content = event.model_dump(mode="json")
    if form is None:
        silent = isinstance(event, Dialogue) and not event.text
        return {PROSE: words(language).silence if silent else content["text"]}
    told = {"effect": content.get("text"), "result": content.get("text"), **content}
    values = {name: told[name] for name in form.schema["properties"]}
    return {name: value for name, value in values.items() if value is not None or name == "affected"}


def values_now(path: str, scene: Scene, world: World) -> dict[str, Any]:
    """What an update begins with: where, how and what it is now. Other replies begin with nothing."""
    match step_of(path):
        case "update":
            now = world.characters[_name_in(path, scene)]
            return {"position": now.position, "state": now.state}
        case "environment":
            return {**world.environment.model_dump(), "concluded": False}
        case _:
            return {}


_ALWAYS_OF = {"nobody_known": "affected", "importance_alone": "result"}
"""The reasons that can be wrong with one field only."""


def field_at_fault(error: ReplyError, fields: Iterable[Mapping[str, Any]]) -> str | None:
    """The field that is wrong, and first; None if it is the whole."""
    reason = Reason.of(error)
    while reason.code == "several":
        reason = Reason.of(reason.values["first"])
    named = _ALWAYS_OF.get(reason.code) or reason.values.get("field")
    return next((field["name"] for field in fields if field["name"] == named), None)


def _name_in(path: str, scene: Scene) -> str:
    """Who acts or is noted at a path."""
    names = {slug_of(name): name for name in scene.names}
    return names[parse_path(path)[0].character]


def _form_field(name: str, path: str, scene: Scene) -> dict[str, Any]:
    language = scene.language
    label = LABELS[language][name]
    match name:
        case "affected":
            others = [one for one in scene.names if slug_of(one) != parse_path(path)[0].turn]
            options: list[dict[str, Any]] = [{"label": one, "value": one} for one in others]
            options.append({"label": NOBODY[language], "value": None})
            return _field(name, label, "choice", options)
        case "importance":
            return _field(name, label, "scale", [{"label": str(one), "value": one} for one in range(1, 11)])
        case "concluded":
            return _field(name, label, "toggle")
        case _:
            return _field(name, label, "text")


def _field(
    name: str, label: str, kind: str, options: list[dict[str, Any]] | None = None, *, hint: str = ""
) -> dict[str, Any]:
    return {"name": name, "label": label, "hint": hint, "kind": kind, "options": options or []}


_ANSWER = Component(
    "answer",
    ("player/nodes.js", "form.js", "answer_form/answer.js"),
    ("theme.css", "form.css", "answer_form/answer.css"),
)


def show_form(data: Mapping[str, Any], key: str, *, on_draft: Told, on_answer: Told) -> None:
    """Show the form on the Streamlit page that is running; `key` names this place of the page across reruns."""
    _ANSWER.mount(key, data, draft=form_heard(on_draft), answer=form_heard(on_answer))
