"""The app from its start to its end, in a process of its own: what goes on, what is let go, and that all is closed."""

import asyncio
import os
import signal
import threading

import pytest
import streamlit.config
from sqlalchemy import text

import app
from characterbox.accounts.account import LOCAL
from characterbox.components.figures.background.process import open_figure_process
from characterbox.errors import CharacterBoxError, StoreError
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.server import Server
from characterbox.play.world import Script
from characterbox.stage.jobs.vllm_jobs import open_starter
from characterbox.stage.stage import open_stage
from tests.fakes.databases import connection_to
from tests.fakes.forked_processes import start
from tests.fakes.mock_server import mock_server
from tests.fakes.scenes import a_scene
from tests.fakes.stories import casting_at
from tests.fakes.without_coverage import not_measured

pytestmark = pytest.mark.process

SCRIPT = Script(scene=a_scene(), rounds=1)
REHEARSAL = casting_at(Endpoint.parse("rehearsal"), SCRIPT.scene)


@pytest.fixture
def run(tmp_path, url):
    """Has the app do something from its start to its end; gives what it said to standard error."""

    def run(what, samples=False):
        environment = os.environ | {
            "CHARACTERBOX_DB": url,
            "CHARACTERBOX_SAMPLES": str(samples),
            "CHARACTERBOX_REHEARSAL_LATENCY": "0",
            "XDG_STATE_HOME": str(tmp_path),
        }
        out, err = tmp_path / "out", tmp_path / "err"
        running = start(_served, (what,), tmp_path, environment, out, err)
        assert running.wait() == 0, err.read_text(encoding="utf-8")
        return err.read_text(encoding="utf-8")

    return run


def _served(what):
    """In the process of the app."""
    streamlit.config.set_option("server.address", "127.0.0.1")
    asyncio.run(what())
    with pytest.raises(StoreError, match="closed"):
        open_stage().store.stories.create(SCRIPT, REHEARSAL, "app")
    with pytest.raises(CharacterBoxError, match="the app is shutting down"):
        open_figure_process().ask(len, "no figures")
    nobodys = Server(url="http://127.0.0.1:9/v1", name="nobody's", kind="vllm")
    with pytest.raises(RuntimeError, match="shutdown"):
        open_starter().start(LOCAL, nobodys, lambda *_: None)
    assert threading.enumerate() == [threading.main_thread()]


async def all_played():
    while open_stage().store.stories.stories("running"):
        await asyncio.sleep(0.01)


async def played_on():
    async with app.lifespan(app.app):
        open_figure_process()
        await all_played()


async def failing_as_it_opens():
    open_figure_process()
    with pytest.raises(Exception, match="no such table"):
        async with app.lifespan(app.app):
            raise AssertionError("it is open")


async def failing_as_it_closes():
    async def badly():
        raise ZeroDivisionError

    open_figure_process()
    open_stage().client.close = badly
    with pytest.raises(ZeroDivisionError):
        async with app.lifespan(app.app):
            pass


async def ended_in_the_middle():
    async with app.lifespan(app.app):
        open_figure_process()
        while not open_stage().store.stories.unanswered(open_stage().store.stories.stories("running")[0].id):
            await asyncio.sleep(0.01)


async def told_to_end():
    async with app.lifespan(app.app):
        open_figure_process()
        with open_stage().hub.watching("a story") as watcher:
            signal.raise_signal(signal.SIGTERM)
            assert await asyncio.wait_for(watcher.next(), 60) is None


def test_what_was_left_goes_on_and_what_can_not_be_read_is_logged_and_keeps_nothing_from_it(url, store, run):
    story, unread = (store.stories.create(SCRIPT, REHEARSAL, "app") for _ in range(2))
    store.sweeps.put("damaged", {}, "app")
    with connection_to(url) as connection:
        connection.execute(text("UPDATE story SET casting = '{}' WHERE id = :id"), {"id": unread.id})
    said = run(played_on)
    assert store.stories.story(story.id).status == "ended"
    assert f"story {unread.id}: its stored data cannot be read" in said
    assert "sweep damaged can't be read any more" in said
    assert store.stories.count() == 2, "samples are for a database that has no stories"


def test_what_is_under_way_at_the_end_is_kept_and_goes_on_at_the_next_start(store, run):
    with mock_server(latency=1.0) as server:  # a reply comes while the app waits for it at its end
        story = store.stories.create(SCRIPT, casting_at(Endpoint(url=server.url, model="m"), SCRIPT.scene), "app")
        run(ended_in_the_middle)
        assert store.stories.story(story.id).status == "running"
        assert len(store.stories.journal(story.id)) == len(server.seen) >= 1
        server.latency = 0.0
        run(played_on)
        assert store.stories.story(story.id).status == "ended"
        assert len(server.keys()) == len(set(server.keys())), "nothing is asked twice"


def test_a_database_without_stories_gets_the_samples(store, run):
    run(played_on, samples=True)
    assert {story.status for story in store.stories.stories()} == {"ended"}


def test_all_is_closed_though_it_fails_as_it_opens(url, run):
    with connection_to(url) as connection:
        connection.execute(text("DROP TABLE sweep_story"))
        connection.execute(text("DROP TABLE sweep"))
    run(failing_as_it_opens)


def test_all_else_is_closed_though_the_stage_fails(run):
    run(failing_as_it_closes)


@not_measured
def test_a_signal_to_end_lets_those_go_who_watch(run):
    run(told_to_end)
