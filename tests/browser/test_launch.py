"""The form that launches a story, in Chromium: a number that can't be used is not kept by the browser to itself."""

import sqlite3
from contextlib import closing

from playwright.sync_api import Page, expect

from tests.browser.app import App, rests
from tests.fakes.mock_server import mock_server


def test_a_number_out_of_its_range_is_told_and_nothing_starts_until_it_is_mended(app: App, page: Page) -> None:
    page.goto(app.url)
    rests(page)
    page.get_by_text("Settings", exact=True).click()
    start = page.get_by_role("button", name="Start story")
    for label, number, told in (
        ("Narrator's temperature", "3", "Enter a number from 0 to 2."),
        ("Recent record (tokens)", "99999999999999999999", "Enter a whole number from 0 to 100,000."),
    ):
        rests(page)
        box = page.get_by_label(label, exact=True)
        usual = box.input_value()
        write(page, label, number)
        expect(page.get_by_text(told, exact=True)).to_be_visible()
        expect(start).to_be_disabled()
        write(page, label, usual)
        expect(page.get_by_text(told, exact=True)).to_have_count(0)
    write(page, "Narrator's temperature", "1.25")
    start.click()
    page.wait_for_url("**/?story=*")
    with closing(sqlite3.connect(app.db)) as database:
        (stored,) = database.execute(
            "select json_extract(script, '$.settings.narrator.temperature') from story"
        ).fetchone()
    assert stored == 1.25


def test_a_story_recalls_by_an_embedding_model_that_is_chosen_and_tells_so(app: App, page: Page) -> None:
    with mock_server(models=("e",)) as embedder:
        page.goto(app.url)
        rests(page)
        page.get_by_text("Settings", exact=True).click()
        write(page, "Recent record (tokens)", "0")
        recall = page.get_by_role("combobox", name="Recall")
        for written, told in (("rehearsal", "the rehearsal has no embeddings"), ("x", "URL#MODEL or rehearsal")):
            recall.fill(written)
            recall.press("Enter")
            expect(page.get_by_text(told)).to_be_visible()
            expect(page.get_by_role("button", name="Start story")).to_be_disabled()
        recall.fill(f"{embedder.url}#e")
        recall.press("Enter")
        expect(page.get_by_role("button", name="Start story")).to_be_enabled()
        page.get_by_role("button", name="Start story").click()
        page.wait_for_url("**/?story=*")
        expect(page.get_by_text("Ended · Round 3 of 3")).to_be_visible()
        page.get_by_role("button", name="calls · ").click()
        expect(page.get_by_text("by meaning, with e", exact=True)).to_be_visible()
    assert embedder.embedded
    assert len(embedder.embedded) == len({*embedder.embedded})


def write(page: Page, label: str, text: str) -> None:
    box = page.get_by_label(label, exact=True)
    box.fill(text)
    box.press("Tab")
    rests(page)
