"""Ways through the app, and the browser's Back on each of them."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from characterbox.llm.endpoint import Endpoint
from characterbox.play.world import Script
from tests.browser.app import App, rests, running
from tests.browser.menu import to_page
from tests.browser.page_widths import measured
from tests.fakes.databases import store_in
from tests.fakes.scenes import a_scene
from tests.fakes.stories import casting_at

MANY = 21  # one more than the library shows at once


@pytest.fixture(scope="module")
def resting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """The app with stories that rest before their first call."""
    db = tmp_path_factory.mktemp("resting") / "app.db"
    store, scene = store_in(db), a_scene()
    casting = casting_at(Endpoint(url="http://127.0.0.1:9/v1", model="m"), scene)
    for number in range(MANY):
        story = store.stories.create(Script(scene=scene, rounds=1, seed=number), casting, "app")
        store.stories.move(story.id, "paused")
    store.close()
    with running(db) as app:
        yield app


def rows(page: Page, count: int) -> None:
    expect(page.locator(".library .title")).to_have_count(count)


def on_stage(page: Page) -> None:
    expect(page.locator(".player.stage")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/\?story=\w+$"))
    rests(page)


def test_back_from_a_story_on_the_stage_leads_to_the_library_as_it_was(page: Page, resting: App) -> None:
    asked = f"{resting.url}/playback?status=paused&page=2"
    page.goto(asked)
    rows(page, MANY - 20)
    page.locator(".library .title").click()
    on_stage(page)
    page.go_back()
    expect(page).to_have_url(asked)
    rows(page, MANY - 20)
    page.go_forward()
    on_stage(page)
    page.get_by_role("link", name="All stories").click()
    rows(page, MANY - 20)
    expect(page).to_have_url(asked)


def test_the_way_to_all_stories_begins_at_the_edge_of_the_page_on_the_stage_and_in_playback(
    page: Page, resting: App
) -> None:
    def begins(way: Locator) -> None:
        box = way.get_by_test_id("stIconMaterial").bounding_box()
        assert box is not None
        assert round(box["x"]) == measured(page).edge

    page.goto(f"{resting.url}/playback?page=2")
    rows(page, MANY - 20)
    page.locator(".library .title").click()
    on_stage(page)
    begins(page.get_by_role("link", name="All stories"))
    hidden = page.get_by_test_id("stPageLink").evaluate_all(
        "links => links.flatMap(link => [...link.querySelectorAll('*')]).filter(of => of.scrollWidth > of.clientWidth"
        " && getComputedStyle(of).overflowX === 'hidden').map(of => of.textContent)"
    )
    assert hidden == []
    page.goto(page.url.replace("/?", "/playback?"))
    expect(page.locator(".player.playback")).to_be_visible()
    rests(page)
    begins(page.get_by_role("button", name="All stories"))


def test_back_in_the_library_is_seen_in_the_search_and_in_what_it_finds(page: Page, resting: App) -> None:
    page.goto(f"{resting.url}/playback?page=2")
    rows(page, MANY - 20)
    search = page.get_by_label("Search")
    search.fill("no such story")
    search.press("Enter")
    rows(page, 0)
    expect(page).to_have_url(re.compile(r"\?text=no\+such\+story$"))
    search.fill("")
    search.press("Enter")
    rows(page, 20)
    page.go_back()
    rows(page, 0)
    expect(search).to_have_value("no such story")
    page.go_back()
    expect(search).to_have_value("")


def test_back_from_a_new_version_leads_to_the_story_that_it_branched_from(page: Page, app: App) -> None:
    story = app.play("bundled:holmes-study", "--rounds", "1")
    page.goto(f"{app.url}/playback?story={story}&at=3")
    page.get_by_role("button", name="Branch from here").click()
    page.get_by_role("dialog").get_by_role("button", name="Start new story").click()
    on_stage(page)
    expect(page.locator(".status")).to_contain_text("Ended")
    expect(page.get_by_role("link", name="Playback")).to_be_visible()
    rests(page)
    page.go_back()
    expect(page).to_have_url(re.compile(f"/playback.*story={story}"))
    expect(page.locator(".player.playback")).to_be_visible()


def test_a_story_that_is_not_there_leads_to_those_that_are(page: Page, resting: App) -> None:
    page.goto(f"{resting.url}/playback?story=unknown")
    expect(page.get_by_text("unknown")).to_be_visible()
    page.get_by_role("button", name="All stories").click()
    rows(page, 20)


NAMED = """
    window.names = [];
    new MutationObserver(() => names.push(document.title)).observe(document, { childList: true, subtree: true });
"""
"""Notes how the tab is called, whenever something changes."""


def test_tabs_are_called_by_their_page_and_those_of_stories_by_the_story(page: Page, resting: App) -> None:
    page.goto(resting.url)
    expect(page).to_have_title("Stage · CharacterBox")
    to_page(page, "Watch", "Playback")
    expect(page).to_have_title("Playback · CharacterBox")
    page.locator(".library .title").first.click()
    expect(page).to_have_title("A watch goes missing · CharacterBox")
    on_stage(page)
    page.evaluate(NAMED)
    page.get_by_role("button", name="Continue").focus()
    page.keyboard.press("r")  # has Streamlit draw the page anew
    rests(page)
    assert {*page.evaluate("names")} <= {"A watch goes missing · CharacterBox"}
    page.go_back()
    expect(page).to_have_title("Playback · CharacterBox")
    page.goto(f"{resting.url}/playback?story=none")
    expect(page).to_have_title("Playback · CharacterBox")
    page.get_by_role("link", name="中文").click()
    expect(page).to_have_title("回放 · CharacterBox")
