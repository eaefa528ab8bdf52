"""The first screen of a new database: three ways in, each one click away, until the samples are removed."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from annotations.i18n.translation import say, speaking
from tests.browser.app import App, rests, running
from tests.browser.tables import WAIT


@pytest.fixture
def new_app(tmp_path: Path) -> Iterator[App]:
    """The running app on a database that was just made, with the samples."""
    with running(tmp_path / "app.db", samples=True) as app:
        yield app


def door(page: Page, name: str) -> None:
    page.locator(".stMain").get_by_role("link", name=name, exact=True).click()


def test_each_door_leads_in_with_one_click(page: Page, sampled_app: App) -> None:
    page.goto(sampled_app.url)
    rests(page)
    for title in ("Watch a sample", "Run this scene", "See results from 1,056 rated stories"):
        expect(page.get_by_role("heading", name=title)).to_be_in_viewport()
    door(page, "Watch")
    expect(page).to_have_url(re.compile(r"/playback\?story=sample"))
    expect(page.locator(".player")).to_be_visible()
    page.go_back()
    door(page, "See the figures")
    expect(page).to_have_url(f"{sampled_app.url}/validity?ratings=samplehanna")
    expect(page.locator(".js-plotly-plot").first).to_be_in_viewport(timeout=WAIT)
    page.go_back()
    door(page, "Leaderboard")
    expect(page.get_by_role("rowheader", name="GPT-4", exact=True).first).to_be_visible()


def test_a_scene_runs_after_one_click(page: Page, new_app: App) -> None:
    page.goto(new_app.url)
    rests(page)
    page.get_by_role("button", name="Start story").click()
    expect(page).to_have_url(re.compile(r"/\?story=\w+$"))
    expect(page.locator(".script li, .script p").first).to_be_visible(timeout=WAIT)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_sample_study_has_figures_in_every_view_and_its_metrics_have_names(
    page: Page, sampled_app: App, language: str
) -> None:
    page.set_extra_http_headers({"Accept-Language": "zh-CN" if language == "zh" else "en"})
    coherence = {"en": "Coherence", "zh": "连贯"}[language]
    page.goto(f"{sampled_app.url}/validity")
    with speaking("zh" if language == "zh" else "en"):
        views = [say(text) for text in ("Summary", "Experts", "Single judge", "Judge comparison", "Planning")]
    expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=WAIT)
    expect(page).to_have_url(f"{sampled_app.url}/validity?ratings=samplehanna")
    for view in views:
        page.get_by_role("radio", name=view, exact=True).click()
        rests(page)
        shown = ".js-plotly-plot" if view != views[3] else ".stMain table"
        expect(page.locator(shown).first).to_be_visible(timeout=WAIT)
        expect(page.locator(".cb-fault")).to_have_count(0)
        expect(page.get_by_text(re.compile("Chhun"))).to_be_visible()
        if view != views[3]:
            expect(page.locator(".stMain").get_by_text(coherence).first).to_be_attached()
    assert "hidden repeats" not in page.inner_text(".stMain")


LATE_NAME = """button => {
  history.replaceState(history.state, "", "/validity");
  button.click();
  const late = () => history.replaceState(history.state, "", "/validity?ratings=samplehanna");
  setTimeout(late, 0);
}"""


def test_the_address_does_not_keep_a_removed_sample_that_the_browser_named_late(page: Page, new_app: App) -> None:
    page.goto(f"{new_app.url}/validity")
    remove = page.get_by_role("button", name="Remove sample")
    expect(remove).to_be_visible(timeout=WAIT)
    rests(page)
    remove.evaluate(LATE_NAME)
    expect(page.get_by_text("There are no ratings yet.")).to_be_visible(timeout=WAIT)
    expect(page).to_have_url(f"{new_app.url}/validity")


def test_samples_are_removed_with_one_click_each_and_stay_away(page: Page, new_app: App) -> None:
    page.goto(f"{new_app.url}/validity")
    page.get_by_role("button", name="Remove sample").click(timeout=WAIT)
    expect(page.get_by_text("There are no ratings yet.")).to_be_visible(timeout=WAIT)
    expect(page.get_by_role("combobox", name="Ratings")).not_to_have_value(re.compile("HANNA"))
    expect(page).to_have_url(f"{new_app.url}/validity")
    page.goto(new_app.url)
    rests(page)
    expect(page.get_by_role("link", name="See the figures")).to_have_count(0)
    expect(page.get_by_role("button", name="Remove samples")).to_be_visible()
    page.goto(f"{new_app.url}/playback")
    rests(page)
    page.get_by_role("button", name="Remove samples").click()
    expect(page.get_by_text("No stories yet.")).to_be_visible()
    new_app.stop()
    new_app.start()
    page.goto(new_app.url)
    rests(page)
    expect(page.get_by_role("button", name="Start story")).to_be_visible()
    expect(page.get_by_role("heading", name="Watch a sample")).to_have_count(0)
