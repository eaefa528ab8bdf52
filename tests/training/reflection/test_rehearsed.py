"""The rehearsal looks back on its parts, too: readably, in both languages, and not always as it should."""

from collections import Counter

import pytest

from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.play.world import Script
from characterbox.scenes.library import bundled
from characterbox.stage.playback_control import PlaybackControl
from characterbox.stage.runner import perform
from characterbox.training.reflection.running import reflect_on
from tests.fakes.in_process_servers import ToNearby
from tests.fakes.stories import casting_at

pytestmark = pytest.mark.slow

REHEARSAL = Endpoint.parse("rehearsal")


@pytest.fixture
async def client():
    client = Client(transport=ToNearby())
    yield client
    await client.close()


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_most_of_its_rewritings_are_accepted_and_some_are_not(store, client, language):
    states, refused = Counter(), Counter()
    for scene in [scene for scene in bundled() if scene.language == language][:3]:
        story = store.stories.create(Script(scene=scene, rounds=2), casting_at(REHEARSAL, scene), "command line")
        await perform(store.stories, client, story, PlaybackControl(), on_event=lambda *_: None)
        story = store.stories.story(story.id)
        for name in scene.names:
            reflection = await reflect_on(store, client, story, name)
            assert reflection.complete
            assert 1 <= len(reflection.found.inconsistencies) <= 3
            states += reflection.counts
            refused.update(step.refused.code for step in reflection.steps if step.refused is not None)
            for step in reflection.steps:
                if step.state == "accepted":
                    assert step.after != step.before
                    assert "$" not in step.after
            events = store.stories.events(story.id)
            assert len(reflection.retold(events)) == len(events)
    whole = sum(states.values())
    assert states["accepted"] > 0.6 * whole
    assert states["unchanged"] > 0
    assert set(refused) == {"rewriting_unfit", "rewriting_silent"}
