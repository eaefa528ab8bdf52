"""What somebody observes and remembers, line by line, in the names that it has; `perception` decides what that is."""

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

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
from characterbox.play.names import Onlooker
from characterbox.play.perception import addressee, perceives
from characterbox.play.world import Appearance, Cast, Passage, World
from characterbox.prompts import MemoryLines, Words, fill, variables, words
from characterbox.scenes.name_words import UNSPACED
from characterbox.scenes.scene import Environment, Scene
from characterbox.values import Language

_SENTENCE = re.compile(r"[^.!?。！？]+[.!?。！？]*[”’」』\"'）)]*\s*|[.!?。！？]+\s*")
_GOES_ON = re.compile(r"[-\u2010\u2011]?\w")
"""How a word goes on, also after a hyphen: `Annoyed`, `Ann-Marie`, but not `Ann's`."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of what somebody is told."""

    memory: Memory
    topic: str | None = None
    """What the line tells the latest of: a later line of the same topic makes it obsolete. None for what happened."""


def line(event: Event, language: Language, onlooker: Onlooker, now: World) -> str | None:
    """The event as the onlooker would put it who perceives it; None for what nobody perceives as such.

    `now` is the world after it: from then on its names are known.
    """
    memory = words(language).memory
    template = {
        Action: memory.action,
        Dialogue: memory.dialogue,
        ActionInfluence: memory.influence,
        Reaction: memory.reaction,
        InteractionResult: memory.result,
    }.get(type(event))
    if template is None:
        return None
    if isinstance(event, ActionInfluence) and event.affected is None:
        template = memory.result  # what visibly happens
    to = addressee(event, onlooker, now)
    if isinstance(event, Dialogue):
        template = _spoken(event, to, memory)
    elif isinstance(event, Reaction) and to is None:
        template = memory.action
    elif _is_stealthy(event, onlooker):
        template = memory.unseen
    told = _told(event, onlooker, now)
    if isinstance(event, InteractionResult) and onlooker in {None, event.affected} and event.felt:
        template = memory.felt
    return fill(template, **{name: told[name] for name in variables(template)})


def _is_stealthy(event: Event, onlooker: Onlooker) -> bool:
    """Whether the onlooker knows that nobody is to notice it: its actor and the narrator do."""
    return isinstance(event, Action) and event.unseen and onlooker in {None, event.character}


def _spoken(event: Dialogue, to: str | None, memory: MemoryLines) -> str:
    """How words are told: whether there are any, and for whom they are."""
    if not event.text:
        return memory.silence
    if event.whispered:
        return memory.muttered if to is None else memory.whispered
    return memory.dialogue if to is None else memory.addressed


def _told(event: Event, onlooker: Onlooker, now: World) -> Mapping[str, str]:
    """The fields of the event as the onlooker has them: names as it knows them, and texts with these names."""
    named = partial(_name, onlooker, world=now)
    told = {
        field: named(name)
        for field in ("character", "affected", "to")
        if isinstance(name := getattr(event, field, None), str)
    }
    for field in ("text", "felt"):
        if isinstance(text := getattr(event, field, None), str):
            told[field] = text if isinstance(event, Dialogue) else retold(text, event, onlooker, now)
    return told


def retold(text: str, event: Event, onlooker: Onlooker, now: World) -> str:
    """A text of the event in the names that the onlooker knows."""
    author = event.character if isinstance(event, Action | Reaction | SelfBelief | EnvironmentBelief) else None
    return now.names.retold(text, author, onlooker, now.known(author), now.known(onlooker))


def _name(onlooker: Onlooker, who: str, world: World) -> str:
    return world.names.name(onlooker, who, world.known(onlooker))


def memories(onlooker: Onlooker, passage: Passage, language: Language) -> Iterator[Memory]:
    """What the onlooker perceives of a passage: what happened. Its importance is what the narrator said of it."""
    return (memory for _, memory in _perceived(onlooker, passage, language))


def lasting(onlooker: Onlooker, passage: Passage, language: Language) -> Iterator[Memory]:
    """What of it the onlooker keeps once the round is over. To the narrator nothing comes back: of what it has room for
    it keeps what came of acts, and what was done or said in secret."""
    return (memory for event, memory in _perceived(onlooker, passage, language) if _lasts(onlooker, event))


def _lasts(onlooker: Onlooker, event: Event) -> bool:
    match event:
        case Dialogue(text=""):
            return False
        case Action() | Dialogue() if onlooker is None:
            return event.unseen if isinstance(event, Action) else event.whispered
        case ActionInfluence() if onlooker is None:
            return event.affected is None
        case _:
            return onlooker is not None or isinstance(event, InteractionResult)


def _perceived(onlooker: Onlooker, passage: Passage, language: Language) -> Iterator[tuple[Event, Memory]]:
    """The events that the onlooker perceives, each as it remembers it."""
    for event, world in zip(passage.events, passage.worlds, strict=True):
        if not perceives(onlooker, event, passage.now):
            continue
        text = _plainly(event, onlooker, world) or line(event, language, onlooker, world)
        if text is not None:
            yield event, Memory(passage.round, passage.clock, text, _importance(event, passage.events))


