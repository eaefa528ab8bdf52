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
from tests.browser.menu import to_page
from tests.fakes.databases import store_in
from tests.fakes.mock_server import MockServer, key_of, mock_server
from tests.fakes.scenes import a_scene, secret_of
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
EDITED = "select path from reply where story_id = ? and author = 'edit'"


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
    house.step("One turn")
    house.wait(lambda: house.status(story.id) == "paused" and len(house.server.seen) == BELIEFS)
    house.step("One call")
    house.wait(lambda: house.status(story.id) == "paused" and len(house.server.seen) == BELIEFS + 1)
    expect(house.page.locator(".step.action")).to_be_visible()
    expect(house.page.locator(".step.dialogue")).to_be_visible()
    house.step("One turn")
    house.wait(lambda: house.status(story.id) == "paused" and len(house.server.seen) == FIRST)
    assert {path.split("/")[1] for path in house.paths(story.id) if path.startswith("r1")} == {"ann"}
    house.server.answers = FIRST + 1
    expect(house.page.get_by_role("button", name="Continue")).to_be_visible()
    house.press("Continue")
    house.wait(lambda: len(house.server.seen) > FIRST + 1)
    house.press("Pause")
    expect(house.page.get_by_text("waiting for pending replies")).to_be_visible()
    house.server.answers = None
    house.wait(lambda: house.status(story.id) == "paused")
    seen = len(house.server.seen)
    assert FIRST < seen < ALL
    expect(house.page.get_by_role("button", name="Continue")).to_be_visible()
    house.page.reload()
    expect(house.page.get_by_role("button", name="Continue")).to_be_visible()
    assert len(house.server.seen) == seen
    house.press("Stop")
    house.press("Stop story")
    house.wait(lambda: house.status(story.id) == "stopped")
    expect(house.page.get_by_text("stopped permanently").first).to_be_visible()
    expect(house.page.get_by_role("button", name="Continue")).to_have_count(0)
    house.open(story.id, "playback", 1)
    expect(house.page.get_by_role("button", name="Branch from here")).to_be_enabled()


def test_one_round_at_a_time_and_what_others_do_is_seen(house: House) -> None:
    story = house.story()
    house.open(story.id)
    other = house.page.context.new_page()
    other.goto(house.page.url)
    expect(other.get_by_role("button", name="Continue")).to_be_visible()
    house.step("One round")
    house.wait(lambda: house.status(story.id) == "paused" and len(house.server.seen) == BELIEFS)
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
    expect(page.get_by_text("The story continues automatically when the endpoint is available again.")).to_be_visible()
    expect(page.get_by_text("HTTP 500")).to_have_count(1)  # the player does not say again what stands above it
    expect(page.locator(".status")).to_have_text("Waiting for an endpoint")
    expect(page.get_by_role("button", name="Continue")).to_be_visible()
    house.server.always = None
    house.wait(lambda: house.status(story.id) == "ended")
    expect(page.locator(".status")).to_contain_text("Ended")


def test_a_branch_takes_over_what_it_says_and_asks_only_the_rest(house: House) -> None:
    parent = house.played()
    at = house.paths(parent).index("r1/bob/action") + 1
    house.use(parent, at, "Branch from here")
    dialog = house.page.get_by_role("dialog")
    expect(dialog.get_by_text(f"{FIRST} of {ALL} replies are reused; the rest are regenerated.")).to_be_visible()
    before = [key_of(body["messages"]) for body in house.server.seen]
    house.started(parent)
    after = Counter(key_of(body["messages"]) for body in house.server.seen[len(before) :])
    assert after == Counter(before[FIRST:])
    house.page.get_by_role("link", name=f"A watch goes missing, step {at}").click()
    expect(house.page.get_by_role("heading", name="Branches")).to_be_visible()
    expect(house.page.get_by_role("slider", name="Timeline")).to_have_value(str(at))


