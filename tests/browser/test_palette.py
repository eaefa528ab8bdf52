"""The command palette: from any page to whatever has a name, by keyboard alone or by touch."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from characterbox.accounts.account import LOCAL
from characterbox.judging.judge import Judge, registered
from characterbox.judging.protocol import Protocol
from characterbox.store.ratings.ratings import rating_of
from tests.browser.app import App, rests, running
from tests.browser.test_accessibility import faults
from tests.fakes.campaigns import settings
from tests.fakes.databases import store_in
from tests.fakes.scenes import a_scene
from tests.fakes.stories import AT, a_story

HOSTILE = '<img src=x onerror="window.hit = 1"> Okapi'


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory, played: Path) -> Iterator[App]:
    """The app with a story whose title is markup, a campaign and a judge."""
    db = Path(shutil.copyfile(played, tmp_path_factory.mktemp("named") / "app.db"))
    store = store_in(db)
    a_story(store, a_scene().model_copy(update={"title": HOSTILE}))
    store.campaigns.create(settings(name="Spring of 2026"), LOCAL)
    judge = registered(store, Judge(name="GPT-4", endpoint=AT, protocol=Protocol(manner="direct")))
    story = store.stories.stories("ended")[0]
    store.ratings.add([rating_of(story, story.script.scene.names[0], rater=judge.rater, metric="KA", score=4)])
    store.close()
    with running(db) as app:
        yield app


def palette(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Go to")


def options(page: Page) -> Locator:
    return palette(page).get_by_role("option")


def opened(page: Page, address: str) -> Page:
    page.goto(address)
    rests(page)
    expect(page.get_by_role("button", name="Go to")).to_be_visible()  # it hears keys from then on
    page.keyboard.press("ControlOrMeta+k")
    expect(palette(page).get_by_role("combobox")).to_be_focused()
    return page


def write(page: Page, text: str) -> None:
    """Write into the palette, and wait for what is found."""
    with page.expect_response(lambda answer: "/find?" in answer.url and answer.url.endswith(f"={text}")):
        palette(page).get_by_role("combobox").press_sequentially(text)


def test_by_keyboard_alone_to_a_page_and_back(page: Page, named: App) -> None:
    opened(page, f"{named.url}/scenes")
    expect(options(page).first).to_have_attribute("aria-selected", "true")
    assert faults(page) == []
    write(page, "board")
    expect(options(page)).to_have_count(1)
    expect(palette(page).get_by_role("status")).to_have_text("1 found")
    lit = palette(page).get_by_role("combobox").get_attribute("aria-activedescendant")
    assert options(page).get_attribute("id") == lit
    page.evaluate("window.same = true")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{named.url}/leaderboard")
    expect(page.get_by_role("heading", name="Leaderboard", exact=True)).to_be_visible()
    assert page.evaluate("window.same"), "without loading the app again"
    page.go_back()
    expect(page.get_by_role("heading", name="Scenes", exact=True)).to_be_visible()


def test_arrows_go_round_and_escape_gives_the_focus_back(page: Page, named: App) -> None:
    page.goto(f"{named.url}/scenes")
    rests(page)
    search = page.get_by_label("Search")
    search.press_sequentially("rai")
    page.keyboard.press("ControlOrMeta+k")
    expect(options(page)).not_to_have_count(0)
    page.keyboard.press("ArrowUp")
    expect(options(page).last).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(options(page).nth(1)).to_have_attribute("aria-selected", "true")
    expect(palette(page).locator("[aria-selected=true]")).to_have_count(1)
    page.keyboard.press("Tab")
    expect(palette(page).get_by_role("button", name="Close")).to_be_focused()
    page.keyboard.press("Tab")
    expect(palette(page).get_by_role("combobox")).to_be_focused()
    page.keyboard.press("Escape")
    expect(palette(page)).to_be_hidden()
    expect(search).to_be_focused()
    page.keyboard.type("n")
    expect(search).to_have_value("rain")
    expect(page).to_have_url(re.compile("/scenes"))


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("okapi", r"/\?story=\w+$"),
        ("polonius hamlet", r"/scenes\?scene=bundled(%3A|:)[\w-]+$"),
        ("2026 spring", r"/campaigns\?campaign=\w+$"),
        ("gpt", r"/validity\?view=Single\+judge&judge=GPT-4$"),
        ("排行", r"/leaderboard$"),
    ],
)
def test_each_kind_leads_to_its_page(page: Page, named: App, text: str, address: str) -> None:
    opened(page, f"{named.url}/models")
    palette(page).get_by_role("combobox").press_sequentially(text)
    page.keyboard.press("Enter")  # what was written just now is looked for first
    expect(page).to_have_url(re.compile(address))
    rests(page)
    assert page.evaluate("window.hit") is None
    expect(page.locator(".cb-fault")).to_have_count(0)


def test_a_word_that_was_put_together_is_looked_for_once_it_is_there(page: Page, named: App) -> None:
    opened(page, f"{named.url}/models")
    keyboard = page.context.new_cdp_session(page)
    keyboard.send("Input.imeSetComposition", {"text": "paihang", "selectionStart": 7, "selectionEnd": 7})
    with page.expect_response(lambda answer: "/find?" in answer.url):
        keyboard.send("Input.insertText", {"text": "排行"})
    expect(options(page)).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{named.url}/leaderboard")


def test_it_closes_when_one_goes_back(page: Page, named: App) -> None:
    opened(page, f"{named.url}/models")
    write(page, "board")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{named.url}/leaderboard")
    rests(page)
    page.keyboard.press("ControlOrMeta+k")
    expect(palette(page)).to_be_visible()
    page.go_back()
    expect(page).to_have_url(f"{named.url}/models")
    expect(palette(page)).to_be_hidden()


def test_who_was_signed_out_is_told_so(page: Page, named: App) -> None:
    page.route("**/find?*", lambda route: route.fulfill(status=401, json={"error": "you are not signed in"}))
    opened(page, f"{named.url}/models")
    expect(palette(page).get_by_role("status")).to_have_text("You have been signed out. Reload the page to sign in.")


def test_names_are_no_markup(page: Page, named: App) -> None:
    opened(page, f"{named.url}/models")
    write(page, "okapi")
    expect(options(page).first.locator(".name")).to_have_text(HOSTILE)
    expect(palette(page).locator("img")).to_have_count(0)
    assert page.evaluate("window.hit") is None


def test_it_opens_once_over_an_item_and_scores_nothing(page: Page, named: App) -> None:
    page.goto(f"{named.url}/annotate?rater=Pam")
    page.locator("a.primary").click()
    expect(page.locator(".part-view")).to_be_visible()
    rests(page)
    asked: list[str] = []
    marks: list[str] = []
    page.on("request", lambda one: asked.append(one.url) if "/find?" in one.url else None)
    page.on("request", lambda one: marks.append(one.url) if one.url.endswith("/marks") else None)
    page.keyboard.press("ControlOrMeta+k")
    expect(palette(page)).to_have_count(1)
    expect(palette(page).get_by_role("status")).to_contain_text("found")
    assert len(asked) == 1
    item = page.url
    write(page, "5jn")
    expect(palette(page).get_by_role("status")).to_have_text("No matching names.")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(palette(page)).to_be_hidden()
    assert page.url == item
    expect(page.locator(".panel [aria-checked=true]")).to_have_count(0)
    assert [url for url in marks if "score" in url] == []


def test_by_touch_on_a_phone(browser: Browser, named: App) -> None:
    with browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True) as context:
        page = context.new_page()
        page.goto(f"{named.url}/playback")
        rests(page)
        page.get_by_role("button", name="Go to").tap()
        expect(options(page)).not_to_have_count(0)
        assert faults(page) == []
        box = palette(page).bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        palette(page).get_by_role("button", name="Close").tap()
        expect(palette(page)).to_be_hidden()
        page.get_by_role("button", name="Go to").tap()
        options(page).filter(has_text="Scenes").tap()
        expect(page).to_have_url(f"{named.url}/scenes")


def test_an_app_that_does_not_answer_is_told(page: Page, named: App) -> None:
    def refuse(route: Route) -> None:
        route.abort()

    page.route("**/find?*", refuse)
    opened(page, f"{named.url}/models")
    expect(palette(page).get_by_role("status")).to_have_text("The app is not responding. Try again in a moment.")
    page.unroute("**/find?*")
    write(page, "sweeps")
    expect(options(page)).to_have_count(1)
