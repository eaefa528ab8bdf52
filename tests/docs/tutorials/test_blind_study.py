"""The tutorial about a blind rating study, walked through in both languages."""

import re
from collections.abc import Callable
from zlib import crc32

from playwright.sync_api import expect

from tests.browser.app import rests
from tests.browser.rating import METRICS
from tests.browser.tables import WAIT
from tests.docs.walk import Walk

ITEMS = 6


def test_blind_study(begin: Callable[[str], Walk]) -> None:
    walk = begin("blind-study")
    walk.run()
    design(walk)
    walk.go_to("Rate", "Annotate")
    rate(walk, 0, picture="blind-study-rating")
    walk.press("Change rater", "link")
    rate(walk, 1)
    walk.go_to("Measure", "Reliability and validity")
    walk.choose("Ratings")
    walk.heading("Reliability")
    walk.see("Experts: do the raters agree on a metric?")
    table = walk.page.get_by_role("region", name=walk.shown("Reliability"))
    expect(table.locator("tbody tr").filter(has_text=f"n = {ITEMS}")).to_have_count(len(METRICS), timeout=WAIT)
    table.scroll_into_view_if_needed()
    walk.picture("blind-study-reliability", table)
    walk.press("Planning", "radio")
    walk.end()


def design(walk: Walk) -> None:
    """From a new campaign to one that runs."""
    walk.go_to("Rate", "Campaigns")
    walk.press("New campaign")
    walk.write("Name")
    walk.write("Raters per item")
    walk.toggle("Experts must pass the practice set first")
    walk.switch_to("Stories")
    walk.write("Search")
    walk.press("Select all {count:,} found", count=2)
    walk.switch_to("Experts")
    walk.write("Expert name")
    walk.press("Add expert")
    rests(walk.page)
    walk.page.get_by_label(walk.shown("Expert name"), exact=True).fill(walk.value())
    walk.press("Add expert")
    walk.switch_to("Blinding")
    walk.press("Scan {count:,} item|Scan {count:,} items", count=ITEMS)
    walk.switch_to("Plan")
    walk.picture("blind-study-plan")
    walk.press("Start campaign")
    walk.press("Start")


def rate(walk: Walk, milder: int, picture: str = "") -> None:
    """All items, as the expert whom the text names, who is milder or not; a picture is taken at the first one."""
    page = walk.page
    walk.write("Your name")
    walk.press("Start rating")
    walk.open_named()
    walk.press("Start rating", "link")
    for number in range(1, ITEMS + 1):
        expect(page.locator(".place").first).to_have_text(re.compile(rf"{number}\D+{ITEMS}"))
        length = len(page.locator(".reading").first.inner_text())
        for metric in range(len(METRICS)):
            page.keyboard.press(str(score(length, metric, milder)))
        expect(page.locator(".mark.saved")).to_have_count(len(METRICS))
        if picture and number == 1:
            walk.label("Submit and continue")
            walk.picture(picture)
        page.keyboard.press("Enter")
    expect(page.locator(".all-done")).to_be_visible()


def score(length: int, metric: int, milder: int) -> int:
    """How good a text of that length is, and what a rater makes of it on a metric: alike, and not quite."""
    own = crc32(f"{length} {metric} {milder}".encode()) % 3 - 1
    return min(5, max(1, 2 + length % 3 + own + milder))
