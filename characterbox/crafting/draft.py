"""A draft: a scene as the screenwriter and the director write it down, one JSON object."""

import json
from collections.abc import Mapping
from typing import Any

from annotations.blinding.folded_text import han_share, latin_share
from annotations.i18n.messages import Message
from characterbox.crafting.request import Wish, scene_id
from characterbox.errors import ReplyError, SceneError
from characterbox.llm.replies.loose_json import json_objects
from characterbox.llm.replies.reading import plain, storable
from characterbox.llm.request import Form
from characterbox.scenes.importer import read_scene_bytes
from characterbox.scenes.repairs import COPY_DROPPED, SET_TO, SET_TO_LOCATION
from characterbox.scenes.scene import Profile, Scene
from characterbox.values import LANGUAGES

_HEADINGS = ("title", "time", "location", "description")
_IN_ITS_LANGUAGE = 0.5
"""Share of the letters of a draft that must be of its language's script; names may be of another."""


def object_of(properties: Mapping[str, object]) -> dict[str, Any]:
    """The JSON schema of an object with these properties, all of them, and no other."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": [*properties],
        "additionalProperties": False,
    }


_TEXT = {"type": "string"}
_NOTES = {"type": "array", "items": _TEXT}
_CHARACTER: Mapping[str, Mapping[str, Any]] = {
    "name": _TEXT,
    "gender": _TEXT,
    "public_face": _TEXT,
    "description": _TEXT,
    "knowledge": _NOTES,
    "unaware": _NOTES,
    "other_names": _NOTES,
    "known_as": {"type": "array", "items": object_of({"name": _TEXT, "by": _NOTES})},
    "unseen_by": _NOTES,
    "position": _TEXT,
    "state": _TEXT,
}
DRAFT_FORM = Form(
    "scene_draft",
    object_of(
        {
            **dict.fromkeys(_HEADINGS, _TEXT),
            "characters": {"type": "array", "items": object_of(_CHARACTER)},
            "plot": _TEXT,
        }
    ),
)


def draft_of(scene: Scene) -> str:
    """A scene as a draft: what `read_draft` reads."""
    environment = scene.environment.model_dump()
    fields = {
        "title": scene.title,
        **environment,
        "characters": [_written(profile) for profile in scene.cast],
        "plot": scene.plot or "",
    }
    return json.dumps(fields, ensure_ascii=False, indent=1)


def _written(profile: Profile) -> dict[str, Any]:
    values = profile.model_dump()
    return {key: values.get(key) or ([] if form["type"] == "array" else "") for key, form in _CHARACTER.items()}


def read_draft(text: str, wish: Wish, crafting: str, number: int) -> Scene:
    """The scene in a reply, as scene `number` of a crafting. Raises ReplyError, saying what keeps it from being one."""
    fields = fields_in(text)
    piece = wish.piece(number)
    scene = scene_of(
        {
            "id": scene_id(wish, crafting, number),
            "title": fields.get("title"),
            "work": wish.work,
            "author": wish.author,
            "language": wish.language,
            "origin": "extracted" if wish.way == "extract" else "generated",
            "environment": {key: fields.get(key) for key in ("time", "location", "description")},
            "cast": fields["characters"],
            "plot": fields.get("plot"),
            "passage": piece.passage.model_dump() if piece is not None and wish.way == "extract" else None,
            "crafted": wish.crafted.model_dump(),
        },
        text,
    )
    if not wish.fewest <= len(scene.cast) <= wish.most:
        numbers = {"count": len(scene.cast), "fewest": wish.fewest, "most": wish.most}
        raise ReplyError(
            Message("the scene has {count} characters; it needs {fewest} to {most}", **numbers), reply=text
        )
    check_language(scene, text)
    return scene


def check_language(scene: Scene, reply: str) -> None:
    """Raises ReplyError where a scene is not written in the letters of its language."""
    share = han_share if scene.language == "zh" else latin_share
    text = "".join([scene.title, scene.environment.description, *(who.account for who in scene.cast)])
    if not any(sign.isalpha() for sign in text) or share(text) < _IN_ITS_LANGUAGE:
        language = Message(LANGUAGES[scene.language])
        told = Message("the scene is not written in {language}; write all its texts in {language}", language=language)
        raise ReplyError(told, reply=reply)


_INVENTED: Mapping[str, Message] = {
    SET_TO: Message("empty or missing"),
    SET_TO_LOCATION: Message("empty or missing"),
    COPY_DROPPED: Message("dropped"),
}
"""The repairs that stand something in for what a model has to say itself, or take something away, and what is told of
each."""


def scene_of(fields: Mapping[str, Any], reply: str) -> Scene:
    """A scene by the rules by which scenes are imported; blanks, and signs that nobody sees, are put right as there.

    Raises ReplyError if it is none, or does not say where or how somebody is.
    """
    written = storable(json.dumps(fields, ensure_ascii=False)).encode()
    try:
        file = read_scene_bytes("draft.json", written)
    except SceneError as error:
        raise ReplyError(error.message, reply=reply) from error
    if file.refused:
        refusal = file.refused[0]
        told = {"field": refusal.field, "why": refusal.why, "remedy": refusal.remedy}
        raise ReplyError(Message("{field}: {why}; {remedy}", **told), reply=reply)
    for repair in file.repairs:
        if isinstance(repair.what, Message) and (what := _INVENTED.get(repair.what.text)) is not None:
            raise ReplyError(Message("{field}: {what}; write it down", field=repair.field, what=what), reply=reply)
    return file.scenes[0].model_copy(update={"id": fields["id"]})


def fields_in(text: str) -> dict[str, Any]:
    """The last object in a reply that has characters. Raises ReplyError if there is none."""
    content = plain(text)
    try:
        found = [json.loads(content)]
    except (ValueError, RecursionError):
        found = [_unpaired(one.pairs) for one in json_objects(content) if not one.cut]
    drafts: list[dict[str, Any]] = [one for one in found if isinstance(one, dict) and "characters" in one]
    if not drafts:
        raise ReplyError(Message("there is no scene in the reply: no whole JSON object with 'characters'"), reply=text)
    return drafts[-1]


def _unpaired(value: Any) -> Any:
    """Objects, which `json_objects` gives as tuples of pairs, as dictionaries."""
    if isinstance(value, tuple):
        return {key: _unpaired(inner) for key, inner in value}
    return [_unpaired(inner) for inner in value] if isinstance(value, list) else value
