"""A story in the hands of people, in Chromium: its pace, its branches, and a person in a seat."""

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from characterbox.llm.endpoint import Endpoint
from characterbox.play.world import Script
from characterbox.store.stories.stories import Story
from tests.browser.app import App, rests
from tests.fakes.databases import store_in
from tests.fakes.mock_server import MockServer, key_of, mock_server
from tests.fakes.scenes import a_scene, secret_of
from tests.fakes.stories import casting_at
from tests.fakes.waiting import until

SCRIPT = Script(scene=a_scene(), rounds=1)
TURN = 8
"""Calls of a turn in which somebody is affected: action, dialogue, influence, reaction, result, three updates."""
BELIEFS = 4
"""Calls of the beliefs of two characters."""
ALL = 2 * TURN + BELIEFS


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
        expect(self.page.get_by_role("button", name="Continue")).to_be_visible()
        rests(self.page)
        self.press("Step")
        self.page.get_by_role("menuitem", name=stride).or_(self.page.get_by_role("option", name=stride)).click()

    def played(self) -> str:
        """A story that was played to its end, by pressing Continue."""
        story = self.story()
        self.open(story.id)
        self.press("Continue")
        self.wait(lambda: self.status(story.id) == "ended")
        assert len(self.server.seen) == ALL
        return story.id

    def use(self, story: str, at: int, tool: str) -> None:
        self.open(story, "playback", at)
        expect(self.page.get_by_role("slider", name="Timeline")).to_have_value(str(at))
        self.press(tool)
        expect(self.page.get_by_role("dialog")).to_be_visible()

    def started(self, parent: str) -> str:
        """Start what the dialog offers, and give the id of the new story, once it has ended."""
        self.page.get_by_role("dialog").get_by_role("button", name="Start the new story").click()
        self.page.wait_for_url(re.compile(r"\?story=(?!" + parent + ")[0-9a-f]{12}"))
        id = self.page.url.split("story=")[1]
        self.wait(lambda: self.status(id) == "ended")
        expect(self.page.get_by_text("A branch of")).to_be_visible()
        return id

    def paths(self, id: str) -> list[str]:
        return [path for (path,) in self.stored("select path from event where story_id = ? order by seq", id)]


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[App, MockServer]]:
    """One app, and one model server, for all tests of this module."""
    app = App(tmp_path_factory.mktemp("control") / "control.db")
    with mock_server() as server:
        try:
            app.start()
            yield app, server
        finally:
            app.stop()


@pytest.fixture
def house(standing: tuple[App, MockServer], browser: Browser) -> Iterator[House]:
    app, server = standing
    server.seen.clear()
    server.answers = server.always = None
    with browser.new_context(viewport={"width": 1440, "height": 900}) as context:
        yield House(app, server, context.new_page())


def test_a_story_goes_by_calls_turns_and_rounds_is_paused_and_stopped(house: House) -> None:
    story = house.story()
    house.open(story.id)
    expect(house.page.locator(".status")).to_contain_text("Paused")
    house.step("One call")
    house.wait(lambda: house.status(story.id) == "paused" and len(house.server.seen) == 1)
    expect(house.page.locator(".step.action")).to_be_visible()
    house.step("One turn")
    house.wait(lambda: house.status(story.id) == "paused" and len(house.server.seen) == TURN)
    assert {path.split("/")[1] for path in house.paths(story.id)} == {"ann"}
    house.server.answers = TURN + 1
    expect(house.page.get_by_role("button", name="Continue")).to_be_visible()
    house.press("Continue")
    house.wait(lambda: len(house.server.seen) > TURN + 1)
    house.press("Pause")
    expect(house.page.get_by_text("waiting for the replies under way")).to_be_visible()
    house.server.answers = None
    house.wait(lambda: house.status(story.id) == "paused")
    seen = len(house.server.seen)
    assert TURN < seen < ALL
    expect(house.page.get_by_role("button", name="Continue")).to_be_visible()
    house.page.reload()
    expect(house.page.get_by_role("button", name="Continue")).to_be_visible()
    assert len(house.server.seen) == seen
    house.press("Stop")
    house.press("Stop the story")
    house.wait(lambda: house.status(story.id) == "stopped")
    expect(house.page.get_by_text("stopped for good").first).to_be_visible()
    expect(house.page.get_by_role("button", name="Continue")).to_have_count(0)
    house.open(story.id, "playback", 1)
    expect(house.page.get_by_role("button", name="Branch here")).to_be_enabled()


def test_one_round_at_a_time_and_what_others_do_is_seen(house: House) -> None:
    story = house.story()
    house.open(story.id)
    other = house.page.context.new_page()
    other.goto(house.page.url)
    expect(other.get_by_role("button", name="Continue")).to_be_visible()
    house.step("One round")
    house.wait(lambda: len(house.server.seen) == ALL)
    expect(other.locator(".step.environment_belief").first).to_be_visible()


