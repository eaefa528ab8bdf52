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
from characterbox.play.paths import reply_path
from characterbox.play.settings import Settings
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
            return [event.position, event.state, *([event.visible] if event.visible else [])]
        case EnvironmentUpdate():
            return [event.time, event.location, event.description]
        case SelfBelief():
            return [event.belief, event.desire, event.intention]
        case EnvironmentBelief():
            return [event.others, event.scene, event.bearing]
        case InteractionResult():
            return [event.text, event.felt]
        case _:
            return [event.text]


@pytest.mark.slow
@settings(max_examples=examples(8, 25), deadline=None)
@given(draws=st.lists(st.integers(min_value=0, max_value=10_000), min_size=60, max_size=60), prompts=st.integers(1, 2))
def test_each_event_holds_the_reply_of_its_own_step_and_agent_in_any_order(draws, prompts):
    script = SCRIPT.model_copy(update={"settings": Settings(prompts=prompts)})
    order = iter(draws * 2)

    def one_of(waiting):
        return [next(order) % waiting]

    async def both():
        held_back = await played_held_back(script, HeldBack(script, TOUCHES.get, one_of))
        at_once = AnsweredAtOnce(script, TOUCHES.get)
        return held_back, await played(script, at_once), {request.path for request in at_once.requests}

    events, undisturbed, asked = asyncio.run(both())
    assert events == undisturbed
    for event in events:
        if not isinstance(event, StoryEnded):
            agent = None if isinstance(event, NARRATED) else event.character
            assert set(texts_of(event)) == {mark(reply_path(event.path, asked), agent)}
            assert not event.degraded
