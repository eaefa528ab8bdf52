"""The fields in which a reply is written, and the reply that comes of what was written into them."""

import json
from collections.abc import Iterable, Mapping
from string import Template
from typing import Any

from characterbox.components.answer.words import HINTS, LABELS, NOBODY
from characterbox.llm.request import Form
from characterbox.play import replies
from characterbox.play.events import Dialogue, Event
from characterbox.play.paths import parse_path
from characterbox.play.world import World
from characterbox.prompts import words
from characterbox.scenes.scene import Scene, slug_of
from characterbox.values import Language

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


def field_at_fault(message: str, fields: Iterable[Mapping[str, Any]]) -> str | None:
    """The field that an error begins with, such as `effect: has no text`; None if it is about the whole."""
    named = message.partition(":")[0].strip()
    return named if any(field["name"] == named for field in fields) else None


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
