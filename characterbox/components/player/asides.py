"""What a text of a story tells of an event besides what happens: for whom words are, and who perceives it.

The sentences are those of the player.
"""

from collections.abc import Collection, Iterator

from annotations.i18n.translation import say
from characterbox.play.events import Action, Dialogue, Event, InteractionResult
from characterbox.play.limits import limits_of
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
    if isinstance(event, Action) and event.unseen:
        yield say("meant to go unnoticed")
    limits = limits_of(event, before)
    if limits.seen_by is not None:
        yield say("seen by {names}", names=_listed(limits.seen_by)) if limits.seen_by else say("seen by nobody")
    if limits.heard_by is not None:
        yield say("heard by {names}", names=_listed(limits.heard_by)) if limits.heard_by else say("heard by nobody")
    if isinstance(event, InteractionResult):
        yield from recognitions(event)
    for one in limits.hidden:
        yield say("{names} can no longer see or hear {who}.", who=one.who, names=_listed(one.by))
    if limits.back:
        yield say("{names} can be seen and heard again.", names=_listed(limits.back))


def recognitions(event: InteractionResult) -> Iterator[str]:
    """Who is recognised by whom."""
    for one in event.recognised:
        yield say("{who} is recognized by {names}.", who=one.who, names=_listed(one.by))


def _listed(names: Collection[str]) -> str:
    return say(", ").join(names)
