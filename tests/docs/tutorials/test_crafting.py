"""The tutorial about scenes that models write, walked through in both languages."""

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.app import rests
from tests.browser.tables import WAIT
from tests.docs.walk import Walk

TITLES = {"en": "Between two floors", "zh": "三楼和四楼之间"}


def test_crafting(begin: Callable[[str], Walk]) -> None:
    walk = begin("crafting")
    page, title = walk.page, TITLES[walk.language]
    walk.go_to("Watch", "Scenes")
    walk.press("Generate scenes")
    walk.see("Extract from the source")
    walk.write("Work")
    walk.label("Scene language")
    page.get_by_role("radio", name=walk.value(), exact=True).click()
    rests(page)
    passage = page.get_by_label(walk.label("Or paste text here"))
    passage.fill(walk.block("passage.txt"))
    passage.press("Tab")
    walk.write("Scenes")
    walk.heading("Plan")
    walk.press("Generate")
    expect(page).to_have_url(re.compile(r"crafting=\w{12}"))
    evaluated = walk.main.locator("summary").filter(has_text=walk.shown("Evaluator"))

    walk.open_part(walk.label("Source passage"))
    walk.picture("crafting-steps")
    walk.open_part(re.compile(walk.shown("Director")))
    walk.press("Edit")
    draft = page.get_by_label(walk.shown("Draft (JSON)")).first
    expect(draft).to_have_value(re.compile('"title": "'))
    draft.fill(re.sub('"title": "[^"]*"', f'"title": "{title}"', draft.input_value(), count=1))
    draft.press("Control+Enter")
    walk.press("Save draft")
    expect(walk.main.locator("summary").filter(has_text=title)).to_be_visible(timeout=WAIT)
    expect(evaluated).to_have_count(0, timeout=WAIT)
    walk.press("Continue")
    expect(page.get_by_role("button", name=walk.shown("Continue"), exact=True)).to_have_count(0, timeout=WAIT)
    expect(evaluated.first).to_be_visible(timeout=WAIT)
    expect(walk.main.get_by_text(re.compile(rf"^{walk.shown('Done')} · "))).to_be_visible(timeout=WAIT)

    walk.press("Open in library")
    expect(page).to_have_url(re.compile(r"scene=\w+"))
    expect(page.get_by_role("link", name=walk.shown("Play scene"))).to_be_visible(timeout=WAIT)
    walk.picture("crafting-scene")
    walk.press("Play scene", "link")
    walk.press("Start story")
    expect(page).to_have_url(re.compile(r"story=\w{12}"))
    walk.label("Score scenes")
    walk.end()
