"""Pages begin at one edge, are as wide as a table at most, and set what is read in one narrower width."""

from contextlib import suppress

from playwright.sync_api import Browser, TimeoutError, expect

from tests.browser.app import STILL, App, rests
from tests.browser.edges import MEASURE, READING, TABLE, measured

PAGES = (
    "stage", "stage?story=samplepriderain", "playback", "playback?story=samplepriderain", "scenes", "scenes?new=scene",
    "scenes?new=import", "scenes?crafting=new", "sweeps", "sweeps?new=yes", "models", "models?new=api", "campaigns",
    "campaigns?rubrics=yes", "campaigns?rubric=new", "campaigns?datasets=new", "annotate", "validity", "leaderboard",
    "leaderboard?view=Costs", "admin", "admin?log=1",
)  # fmt: skip
WINDOWS = (1920, 1440, 390)
LAID_OUT = f"""([width, edge]) =>
    innerWidth === width && {STILL} && (edge === null || ({MEASURE})().left === edge)"""
"""Whether a page has been laid out for a window of that width, with its edge there if one is expected."""


def test_all_pages_begin_at_one_edge_and_have_one_width_to_read_and_one_for_tables(
    browser: Browser, sampled_app: App
) -> None:
    page, found = browser.new_page(), {}
    for path in PAGES:
        page.goto(f"{sampled_app.url}/{path}")
        expect(page.locator(".stMainBlockContainer").get_by_role("heading").first).to_be_visible()
        rests(page)
        for width in WINDOWS:
            page.set_viewport_size({"width": width, "height": 1000})
            edge = found[PAGES[0], width]["left"] if path != PAGES[0] else None
            with suppress(TimeoutError):  # then what was found tells which page
                page.wait_for_function(LAID_OUT, arg=[width, edge], timeout=30_000)
            found[path, width] = measured(page)
    for width in WINDOWS:
        edges = {path: found[path, width]["left"] for path in PAGES}
        assert set(edges.values()) == {edges["stage"]}, edges
    assert {where: one["read"] for where, one in found.items() if one["read"] > READING + 1} == {}
    assert {where: one["table"] for where, one in found.items() if one["table"] > TABLE} == {}