def test_a_story_whose_endpoint_is_down_says_so_and_goes_on_by_itself_when_it_is_back(house: House) -> None:
    story = house.story()
    house.server.always = "500"
    house.open(story.id)
    house.press("Continue")
    house.wait(lambda: house.status(story.id) == "waiting")
    page = house.page
    expect(page.get_by_text("The story goes on by itself when the endpoint is back.")).to_be_visible()
    expect(page.get_by_text("HTTP 500")).to_have_count(1)  # the player does not say again what stands above it
    expect(page.locator(".status")).to_have_text("Waiting for an endpoint")
    expect(page.get_by_role("button", name="Continue")).to_be_visible()
    house.server.always = None
    house.wait(lambda: house.status(story.id) == "ended")
    expect(page.locator(".status")).to_contain_text("Ended")


def test_a_branch_takes_over_what_it_says_and_asks_only_the_rest(house: House) -> None:
    parent = house.played()
    at = house.paths(parent).index("r1/bob/action") + 1
    house.use(parent, at, "Branch here")
    dialog = house.page.get_by_role("dialog")
    expect(dialog.get_by_text(f"{TURN} of {ALL} replies are taken over; the rest is asked anew.")).to_be_visible()
    before = [key_of(body["messages"]) for body in house.server.seen]
    house.started(parent)
    after = Counter(key_of(body["messages"]) for body in house.server.seen[len(before) :])
    assert after == Counter(before[TURN:])
    house.page.get_by_role("link", name=f"A watch goes missing, step {at}").click()
    expect(house.page.get_by_role("heading", name="Branches")).to_be_visible()
    expect(house.page.get_by_role("slider", name="Timeline")).to_have_value(str(at))


def test_an_edited_reply_takes_the_place_of_the_old_one(house: House) -> None:
    parent = house.played()
    at = house.paths(parent).index("r1/ann/result") + 1
    house.use(parent, at, "Edit")
    dialog = house.page.get_by_role("dialog")
    field = dialog.get_by_label("What comes of it")
    expect(field).to_have_value(re.compile("^mark-"))
    field.fill("")
    dialog.get_by_role("button", name="Start the new story").click()
    expect(dialog.get_by_role("alert").filter(has_text=re.compile("."))).to_be_visible()
    field.fill("The lamp goes out.")
    expect(dialog.get_by_text(f"4 of {ALL} replies are taken over")).to_be_visible()
    id = house.started(parent)
    asked = house.stored("select path, author, text from reply where story_id = ? and origin is null", id)
    edited = [(path, author) for path, author, text in asked if "The lamp goes out." in text]
    assert edited == [("r1/ann/result", "edit")]
    assert len(house.server.seen) == ALL + len(asked) - 1
    (taken,) = house.stored("select count(*) from reply where story_id = ? and origin = ?", id, parent)
    assert taken[0] + len(asked) == ALL
    expect(house.page.locator(".interaction_result").first).to_contain_text("The lamp goes out.")


def test_a_regenerated_reply_is_asked_once_and_only_it_while_it_says_the_same(house: House) -> None:
    parent = house.played()
    at = house.paths(parent).index("r1/ann/dialogue") + 1
    house.use(parent, at, "Regenerate")
    house.started(parent)
    assert house.server.tasks()["dialogue"] == 3
    assert len(house.server.seen) == ALL + 1


def test_another_model_for_one_character_asks_only_its_calls(house: House) -> None:
    parent = house.played()
    at = house.paths(parent).index("r1/bob/action") + 1
    house.use(parent, at, "Another model from here")
    dialog = house.page.get_by_role("dialog")
    expect(dialog.get_by_text(f"All {ALL} replies are taken over.")).to_be_visible()
    box = dialog.get_by_role("combobox", name="Bob")
    box.click()
    box.fill(f"{house.server.url}#other")
    house.page.keyboard.press("Enter")
    expect(dialog.get_by_text(f"At least {TURN} of {ALL} replies are taken over")).to_be_visible()
    house.started(parent)
    new = house.server.seen[ALL:]
    assert {body["model"] for body in new} == {"other"}
    assert len(new) == 4  # what Bob does, what he says, and his two beliefs


def test_a_person_takes_over_answers_from_what_the_character_knows_and_gives_back(house: House) -> None:
    story = house.story()
    house.open(story.id)
    house.step("One turn")
    house.wait(lambda: house.status(story.id) == "paused" and len(house.server.seen) == TURN)
    expect(house.page.locator(".environment_update")).to_be_visible()
    assert "state of Ann" in everything_on(house.page)
    expect(house.page.get_by_role("button", name="Continue")).to_be_visible()
    rests(house.page)
    house.press("Who plays whom")
    house.page.get_by_role("button", name="Take over").last.click()
    expect(house.page.get_by_text("played by a person")).to_have_count(1)
    house.press("Continue")
    house.wait(lambda: house.status(story.id) == "cued")
    field = house.page.get_by_label("What Bob does next")
    expect(field).to_be_visible()
    knows_only_bob(house, story.id)
    field.press_sequentially("Bob opens the ")
    expect(house.page.get_by_text("Draft kept")).to_be_visible()
    house.app.kill()
    house.app.start()
    house.open(story.id)
    expect(field).to_have_value("Bob opens the ")
    field.press_sequentially("drawer.")
    house.press("Play it")
    words = house.page.get_by_label("What Bob says with it")
    expect(words).to_be_visible()
    expect(words).to_have_value("")
    knows_only_bob(house, story.id)
    query = "select author, text from reply where story_id = ? and path = 'r1/bob/action'"
    assert house.stored(query, story.id) == [("human", "Bob opens the drawer.")]
    house.press("Who plays whom")
    house.press("Give back")
    house.wait(lambda: house.status(story.id) == "ended")
    expect(house.page.locator(".status")).to_contain_text("Ended")
    expect(house.page.get_by_text("1 by people")).to_be_visible()
    bob = house.stored("select path from reply where story_id = ? and author = 'human'", story.id)
    assert bob == [("r1/bob/action",)]