def told(onlooker: Onlooker, passage: Passage, language: Language) -> Iterator[Line]:
    """What the onlooker is told of a passage, in order: what happened, and then what has changed by it.

    Of a description that changes in part only what is new is told. Of whoever is out of sight as the turn ends, it is
    not told where it went.
    """
    yield from (Line(memory) for memory in memories(onlooker, passage, language))
    phrases, world = words(language), passage.opening
    in_sight = _whereabouts(onlooker, passage.now)
    for event, after in zip(passage.events, passage.worlds, strict=True):
        for topic, change in _changes(onlooker, event, (world, after), in_sight, phrases):
            yield Line(Memory(passage.round, passage.clock, change), topic)
        world = after


def standing(onlooker: Onlooker, passage: Passage, scene: Scene) -> Iterator[Line]:
    """How things stand for the onlooker as the passage begins: who is where, and what is not as the scene opened."""
    phrases, world = words(scene.language), passage.opening
    for topic, text in _known(onlooker, world, scene.environment, phrases):
        yield Line(Memory(passage.round, passage.clock, text), topic)
    if onlooker is not None:
        own = world.characters[onlooker]
        for belief in (own.self_belief, own.environment_belief):
            if belief is not None:
                topic, text = _believed(belief, phrases)
                yield Line(Memory(passage.round, passage.clock, text), topic)


def _known(onlooker: Onlooker, world: World, opened: Environment, phrases: Words) -> Iterator[tuple[str | None, str]]:
    """What the onlooker knows of the world, and of its environment what has changed since the scene opened."""
    yield from _surroundings(in_names_of(opened, onlooker, world), _environment(onlooker, world), phrases)
    for name in world.characters if onlooker is None else (onlooker,):
        for who in sorted(world.known(name)):
            yield f"name of {who} to {name}", _recognition(onlooker, name, who, world, phrases)
    for name, place in _whereabouts(onlooker, world).items():
        yield f"whereabouts of {name}", _placed(onlooker, name, place, world, phrases)


_Place = tuple[Appearance, str | None, Cast]
"""Where and how somebody is; its state where that is known, and who does not perceive it."""


def _whereabouts(onlooker: Onlooker, world: World) -> dict[str, _Place]:
    """Where the onlooker knows everybody to be, and how, as far as it knows."""
    if onlooker is None:
        return {name: (one.appearance, one.state, one.unseen_by) for name, one in world.characters.items()}
    own = world.characters[onlooker]
    told: dict[str, _Place] = {}
    for name in world.characters:
        if name == onlooker:
            told[name] = (own.appearance, own.state, frozenset())
        elif (seen := own.view.others.get(name)) is not None:
            told[name] = (seen, None, frozenset())
    return told


def _environment(onlooker: Onlooker, world: World) -> Environment:
    """The environment as the onlooker knows it."""
    known = world.environment if onlooker is None else world.characters[onlooker].view.environment
    return in_names_of(known, onlooker, world)


def in_names_of(environment: Environment, onlooker: Onlooker, world: World) -> Environment:
    """An environment in the names that the onlooker knows."""
    texts = {field: _narrated(text, onlooker, world) for field, text in environment.model_dump().items()}
    return environment.model_copy(update=texts)


def _changes(
    onlooker: Onlooker, event: Event, worlds: tuple[World, World], in_sight: Container[str], phrases: Words
) -> Iterator[tuple[str | None, str]]:
    """What the event makes different for the onlooker, each with its topic; with the worlds before it and after, and
    those whom the onlooker perceives as the turn ends."""
    before, after = worlds
    match event:
        case CharacterUpdate() | EnvironmentUpdate():
            there, now = _environment(onlooker, before), _environment(onlooker, after)
            yield from _surroundings(there, now, phrases)
            was = _whereabouts(onlooker, before)
            for name, place in _whereabouts(onlooker, after).items():
                if was.get(name) != place and name in in_sight:
                    yield _moved(onlooker, name, (was.get(name), place), after, phrases)
        case InteractionResult():
            for name in after.characters if onlooker is None else (onlooker,):
                for who in sorted(after.known(name) - before.known(name)):
                    yield f"name of {who} to {name}", _recognition(onlooker, name, who, after, phrases)
        case SelfBelief() | EnvironmentBelief() if event.character == onlooker:
            yield _believed(event, phrases)
        case _:
            pass


def _recognition(onlooker: Onlooker, name: str, who: str, world: World, phrases: Words) -> str:
    """That somebody has recognised another, as it is told to that one itself, or to the narrator."""
    if onlooker is None:
        return fill(phrases.blocks.recognition, name=name, who=who)
    return fill(phrases.blocks.recognised, who=world.names.name(onlooker, who), name=who)


