"""An empty list shows an example of what will stand there, marked as one, and the one step to it."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.app import App, rests

EMPTY = {
    "playback": "Start story",
    "sweeps": "New sweep",
    "campaigns": "New campaign",
    "campaigns?datasets=all": "Import ratings",
    "scenes?crafting=all": "Generate",
    "models": "Add server",
}
"""Lists of a new database, and what is pressed there."""


def test_an_empty_list_shows_an_example_that_is_marked_and_cannot_be_pressed(page: Page, app: App) -> None:
    for place, step in EMPTY.items():
        page.goto(f"{app.url}/{place}")
        example = page.get_by_role("img", name="Example: ")
        expect(example).to_have_count(1)
        expect(example.get_by_text("Example", exact=True)).to_be_visible()
        expect(example.locator("a, button, input, [tabindex]")).to_have_count(0)
        expect(page.get_by_role("link", name=step).or_(page.get_by_role("button", name=step)).first).to_be_visible()
    page.goto(f"{app.url}/admin?log=newest")
    expect(page.get_by_role("img", name="Example: made an account")).to_be_visible()


@pytest.mark.parametrize("place", ["playback", "campaigns"])
def test_it_goes_as_soon_as_something_is_there(page: Page, app: App, place: str) -> None:
    if place == "playback":
        app.play("bundled:treasure-watch", "--rounds", "1")
        page.goto(f"{app.url}/playback")
        expect(page.locator(".library .title")).to_have_count(1)
    else:
        page.goto(f"{app.url}/campaigns")
        rests(page)
        page.get_by_role("button", name="New campaign").click()
        page.get_by_role("button", name="All campaigns").click()
        expect(page.locator(".st-key-campaign-row-0")).to_be_visible()
    expect(page.locator(".cb-example")).to_have_count(0)
