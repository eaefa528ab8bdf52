"""The form that launches a story, in Chromium: a number that can't be used is not kept by the browser to itself."""

import sqlite3
from contextlib import closing

from playwright.sync_api import Page, expect

from tests.browser.app import App, rests


def test_a_number_out_of_its_range_is_told_and_nothing_starts_until_it_is_mended(app: App, page: Page) -> None:
    page.goto(app.url)
    rests(page)
    page.get_by_text("Settings", exact=True).click()
    start = page.get_by_role("button", name="Start story")
    for label, number, told in (
        ("Narrator's temperature", "3", "A number from 0 to 2."),
        ("Recent record (tokens)", "99999999999999999999", "A whole number from 0 to 100,000."),
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


def write(page: Page, label: str, text: str) -> None:
    box = page.get_by_label(label, exact=True)
    box.fill(text)
    box.press("Tab")
    rests(page)