def test_a_story_that_rests_is_edited_on_the_stage_and_compared_from_the_first_difference(house: House) -> None:
    story, page = house.story(), house.page
    house.open(story.id)
    expect(page.get_by_role("button", name="Branch from here")).to_be_disabled()
    for calls in (BELIEFS, FIRST):
        house.step("One turn")
        house.wait(lambda calls=calls: house.status(story.id) == "paused" and len(house.server.seen) == calls)
    at = house.paths(story.id).index("r1/ann/result") + 1
    house.use(story.id, at, "Edit", "")
    page.get_by_role("dialog").get_by_label("What comes of it").fill("The lamp goes out.")
    id = house.started(story.id)
    page.get_by_role("link", name="Compare the two").click()
    place = re.compile(rf"/playback\?compare={story.id}%2C{id}$")
    expect(page).to_have_url(place)
    heads = page.locator(".comparison .heads h3")
    for _ in range(2):
        expect(heads).to_have_text(["Original story · paused", f"Edited at step {at}"])
        expect(page.locator(".equal summary")).to_have_text(f"{at - 1} identical steps")
        expect(page.locator(".comparison > .row .step").first).to_have_class(re.compile("interaction_result"))
        expect(page.get_by_text("The lamp goes out.")).to_be_visible()
        expect(page.locator(".equal .step").first).to_be_hidden()
        page.reload()
    page.locator(".equal summary").click()
    expect(page.locator(".equal .step:visible")).to_have_count(at - 1)
    page.go_back()
    expect(page.locator(".player.stage")).to_be_visible()
    expect(page).to_have_url(re.compile(rf"/\?story={id}$"))


def test_a_story_that_is_played_has_no_tools_and_nothing_moves_when_it_rests(house: House) -> None:
    story, page = house.story(), house.page
    house.open(story.id)
    tool, costs = page.get_by_role("button", name="Regenerate"), page.locator(".costs")
    parts = [page.locator(part) for part in (".script", ".timeline", ".range")]
    expect(tool).to_be_visible()
    rests(page)
    before = [part.bounding_box() for part in parts]
    house.server.answers = FIRST
    house.press("Continue")
    expect(costs).to_be_visible()
    expect(tool).to_have_count(0)
    expect(page.locator(".step.reaction")).to_be_visible()
    rests(page)
    assert [part.bounding_box() for part in parts] == before
    house.press("Pause")
    expect(page.get_by_text("waiting for pending replies")).to_be_visible()
    assert [part.bounding_box() for part in parts] == before
    house.server.answers = None
    expect(tool).to_be_visible()
    rests(page)
    assert [part.bounding_box() for part in parts] == before
    house.press("Stop")
    house.press("Stop story")
    expect(page.locator(".status")).to_contain_text("Stopped permanently")
    expect(page.get_by_text("acting now").locator("visible=true")).to_have_count(0)


def test_back_on_the_stage_the_story_that_is_open_is_seen_and_a_way_to_another_scene(house: House) -> None:
    story, page = house.story(), house.page
    start = page.get_by_role("button", name="Start story")
    page.goto(house.app.url)
    expect(start).to_be_visible()
    house.open(story.id)
    rests(page)
    for _ in range(2):
        to_page(page, "Watch", "Scenes")
        expect(page).to_have_url(re.compile("/scenes$"))
        rests(page)
        to_page(page, "Watch", "Stage")
        expect(page).to_have_url(f"{house.app.url}/?story={story.id}")
        expect(page.locator(".player.stage")).to_be_visible()
        rests(page)
    page.go_back()
    expect(page).to_have_url(re.compile("/scenes$"))
    page.go_forward()
    expect(page.locator(".player.stage")).to_be_visible()
    rests(page)
    page.get_by_role("button", name="Start another story").click()
    expect(start).to_be_visible()
    expect(page).to_have_url(f"{house.app.url}/?new=1")
    page.reload()
    expect(start).to_be_visible()
    page.go_back()
    expect(page).to_have_url(f"{house.app.url}/?story={story.id}")
    expect(page.locator(".player.stage")).to_be_visible()
    rests(page)
    house.press("Stop")
    house.press("Stop story")
    house.wait(lambda: house.status(story.id) == "stopped")
    expect(page.get_by_role("button", name="Continue")).to_have_count(0)
    to_page(page, "Watch", "Scenes")
    rests(page)
    to_page(page, "Watch", "Stage")
    expect(start).to_be_visible()


