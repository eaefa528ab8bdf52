"""The world is a fold of the events: the laws that this implies."""

from dataclasses import replace
from functools import reduce

from hypothesis import given
from hypothesis import strategies as st

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
from characterbox.play.world import World, world_after
from characterbox.scenes.scene import Environment
from tests.fakes.scenes import a_scene

SCENE = a_scene("Ann", "Bob", "Cid")
TEXT = st.text(alphabet="abc门 ", min_size=1, max_size=8).map(lambda text: f"x{text}y")
"""Never blank: replies with blank texts are refused before they become events."""
NAME = st.sampled_from(SCENE.names)
COMMON = {"path": TEXT, "round": st.integers(1, 9)}
CHANGING = st.one_of(
    st.builds(CharacterUpdate, **COMMON, character=NAME, position=TEXT, state=TEXT, visible=TEXT | st.just("")),
    st.builds(SelfBelief, **COMMON, character=NAME, belief=TEXT, desire=TEXT, intention=TEXT),
    st.builds(EnvironmentBelief, **COMMON, character=NAME, others=TEXT, scene=TEXT, bearing=TEXT),
    st.builds(EnvironmentUpdate, **COMMON, time=TEXT, location=TEXT, description=TEXT, concluded=st.booleans()),
)
IDLE = st.one_of(
    st.builds(Action, **COMMON, character=NAME, text=TEXT),
    st.builds(Dialogue, **COMMON, character=NAME, text=TEXT),
    st.builds(ActionInfluence, **COMMON, character=NAME, affected=NAME, text=TEXT, importance=st.none()),
    st.builds(Reaction, **COMMON, character=NAME, to=NAME, text=TEXT),
    st.builds(InteractionResult, **COMMON, character=NAME, affected=NAME, text=TEXT, importance=st.none()),
    st.builds(StoryEnded, **COMMON, because=st.just("rounds")),
)
EVENTS = st.lists(CHANGING | IDLE, max_size=12)


@given(EVENTS, EVENTS)
def test_two_stretches_fold_as_one(before, after):
    assert world_after(SCENE, before + after) == reduce(World.after, after, world_after(SCENE, before))


@given(EVENTS, IDLE)
def test_only_updates_and_beliefs_change_it(before, event):
    world = world_after(SCENE, before)
    after = world.after(event)
    assert replace(after, witnesses=world.witnesses) == world
    if isinstance(event, Reaction | InteractionResult | StoryEnded):
        assert after == world


@given(EVENTS, CHANGING)
def test_whom_an_event_does_not_name_it_does_not_change(before, event):
    world = world_after(SCENE, before)
    named = getattr(event, "character", None)
    changed = world.after(event)
    for name in SCENE.names:
        if name != named:
            assert replace(changed.characters[name], view=world.characters[name].view) == world.characters[name]
            if not isinstance(event, CharacterUpdate | EnvironmentUpdate):
                assert changed.characters[name] == world.characters[name]
    if named is not None:
        assert changed.environment == world.environment


@given(EVENTS)
def test_the_last_update_of_each_counts(events):
    world = world_after(SCENE, events)
    for profile in SCENE.cast:
        now = world.characters[profile.name]
        own = [event for event in events if getattr(event, "character", None) == profile.name]
        updates = [event for event in own if isinstance(event, CharacterUpdate)]
        last = updates[-1] if updates else profile
        assert (now.position, now.state) == (last.position, last.state)
        assert now.visible == (updates[-1].visible if updates else "")
        assert now.self_belief == ([None, *(one for one in own if isinstance(one, SelfBelief))])[-1]
        assert now.environment_belief == ([None, *(one for one in own if isinstance(one, EnvironmentBelief))])[-1]
    places = [event for event in events if isinstance(event, EnvironmentUpdate)]
    last = places[-1] if places else SCENE.environment
    assert world.environment == Environment(time=last.time, location=last.location, description=last.description)
    assert world.concluded == any(event.concluded for event in places)


@given(EVENTS)
def test_folding_changes_no_world_in_place(events):
    opening = World.opening(SCENE)
    reduce(World.after, events, opening)
    assert opening == World.opening(SCENE)
