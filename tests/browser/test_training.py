"""From stories to a training in the browser: rewritten parts, a dataset, a run that is played, and its evaluation."""

import re
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.app import App, play, rests, running
from tests.browser.choosing import pick
from tests.browser.fields import write
from tests.browser.test_accessibility import faults
from tests.training.conftest import pretender
from tests.training.folders import write_base

BEST, PLAIN, WOODEN = "rehearsal", "rehearsal#rehearsal-plain", "rehearsal#rehearsal-wooden"


@pytest.fixture
def training_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    """The running app with two stories of two scenes, folders of its own, and a Python that only pretends to train."""
    python = tmp_path / "python"
    trains = pretender(tmp_path / "trains")
    python.write_text(f'#!/bin/sh\n[ "$1" = -c ] && exit 0\nexec {trains} "$@"\n', encoding="utf-8")
    python.chmod(python.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("CHARACTERBOX_TRAIN", str(python))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    write_base(tmp_path / "base")
    for scene in ("bundled:holmes-study", "bundled:pride-rain"):
        play(tmp_path / "app.db", scene, "--rounds", "1")
    with running(tmp_path / "app.db") as app:
        yield app


def press(page: Page, button: str) -> None:
    rests(page)
    page.get_by_role("button", name=button, exact=True).first.click()


def choose_model(page: Page, label: str, model: str) -> None:
    rests(page)
    box = page.get_by_role("combobox", name=label, exact=True)
    box.press_sequentially(model)
    box.press("Enter")


def titled(page: Page, title: str | re.Pattern[str]) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    rests(page)


def test_from_stories_to_an_evaluation(training_app: App, page: Page, tmp_path: Path) -> None:
    page.goto(f"{training_app.url}/playback")
    page.locator(".library .title").first.click()
    page.get_by_role("link", name="Rewritten parts").click()
    titled(page, re.compile("^Rewritten parts: "))
    press(page, "Rewrite")
    expect(page.get_by_text("Rewritten by rehearsal")).to_be_visible()
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)
    rests(page)
    page.get_by_text("Before and after", exact=True).click()
    expect(page.locator(".cb-before-after").first).to_be_visible()
    page.get_by_text("Prompts and replies", exact=True).click()
    expect(page.get_by_label("Step", exact=True)).to_be_visible()
    press(page, "Judge before and after")
    expect(page.get_by_role("columnheader", name="Difference")).to_be_visible()
    assert faults(page) == []

    press(page, "All training")
    expect(page.get_by_role("heading", name="Rewritten parts")).to_be_visible()
    press(page, "New training dataset")
    titled(page, "New training dataset")
    write(page, "Name", "small")
    pick(page, "Test scenes", re.compile("."))
    page.keyboard.press("Escape")
    rests(page)
    page.get_by_text("Include demo output (no language model)").click()
    assert faults(page) == []
    press(page, "Write dataset")
    titled(page, "small")
    expect(page.get_by_text("Examples", exact=True).first).to_be_visible()
    assert faults(page) == []

    press(page, "Train with this dataset")
    titled(page, "New training run")
    write(page, "Name", "first")
    write(page, "Base model", str(tmp_path / "base"))
    assert faults(page) == []
    press(page, "Start training")
    titled(page, "first")
    expect(page.get_by_text("Running · step 1 of 3")).to_be_visible()
    expect(page.locator(".js-plotly-plot")).to_be_visible()
    press(page, "Stop")
    expect(page.get_by_text("Stopped · step 1 of 3")).to_be_visible()
    press(page, "Resume")
    expect(page.get_by_text("Running · step 1 of 3")).to_be_visible()
    (tmp_path / "data/characterbox/training/runs/first/finish").touch()
    expect(page.get_by_role("heading", name="Evaluation")).to_be_visible()

    for label, model in (("Base", WOODEN), ("Tuned", PLAIN), ("Teacher", BEST), ("Characters", BEST)):
        choose_model(page, label, model)
    write(page, "Rounds", "1")
    press(page, "Show plan")
    press(page, "Start evaluation")
    expect(page.get_by_text(re.compile("^Ended · 3 of 3 stories played"))).to_be_visible()
    expect(page.locator(".cb-figures table")).to_have_count(2)
    assert faults(page) == []
    page.reload()
    expect(page.locator(".cb-figures table")).to_have_count(2)

    page.set_viewport_size({"width": 390, "height": 900})
    for place in ("", "?dataset=small", "?run=first", "?new=run"):
        page.goto(f"{training_app.url}/training{place}")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        rests(page)
        assert faults(page) == [], place
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, place


def test_deep_links_to_what_is_not_there_lead_back(training_app: App, page: Page) -> None:
    for place in ("dataset=nowhere", "run=nowhere", "reflections=nowhere", "new=else"):
        page.goto(f"{training_app.url}/training?{place}")
        titled(page, "Training")
    expect(page.get_by_role("button", name="New training dataset")).to_be_visible()