def test_an_edited_reply_takes_the_place_of_the_old_one(house: House) -> None:
    parent = house.played()
    at = house.paths(parent).index("r1/ann/result") + 1
    house.use(parent, at, "Edit")
    dialog = house.page.get_by_role("dialog")
    field = dialog.get_by_label("What comes of it")
    expect(field).to_have_value(re.compile("^mark-"))
    expect(dialog.get_by_text(f"At least {BELIEFS + 3} of {ALL} replies are reused")).to_be_visible()  # as below
    field.fill("")
    dialog.get_by_role("button", name="Start new story").click()
    expect(dialog.get_by_role("alert").filter(has_text=re.compile("."))).to_be_visible()
    field.fill("The lamp goes out.")
    expect(dialog.get_by_text(f"{BELIEFS + 3} of {ALL} replies are reused")).to_be_visible()
    id = house.started(parent)
    asked = house.stored("select path, author, text from reply where story_id = ? and origin is null", id)
    edited = [(path, author) for path, author, text in asked if "The lamp goes out." in text]
    assert edited == [("r1/ann/result", "edit")]
    assert len(house.server.seen) == ALL + len(asked) - 1
    (taken,) = house.stored("select count(*) from reply where story_id = ? and origin = ?", id, parent)
    assert taken[0] + len(asked) == ALL
    expect(house.page.locator(".interaction_result").first).to_contain_text("The lamp goes out.")


def test_the_words_alone_are_edited_in_the_one_reply_that_tells_them(house: House) -> None:
    parent = house.played()
    at = house.paths(parent).index("r1/ann/dialogue") + 1
    house.use(parent, at, "Edit")
    dialog = house.page.get_by_role("dialog")
    action = dialog.get_by_label("What Ann does next")
    expect(action).to_have_value(re.compile("^mark-"))
    told = action.input_value()
    expect(dialog.get_by_label("What Ann says with it")).to_have_value(told)
    expect(dialog.get_by_role("radio", name="everybody")).to_be_checked()
    dialog.get_by_label("What Ann says with it").fill("Only you know.")
    dialog.get_by_role("radio", name="Bob").check()
    dialog.get_by_text("More", exact=True).click()
    dialog.get_by_label("Said so low that nobody else hears it").check()
    expect(dialog.get_by_text(f"{BELIEFS} of {ALL} replies are reused")).to_be_visible()
    id = house.started(parent)
    events = {path: json.loads(content) for path, content in house.stored(EVENTS, id)}
    assert events["r1/ann/action"]["text"] == told
    words = events["r1/ann/dialogue"]
    assert (words["text"], words["to"], words["whispered"]) == ("Only you know.", "Bob", True)
    assert house.stored(EDITED, id) == [("r1/ann/action",)]


def test_one_of_the_updates_of_a_turn_is_edited_and_the_others_stay(house: House) -> None:
    parent = house.played()
    before = {path: json.loads(content) for path, content in house.stored(EVENTS, parent)}
    at = house.paths(parent).index("r1/ann/update/bob") + 1
    house.use(parent, at, "Edit")
    dialog = house.page.get_by_role("dialog")
    bob = dialog.get_by_role("group", name="Bob")
    expect(bob.get_by_label("How Bob is now", exact=True)).to_have_value("calm")
    bob.get_by_label("How Bob is now", exact=True).fill("furious")
    bob.get_by_label("What others see of how Bob is").fill("A red face.")
    id = house.started(parent)
    events = {path: json.loads(content) for path, content in house.stored(EVENTS, id)}
    changed = events["r1/ann/update/bob"]
    assert (changed["state"], changed["visible"]) == ("furious", "A red face.")
    assert changed["position"] == before["r1/ann/update/bob"]["position"]
    for path in ("r1/ann/update/ann", "r1/ann/environment"):
        assert events[path] == before[path]
    assert house.stored(EDITED, id) == [("r1/ann/updates",)]


def test_a_regenerated_reply_is_asked_once_and_only_it_while_it_says_the_same(house: House) -> None:
    parent = house.played()
    at = house.paths(parent).index("r1/ann/dialogue") + 1
    house.use(parent, at, "Regenerate")
    house.started(parent)
    assert house.server.tasks()["action"] == 3
    assert len(house.server.seen) == ALL + 1


