"""A story as plain text, set like a screenplay: what can be seen and heard, and what comes of it."""

from collections.abc import Iterator, Sequence

from annotations.i18n.translation import say, speaking
from characterbox.components.player.asides import manner, recognitions
from characterbox.components.player.text import made
from characterbox.llm.endpoint import Casting
from characterbox.play.events import Action, Dialogue, EnvironmentUpdate, Event, InteractionResult, Reaction, StoryEnded
from characterbox.play.world import World
from characterbox.scenes.scene import Environment, Scene

_SPEAKER, _SPEECH = " " * 20, " " * 10


def screenplay(scene: Scene, events: Sequence[Event], casting: Casting) -> str:
    """The text, in the language of the scene: paragraphs with an empty line between them.

    Influences, states and beliefs are not in it: nobody on a stage sees them.
    """
    with speaking(scene.language):
        return "\n\n".join([*_head(scene, made(casting)), *_body(scene, events)]) + "\n"


def _head(scene: Scene, how: str | None) -> Iterator[str]:
    yield scene.title.upper()
    yield scene.work
    if how is not None:
        yield how
    yield say("Cast: {names}", names=say(", ").join(scene.names))
    yield _place(scene.environment)
    yield scene.environment.description


def _body(scene: Scene, events: Sequence[Event]) -> Iterator[str]:
    world, round = World.opening(scene), 0
    for event in events:
        if event.round != round and not isinstance(event, StoryEnded):  # nothing is to be seen before the first one
            round = event.round
            yield say("ROUND {n}", n=round)
        yield from _told(event, world)
        world = world.after(event)


def _told(event: Event, world: World) -> Iterator[str]:
    match event:
        case Action(unseen=True):
            yield say("{act} (meant to go unnoticed)", act=event.text)
        case Action() | Reaction():
            yield event.text
        case InteractionResult():
            yield event.text
            yield from recognitions(event)
        case Dialogue() if event.text.strip():
            lines = [manner(event), *event.text.splitlines()]
            speech = "\n".join(_SPEECH + line for line in lines if line)
            yield f"{_SPEAKER}{event.character.upper()}\n{speech}"
        case EnvironmentUpdate():
            now = Environment(time=event.time, location=event.location, description=event.description)
            if (now.time, now.location) != (world.environment.time, world.environment.location):
                yield _place(now)
            if now.description != world.environment.description:
                yield now.description
        case StoryEnded():
            yield say("THE END")


def _place(environment: Environment) -> str:
    return say("{place} — {time}", place=environment.location, time=environment.time).upper()
