"""Who perceives what: everyone present sees actions and results and hears speech; an influence is only felt.

Where somebody is can be seen by all; how somebody is, only the character itself and the narrator know, for a state
holds what nobody can see. What a character believes is its own.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from characterbox.play.events import (
    Action,
    ActionInfluence,
    CharacterUpdate,
    Dialogue,
    EnvironmentBelief,
    EnvironmentUpdate,
    Event,
    InteractionResult,
    Reaction,
    SelfBelief,
)
from characterbox.play.memory import Memory
from characterbox.play.world import CharacterNow, Passage, World
from characterbox.prompts import Words, fill, variables, words
from characterbox.scenes.scene import Environment
from characterbox.values import Language

_SURROUNDINGS = "surroundings"
_SENTENCE = re.compile(r"[^.!?。！？]+[.!?。！？]*[”’」』\"'）)]*\s*|[.!?。！？]+\s*")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
"""Letters of scripts that put no spaces between words, so that any letter may follow a name."""
_GOES_ON = re.compile(r"[-\u2010\u2011]?\w")
"""How a word goes on, also after a hyphen: `Annoyed`, `Ann-Marie`, but not `Ann's`."""
_FIRST = 1

Knowers = Literal["all", "affected", "own", "seen"]
"""Who of the cast can know what an event tells: all; only the one affected, as nobody else feels it; only the character
itself; or the character itself, and of the rest what can be seen of it: where it is."""

KNOWERS: Mapping[str, Knowers] = {
    "action": "all",
    "dialogue": "all",
    "action_influence": "affected",
    "reaction": "all",
    "interaction_result": "all",
    "character_update": "seen",
    "environment_update": "all",
    "self_belief": "own",
    "environment_belief": "own",
    "story_ended": "all",
}
"""By the kind of the event."""

Onlooker = str | None
"""The name of a character; None for the narrator, who perceives everything but beliefs."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of what somebody is told."""

    memory: Memory
    topic: str | None = None
    """What the line tells the latest of: a later line of the same topic makes it obsolete. None for what happened."""


def line(event: Event, language: Language) -> str | None:
    """The event as somebody who was there would put it; None for what nobody perceives as such."""
    memory = words(language).memory
    template = {
        Action: memory.action,
        Dialogue: memory.dialogue,
        ActionInfluence: memory.influence,
        Reaction: memory.reaction,
        InteractionResult: memory.result,
    }.get(type(event))
    if template is None or (isinstance(event, ActionInfluence) and event.affected is None):
        return None
    if isinstance(event, Dialogue) and not event.text:
        template = memory.silence
    return fill(template, **{name: getattr(event, name) for name in variables(template)})


def perceives(onlooker: Onlooker, event: Event) -> bool:
    """Whether the onlooker perceives the event."""
    match event:
        case ActionInfluence():
            return onlooker is None or event.affected == onlooker
        case Action() | Dialogue() | Reaction() | InteractionResult():
            return True
        case _:
            return False


def memories(onlooker: Onlooker, passage: Passage, language: Language) -> Iterator[Memory]:
    """What the onlooker keeps of a passage: what happened. Its importance is what the narrator said of it."""
    for event in passage.events:
        if perceives(onlooker, event) and (text := _plainly(event) or line(event, language)) is not None:
            yield Memory(passage.round, passage.clock, text, _importance(event, passage.events))


def told(onlooker: Onlooker, passage: Passage, language: Language) -> Iterator[Line]:
    """What the onlooker is told of a passage, in order: what happened, and then what has changed by it."""
    yield from (Line(memory) for memory in memories(onlooker, passage, language))
    phrases, world = words(language), passage.opening
    for event in passage.events:
        for topic, change in _changes(onlooker, event, world, phrases):
            yield Line(Memory(passage.round, passage.clock, change), topic)
        world = world.after(event)


