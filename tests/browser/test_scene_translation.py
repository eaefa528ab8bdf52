"""A scene is translated in the browser, seen beside its original, edited and kept; the pair is linked both ways."""

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from characterbox.scenes.library import bundled_scene
from tests.browser.app import App, rests
from tests.browser.test_accessibility import faults

RAIN = bundled_scene("pride-rain")


@pytest.fixture
def page(page: Page) -> Iterator[Page]:
    """One in which no script fails."""
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    assert errors == []


def test_a_bundled_scene_is_translated_edited_and_kept_and_each_of_the_pair_links_the_other(
    page: Page, app: App
) -> None:
    page.goto(f"{app.url}/scenes?scene=bundled:pride-rain")
    page.get_by_role("button", name="Translate").click()
    expect(page.get_by_role("heading", name="Translate into Chinese")).to_be_visible()
    rests(page)
    if not page.get_by_role("button", name="Start translation").count():
        page.get_by_role("combobox", name="Translator").click()
        page.get_by_role("option").first.click()
    page.get_by_role("button", name="Start translation").click()
    expect(page.get_by_text("This translation is made without a language model")).to_be_visible()
    scenes = page.locator(".cb-scene")
    expect(scenes).to_have_count(2)
    expect(scenes.nth(0)).to_have_attribute("lang", "en")
    expect(scenes.nth(1)).to_have_attribute("lang", "zh")
    rests(page)
    assert faults(page) == []

    page.get_by_role("button", name="Edit").click()
    text = page.get_by_label("Draft (JSON)")
    expect(text).to_have_value(re.compile('"title": "'))
    draft = json.loads(text.input_value())
    text.fill(json.dumps({**draft, "title": "雨中来客", "characters": draft["characters"][:1]}))
    text.press("Control+Enter")
    page.get_by_role("button", name="Save draft").click()
    expect(page.get_by_text("translate each one")).to_be_visible()
    text.fill(json.dumps({**draft, "title": "雨中来客"}))
    text.press("Control+Enter")
    page.get_by_role("button", name="Save draft").click()
    expect(scenes.nth(1).get_by_role("heading", name="雨中来客")).to_be_visible()
    page.keyboard.press("Escape")
    rests(page)

    page.get_by_role("button", name="Keep").click()
    page.get_by_role("button", name="Open in library").click()
    expect(page.get_by_role("heading", level=1, name="雨中来客")).to_be_visible()
    about = page.locator(".cb-facts")
    about.get_by_role("link", name=RAIN.title).click()
    expect(page).to_have_url(re.compile("bundled%3Apride-rain"))
    expect(page.get_by_role("heading", level=1, name=RAIN.title)).to_be_visible()
    about.get_by_role("link", name="雨中来客").click()
    expect(page.get_by_role("heading", level=1, name="雨中来客")).to_be_visible()
