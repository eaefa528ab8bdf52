"""The tutorial about a first story, walked through in both languages."""

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.app import rests
from tests.docs.walk import Walk


def test_first_story(begin: Callable[[str], Walk]) -> None:
    walk = begin("first-story")
    page = walk.page
    assert walk.block() == "make app\n"
    walk.heading("Stage")

    walk.see("Run this scene")
    walk.press("Start story")
    expect(page).to_have_url(re.compile(r"story=\w{12}"))
    first = page.url
    expect(page.locator(".script .reaction, .script .step").nth(2)).to_be_visible()
    walk.press("Pause")
    walk.story_rests()
    walk.press("Step")
    walk.press("One turn")
    walk.story_rests()
    walk.picture("first-story-stage")

    walk.press("Step details")
    for tab in ("Reply", "Memory", "Knowledge", "Beliefs", "Influence"):
        walk.press(tab, "tab")
    page.get_by_role("tab", name=walk.shown("Reply"), exact=True).click()
    walk.picture("first-story-details")
    walk.press("Close step details")

    walk.press("Round {n}", n=1)
    walk.press("Edit")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox").first.fill(walk.value())
    walk.press("Start new story")
    expect(page).not_to_have_url(first)
    walk.see("Branch of")
    rests(page)
    walk.press("Compare the two", "link")
    expect(page).to_have_url(re.compile("compare="))
    rests(page)
    walk.end()