def test_what_is_being_written_is_not_lost_when_another_window_answers(house: House) -> None:
    story = house.story(people=("Ann",))
    house.open(story.id)
    house.press("Continue")
    field = house.page.get_by_label("What Ann does next")
    expect(field).to_be_visible()
    here, there = house.page, house.page.context.new_page()
    there.goto(f"{house.app.url}/?story={story.id}")
    expect(there.get_by_label("What Ann does next")).to_be_visible()
    field.press_sequentially("Ann waits at the window")
    expect(here.get_by_text("Draft kept")).to_be_visible()
    there.get_by_label("What Ann does next").fill("Ann leaves.")
    there.get_by_role("button", name="Play it").click()
    expect(here.get_by_text("What you wrote was not sent")).to_be_visible()
    expect(here.get_by_test_id("stCode")).to_have_text("Ann waits at the window")
    expect(here.get_by_label("What Ann says with it")).to_have_value("")
    here.get_by_label("What Ann says with it").press_sequentially("Nobody")
    expect(here.get_by_text("Draft kept")).to_be_visible()
    expect(here.get_by_test_id("stCode")).to_have_text("Ann waits at the window")
    here.get_by_role("button", name="Put it away").click()
    expect(here.get_by_test_id("stCode")).to_have_count(0)
    there.close()


def test_who_watches_a_story_that_somebody_deletes_is_told_so(house: House) -> None:
    story = house.story()
    house.open(story.id)
    there = house.page.context.new_page()
    there.goto(f"{house.app.url}/?story={story.id}")
    rests(there)
    there.get_by_role("button", name="Name or delete").click()
    there.get_by_role("button", name="Delete the story").click()
    expect(house.page.get_by_text("there is none with this id")).to_be_visible()
    expect(house.page.get_by_role("link", name="All stories")).to_be_visible()
    there.close()


def everything_on(page: Page) -> str:
    """All text and markup of the page, with what its components hold."""
    inside = "[...document.querySelectorAll('*')].map(node => node.shadowRoot?.textContent ?? '').join(' ')"
    return page.content() + str(page.evaluate(inside))


def knows_only_bob(house: House, story: str) -> None:
    """The page shows what Bob knows, and nothing that is Ann's own."""
    page = house.page
    expect(page.get_by_text(secret_of("Bob")).first).to_be_visible()
    query = "select content from event where story_id = ? and path = 'r1/ann/influence'"
    influence = json.loads(house.stored(query, story)[0][0])["text"]  # it was Bob whom Ann affected
    house.wait(lambda: influence in (now := everything_on(page)) and "state of Ann" not in now)  # the player follows
    whole = everything_on(page)
    assert secret_of("Ann") not in whole
    assert "state of Ann" not in whole
    assert "PLOT-MARK" not in whole


def test_who_plays_the_narrator_fills_the_fields_of_its_forms(house: House) -> None:
    story = house.story(people=(None,))
    house.open(story.id)
    house.press("Continue")
    house.wait(lambda: house.status(story.id) == "cued")
    page = house.page
    expect(page.get_by_text(secret_of("Ann")).first).to_be_visible()
    page.get_by_role("radio", name="Bob").check()
    house.press("Play it")
    expect(page.get_by_role("alert").filter(has_text="effect")).to_be_visible()
    page.get_by_label("What it does to them").fill("Bob's lamp goes out.")
    house.press("Play it")
    expect(page.get_by_label("What comes of it")).to_be_visible()
    page.get_by_label("What comes of it").fill("It is dark.")
    page.get_by_role("radio", name="4", exact=True).check()
    house.press("Play it")
    expect(page.get_by_text("1 of 3")).to_be_visible()
    expect(page.get_by_label("Where they are now")).to_have_value("place of Ann")
    house.press("Play it")
    expect(page.get_by_text("2 of 3")).to_be_visible()
    expect(page.get_by_label("Where they are now")).to_have_value("place of Bob")
    house.press("Play it")
    expect(page.get_by_text("3 of 3")).to_be_visible()
    expect(page.get_by_label("What the place is like now")).to_have_value("An open safe.")
    house.press("Play it")
    house.wait(lambda: house.status(story.id) == "cued" and "r1/ann/environment" in house.paths(story.id))
    events = dict(house.stored("select path, content from event where story_id = ?", story.id))
    assert "It is dark." in events["r1/ann/result"]
    assert not any('"degraded": true' in content for content in events.values())
