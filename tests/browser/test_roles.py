"""Roles in the browser: a script becomes a role, one talks with it, asks for other replies, compares and votes."""

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.app import App, rests
from tests.browser.choosing import pick
from tests.browser.test_accessibility import faults

TURNS = 10
"""Of each in a dialogue."""


@pytest.fixture
def page(page: Page) -> Iterator[Page]:
    """One in which no script fails."""
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    assert errors == []


def script(count: int) -> str:
    """A script in which two speak in turns."""
    lines = (f"BOB: Who is at door {n}?\n\nANNA: Nobody is at door {n}; it is the wind again." for n in range(count))
    return "\n\n".join(lines)


def say(page: Page, text: str, number: int) -> None:
    """Say something as turn `number`, from 0, and wait for the reply."""
    field = page.locator(".say:not([hidden]) textarea")
    field.fill(text)
    field.press("Enter")
    expect(page.locator(".dialogue .turn:not(.growing)")).to_have_count(2 * number + 2)
    expect(field).to_have_value("")
    expect(field).to_be_focused()


def start(page: Page, name: str = "Guest") -> None:
    """Press the button of the form, and wait for the dialogue."""
    rests(page)
    page.get_by_role("button", name="Start dialogue").click()
    expect(page.get_by_role("heading", level=1, name=re.compile(f"{name} talks with"))).to_be_visible()
    expect(page.locator(".say:not([hidden]) textarea")).to_be_focused()


def test_a_script_becomes_a_role_that_is_verified_and_talked_with(page: Page, app: App, tmp_path: Path) -> None:
    (tmp_path / "doors.txt").write_text(script(30), encoding="utf-8")
    page.goto(f"{app.url}/roles?new=import")
    rests(page)
    page.locator("input[type=file]").set_input_files(tmp_path / "doors.txt")
    pick(
        page, "Speaker, first its name as the role, then other names of the same one", re.compile("anna", re.IGNORECASE)
    )
    page.keyboard.press("Tab")
    page.get_by_label("Work").fill("The Doors")
    page.keyboard.press("Tab")
    expect(page.get_by_text("30 rounds, of which these are the first:")).to_be_visible()
    rests(page)
    page.get_by_role("button", name="Import role").click()
    expect(page.get_by_text("Role imported. Read it, and verify its parts.")).to_be_visible()
    expect(page).to_have_url(re.compile(r"role=\w+"))
    rests(page)
    page.get_by_role("button", name="Mark as verified").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    expect(page.get_by_role("button", name="Mark as verified")).to_have_count(0)
    page.get_by_text("Edit", exact=True).first.click()
    field = page.get_by_label(re.compile("Description, addressed to the role"))
    field.fill("You are Anna, who minds the doors.")
    page.get_by_role("button", name="Save").first.click()
    expect(page.locator(".cb-role").get_by_text("You are Anna, who minds the doors.")).to_be_visible()
    rests(page)
    page.get_by_role("button", name="Talk").click()
    start(page)
    say(page, "Who is at door 7?", 0)
    page.get_by_text("Examples shown to the model (5)").click()
    expect(page.locator(".examples li").first).to_contain_text("door 7")
    assert faults(page) == []


def test_a_model_writes_for_a_role_and_what_is_accepted_is_saved(page: Page, app: App) -> None:
    page.goto(f"{app.url}/roles?new=import")
    rests(page)
    page.get_by_role("radio", name="Scene").click()
    pick(page, "Scene", re.compile("Hamlet"))
    pick(page, "Character", "Hamlet")
    rests(page)
    page.get_by_role("button", name="Import role").click()
    expect(page.get_by_text("Role imported. Read it, and verify its parts.")).to_be_visible()
    rests(page)
    page.get_by_role("button", name="Have a model write").click()
    expect(page.get_by_role("heading", level=1, name="Have a model write for Hamlet")).to_be_visible()
    rests(page)
    page.get_by_role("button", name="Have it written").click()
    expect(page.get_by_text("Who is Hamlet, in a sentence?")).to_be_visible()
    expect(page.get_by_text("11 of 11 parts are done")).to_be_visible()
    rests(page)
    page.get_by_role("button", name="Accept proposal").first.click()
    expect(page.get_by_text("Accepted.")).to_be_visible()
    assert faults(page) == []
    page.get_by_role("button", name="Back to the role").click()
    expect(page.get_by_text("Source: rehearsal · written by rehearsal · verified")).to_be_visible()


@pytest.mark.parametrize(
    ("role", "question"),
    [("en-sherlock-holmes", "What do you make of clue {n}?"), ("zh-sun-wukong", "第{n}个妖怪是谁？")],
)
def test_ten_turns_and_another_take_and_the_way_back_to_the_first(
    page: Page, app: App, role: str, question: str
) -> None:
    page.goto(f"{app.url}/roles?role=bundled:{role}&talk=yes")
    start_button = page.get_by_role("button", name="Start dialogue")
    rests(page)
    start_button.click()
    for number in range(TURNS):
        say(page, question.format(n=number), number)
    first = page.url
    last = page.locator(".dialogue .turn").last
    last.get_by_role("button", name="Regenerate").click()
    expect(page.get_by_text("2 of 2")).to_be_visible()
    assert page.url != first
    expect(page.locator(".dialogue .turn:not(.growing)")).to_have_count(2 * TURNS)
    rests(page)
    page.get_by_role("button", name="Previous reply").last.click()
    expect(page.get_by_text("1 of 2")).to_be_visible()
    expect(page).to_have_url(first)
    page.reload()
    expect(page.locator(".dialogue .turn")).to_have_count(2 * TURNS)


def test_what_is_written_survives_a_reload_and_a_dialogue_ends_by_a_button(page: Page, app: App) -> None:
    page.goto(f"{app.url}/roles?role=bundled:en-captain-ahab&talk=yes")
    start(page)
    field = page.locator(".say textarea")
    field.fill("What of the white")
    page.reload()
    expect(field).to_have_value("What of the white")
    say(page, "What of the white whale?", 0)
    page.get_by_role("button", name="End dialogue").click()
    expect(page.locator(".say")).to_be_hidden()
    expect(page.locator(".dialogue .turn").last).to_contain_text("says nothing")
    expect(page.get_by_role("link", name="Annotate")).to_be_visible()


def test_two_dialogues_are_compared_blind_and_voted_on(page: Page, app: App) -> None:
    for number in range(2):
        page.goto(f"{app.url}/roles?role=bundled:en-ebenezer-scrooge&talk=yes")
        start(page)
        say(page, f"A merry Christmas, uncle! For the {number + 1}. time.", 0)
        page.get_by_role("button", name="End dialogue").click()
        expect(page.locator(".say")).to_be_hidden()
        rests(page)
    page.get_by_role("button", name="Compare").click()
    rests(page)
    pick(page, "Other stories of this scene", re.compile("rehearsal"))
    page.keyboard.press("Tab")
    page.get_by_text("Blind: hide the models until you vote").click()
    rests(page)
    page.get_by_role("button", name="Compare side by side").click()
    expect(page.locator(".comparison .heads h3")).to_have_text(["Story A", "Story B"])
    page.get_by_label("Your name").fill("Ada")
    page.get_by_role("radiogroup").get_by_text("Story A").click()
    page.get_by_role("button", name="Vote").click()
    expect(page.get_by_text(re.compile("You have voted on 1 pair of stories"))).to_be_visible()
    with sqlite3.connect(app.db) as database:
        assert database.execute("select rater, blind from vote").fetchall() == [("Ada", 1)]
