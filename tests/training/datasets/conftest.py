"""Stories that the rehearsal has played, and judged ones among them."""

import pytest

from characterbox.judging.judge import Judge, judge_story, registered
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.play.world import Script
from characterbox.scenes.library import bundled
from characterbox.stage.playback_control import PlaybackControl
from characterbox.stage.runner import perform
from tests.fakes.in_process_servers import ToNearby

SCENES = [
    scene for scene in bundled() if scene.id in ("treasure-watch", "alice-tarts", "honglou-shigao", "crusoe-footprint")
]
PLAYERS = (Endpoint.parse("rehearsal"), Endpoint.parse("rehearsal#rehearsal-wooden"))


@pytest.fixture
async def client():
    client = Client(transport=ToNearby())
    yield client
    await client.close()


@pytest.fixture
async def rehearsed(store, client):
    """The ids of stories of four scenes, by two models each: the better first."""
    ids = []
    for scene in SCENES:
        for player in PLAYERS:
            casting = Casting(narrator=PLAYERS[0], characters=dict.fromkeys(scene.names, player))
            story = store.stories.create(Script(scene=scene, rounds=1), casting, "command line")
            await perform(store.stories, client, story, PlaybackControl(), on_event=lambda *_: None)
            ids.append(story.id)
    return ids


@pytest.fixture
async def judged(store, client, rehearsed):
    """The same, judged by the rehearsal as GPT-4: each character, and the narrator."""
    for of in ("character", "narrator"):
        judge = registered(store, Judge.parse("GPT-4=rehearsal"), of)
        for id in rehearsed:
            await judge_story(store, client, store.stories.story(id), judge, of=of)
    return rehearsed
