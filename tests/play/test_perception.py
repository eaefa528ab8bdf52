"""Who perceives what: aloud, whispered, unseen, out of sight, as the narrator says; and that what is told agrees."""

from itertools import chain

import pytest
from hypothesis import given, settings

from characterbox.play.events import (
    Action,
    ActionInfluence,
    CharacterUpdate,
    Dialogue,
    EnvironmentBelief,
    EnvironmentUpdate,
    InteractionResult,
    Reaction,
    SelfBelief,
    StoryEnded,
)
from characterbox.play.observations import line, memories, told
from characterbox.play.perception import knowers, perceives
from characterbox.play.trajectory import trajectory
from characterbox.play.world import World, moments
from tests.play.histories import ALIAS, NAMES, SCENE, beliefs, chronicle_of, mark, turns

TEXTS = {
    "action": ("text",),
    "dialogue": ("text",),
    "action_influence": ("text",),
    "reaction": ("text",),
    "interaction_result": ("text",),
    "character_update": ("position",),
    "environment_update": ("time", "location", "description"),
    "self_belief": ("belief", "desire", "intention"),
    "environment_belief": ("others", "scene", "bearing"),
}
"""What whoever knows of an event is told of it."""
WHOLE = {"interaction_result": "felt", "character_update": "state"}
"""What only those are told who know the whole of it."""
OUTCOME = Reaction | InteractionResult
HAPPENS = Action | Dialogue | ActionInfluence | Reaction | InteractionResult


def passages_of(history):
    return chronicle_of(history).passages


def turn(**fields):
    """The events of a turn of Ann's that touches Bob, with these fields: of the action, the words and so on."""
    at = {"round": 1, "turn": "Ann"}

    def of(kind, name, **told):
        return kind(path=f"r1/ann/{name}", **at, **told, **fields.get(name, {}))

    return [
        of(Action, "action", character="Ann", text="Ann bows."),
        of(Dialogue, "dialogue", character="Ann", text="Hush."),
        of(ActionInfluence, "influence", character="Ann", affected="Bob", text="It is late.", importance=3),
        of(Reaction, "reaction", character="Bob", to="Ann", text="Bob nods."),
        of(InteractionResult, "result", character="Ann", affected="Bob", text="A clock strikes.", importance=3),
    ]


ALL = {*NAMES}
THERE = {"action": ALL, "dialogue": ALL, "action_influence": {"Bob"}, "reaction": ALL, "interaction_result": ALL}
"""Dan is there, though neither Ann nor Bob perceives him."""


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, {}),
        ({"action": {"unseen": True}}, {"action": {"Ann"}, "interaction_result": {"Ann", "Bob"}}),
        ({"dialogue": {"to": "Cid"}}, {}),
        ({"dialogue": {"to": "Cid", "whispered": True}}, {"dialogue": {"Ann", "Cid"}}),
        ({"dialogue": {"whispered": True}}, {"dialogue": {"Ann"}}),
        ({"influence": {"seen_by": ("Cid",)}},
         {"action": {"Ann", "Cid"}, "interaction_result": {"Ann", "Bob", "Cid"}}),
        ({"influence": {"seen_by": ()}}, {"action": {"Ann"}, "interaction_result": {"Ann", "Bob"}}),
        ({"influence": {"heard_by": ("Dan",)}}, {"dialogue": {"Ann", "Dan"}}),
        ({"influence": {"heard_by": ()}}, {"dialogue": {"Ann"}}),
        ({"action": {"unseen": True}, "influence": {"seen_by": ("Bob", "Dan")}},
         {"action": {"Ann", "Bob", "Dan"}, "interaction_result": {"Ann", "Bob", "Dan"}}),
        ({"dialogue": {"to": "Cid", "whispered": True}, "influence": {"heard_by": ("Bob", "Cid")}},
         {"dialogue": {"Ann", "Bob", "Cid"}}),
        ({"result": {"seen_by": ()}}, {"reaction": {"Ann", "Bob"}, "interaction_result": {"Ann", "Bob"}}),
        ({"result": {"seen_by": ("Dan",)}},
         {"reaction": {"Ann", "Bob", "Dan"}, "interaction_result": {"Ann", "Bob", "Dan"}}),
        ({"influence": {"seen_by": ()}, "result": {"seen_by": ("Cid",)}},
         {"action": {"Ann"}, "reaction": {"Ann", "Bob", "Cid"}, "interaction_result": {"Ann", "Bob", "Cid"}}),
    ],
)  # fmt: skip
def test_who_perceives_what(fields, expected):
    found = {
        event.kind: {name for name in NAMES if perceives(name, event, now)}
        for event, _, now in moments(turn(**fields), SCENE)
    }
    assert found == {**THERE, **expected}


