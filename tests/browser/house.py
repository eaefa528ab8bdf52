"""An app whose stories are played by a model server of its own, and hands on them, in Chromium."""

import re
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page, expect

from characterbox.llm.endpoint import Endpoint
from characterbox.play.world import Script
from characterbox.store.stories.stories import Story
from tests.browser.app import App, rests
from tests.fakes.databases import store_in
from tests.fakes.mock_server import MockServer
from tests.fakes.scenes import a_scene
from tests.fakes.stories import casting_at
from tests.fakes.waiting import until

SCRIPT = Script(scene=a_scene(), rounds=1)
TURN = 5
"""Calls of a turn in which somebody is affected: action with words, influence, reaction, result, updates."""
BELIEFS = 4
"""Calls of the beliefs of two characters."""
FIRST = BELIEFS + TURN
"""Calls up to the end of the first turn."""
ALL = FIRST + TURN + BELIEFS
EVENTS = "select path, content from event where story_id = ?"


@dataclass
class House:
    """An app on its own database, and the model server that its stories ask."""

    app: App
    server: MockServer
    page: Page

    def story(self, **options: Any) -> Story:
        """A new story that rests before its first call."""
        store = store_in(self.app.db)
        casting = casting_at(Endpoint(url=self.server.url, model="m"), SCRIPT.scene)
        story = store.stories.create(SCRIPT, casting, "app", **options)
        store.stories.move(story.id, "paused")
        store.close()
        return story

    def stored(self, query: str, *values: str) -> list[Any]:
        with sqlite3.connect(self.app.db) as database:
            return database.execute(query, values).fetchall()

    def status(self, id: str) -> str:
        return str(self.stored("select status from story where id = ?", id)[0][0])

    def wait(self, what: Callable[[], bool]) -> None:
        until(what)

    def open(self, id: str, page: str = "", at: int | None = None) -> None:
        step = "" if at is None else f"&at={at}"
        self.page.goto(f"{self.app.url}/{page}?story={id}{step}")
        expect(self.page.locator(".player")).to_be_visible()

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def step(self, stride: str) -> None:
        """Once the page has heard of the press before: what it offers is shut when that is told."""
        expect(self.page.locator('.acts[aria-busy="false"]')).to_be_visible()
        expect(self.page.get_by_role("button", name="Continue")).to_be_visible()
        self.press("Step")
        self.press(stride)

    def played(self) -> str:
        """A story that was played to its end, by pressing Continue."""
        story = self.story()
        self.open(story.id)
        self.press("Continue")
        self.wait(lambda: self.status(story.id) == "ended")
        assert len(self.server.seen) == ALL
        return story.id

    def use(self, story: str, at: int, tool: str, page: str = "playback") -> None:
        self.open(story, page, at)
        self.page.get_by_role("slider", name="Timeline").fill(str(at))  # the Stage begins with now
        expect(self.page.get_by_role("slider", name="Timeline")).to_have_value(str(at))
        self.press(tool)
        expect(self.page.get_by_role("dialog")).to_be_visible()

    def started(self, parent: str) -> str:
        """Start what the dialog offers, and give the id of the new story, once it has ended."""
        self.page.get_by_role("dialog").get_by_role("button", name="Start new story").click()
        self.page.wait_for_url(re.compile(r"\?story=(?!" + parent + ")[0-9a-f]{12}"))
        id = self.page.url.split("story=")[1]
        self.wait(lambda: self.status(id) == "ended")
        expect(self.page.get_by_text("Branch of")).to_be_visible()
        rests(self.page)  # it is drawn anew once the player has heard that the story ended
        return id

    def paths(self, id: str) -> list[str]:
        return [path for (path,) in self.stored("select path from event where story_id = ? order by seq", id)]
