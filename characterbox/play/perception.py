"""Who perceives what: the one place that decides it.

Whoever is there sees actions, reactions and results, and hears what is said, unless it is meant for others, or the
narrator says who perceives it. What an action does to somebody, and what a result makes somebody feel, only that one
feels. Where somebody is and what shows of its state can be seen by those who see it; its state itself only the
character and the narrator know, and what a character believes is its own.
"""

from collections.abc import Mapping

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
from characterbox.play.names import Onlooker
from characterbox.play.world import Cast, World


def perceives(onlooker: Onlooker, event: Event, now: World) -> bool:
    """Whether the onlooker perceives the event as such; `now` is the world as far as its turn has come.

    Of an interaction's result, it is what everybody there can see.
    """
    if onlooker is None:
        return isinstance(event, Action | Dialogue | ActionInfluence | Reaction | InteractionResult)
    match event:
        case ActionInfluence() if event.affected is not None or event.degraded:
            return event.affected == onlooker
        case Action() | Dialogue() | ActionInfluence() | Reaction():
            return onlooker == event.character or onlooker in _witnesses_of(event, now)
        case InteractionResult():
            return onlooker == event.affected or onlooker in _witnesses_of(event, now)
        case _:
            return False


def knowers(event: Event, now: World) -> Mapping[str, str]:
    """What each of the cast knows of an event: `whole`, `part` or `none`.

    Part of it knows who sees a result without being the one who feels it, or where somebody is but not how it is.
    """
    shares: dict[str, str] = {}
    for name in now.characters:
        match event:
            case Action() | Dialogue() | Reaction() | ActionInfluence():
                shares[name] = "whole" if perceives(name, event, now) else "none"
            case InteractionResult():
                whole = name == event.affected or not event.felt
                shares[name] = ("whole" if whole else "part") if perceives(name, event, now) else "none"
            case CharacterUpdate():
                there = name in now.present(event.character)
                shares[name] = "whole" if name == event.character else "part" if there else "none"
            case SelfBelief() | EnvironmentBelief():
                shares[name] = "whole" if name == event.character else "none"
            case EnvironmentUpdate():
                known = now.characters[name].view.environment
                shares[name] = "whole" if all(getattr(event, field) == text for field, text in known) else "none"
            case _:
                shares[name] = "whole"
    return shares


def _witnesses_of(event: Action | Dialogue | ActionInfluence | Reaction | InteractionResult, now: World) -> Cast:
    """Who perceives it besides those who do it, or whom it befalls."""
    turn = now.witnesses
    match event:
        case Action() | ActionInfluence() | Dialogue(text=""):  # who sees somebody act sees that no words come
            return now.present(event.character) if turn is None else turn.seen
        case Dialogue():
            return now.present(event.character) if turn is None else turn.heard
        case Reaction():
            there = _beside(event.character, now)
            return there if turn is None or turn.outcome is None else turn.outcome | there & {event.to}
        case InteractionResult():
            there = _beside(event.affected, now)
            if turn is None:
                return there
            others = there & turn.seen if turn.outcome is None else turn.outcome
            return others | there & {event.character}


def _beside(affected: str, now: World) -> Cast:
    """Those with the one affected before it reacted or since: it may come or go by that."""
    before = frozenset[str]() if now.witnesses is None else now.witnesses.beside
    return before | now.present(affected)


def addressee(event: Event, onlooker: Onlooker, now: World) -> str | None:
    """For whom words are, or to whom somebody reacts, as far as the onlooker perceives who is there."""
    if not isinstance(event, Dialogue | Reaction) or event.to is None:
        return None
    aware = onlooker in {None, event.character, event.to} or onlooker in now.present(event.to)
    return event.to if aware else None