def test_whom_nobody_perceives_acts_unnoticed():
    at = {"round": 1, "turn": "Dan", "character": "Dan", "text": "Hush."}
    whisper = Dialogue(path="r1/dan/dialogue", **at, to="Ann", whispered=True)
    for event, _, now in moments([Action(path="r1/dan/action", **at), whisper], SCENE):
        seen = {"Cid", "Dan"} if isinstance(event, Action) else {"Dan"}
        assert {name for name in NAMES if perceives(name, event, now)} == seen, "Ann does not hear him either"


@settings(deadline=None)
@given(turns())
def test_who_does_it_and_whom_it_befalls_perceive_it_and_the_narrator_all(history):
    for event, _, now in moments(chain.from_iterable(history), SCENE):
        if isinstance(event, Action | Dialogue | Reaction):
            assert perceives(event.character, event, now)
        if isinstance(event, InteractionResult):
            assert perceives(event.affected, event, now)
        if isinstance(event, ActionInfluence) and event.affected is not None:
            assert {name for name in NAMES if perceives(name, event, now)} == {event.affected}
        if isinstance(event, ActionInfluence) and event.affected is None:
            seen = {name for name in NAMES if name in now.witnesses.seen}
            assert {name for name in NAMES if perceives(name, event, now)} == seen | {event.character}
        assert perceives(None, event, now) == isinstance(event, HAPPENS)


@settings(deadline=None)
@given(turns())
def test_the_narrators_lists_decide(history):
    events = list(chain.from_iterable(history))
    told_at = {event.path: event for event in events}
    for event, _, now in moments(events, SCENE):
        found = {name for name in NAMES if perceives(name, event, now)}
        turn, _, _ = event.path.partition(f"/{KINDS_IN_PATHS.get(event.kind, '?')}")
        influence, result = told_at.get(f"{turn}/influence"), told_at.get(f"{turn}/result")
        if isinstance(event, Action) and influence.seen_by is not None:
            assert found == {event.character, *influence.seen_by}
        if isinstance(event, Dialogue) and influence.heard_by is not None:
            assert found == {event.character, *influence.heard_by}
        if isinstance(event, Reaction) and result.seen_by is not None:
            assert found - {event.to} == {event.character, *result.seen_by} - {event.to}
        if isinstance(event, InteractionResult) and event.seen_by is not None:
            assert found - {event.character} == {event.affected, *event.seen_by} - {event.character}


KINDS_IN_PATHS = {"action": "action", "dialogue": "dialogue", "reaction": "reaction", "interaction_result": "result"}


def texts_of(lines):
    return "\n".join(one.memory.text for one in lines)


@settings(deadline=None)
@given(turns())
def test_who_knows_of_an_event_is_told_of_it_and_nobody_else(history):
    shares = {event.path: knowers(event, now) for event, _, now in moments(chain.from_iterable(history), SCENE)}
    for passage in passages_of(history):
        for name in NAMES:
            lines = texts_of(told(name, passage, "en"))
            for event in passage.events:
                share = shares[event.path][name]
                for field in TEXTS[event.kind]:
                    assert (mark(event.path, field) in lines) == (share != "none"), (event.path, field, name, share)
                if (field := WHOLE.get(event.kind)) and getattr(event, field):
                    assert (mark(event.path, field) in lines) == (share == "whole"), (event.path, field, name)


@settings(deadline=None)
@given(turns())
def test_the_narrator_is_told_all(history):
    for passage in passages_of(history):
        lines = texts_of(told(None, passage, "en"))
        for event in passage.events:
            for field in TEXTS[event.kind]:
                assert mark(event.path, field) in lines
            if (field := WHOLE.get(event.kind)) and getattr(event, field):
                assert mark(event.path, field) in lines