def test_another_model_for_one_character_asks_only_its_calls(house: House) -> None:
    parent = house.played()
    at = house.paths(parent).index("r1/bob/action") + 1
    house.use(parent, at, "Change model from here")
    dialog = house.page.get_by_role("dialog")
    expect(dialog.get_by_text(f"All {ALL} replies are reused.")).to_be_visible()
    box = dialog.get_by_role("combobox", name="Bob")
    box.click()
    box.fill(f"{house.server.url}#other")
    house.page.keyboard.press("Enter")
    expect(dialog.get_by_text(f"At least {FIRST} of {ALL} replies are reused")).to_be_visible()
    house.started(parent)
    new = house.server.seen[ALL:]
    assert {body["model"] for body in new} == {"other"}
    assert len(new) == 3  # what Bob does and says, and his two beliefs


def test_a_person_takes_over_answers_from_what_the_character_knows_and_gives_back(house: House) -> None:
    story = house.story()
    house.open(story.id)
    for calls in (BELIEFS, FIRST):
        house.step("One turn")
        house.wait(lambda calls=calls: house.status(story.id) == "paused" and len(house.server.seen) == calls)
    expect(house.page.locator(".environment_update")).to_be_visible()
    assert "state of Ann" in everything_on(house.page)
    expect(house.page.get_by_role("button", name="Continue")).to_be_visible()
    rests(house.page)
    house.press("Casting")
    house.page.get_by_role("button", name="Take over").last.click()
    expect(house.page.get_by_text("played by a person")).to_have_count(1)
    house.press("Continue")
    house.wait(lambda: house.status(story.id) == "cued")
    field = house.page.get_by_label("What Bob does next")
    expect(field).to_be_visible()
    knows_only_bob(house, story.id)
    for name in ("Branch from here", "Regenerate", "Edit", "Change model from here", "Compare", "Share"):
        expect(house.page.get_by_role("button", name=name, exact=True)).to_have_count(0)
    assert house.page.get_by_role("link", name="Compare the two").count() == 0
    field.press_sequentially("Bob opens the ")
    expect(house.page.get_by_text("Draft kept")).to_be_visible()
    house.app.kill()
    house.app.start()
    house.open(story.id)
    expect(field).to_have_value("Bob opens the ")
    field.press_sequentially("drawer.")
    house.page.get_by_label("What Bob says with it").fill("Empty.")
    house.press("Play it")
    house.wait(lambda: "r1/bob/dialogue" in house.paths(story.id))
    [[content]] = house.stored(f"{EVENTS} and path = 'r1/bob/dialogue'".replace("path, ", ""), story.id)
    assert json.loads(content)["text"] == "Empty."
    query = "select author, text from reply where story_id = ? and path = 'r1/bob/action'"
    [[author, text]] = house.stored(query, story.id)
    assert (author, json.loads(text)["action"]) == ("human", "Bob opens the drawer.")
    house.wait(lambda: house.status(story.id) == "cued")
    rests(house.page)
    house.press("Casting")
    house.press("Hand back to model")
    house.wait(lambda: house.status(story.id) == "ended")
    expect(house.page.locator(".status")).to_contain_text("Ended")
    expect(house.page.get_by_text("1 written by people")).to_be_visible()
    bob = house.stored("select path from reply where story_id = ? and author = 'human'", story.id)
    assert bob == [("r1/bob/action",)]


