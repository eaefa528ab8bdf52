"""The end of the app: in good order, though somebody watches, and what was played goes on at the next start."""

import sqlite3
import threading
import urllib.request
from pathlib import Path

import pytest

from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.play.script import Script
from characterbox.scenes.library import bundled_scene
from tests.browser.app import App
from tests.fakes.databases import store_in


def story_under_way(db: Path) -> str:
    """A story that the app was playing when it was last stopped."""
    store = store_in(db)
    scene, rehearsal = bundled_scene("treasure-watch"), Endpoint.parse("rehearsal")
    casting = Casting(narrator=rehearsal, characters=dict.fromkeys(scene.names, rehearsal))
    story = store.stories.create(Script(scene=scene, rounds=2), casting, "app")
    store.close()
    return story.id


def status_and_events(db: Path) -> tuple[str, int]:
    with sqlite3.connect(db) as database:
        query = "select status, (select count(*) from event) from story"
        status, events = database.execute(query).fetchone()
    return status, events


@pytest.mark.process
def test_the_app_ends_while_somebody_watches_and_the_story_goes_on_at_the_next_start(tmp_path: Path) -> None:
    app = App(tmp_path / "end.db", rehearsal_latency=0.3)
    story = story_under_way(app.db)
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
        assert received.wait(30)
        app.stop(patience=20)
        assert left.wait(10)
        status, before = status_and_events(app.db)
        assert status == "running"
        app.start()
        while status_and_events(app.db)[1] <= before:
            assert not threading.Event().wait(0.05)
    finally:
        app.stop()
