"""Turns of stories in which not everybody perceives all: drawn at random, with texts that tell where they come from."""

from collections.abc import Sequence
from typing import Any
from zlib import crc32

from hypothesis import strategies as st

from characterbox.play.events import (
    Action,
    ActionInfluence,
    ByWhom,
    CharacterUpdate,
    Dialogue,
    EnvironmentBelief,
    EnvironmentUpdate,
    Event,
    InteractionResult,
    Reaction,
    SelfBelief,
)
from characterbox.play.paths import path_of
from characterbox.play.world import Chronicle
from characterbox.scenes.scene import Alias, Environment, Profile, Scene

NAMES = ("Ann", "Bob", "Cid", "Dan")
ALIAS = "the guest"
SCENE = Scene(
    id="masks",
    title="A guest",
    work="The Hotel",
    language="en",
    origin="original",
    environment=Environment(time="Midnight", location="The lobby", description="An open safe."),
    cast=(
        Profile(name="Ann", description="-", position="at the desk", state="calm"),
        Profile(
            name="Bob",
            description="-",
            position="by the door",
            state="tense",
            known_as=(Alias(name=ALIAS, by=("Ann", "Cid")),),
        ),
        Profile(name="Cid", description="-", position="on the stairs", state="tired"),
        Profile(name="Dan", description="-", position="in the cellar", state="cold", unseen_by=("Ann", "Bob")),
    ),
)
"""Ann and Cid do not know who Bob is; Ann and Bob do not perceive Dan, who hears them."""


def mark(path: str, field: str) -> str:
    """What stands in a field of an event, and nowhere else; no name is in it, as names are told anew."""
    return f"[{crc32(f'{path} {field}'.encode())}]"


@st.composite
def turns(draw: st.DrawFn, most: int = 6, hidden: bool = True) -> list[list[Event]]:
    """The events of some turns, two a round; `hidden` is whether anybody comes, leaves, hides or is found."""
    return [_turn(draw, 1 + number // 2, NAMES[number % 2 * 2 + draw(st.integers(0, 1))], hidden)
            for number in range(draw(st.integers(1, most)))]  # fmt: skip


def _turn(draw: st.DrawFn, round: int, actor: str, hidden: bool) -> list[Event]:
    others = [name for name in NAMES if name != actor]
    some = st.none() | st.lists(st.sampled_from(others), unique=True).map(tuple)

    def at(step: str, other: str | None = None) -> dict[str, Any]:
        return {"path": path_of(round, actor, step, other), "round": round, "turn": actor}

    def text(step: dict[str, Any], field: str, of: str = actor) -> str:
        return f"{of} {mark(step['path'], field)}"

    act, say, touch = at("action"), at("dialogue"), at("influence")
    affected = draw(st.none() | st.sampled_from(others))
    events: list[Event] = [
        Action(**act, character=actor, text=f"{actor} {mark(act['path'], 'text')}", unseen=draw(st.booleans())),
        Dialogue(
            **say,
            character=actor,
            text=mark(say["path"], "text"),
            to=draw(st.none() | st.sampled_from(others)),
            whispered=draw(st.booleans()),
        ),
        ActionInfluence(
            **touch,
            character=actor,
            affected=affected,
            text=text(touch, "text"),
            importance=draw(st.none() | st.integers(1, 10)),
            seen_by=draw(some),
            heard_by=draw(some),
        ),
    ]
    if affected is not None:
        react, result = at("reaction", affected), at("result")
        recognised = (ByWhom(who="Bob", by=("Ann",)),) if draw(st.booleans()) else ()
        events += [
            Reaction(**react, character=affected, to=actor, text=mark(react["path"], "text")),
            InteractionResult(
                **result,
                character=actor,
                affected=affected,
                text=text(result, "text", affected),
                importance=draw(st.none() | st.integers(1, 10)),
                felt=draw(st.sampled_from(["", text(result, "felt", affected)])),
                seen_by=draw(st.none() | st.lists(st.sampled_from(NAMES), unique=True).map(tuple)),
                recognised=recognised,
            ),
        ]
    for name in [actor, *([] if affected is None else [affected])]:
        update = at("update", name)
        shows = {"visible": draw(st.sampled_from(["", mark(update["path"], "visible")]))}
        told = {field: f"near Bob {mark(update['path'], field)}" for field in ("position", "state")}
        events.append(CharacterUpdate(**update, character=name, **told, **shows))
    around = at("environment")
    pairs = st.dictionaries(st.sampled_from(NAMES), st.lists(st.sampled_from(NAMES), unique=True), max_size=2)
    where = {field: f"Bob's {mark(around['path'], field)}" for field in ("time", "location", "description")}
    unseen = draw(st.none() | pairs) if hidden else None
    events.append(EnvironmentUpdate(**around, **where, hidden=None if unseen is None else _by_whom(unseen)))
    return events


def _by_whom(pairs: dict[str, list[str]]) -> tuple[ByWhom, ...]:
    return tuple(
        ByWhom(who=who, by=tuple(by)) for who, own in pairs.items() if (by := [one for one in own if one != who])
    )


def beliefs(round: int) -> list[Event]:
    """What everybody believes once a round is over."""
    formed: list[Event] = []
    for name in NAMES:
        own, around = path_of(round, name, "self-belief"), path_of(round, name, "environment-belief")
        at = {"round": round, "character": name}
        formed.append(SelfBelief(path=own, **at, **{one: mark(own, one) for one in ("belief", "desire", "intention")}))
        told = {one: mark(around, one) for one in ("others", "scene", "bearing")}
        formed.append(EnvironmentBelief(path=around, **at, **told))
    return formed


def chronicle_of(told: Sequence[Sequence[Event]], scene: Scene = SCENE) -> Chronicle:
    """The chronicle of these turns, a passage each."""
    chronicle = Chronicle.opening(scene)
    for events in told:
        first = events[0]
        chronicle = chronicle.turn(first.round) if first.turn else chronicle.beliefs(first.round)
        for event in events:
            chronicle = chronicle.after(event)
    return chronicle
