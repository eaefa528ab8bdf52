"""The view Judge experiments: what it takes is told, it is made, and what it shows is marked where it is no result."""

import json
import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.app import App, rests
from tests.browser.choosing import pick
from tests.browser.tables import WAIT
from tests.fakes.databases import store_in


def test_an_experiment_is_told_made_and_shown(page: Page, app: App) -> None:
    story = app.play("bundled:holmes-study", "--rounds", "1")
    page.goto(f"{app.url}/playback?story={story}&view=judges")
    rests(page)
    page.get_by_role("button", name="Judge story").click()
    head = page.get_by_test_id("stMain").get_by_text("Rehearsal judge, GPT-4 protocol", exact=True)
    expect(head.last).to_be_visible(timeout=WAIT)
    page.goto(f"{app.url}/validity?view=Judge+experiments")
    rests(page)
    expect(page.get_by_text("Choose what to change to see how many replies are needed.")).to_be_visible()
    pick(page, "Change", re.compile("one reply per metric"))
    pick(page, "Change", re.compile("repeat with another seed"))
    page.keyboard.press("Escape")
    rests(page)
    store = store_in(app.db)
    characters = len(store.stories.story(story).script.scene.names)
    expect(page.get_by_text(f"{12 * characters} replies will be requested, for 1 story.")).to_be_visible()
    expect(page.get_by_text("demo output (no language model); do not report").last).to_be_visible()
    page.get_by_role("button", name="Start experiment").click()
    table = page.get_by_role("region", name="Variations compared with the original judge")
    made = table.locator("tbody tr", has_text="one reply per metric")
    expect(made.locator("td").last).to_have_text(f"{characters} items", timeout=WAIT)
    expect(table.get_by_text("Demo", exact=True)).to_be_visible()
    expect(table.locator("tbody tr", has_text="repeat 2")).to_be_visible()
    worth = page.get_by_role("region", name="Reliability of the mean of repeated scores")
    expect(worth.locator("thead th").last).to_have_text("Useful number of scores")
    for metric in ("KA", "Overall"):
        expect(worth.get_by_role("row", name=re.compile(f"^{metric}"))).to_be_visible()
    expect(page.get_by_text("halo needs at least 10 items")).to_be_visible()
    rests(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="All statistics of the experiments (JSON)").click()
    assert download.value.suggested_filename == "experiments-Rehearsal-judge-GPT-4-protocol.json"
    told = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert told["note"] == "Demo output (no language model); do not report"
    assert (told["judge"], told["items"], list(told["changes"])) == (
        "GPT-4",
        characters,
        ["each", "repeat 1", "repeat 2"],
    )
    assert store.ratings.tried() == [("GPT-4", "each"), ("GPT-4", "repeat 1"), ("GPT-4", "repeat 2")]
    store.close()