def test_what_is_being_written_is_not_lost_when_another_window_answers(house: House) -> None:
    story = house.story(people=("Ann",))
    house.open(story.id)
    house.press("Continue")
    here, there = house.page, house.page.context.new_page()
    believes(house)
    field = here.get_by_label("What Ann does next")
    expect(field).to_be_visible()
    there.goto(f"{house.app.url}/?story={story.id}")
    expect(there.get_by_label("What Ann does next")).to_be_visible()
    field.press_sequentially("Ann waits at the window")
    expect(here.get_by_text("Draft kept")).to_be_visible()
    there.get_by_label("What Ann does next").fill("Ann leaves.")
    there.get_by_role("button", name="Play it").click()
    expect(here.get_by_text("Your text was not sent")).to_be_visible()
    house.wait(lambda: here.get_by_test_id("stCode").count() > 0)
    assert here.get_by_test_id("stCode").count() == 1, (
        "BUTTONS",
        [b.inner_text() for b in here.get_by_test_id("stAlert").all()],
        [b.inner_text() for b in here.get_by_test_id("stCode").all()],
        [b.get_attribute("class") for b in here.locator("[class*=st-key-away]").all()],
    )
    expect(here.get_by_test_id("stCode")).to_have_text("Ann waits at the window")
    reaction = here.get_by_label("How Ann reacts")  # to what Bob does, whose turn it is now
    expect(here.locator(".st-key-answer .cb-known li").first).to_contain_text("Bob")
    expect(reaction).to_have_value("")
    reaction.press_sequentially("Ann")
    expect(here.get_by_text("Draft kept")).to_be_visible()
    house.wait(lambda: here.get_by_test_id("stCode").count() > 0)
    assert here.get_by_test_id("stCode").count() == 1, (
        "BUTTONS",
        [b.inner_text() for b in here.get_by_test_id("stAlert").all()],
        [b.inner_text() for b in here.get_by_test_id("stCode").all()],
        [b.get_attribute("class") for b in here.locator("[class*=st-key-away]").all()],
    )
    expect(here.get_by_test_id("stCode")).to_have_text("Ann waits at the window")
    here.get_by_role("button", name="Dismiss").click()
    expect(here.get_by_test_id("stCode")).to_have_count(0)
    there.close()


def believes(house: House) -> None:
    """Answer what a character believes before the first round."""
    for labels in (
        ("Who I am, where I am, and how I am doing", "What I want", "What I mean to do"),
        ("What I make of the others", "What the situation means to me", "What follows from this for how I act"),
    ):
        for label in labels:
            house.page.get_by_label(label).fill("So it is.")
        house.press("Play it")


def test_who_watches_a_story_that_somebody_deletes_is_told_so(house: House) -> None:
    story = house.story()
    house.open(story.id)
    there = house.page.context.new_page()
    there.goto(f"{house.app.url}/?story={story.id}")
    rests(there)
    there.get_by_role("button", name="Name or delete").click()
    there.get_by_role("button", name="Delete story").click()
    expect(house.page.get_by_text("there is no story")).to_be_visible()
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
    expect(page.get_by_role("alert").filter(has_text="Required")).to_be_visible()
    page.get_by_label("What it does to them").fill("Bob's lamp goes out.")
    house.press("Play it")
    expect(page.get_by_label("What comes of it")).to_be_visible()
    page.get_by_label("What comes of it").fill("It is dark.")
    page.get_by_label("What only Bob feels of it").fill("Cold fingers at the neck.")
    page.get_by_role("radio", name="4", exact=True).check()
    house.press("Play it")
    expect(page.get_by_label("Where Ann is now")).to_have_value("place of Ann")
    expect(page.get_by_label("Where Bob is now")).to_have_value("place of Bob")
    expect(page.get_by_label("What the place is like now")).to_have_value("An open safe.")
    expect(page.get_by_label("Bob neither sees nor hears Ann")).not_to_be_visible()
    page.get_by_text("Somebody came, left or hid").click()
    page.get_by_label("Bob neither sees nor hears Ann").check()
    page.get_by_label("Where Ann is now").fill("behind the curtain")
    house.press("Play it")
    house.wait(lambda: house.status(story.id) == "cued" and "r1/ann/environment" in house.paths(story.id))
    events = {path: json.loads(content) for path, content in house.stored(EVENTS, story.id)}
    assert (events["r1/ann/result"]["text"], events["r1/ann/result"]["felt"]) == (
        "It is dark.",
        "Cold fingers at the neck.",
    )
    assert events["r1/ann/update/ann"]["position"] == "behind the curtain"
    assert events["r1/ann/update/bob"]["position"] == "place of Bob"
    assert events["r1/ann/environment"]["hidden"] == [{"who": "Ann", "by": ["Bob"]}]
    assert not any(event.get("degraded") for event in events.values())
