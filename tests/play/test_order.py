"""A reply never changes its owner: whatever order calls finish in, the story is the same."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from characterbox.play.events import (
    ActionInfluence,
    CharacterUpdate,
    EnvironmentBelief,
    EnvironmentUpdate,
    InteractionResult,
    SelfBelief,
    StoryEnded,
)
from characterbox.play.world import Script
from tests.fakes.asking import AnsweredAtOnce, HeldBack, played, played_held_back
from tests.fakes.examples import examples
from tests.fakes.replies import mark
from tests.fakes.scenes import a_scene

NARRATED = ActionInfluence | InteractionResult | CharacterUpdate | EnvironmentUpdate
SCRIPT = Script(scene=a_scene("Ann", "Bob", "Cid"), rounds=2)
TOUCHES = {"Ann": "Cid", "Bob": None, "Cid": "Bob"}


def texts_of(event):
    match event:
        case CharacterUpdate():
            return [event.position, event.state]
        case EnvironmentUpdate():
            return [event.time, event.location, event.description]
        case SelfBelief():
            return [event.belief, event.desire, event.intention]
        case EnvironmentBelief():
            return [event.others, event.scene, event.bearing]
        case _:
            return [event.text]


@pytest.mark.slow
@settings(max_examples=examples(8, 25), deadline=None)
@given(draws=st.lists(st.integers(min_value=0, max_value=10_000), min_size=60, max_size=60))
def test_each_event_holds_the_reply_of_its_own_path_and_agent_in_any_order(draws):
    order = iter(draws * 2)

    def one_of(waiting):
        return [next(order) % waiting]

    async def both():
        held_back = await played_held_back(SCRIPT, HeldBack(SCRIPT, TOUCHES.get, one_of))
        return held_back, await played(SCRIPT, AnsweredAtOnce(SCRIPT, TOUCHES.get))

    events, undisturbed = asyncio.run(both())
    assert events == undisturbed
    for event in events:
        if not isinstance(event, StoryEnded):
            agent = None if isinstance(event, NARRATED) else event.character
            assert set(texts_of(event)) == {mark(event.path, agent)}
            assert not event.degraded
