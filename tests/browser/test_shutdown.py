"""The end of the app: in good order, though somebody watches, and what was played goes on at the next start."""

import sqlite3
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from characterbox.llm.endpoint import Endpoint
from characterbox.play.world import Script
from characterbox.scenes.library import bundled_scene
from tests.browser.app import App
from tests.fakes.databases import store_in
from tests.fakes.mock_server import MockServer, mock_server
from tests.fakes.stories import casting_at
from tests.fakes.waiting import until

SCENE = bundled_scene("treasure-watch")
BELIEFS = 2 * len(SCENE.cast)


@pytest.fixture
def server() -> Iterator[MockServer]:
    """It answers what everybody believes as the story begins, and more when it is told to."""
    with mock_server(answers=BELIEFS) as server:
        yield server


def story_under_way(db: Path, endpoint: Endpoint) -> str:
    """A story that the app was playing when it was last stopped."""
    store = store_in(db)
    story = store.stories.create(Script(scene=SCENE, rounds=1), casting_at(endpoint, SCENE), "app")
    store.close()
    return story.id


def status_and_events(db: Path) -> tuple[str, int]:
    with sqlite3.connect(db) as database:
        query = "select status, (select count(*) from event) from story"
        status, events = database.execute(query).fetchone()
    return status, events


@pytest.mark.process
def test_the_app_ends_while_somebody_watches_and_the_story_goes_on_at_the_next_start(
    tmp_path: Path, server: MockServer
) -> None:
    app = App(tmp_path / "end.db")
    story = story_under_way(app.db, Endpoint(url=server.url, model="m"))
    received = threading.Event()
    left = threading.Event()

    def watch() -> None:
        with urllib.request.urlopen(f"{app.url}/stories/{story}/live", timeout=60) as stream:
            for line in stream:
                if line.startswith(b"event: event"):
                    received.set()
        left.set()

    app.start()
    threading.Thread(target=watch, daemon=True).start()
    try:
        assert received.wait(120)
        server.answers = BELIEFS + 3  # what is under way comes as the app ends, and not much more
        app.stop(patience=120)
        assert left.wait(120)
        status, before = status_and_events(app.db)
        assert status == "running"
        server.answers = None
        app.start()
        until(lambda: status_and_events(app.db)[1] > before)
    finally:
        app.stop()
