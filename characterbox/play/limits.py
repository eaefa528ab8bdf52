"""Who perceives an event where not all who are there do, as the narrator decided it."""

from collections.abc import Collection
from dataclasses import dataclass

from characterbox.play.events import ActionInfluence, ByWhom, EnvironmentUpdate, Event, InteractionResult
from characterbox.play.world import World

Few = tuple[str, ...] | None
"""Some of those who could perceive it, perhaps nobody; None where all do, or nothing is said of it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What an event says of who perceives it."""

    seen_by: Few = None
    heard_by: Few = None
    hidden: tuple[ByWhom, ...] = ()
    """Who is neither seen nor heard from now on, by whom."""
    back: tuple[str, ...] = ()
    """Who can be seen and heard again."""


def limits_of(event: Event, before: World) -> Limits:
    """The limits that come with an event; `before` is the world before it."""
    match event:
        case ActionInfluence():
            others = before.characters.keys() - {event.character}
            return Limits(_few(event.seen_by, others), _few(event.heard_by, others))
        case InteractionResult():
            return Limits(_few(event.seen_by, before.characters.keys() - {event.character, event.affected}))
        case EnvironmentUpdate() if event.hidden is not None:
            by = {one.who: one.by for one in event.hidden}
            was = {name: one.unseen_by for name, one in before.characters.items()}
            hidden = tuple(one for one in event.hidden if one.by and was[one.who] != {*one.by})
            return Limits(hidden=hidden, back=tuple(name for name in was if was[name] and not by.get(name)))
        case _:
            return Limits()


def _few(names: Collection[str] | None, others: Collection[str]) -> Few:
    if names is None or {*others} <= {*names}:
        return None
    return tuple(name for name in names if name in others)
