"""The narrator's work in a story, as it is judged: each decision, beside what it answers (paper, section 6.5).

It is complete but for what only concerns characters: what they believe, which no narrator decides, is not in it.
"""

from collections.abc import Iterable, Iterator

from characterbox.play.events import (
    ActionInfluence,
    CharacterUpdate,
    EnvironmentUpdate,
    Event,
    InteractionResult,
)
from characterbox.play.perception import line
from characterbox.play.world import World
from characterbox.prompts import Words, fill, words
from characterbox.scenes.scene import Scene

_DECISIONS = ActionInfluence | InteractionResult | CharacterUpdate | EnvironmentUpdate


def narration(events: Iterable[Event], scene: Scene) -> str:
    """What the characters did and the narrator decided, as lines of text under a heading for each round.

    A step whose reply could not be read is told as such. Surroundings are told where they change: a narrator is to
    repeat what stays.
    """
    phrases, world, round = words(scene.language), World.opening(scene), 0
    lines: list[str] = []
    for event in events:
        told = list(_told(event, world, phrases, scene))
        if told and event.round != round:
            round = event.round
            lines.append(fill(phrases.memory.round, round=str(round)))
        lines += [_marked(text, event, phrases) for text in told]
        world = world.after(event)
    return "\n".join(lines)


def _told(event: Event, before: World, words: Words, scene: Scene) -> Iterator[str]:
    """What there is to tell of an event; nothing where it is neither for all to see nor the narrator's."""
    match event:
        case ActionInfluence(affected=None):
            yield fill(words.narration.nobody, text=event.text)
        case CharacterUpdate():
            yield fill(words.blocks.standing, name=event.character, position=event.position, state=event.state)
        case EnvironmentUpdate():
            yield from _surroundings(event, before, words)
        case _ if (told := line(event, scene.language)) is not None:
            yield told


def _surroundings(event: EnvironmentUpdate, before: World, words: Words) -> Iterator[str]:
    known, blocks = before.environment, words.blocks
    changes = [
        fill(block, **{name: getattr(event, name)})
        for name, block in (
            ("time", blocks.time),
            ("location", blocks.location),
            ("description", blocks.surroundings),
        )
        if getattr(event, name) != getattr(known, name)
    ]
    yield from changes or [words.narration.unchanged]
    if event.concluded:
        yield words.narration.concluded


def _marked(text: str, event: Event, words: Words) -> str:
    """One line, or several that are moved in, with whose it is and whether it stands for a reply nobody could read."""
    if event.degraded:
        text = fill(words.narration.unread, text=text)
    if isinstance(event, _DECISIONS):
        text = fill(words.narration.decision, text=text)
    return "- " + "\n  ".join(text.splitlines())
