"""What a text of a story tells of an event besides what happens: for whom words are, and who perceives it.

The sentences are those of the player.
"""

from collections.abc import Collection, Iterator

from annotations.i18n.translation import say
from characterbox.play.events import Action, ActionInfluence, Dialogue, EnvironmentUpdate, Event, InteractionResult
from characterbox.play.world import World


def manner(event: Dialogue) -> str:
    """For whom words are and how they are said, in parentheses; empty where there is nothing to say of it."""
    if not event.text.strip() or not (event.whispered or event.to):
        return ""
    if event.to is None:
        return say("(mutters)")
    return say("(whispers to {name})", name=event.to) if event.whispered else say("(to {name})", name=event.to)


def asides(event: Event, before: World) -> Iterator[str]:
    """Who perceives an event where not all do, who is recognised, and who gets out of sight; `before` is the world
    before it."""
    match event:
        case Action(unseen=True):
            yield say("not meant to be noticed")
        case ActionInfluence():
            others = {*before.characters} - {event.character}
            if (names := _of_some(event.seen_by, others)) is not None:
                yield say("seen by {names}", names=names) if names else say("seen by nobody")
            if (names := _of_some(event.heard_by, others)) is not None:
                yield say("heard by {names}", names=names) if names else say("heard by nobody")
        case InteractionResult():
            others = {*before.characters} - {event.character, event.affected}
            if (names := _of_some(event.seen_by, others)) is not None:
                yield say("seen by {names}", names=names) if names else say("seen by nobody")
            yield from recognitions(event)
        case EnvironmentUpdate():
            yield from _hidings(event, before)
        case _:
            pass


def recognitions(event: InteractionResult) -> Iterator[str]:
    """Who is recognised by whom."""
    for one in event.recognised:
        yield say("{who} is recognised by {names}.", who=one.who, names=_listed(one.by))


def _hidings(event: EnvironmentUpdate, before: World) -> Iterator[str]:
    if event.hidden is None:
        return
    hidden = {one.who: one.by for one in event.hidden}
    for name, by in hidden.items():
        if by and before.characters[name].unseen_by != {*by}:
            yield say("{who} is neither seen nor heard by {names} from now on.", who=name, names=_listed(by))
    if back := [name for name, was in before.characters.items() if was.unseen_by and not hidden.get(name)]:
        yield say("{names} can be seen and heard again.", names=_listed(back))


def _of_some(names: Collection[str] | None, others: Collection[str]) -> str | None:
    """Those of the others who are named; None where all are, or nothing is said of it."""
    if names is None or {*others} <= {*names}:
        return None
    return _listed([name for name in names if name in others])


def _listed(names: Collection[str]) -> str:
    return say(", ").join(names)
