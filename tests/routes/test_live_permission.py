"""A live stream ends when the one who watches may watch no longer."""

import asyncio
from importlib import import_module

import pytest
from starlette.requests import Request

from characterbox.accounts.account import LOCAL
from characterbox.accounts.session_user import Visitor
from characterbox.llm.endpoint import Endpoint
from characterbox.play.world import Script
from tests.fakes.app_stage import app_stage
from tests.fakes.databases import database_in
from tests.fakes.scenes import a_scene
from tests.fakes.stories import casting_at

live = import_module("characterbox.routes.stories")


@pytest.fixture
def stage(tmp_path, monkeypatch):
    """A stage whose watchers hear something often, and are looked at as often."""
    monkeypatch.setattr(live, "HEARTBEAT", 0.02)
    monkeypatch.setattr(live, "LOOK", 0.01)
    with app_stage(database_in(tmp_path / "live.db")) as stage:
        yield stage


@pytest.fixture
def story(stage):
    """A story that nobody plays: it stays as it is."""
    scene = a_scene()
    return stage.store.stories.create(Script(scene=scene), casting_at(Endpoint.parse("rehearsal"), scene), "sweep").id


class Asking:
    """Somebody who watches a story, and is looked at again: allowed as often as is said."""

    def __init__(self, story, times):
        self.times = times
        self.heard = False
        self.scope = {"type": "http", "headers": [], "query_string": b"", "path_params": {"story": story},
                      "visitor": Visitor(LOCAL), "still_may": self.still_may}  # fmt: skip

    async def still_may(self):
        if not self.heard:
            return True  # on a busy machine it is looked at before anything is told
        self.times -= 1
        return self.times >= 0

    async def watch(self):
        return (await live.live(Request(self.scope))).body_iterator


@pytest.mark.parametrize("times", [0, 2])
async def test_it_ends_at_the_next_look(story, times):
    asking = Asking(story, times)
    async with asyncio.timeout(60):
        async for message in await asking.watch():
            asking.heard = asking.heard or "event: status" in message
    assert asking.times == -1
    assert asking.heard


async def test_who_goes_away_is_told_nothing_more(stage, story):
    stream = await Asking(story, 1000).watch()
    while "event: status" not in await anext(stream):
        pass
    assert stage.hub.watched(story)
    await stream.aclose()
    assert not stage.hub.watched(story)
