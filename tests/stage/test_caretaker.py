"""Stories that were left alone go on by themselves as soon as they can."""

import asyncio
import logging
from datetime import timedelta

import pytest
from sqlalchemy import insert, update

from characterbox.llm.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.patience import Patience
from characterbox.play.script import Script
from characterbox.stage import caretaker
from characterbox.stage.caretaker import Caretaker
from characterbox.stage.client import open_client
from characterbox.stage.stage import Stage
from characterbox.store.story import STORY
from characterbox.store.tables import ServerRow, table_of
from tests.fakes.databases import store_in
from tests.fakes.mock_server import mock_server
from tests.fakes.scenes import a_scene
from tests.fakes.stories import casting_at
from tests.stage.test_stage import at_rest, wait_until

SCRIPT = Script(scene=a_scene(), rounds=1)
REHEARSAL = casting_at(Endpoint.parse("rehearsal"), SCRIPT.scene)
QUICK = Patience(pause=0.001, longest_pause=0.002, down=0.02, longest_down=0.05)


@pytest.fixture
def open_stage(tmp_path, monkeypatch):
    monkeypatch.setattr(caretaker, "INTERVAL", 0.05)
    monkeypatch.setattr(caretaker, "AGE", timedelta(0))
    stages = []

    def opened():
        stages.append(Stage(store_in(tmp_path / "care.db"), Client(patience=QUICK)))
        return stages[-1]

    yield opened
    for stage in stages:
        stage.close()


@pytest.mark.parametrize("fault", ["500 bare", "closed"])
def test_a_story_waits_for_an_endpoint_that_is_down_and_goes_on_when_it_is_back(open_stage, fault):
    with mock_server(always=fault) as server:
        stage = open_stage()
        story = stage.launch(SCRIPT, casting_at(Endpoint(url=server.url, model="m"), SCRIPT.scene))
        wait_until(lambda: stage.store.stories.story(story.id).status == "waiting")
        assert ("HTTP 500" if fault == "500 bare" else "connection") in stage.store.stories.story(story.id).reason
        server.always = None
        wait_until(lambda: stage.store.stories.story(story.id).status == "ended")
        keys = [reply.path for reply in stage.store.stories.journal(story.id)]
        assert len(keys) == len(set(keys))
        assert stage.store.stories.story(story.id).reason is None


def test_a_click_tries_it_at_once(open_stage, monkeypatch):
    monkeypatch.setattr(caretaker, "INTERVAL", 3600)
    with mock_server(always="500 bare") as server:
        stage = open_stage()
        stage.client._patience = Patience(pause=0.001, longest_pause=0.002, down=3600, longest_down=3600)
        story = stage.launch(SCRIPT, casting_at(Endpoint(url=server.url, model="m"), SCRIPT.scene))
        assert at_rest(stage, story) == "waiting"
        server.always = None
        stage.resume(story.id)
        assert at_rest(stage, story) == "ended"


def test_what_nobody_plays_any_more_is_taken_up_by_another_app(open_stage):
    stage = open_stage()
    rehearsal = casting_at(Endpoint.parse("rehearsal"), SCRIPT.scene)
    left, by_hand = (stage.store.stories.create(SCRIPT, rehearsal, origin) for origin in ("app", "command line"))
    wait_until(lambda: stage.store.stories.story(left.id).status == "ended")
    assert stage.store.stories.story(by_hand.id).status == "running"
    assert stage.store.stories.events(by_hand.id) == []


def test_a_pause_is_not_taken_back_while_replies_are_under_way(open_stage):
    with mock_server(latency=1.5) as server:
        stage = open_stage()
        story = stage.launch(SCRIPT, casting_at(Endpoint(url=server.url, model="m"), SCRIPT.scene))
        wait_until(lambda: server.seen)
        stage.rest(story.id)
        assert at_rest(stage, story) == "paused"
        assert len(server.seen) == 1


def test_a_pause_is_not_taken_back_by_who_has_not_heard_of_it(open_stage):
    stage = open_stage()
    story = stage.store.stories.create(SCRIPT, REHEARSAL, "command line")
    stage.store.stories.move(story.id, "waiting", "it was down")
    stale = stage.store.stories.story(story.id)
    stage.rest(story.id)

    async def play_on():
        stage._play_on(stale)
        await asyncio.wait([stage._playing[stale.id].task])

    stage._do(play_on())
    assert at_rest(stage, story) == "paused"
    assert stage.store.stories.events(story.id) == []


def test_a_server_that_can_not_be_read_holds_nobody_else_up(open_stage, tmp_path, caplog):
    url = "http://127.0.0.1:9/v1"
    store = store_in(tmp_path / "care.db")
    with store._engine.begin() as connection:
        connection.execute(insert(table_of(ServerRow)).values(url=url, content={}))
    unread, other = (
        store.stories.create(SCRIPT, casting, "app")
        for casting in (casting_at(Endpoint(url=url, model="m"), SCRIPT.scene), REHEARSAL)
    )
    for story in (unread, other):
        store.stories.move(story.id, "waiting", "it was down")
    stage = Stage(store, open_client(store))
    try:
        wait_until(lambda: stage.store.stories.story(other.id).status == "ended")
        rounds = stage.store.stories.create(SCRIPT, REHEARSAL, "app")
        wait_until(lambda: stage.store.stories.story(rounds.id).status == "ended")
        assert stage.store.stories.story(unread.id).status == "waiting"
    finally:
        stage.close()
    assert [record.message for record in caplog.records if record.levelno >= logging.WARNING] == [
        f"stories that wait for {url} go on waiting: server {url}: what is stored of it can't be read"
        " (url: Field required); add it anew (Models)"
    ]


async def test_what_this_process_plays_is_not_even_read(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(caretaker, "AGE", timedelta(0))
    store, client = store_in(tmp_path / "care.db"), Client()
    played, left = (store.stories.create(SCRIPT, REHEARSAL, "app") for _ in range(2))
    with store._engine.begin() as connection:
        connection.execute(update(STORY).where(STORY.c.id == played.id).values(casting={}))
    found = await Caretaker(store.stories, client, {played.id}, lambda story: None).left_alone()
    assert found == [left]
    assert caplog.records == []
    await client.close()
    store.close()
