"""The form in which a recorded reply was asked for, and the reply in that form.

A story tells its prompts by version, and one of before may have been played on with others. What a reply was asked in
is told by its digest alone.
"""

import json
from collections.abc import Iterable, Iterator

from pydantic import BaseModel

from characterbox.llm.journal import Reply
from characterbox.llm.request import Form, Request
from characterbox.play.events import (
    Action,
    ActionInfluence,
    CharacterUpdate,
    EnvironmentBelief,
    EnvironmentUpdate,
    Event,
    InteractionResult,
    SelfBelief,
)
from characterbox.play.paths import asked_at
from characterbox.play.replies.forms import (
    CHARACTER_UPDATE,
    ENVIRONMENT_BELIEF,
    ENVIRONMENT_UPDATE,
    LATER,
    OF_THE_AFFECTED,
    SELF_BELIEF,
    form_among,
)
from characterbox.play.world import Script, World
from characterbox.scenes.scene import Scene


class UnknownForm(LookupError):
    """A reply answers a prompt of another version, in a form that is not known any more."""


def influence_forms(scene: Scene, actor: str) -> tuple[Form, Form]:
    """The form of an influence in the first version of the prompts, and its form now."""
    others = tuple(name for name in scene.names if name != actor)
    return form_among("influence", others, LATER["influence"]), form_among("influence", others)


def result_forms(scene: Scene) -> tuple[Form, Form]:
    """The form of a result in the first version of the prompts, and its form now."""
    now = form_among("result", scene.names, () if scene.masked else ("recognised",))
    return form_among("result", scene.names, LATER["result"]), now


def called_by(actor: str, world: World) -> dict[str, str]:
    """The true names of those to whom a character can speak, by what it calls them (see `Turn.action`)."""
    view = world.characters[actor].view
    return {world.names.name(actor, other, view.recognised): other for other in world.characters if other in view.met}


def forms_of(event: Event, scene: Scene, called: Iterable[str], *, affects: bool) -> Iterator[Form | None]:
    """The forms in which the reply behind an event can have been asked for, the likeliest first; None is prose.

    `called` are those to whom the one who acts can speak; `affects` tells whether somebody is affected on the turn.
    """
    match event:
        case Action():
            yield form_among("action", tuple(called))
            yield None
        case ActionInfluence():
            yield from reversed(influence_forms(scene, event.character))
        case InteractionResult():
            yield from reversed(result_forms(scene))
        case CharacterUpdate() | EnvironmentUpdate():
            yield form_among("updates", scene.names, () if affects else OF_THE_AFFECTED)
            yield CHARACTER_UPDATE if isinstance(event, CharacterUpdate) else ENVIRONMENT_UPDATE
        case SelfBelief():
            yield SELF_BELIEF
        case EnvironmentBelief():
            yield ENVIRONMENT_BELIEF
        case _:
            yield None


def form_asked(reply: Reply, script: Script, forms: Iterable[Form | None]) -> Form | None:
    """The one of these forms in which a reply was asked for; None for prose. Raises UnknownForm where it is none."""
    agent = asked_at(reply.path)
    sampling = script.settings.narrator if agent is None else script.settings.characters
    for form in forms:
        request = Request(reply.path, agent, script.scene.language, reply.messages, form, sampling=sampling)
        if request.digest(script.seed) == reply.digest:
            return form
    raise UnknownForm(reply.path)


def in_form(value: BaseModel, form: Form) -> str:
    """A value as the JSON that a reply in the form is: its fields alone, in its order."""
    told = value.model_dump(mode="json")
    return json.dumps({field: told[field] for field in form.schema["properties"]}, ensure_ascii=False)