def _surroundings(before: Environment, now: Environment, phrases: Words) -> Iterator[tuple[str | None, str]]:
    """What is different in the environment; of a description that stays in part, what is new and what is gone."""
    there = set(_described(before, phrases))
    for topic, text in _described(now, phrases):
        if (topic, text) in there:
            continue
        stays, new = _sentences(before.description), _sentences(now.description)
        if topic != "description" or not stays & new:
            yield topic, text
            continue
        blocks = phrases.blocks
        if gone := _without(before.description, new):
            yield "gone", fill(blocks.gone, gone=gone)
        if novelty := _without(now.description, stays):
            yield "novelty", fill(blocks.novelty, novelty=novelty)


def _sentences(text: str) -> frozenset[str]:
    return frozenset(sentence.strip() for sentence in _SENTENCE.findall(text))


def _without(text: str, sentences: frozenset[str]) -> str:
    """The sentences of a text that are none of these."""
    return "".join(one for one in _SENTENCE.findall(text) if one.strip() not in sentences).strip()


def _described(environment: Environment, phrases: Words) -> Iterator[tuple[str, str]]:
    blocks = phrases.blocks
    yield "time", fill(blocks.time, time=environment.time)
    yield "location", fill(blocks.location, location=environment.location)
    yield "description", fill(blocks.surroundings, description=environment.description)


def _moved(
    onlooker: Onlooker, name: str, places: tuple[_Place | None, _Place], world: World, phrases: Words
) -> tuple[str, str]:
    """That somebody is elsewhere, or how it is where it was, with the topic."""
    before, (appearance, state, unseen_by) = places
    if before is None:
        return f"whereabouts of {name}", _found(onlooker, name, places[1], world, phrases)
    if state is not None and (before[0], before[2]) == (appearance, unseen_by):
        told = {"name": _name(onlooker, name, world), "state": _narrated(state, onlooker, world)}
        return f"state of {name}", fill(phrases.blocks.state, **told)
    return f"whereabouts of {name}", _placed(onlooker, name, places[1], world, phrases)


def _found(onlooker: Onlooker, name: str, place: _Place, world: World, phrases: Words) -> str:
    """Somebody who has come into sight: of whom nothing else shows, what a stranger sees of it."""
    appearance, state, unseen_by = place
    shown = Appearance(appearance.position, appearance.visible or world.names.face(name))
    return _placed(onlooker, name, (shown, state, unseen_by), world, phrases)


def _placed(onlooker: Onlooker, name: str, place: _Place, world: World, phrases: Words) -> str:
    """Where somebody is, and how, as a line."""
    (appearance, state, unseen_by), blocks = place, phrases.blocks
    known = _name(onlooker, name, world)
    position, visible = (_narrated(text, onlooker, world) for text in (appearance.position, appearance.visible))
    if state is not None:
        told = fill(blocks.standing, name=known, position=position, state=_narrated(state, onlooker, world))
        shown = fill(blocks.shown, visible=visible) if visible else ""
        hidden = fill(blocks.hidden, by=blocks.comma.join(sorted(unseen_by))) if unseen_by else ""
        return f"{told}{shown}{hidden}"
    if visible:
        return fill(blocks.seen_so, name=known, position=position, visible=visible)
    return fill(blocks.seen, name=known, position=position)


def _narrated(text: str, onlooker: Onlooker, world: World) -> str:
    """A text of the narrator in the names that the onlooker knows."""
    return world.names.retold(text, None, onlooker, frozenset(), world.known(onlooker))


def company(onlooker: str, scene: Scene) -> Iterator[str]:
    """Those whom a character perceives as the scene begins, by the names that it has for them, and what it sees of
    them, a line each."""
    blocks, world = words(scene.language).blocks, World.opening(scene)
    for who in scene.cast:
        if who.name in world.characters[onlooker].view.others:
            name = _name(onlooker, who.name, world)
            face = _narrated(who.public_face or "", onlooker, world)
            yield fill(blocks.face, name=name, face=face) if face else name


def _plainly(event: Event, onlooker: Onlooker, now: World) -> str | None:
    """What somebody does, where the text says itself who does it, and there is no more to say."""
    if not isinstance(event, Action | Reaction) or _is_stealthy(event, onlooker):
        return None
    text, name = retold(event.text, event, onlooker, now), _name(onlooker, event.character, now)
    return text if _begins_with(text, name) or _begins_with(text, name[:1].upper() + name[1:]) else None


def _begins_with(text: str, name: str) -> bool:
    """Whether the text begins with the name, and not with a longer word."""
    if not text.startswith(name):
        return False
    rest = text[len(name) :]
    if not name[-1].isalnum() or UNSPACED.match(name[-1]) or UNSPACED.match(rest):
        return True
    return _GOES_ON.match(rest) is None


def _importance(event: Event, turn: Sequence[Event]) -> int | None:
    """What the narrator said with the influence of the turn, or with its result."""
    source = InteractionResult if isinstance(event, Reaction | InteractionResult) else ActionInfluence
    return next((one.importance for one in turn if isinstance(one, source)), None)


def _believed(belief: SelfBelief | EnvironmentBelief, phrases: Words) -> tuple[str, str]:
    blocks = phrases.blocks
    block = blocks.self_belief if isinstance(belief, SelfBelief) else blocks.environment_belief
    return belief.kind, fill(block, **{name: getattr(belief, name) for name in variables(block)})