def standing(onlooker: Onlooker, passage: Passage, language: Language) -> Iterator[Line]:
    """How things stand for the onlooker as the passage begins.

    As the first one begins, that is only how the onlooker itself is: the scene and the cast tell the rest.
    """
    phrases, world = words(language), passage.opening
    known = passage.clock == _FIRST
    described = [] if known else list(_described(world.environment, phrases))
    for name, now in world.characters.items():
        if name == onlooker or not known:
            described.append(_whereabouts(onlooker, name, now, phrases))
    if onlooker is not None:
        own = world.characters[onlooker]
        described += [_believed(one, phrases) for one in (own.self_belief, own.environment_belief) if one is not None]
    for topic, text in described:
        yield Line(Memory(passage.round, passage.clock, text), topic)


def _plainly(event: Event) -> str | None:
    """What somebody does, where the text says itself who does it."""
    if isinstance(event, Action | Reaction) and _begins_with(event.text, event.character):
        return event.text
    return None


def _begins_with(text: str, name: str) -> bool:
    """Whether the text begins with the name, and not with a longer word."""
    if not text.startswith(name):
        return False
    rest = text[len(name) :]
    if not name[-1].isalnum() or _UNSPACED.match(name[-1]) or _UNSPACED.match(rest):
        return True
    return _GOES_ON.match(rest) is None


def _importance(event: Event, turn: Sequence[Event]) -> int | None:
    """What the narrator said with the influence of the turn, or with its result."""
    source = InteractionResult if isinstance(event, Reaction | InteractionResult) else ActionInfluence
    return next((one.importance for one in turn if isinstance(one, source)), None)


def _changes(onlooker: Onlooker, event: Event, before: World, words: Words) -> Iterator[tuple[str | None, str]]:
    """What the event makes different for the onlooker, each with its topic."""
    match event:
        case EnvironmentUpdate():
            now = Environment(time=event.time, location=event.location, description=event.description)
            yield from _surroundings(onlooker, before.environment, now, words)
        case CharacterUpdate():
            now_there = CharacterNow(event.position, event.state)
            change = _whereabouts(onlooker, event.character, now_there, words)
            if change != _whereabouts(onlooker, event.character, before.characters[event.character], words):
                yield change
        case SelfBelief() | EnvironmentBelief() if event.character == onlooker:
            yield _believed(event, words)
        case _:
            pass


def _surroundings(
    onlooker: Onlooker, before: Environment, now: Environment, words: Words
) -> Iterator[tuple[str | None, str]]:
    """What is different in the environment. Of a description that stays in part, a character notices what is new."""
    there = set(_described(before, words))
    changes = dict(change for change in _described(now, words) if change not in there)
    novelty = _novelty(before.description, now.description)
    for topic, text in changes.items():
        if topic == _SURROUNDINGS and onlooker is not None and novelty not in {"", now.description.strip()}:
            yield None, fill(words.blocks.novelty, novelty=novelty)
        else:
            yield topic, text


def _novelty(before: str, now: str) -> str:
    """The sentences that were not there before."""
    known = {sentence.strip() for sentence in _SENTENCE.findall(before)}
    return "".join(one for one in _SENTENCE.findall(now) if one.strip() not in known).strip()


def _described(environment: Environment, words: Words) -> Iterator[tuple[str, str]]:
    blocks = words.blocks
    yield "time", fill(blocks.time, time=environment.time)
    yield "location", fill(blocks.location, location=environment.location)
    yield _SURROUNDINGS, fill(blocks.surroundings, description=environment.description)


def _whereabouts(onlooker: Onlooker, name: str, now: CharacterNow, words: Words) -> tuple[str, str]:
    topic = f"whereabouts of {name}"
    if onlooker in {None, name}:
        return topic, fill(words.blocks.standing, name=name, position=now.position, state=now.state)
    return topic, fill(words.blocks.seen, name=name, position=now.position)


def _believed(belief: SelfBelief | EnvironmentBelief, words: Words) -> tuple[str, str]:
    block = words.blocks.self_belief if isinstance(belief, SelfBelief) else words.blocks.environment_belief
    return belief.kind, fill(block, **{name: getattr(belief, name) for name in variables(block)})
