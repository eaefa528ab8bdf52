"""A whole campaign in Chromium: invited, qualified, rated in an incomplete design through a reload and a kill, decided,
closed and exported. What was acknowledged to the browsers is in the export, once and as it was given."""

import json
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Response, expect

from annotations.design.practice import load_practice
from annotations.rubrics.rubric import load_rubric
from tests.browser.app import App, play, rests
from tests.browser.rating import LAPTOP, METRICS, expect_saved, expect_shown, items_of, marks
from tests.browser.test_accounts import PASSWORD, come_in, invite, invite_in_app, sign_in
from tests.browser.test_campaigns import part, press, sees, write

EXPERTS = ("Cai", "蔡依", "O'Brien")
PLAYED = ("pride-rain", "pride-rain", "pride-rain", "treasure-watch", "treasure-watch")
MODELS = ("Zephyr-9B", "Rowan-7B", "Alder-13B", "Zephyr-9B", "Rowan-7B")
EACH = 10
INTERRUPTED = 2
"""Times that a page is left while a mark is on its way: it may be stored though its browser never hears of it."""


@dataclass
class Expert:
    """Somebody who rates, and what was acknowledged to the one."""

    name: str
    page: Page
    acknowledged: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The marks by their clicks, each with its item."""

    def __post_init__(self) -> None:
        self.page.on("response", self._note)

    def _note(self, response: Response) -> None:
        if response.url.endswith("/marks") and response.status == 201:
            said = json.loads(response.request.post_data or "")
            self.acknowledged[said["click"]] = {"item": said["item"], **said["mark"]}


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    """An app in which people sign in, with five stories of three characters each."""
    db = tmp_path / "lab.db"
    for scene, model in zip(PLAYED, MODELS, strict=True):
        play(db, f"bundled:{scene}", "--rounds", "1", "--character", f"rehearsal#{model}")
    monkeypatch.setenv("CHARACTERBOX_AUTH", "local")
    app = App(db)
    try:
        app.start()
        yield app
    finally:
        app.stop()


def test_a_campaign_from_its_invitations_to_its_export(lab: App, browser: Browser, tmp_path: Path) -> None:
    contexts = [browser.new_context(viewport=LAPTOP) for _ in range(4)]
    admin = contexts[0].new_page()
    come_in(admin, invite(lab, "Root", "--role", "admin"))
    links = {name: invite_in_app(admin, lab, name, "Expert") for name in EXPERTS}
    campaign = design(admin, lab)
    experts = [Expert(name, context.new_page()) for name, context in zip(EXPERTS, contexts[1:], strict=True)]
    for expert in experts:
        come_in(expert.page, links[expert.name])
        qualify(expert.page)

    cai, yi, brien = experts
    rate(lab, cai, reload_at=4)
    rate(lab, yi, kill_at=5)
    rate(lab, brien)
    assert all(len(own_items(lab, name)) == EACH for name in EXPERTS)
    assert len({item for name in EXPERTS for item in own_items(lab, name)}) == 15, "each item has two of the three"

    admin.goto(f"{lab.url}/campaigns?campaign={campaign}")
    if admin.get_by_label("Password").is_visible():
        sign_in(admin, "Root", PASSWORD)
    sees(admin, "30 of 30 ratings are done")
    adjudicate(admin, lab, campaign)
    press(admin, "Close")
    press(admin, "Close campaign")
    sees(admin, re.compile("^Closed"))
    exported = export(admin, tmp_path)
    given = {click: mark for expert in experts for click, mark in expert.acknowledged.items()}
    assert len(given) > 3 * (EACH + 6) * 8
    assert {click: exported[click] for click in given} == given
    assert len(exported) <= len(given) + INTERRUPTED
    for context in contexts:
        context.close()


def design(admin: Page, lab: App) -> str:
    """A campaign of all items, two of three experts for each; gives its id."""
    admin.goto(f"{lab.url}/campaigns")
    press(admin, "New campaign")
    expect(admin).to_have_url(re.compile("campaign="))
    write(admin, "Name", "First wave")
    write(admin, "Raters per item", "2")
    part(admin, "Stories")
    press(admin, "Select all 5 found")
    sees(admin, "Selected: 5 stories")
    part(admin, "Experts")
    press(admin, "Select all, in the languages of the items")
    expect(admin.get_by_role("radio", name="Experts (3)")).to_be_visible()
    part(admin, "Plan")
    press(admin, "Start campaign")
    press(admin, "Start")
    sees(admin, re.compile("^Running"))
    return admin.url.split("campaign=")[1].split("&")[0]


def qualify(page: Page) -> None:
    """The practice set, with the scores that were agreed on."""
    gold = [[f"{one.score:g}" for one in item.gold] for item in load_practice(load_rubric()).items_in("en")]
    page.locator("a.primary").click()
    for number, scores in enumerate(gold, 1):
        expect(page.locator(".place").first).to_have_text(f"{number} of {len(gold)}")
        for score in scores:
            page.keyboard.press(score)
        page.keyboard.press("Enter")
        expect(page.locator(".verdict")).to_contain_text("7 of 7 equal to the gold score")
        page.keyboard.press("Enter")
    expect(page.locator(".training.passed")).to_be_visible()


def rate(lab: App, expert: Expert, *, reload_at: int = 0, kill_at: int = 0) -> None:
    """Seven digits and Enter, ten times; in one item there is a reload, or the server is killed and started again."""
    page = expert.page
    before = page.url  # taken before the click, which may lead to the first item at once
    page.locator("a.primary").click()
    for number in range(1, EACH + 1):
        expect(page.locator(".place").first).to_have_text(f"{number} of {EACH}")
        expect_shown(page, {}, [METRICS[0]])
        expect(page).not_to_have_url(before)  # the app says it; a reload leads where the address does
        before = page.url
        scores = [str(1 + (number * 3 + at * 2 + len(expert.name)) % 5) for at in range(len(METRICS))]
        for at, score in enumerate(scores):
            page.keyboard.press(score)
            if number in (reload_at, kill_at) and at == 3:
                rests(page)  # the page, which is slower than these hands, comes to the same place
            if number == reload_at and at == 3:
                page.reload()
                expect_saved(page, 4)
            if number == kill_at and at == 3:
                lab.kill()
        if number == kill_at:
            expect(page.locator(".rubric .unsent")).to_be_visible()
            lab.start()
            expect(page.locator(".rubric .unsent")).to_be_hidden()
            page.reload()
        expect_saved(page, len(METRICS))
        expect_shown(page, dict(zip(METRICS, scores, strict=True)))
        page.keyboard.press("Enter")
    expect(page.locator(".all-done")).to_be_visible()


def own_items(lab: App, name: str) -> list[str]:
    """What an expert has rated, practice not counted."""
    assert len(marks(lab, name, "submit")) >= EACH
    return [*items_of(lab, name, "rate")]


def adjudicate(admin: Page, lab: App, campaign: str) -> None:
    """Decide the first disagreement, and come back to the campaign."""
    admin.goto(f"{lab.url}/campaigns?campaign={campaign}&oversight=Disagreements")
    admin.locator(".ov-table tbody tr").first.get_by_role("link").click()
    admin.get_by_test_id("stForm").get_by_role("radio", name="3").click()
    admin.get_by_label("Reason").fill("Read together, and agreed.")
    press(admin, "Record consensus")
    expect(admin.get_by_label("Decisions").locator("li")).to_contain_text("consensus 3 (in effect), Root")
    with sqlite3.connect(lab.db) as database:
        assert database.execute("select score, reason from verdict").fetchall() == [(3, "Read together, and agreed.")]
    admin.goto(f"{lab.url}/campaigns?campaign={campaign}")


def export(admin: Page, folder: Path) -> dict[str, dict[str, Any]]:
    """Every click of the JSON Lines file, with what was marked and on which item."""
    rests(admin)
    admin.get_by_text("Files", exact=True).click()
    admin.get_by_role("radio", name="JSON Lines").click()
    expect(admin.get_by_text("Hidden repeats only")).to_be_hidden()
    with admin.expect_download() as download:
        press(admin, "Download")
    file = folder / "ratings.jsonl"
    download.value.save_as(file)
    clicks: dict[str, dict[str, Any]] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        told = json.loads(line)
        for entry in told["history"]:
            assert entry["click"] not in clicks, "a click stands there twice"
            clicks[entry["click"]] = {"item": told["assignment"], **entry["mark"]}
    return clicks