def test_beliefs_are_known_to_whoever_holds_them_and_to_nobody_else():
    history = [beliefs(0)]
    shares = {event.path: knowers(event, now) for event, _, now in moments(history[0], SCENE)}
    for event in history[0]:
        assert shares[event.path] == {name: "whole" if name == event.character else "none" for name in NAMES}
    [passage] = passages_of(history)
    for name in (*NAMES, None):
        lines = texts_of(told(name, passage, "en"))
        for event in history[0]:
            for field in TEXTS[event.kind]:
                assert (mark(event.path, field) in lines) == (name == event.character)
    assert {*knowers(StoryEnded(path="end", round=1, because="rounds"), World.opening(SCENE)).values()} == {"whole"}


@settings(deadline=None)
@given(turns())
def test_the_account_of_a_character_tells_what_it_perceived_and_no_more(history):
    events = list(chain.from_iterable(history))
    shares = {event.path: knowers(event, now) for event, _, now in moments(events, SCENE)}
    for name in NAMES:
        text = "\n".join(step.text for step in trajectory(events, name, SCENE))
        for event in events:
            if isinstance(event, HAPPENS):
                known = shares[event.path][name] != "none"
                assert (mark(event.path, "text") in text) == known
                if isinstance(event, InteractionResult) and event.felt:
                    assert (mark(event.path, "felt") in text) == (event.affected == name)
            elif isinstance(event, CharacterUpdate | EnvironmentUpdate | SelfBelief | EnvironmentBelief):
                assert not any(mark(event.path, field) in text for field in (*TEXTS[event.kind], "state", "visible"))


@settings(deadline=None)
@given(turns())
def test_nobody_is_told_the_name_of_whom_it_has_not_recognised(history):
    for passage in passages_of(history):
        for name in ("Ann", "Cid"):
            lines = texts_of(told(name, passage, "en"))
            if "Bob" not in passage.now.known(name):
                assert "Bob" not in lines
            if "Bob" in passage.opening.known(name):
                assert ALIAS not in lines.casefold().replace(f"{ALIAS} is bob", "")
        for name in ("Bob", "Dan", None):
            assert ALIAS not in texts_of(told(name, passage, "en")).casefold().replace(f"who {ALIAS} is", "")


@settings(deadline=None)
@given(turns())
def test_a_memory_is_as_memorable_as_the_narrator_said(history):
    for passage in passages_of(history):
        given_by = {event.kind: event.importance for event in passage.events if hasattr(event, "importance")}
        outcomes = [mark(event.path, "text") for event in passage.events if isinstance(event, OUTCOME)]
        for name in (*NAMES, None):
            for memory in memories(name, passage, "en"):
                outcome = any(one in memory.text for one in outcomes)
                assert memory.importance == given_by["interaction_result" if outcome else "action_influence"]
                assert (memory.round, memory.clock) == (passage.round, passage.clock)


@pytest.mark.parametrize(
    ("fields", "onlooker", "told_so"),
    [
        ({}, "Bob", "Ann says: Hush."),
        ({"to": "Bob"}, "Cid", f"Ann says to {ALIAS}: Hush."),
        ({"to": "Bob"}, "Bob", "Ann says to Bob: Hush."),
        ({"to": "Bob", "whispered": True}, "Bob", "Ann whispers to Bob: Hush."),
        ({"whispered": True}, None, "Ann mutters: Hush."),
        ({"text": ""}, "Cid", "Ann says nothing."),
        ({"text": "", "to": "Bob", "whispered": True}, "Cid", "Ann says nothing."),
    ],
)
def test_how_words_are_told(fields, onlooker, told_so):
    event = Dialogue(**{"path": "p", "round": 1, "turn": "Ann", "character": "Ann", "text": "Hush.", **fields})
    assert line(event, "en", onlooker, World.opening(SCENE)) == told_so


@pytest.mark.parametrize("text", ["Ann hides the key.", "She hides the key."])
def test_that_nobody_is_to_notice_it_is_told_to_the_actor_and_the_narrator_alone(text):
    event = Action(path="p", round=1, turn="Ann", character="Ann", text=text, unseen=True)
    influence = ActionInfluence(path="q", round=1, turn="Ann", character="Ann", affected=None, text="-", importance=1,
                                seen_by=("Cid",))  # fmt: skip
    [passage] = passages_of([[event, influence]])
    heard = {name: [one.text for one in memories(name, passage, "en")] for name in ("Ann", "Cid", "Dan", None)}
    stealthy = [f"Ann, if possible unnoticed: {text}", "Result: -"]
    plainly = [text if text.startswith("Ann") else f"Ann acts: {text}", "Result: -"]
    assert heard == {"Ann": stealthy, None: stealthy, "Cid": plainly, "Dan": []}
