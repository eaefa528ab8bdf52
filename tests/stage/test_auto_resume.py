"""Stories that were left alone go on by themselves as soon as they can."""

import asyncio
import logging
import threading
from datetime import timedelta

import pytest
from sqlalchemy import insert, update

from characterbox.llm.calls.client import Client
from characterbox.llm.calls.retry_policy import RetryPolicy
from characterbox.llm.endpoint import Endpoint
from characterbox.play.world import Script
from characterbox.stage.auto_resume import AutoResume, Care
from characterbox.stage.client import open_client
from characterbox.stage.stage import Stage
from characterbox.store import Store
from characterbox.store.stories.story import STORY
from characterbox.store.tables.columns import table_of
from characterbox.store.tables.servers import ServerRow
from tests.fakes.databases import connection_to
from tests.fakes.mock_server import mock_server
from tests.fakes.reasons import a_reason
from tests.fakes.scenes import a_scene
from tests.fakes.stories import casting_at
from tests.fakes.waiting import until
from tests.stage.control import BELIEFS
from tests.stage.test_stage import at_rest

pytestmark = pytest.mark.process

SCRIPT = Script(scene=a_scene(), rounds=1)
REHEARSAL = casting_at(Endpoint.parse("rehearsal"), SCRIPT.scene)
QUICK = RetryPolicy(pause=0.001, longest_pause=0.002, down=0.02, longest_down=0.05)
EAGER = Care(every=0.05, age=timedelta(0))
IDLE = Care(every=3600)


@pytest.fixture
def open_stage(url):
    """Opens stages on one database, with a client of their own, and closes them."""
    stages = []

    def opened(client=None, care=EAGER):
        stages.append(Stage(Store(url), client or Client(patience=QUICK), care))
        return stages[-1]

    yield opened
    for stage in stages:
        stage.close()


@pytest.mark.parametrize("fault", ["500 bare", "closed"])
def test_a_story_waits_for_an_endpoint_that_is_down_and_goes_on_when_it_is_back(open_stage, fault):
    with mock_server(always=fault) as server:
        stage = open_stage()
        story = stage.launch(SCRIPT, casting_at(Endpoint(url=server.url, model="m"), SCRIPT.scene))
        words = "HTTP 500" if fault == "500 bare" else "connection"
        until(lambda: (one := stage.store.stories.story(story.id)).status == "waiting" and words in str(one.reason))
        server.always = None
        until(lambda: stage.store.stories.story(story.id).status == "ended")
        keys = [reply.path for reply in stage.store.stories.journal(story.id)]
        assert len(keys) == len(set(keys))
        assert stage.store.stories.story(story.id).reason is None


def test_a_click_tries_it_at_once(open_stage):
    patience = RetryPolicy(pause=0.001, longest_pause=0.002, down=3600, longest_down=3600)
    with mock_server(always="500 bare") as server:
        stage = open_stage(Client(patience=patience), IDLE)
        story = stage.launch(SCRIPT, casting_at(Endpoint(url=server.url, model="m"), SCRIPT.scene))
        assert at_rest(stage, story) == "waiting"
        server.always = None
        stage.resume(story.id)
        assert at_rest(stage, story) == "ended"


def test_what_nobody_plays_any_more_is_taken_up_by_another_app(open_stage):
    stage = open_stage()
    rehearsal = casting_at(Endpoint.parse("rehearsal"), SCRIPT.scene)
    left, by_hand = (stage.store.stories.create(SCRIPT, rehearsal, origin) for origin in ("app", "command line"))
    until(lambda: stage.store.stories.story(left.id).status == "ended")
    assert stage.store.stories.story(by_hand.id).status == "running"
    assert stage.store.stories.events(by_hand.id) == []


def test_a_pause_is_not_taken_back_while_replies_are_under_way(open_stage):
    with mock_server(answers=0) as server:
        stage = open_stage()
        story = stage.launch(SCRIPT, casting_at(Endpoint(url=server.url, model="m"), SCRIPT.scene))
        until(lambda: len(server.seen) == BELIEFS)
        stage.rest(story.id)
        a_round_passes(stage)
        server.answers = None
        assert at_rest(stage, story) == "paused"
        assert len(server.seen) == BELIEFS


def test_a_pause_is_not_taken_back_by_who_has_not_heard_of_it(open_stage, url):
    class Pausing(Client):
        """Somebody pauses the story while auto-resume, which has read that it waits, looks at its address."""

        async def reachable(self, url):
            await asyncio.to_thread(store.stories.move, story.id, "paused")
            paused.set()
            return True

    paused, store = threading.Event(), Store(url)
    story = store.stories.create(SCRIPT, REHEARSAL, "app")
    store.stories.move(story.id, "waiting", a_reason("it was down"))
    stage = open_stage(Pausing())
    assert paused.wait(60)
    a_round_passes(stage)
    assert at_rest(stage, story) == "paused"
    assert stage.store.stories.events(story.id) == []
    store.close()


def a_round_passes(stage):
    """Wait until auto-resume has taken up a story that was left just now."""
    left = stage.store.stories.create(SCRIPT, REHEARSAL, "app")
    until(lambda: stage.store.stories.story(left.id).status == "ended")


def test_a_server_that_can_not_be_read_holds_nobody_else_up(open_stage, url, caplog):
    unread_url = "http://127.0.0.1:9/v1"
    store = Store(url)
    with connection_to(url) as connection:
        connection.execute(insert(table_of(ServerRow)).values(url=unread_url, content={}))
    unread, other = (
        store.stories.create(SCRIPT, casting, "app")
        for casting in (casting_at(Endpoint(url=unread_url, model="m"), SCRIPT.scene), REHEARSAL)
    )
    for story in (unread, other):
        store.stories.move(story.id, "waiting", a_reason("it was down"))
    stage = Stage(store, open_client(store), EAGER)
    try:
        until(lambda: stage.store.stories.story(other.id).status == "ended")
        a_round_passes(stage)
        assert stage.store.stories.story(unread.id).status == "waiting"
    finally:
        stage.close()
    assert [record.message for record in caplog.records if record.levelno >= logging.WARNING] == [
        f"stories that wait for {unread_url} go on waiting: server {unread_url}: its stored data cannot be read"
        " (url: Field required); add it again on the Models page"
    ]


async def test_what_this_process_plays_is_not_even_read(url, caplog):
    store, client = Store(url), Client()
    played, left = (store.stories.create(SCRIPT, REHEARSAL, "app") for _ in range(2))
    with connection_to(url) as connection:
        connection.execute(update(STORY).where(STORY.c.id == played.id).values(casting={}))
    found = await AutoResume(store.stories, client, {played.id}, lambda story: None, EAGER).left_alone()
    assert found == [left]
    assert caplog.records == []
    await client.close()
    store.close()
