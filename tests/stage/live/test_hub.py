"""Costs are told to who watches, once for all that happened meanwhile."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from characterbox.errors import StoreError
from characterbox.llm.endpoint import Endpoint
from characterbox.play.world import Script
from characterbox.stage.live import hub as hubs
from characterbox.stage.live.hub import Hub, LiveCosts
from characterbox.stage.live.notices import costs_notice
from tests.fakes.databases import store_in
from tests.fakes.scenes import a_scene
from tests.fakes.stories import casting_at

SCRIPT = Script(scene=a_scene(), rounds=1)


@pytest.fixture
def stories(tmp_path, monkeypatch):
    monkeypatch.setattr(hubs, "EVERY", 0.02)
    store = store_in(tmp_path / "costs.db")
    yield store.stories
    store.close()


@pytest.fixture
def teller():
    with ThreadPoolExecutor(1) as teller:
        yield teller


@pytest.fixture
def story(stories):
    return stories.create(SCRIPT, casting_at(Endpoint.parse("rehearsal"), SCRIPT.scene), "app").id


@pytest.mark.slow
async def test_much_at_once_is_told_once_and_what_comes_later_again(stories, story, teller):
    hub = Hub()
    ticking = LiveCosts(partial(costs_notice, stories), hub, asyncio.get_running_loop(), teller)
    with hub.watching(story) as watcher:
        for _ in range(2):
            for _ in range(50):
                ticking.tick(story)
            notice = await asyncio.wait_for(watcher.next(), 10)
            assert (notice.kind, notice.content["costs"].replies.calls) == ("costs", 0)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(watcher.next(), 0.2)


async def test_nothing_is_read_where_nobody_watches(stories, story, teller):
    read = []
    hub = Hub()
    ticking = LiveCosts(read.append, hub, asyncio.get_running_loop(), teller)
    ticking.tick(story)
    other = stories.create(SCRIPT, casting_at(Endpoint.parse("rehearsal"), SCRIPT.scene), "app").id
    with hub.watching(other):
        ticking.tick(other)
        while not read:
            await asyncio.sleep(0.01)
    assert read == [other]


async def test_costs_that_can_not_be_read_are_logged_and_told_later(stories, story, teller, caplog):
    hub, errors = Hub(), [StoreError("the database is away")]

    def read(story):
        if errors:
            raise errors.pop()
        return costs_notice(stories, story)

    ticking = LiveCosts(read, hub, asyncio.get_running_loop(), teller)
    with hub.watching(story) as watcher:
        ticking.tick(story)
        while "the database is away" not in caplog.text:
            await asyncio.sleep(0.01)
        ticking.tick(story)
        assert (await asyncio.wait_for(watcher.next(), 10)).kind == "costs"
