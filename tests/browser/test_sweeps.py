"""A sweep in the browser: its plan, its run, pauses, failures, other windows and other processes."""

import json
import re
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from characterbox.judging.judge import Judge
from characterbox.llm.endpoint import Endpoint
from characterbox.pause_reasons import Reason
from characterbox.scenes.library import bundled_scene
from characterbox.store.sweeps import SweepStatus
from characterbox.sweeps.sweep import Sweep
from tests.browser.app import App, rests
from tests.browser.choosing import pick
from tests.browser.fields import press, write
from tests.fakes.databases import store_in
from tests.fakes.mock_server import MockServer, mock_server
from tests.fakes.waiting import until

NOBODY = "http://127.0.0.1:9/v1#none"
HOLDS = """
import sys
from characterbox.store import Store
store = Store(sys.argv[1])
with store.sweeps.claimed("elsewhere"):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def server() -> Iterator[MockServer]:
    """It answers when it is told to."""
    with mock_server(answers=0) as server:
        yield server


def pick_all(page: Page, label: str, *options: str) -> None:
    for option in options:
        pick(page, label, option, typed=option)
        rests(page)
        page.keyboard.press("Escape")


def test_enter_takes_the_one_scene_that_is_lit(page: Page, sampled_app: App) -> None:
    page.goto(f"{sampled_app.url}/sweeps?new=yes")
    rests(page)
    box = page.get_by_role("combobox", name="Individual scenes")
    box.press_sequentially("burnt")
    expect(page.get_by_role("option")).to_have_text([re.compile("A burnt worktop")])
    box.press("Enter")
    expect(page.get_by_text("1 scene: 1 in English")).to_be_visible()
    rests(page)
    box.press_sequentially("the")
    expect(page.get_by_role("option").nth(5)).to_be_attached()
    box.press("Enter")
    expect(page.get_by_text("2 scenes: 2 in English")).to_be_visible()


def sees(page: Page, text: str | re.Pattern[str]) -> None:
    expect(page.get_by_test_id("stMain").get_by_text(text).first).to_be_visible()


def set_up(page: Page, name: str, *characters: str) -> None:
    write(page, "Name", name)
    pick_all(page, "Scenes by language or work", "Sherlock Holmes")
    pick_all(page, "Individual scenes", "The captain asks")
    pick_all(page, "Character models", *characters)
    pick_all(page, "Narrators", "rehearsal")
    write(page, "Rounds", "1")


def stored(app: App, name: str, status: SweepStatus, reason: str | None = None, budget: float | None = None) -> None:
    """Put a sweep into the database that no app has run."""
    store = store_in(app.db)
    sweep = Sweep(
        name=name,
        scenes=(bundled_scene("holmes-study"),),
        characters=(Endpoint.parse("rehearsal"),),
        narrators=(Endpoint.parse("rehearsal"),),
        judges=(Judge(name="Strict", endpoint=Endpoint.parse("rehearsal")),),
        rounds=1,
        budget=budget,
    )
    store.sweeps.put(name, sweep.model_dump(mode="json"), "command line")
    store.sweeps.rest(name, status, reason)
    store.close()


def tried_at(app: App) -> str:
    """When the one of the failures was tried that was tried longest ago."""
    with closing(sqlite3.connect(app.db)) as database:
        (moment,) = database.execute("select coalesce(min(created_at), '') from sweep_failure").fetchone()
    return str(moment)


def test_a_sweep_from_its_plan_to_its_end(
    server: MockServer, app: App, page: Page, browser: Browser, tmp_path: Path
) -> None:
    page.goto(f"{app.url}/sweeps")
    sees(page, "No sweeps yet.")
    press(page, "New sweep")
    sees(page, "Missing: a name, the scenes, character models, a narrator.")
    set_up(page, "first look", "rehearsal", f"{server.url}#m")
    press(page, "Add judge")
    sees(page, "GPT-4 · rehearsal · Critique first, then scores")
    press(page, "Show plan")
    sees(page, "4 stories: 2 scenes × 2 models × 1 narrator × 1 seed")
    sees(page, "demo output (no language model); do not report")
    press(page, "Start sweep")
    expect(page).to_have_url(re.compile(r"\?sweep=first\+look$"))
    sees(page, re.compile(r"Running · \d of 4 stories played, \d of 4 judgments done"))

    other = browser.new_page()
    other.goto(page.url)
    sees(other, re.compile("Running · "))
    page.get_by_role("button", name="Pause", exact=True).click()
    sees(page, "Pausing: waiting for pending replies.")
    server.answers = None
    sees(other, re.compile("Paused · "))
    sees(page, re.compile("Paused · "))
    page.reload()
    sees(page, re.compile(r"Paused · \d of 4 stories played"))
    app.stop()
    app.start()
    page.goto(f"{app.url}/sweeps?sweep=first+look")
    press(page, "Resume")
    sees(page, re.compile("Running · |Ended · "))
    page.reload()
    sees(page, "Ended · 4 of 4 stories played, 4 of 4 judgments done")
    expect(page.locator(".library .title")).to_have_count(4)
    other.close()
    _is_taken_away(page, tmp_path)

    page.locator(".library .title").first.click()
    expect(page).to_have_url(re.compile(r"/playback\?story="))


def _is_taken_away(page: Page, folder: Path) -> None:
    rests(page)
    page.get_by_text("Files", exact=True).click()
    with page.expect_download() as download:
        press(page, "Complete folder (ZIP)")
    download.value.save_as(folder / "first-look.zip")
    with zipfile.ZipFile(folder / "first-look.zip") as archive:
        names = archive.namelist()
        archive.extract("first-look/sweep.toml", folder)
        archive.extract("first-look/scenes.json", folder)
    assert {"first-look/stories.csv", "first-look/ratings.csv", "first-look/SHA256SUMS"} < {*names}
    assert sum(name.startswith("first-look/stories/") for name in names) == 4


def test_the_paper_s_setting_is_filled_in_and_planned_once_its_models_have_addresses(app: App, page: Page) -> None:
    page.goto(f"{app.url}/sweeps?new=form")
    write(page, "Rounds", "7")
    press(page, "Use the paper's settings")
    expect(page.get_by_label("Rounds", exact=True)).to_have_value("3")
    press(page, "Undo")
    expect(page.get_by_label("Rounds", exact=True)).to_have_value("7")
    expect(page.get_by_role("button", name="Undo")).to_have_count(0)
    press(page, "Use the paper's settings")
    sees(page, re.compile("12 scenes instead of 100"))
    sees(page, "12 scenes: 6 in English, 6 in Chinese")
    sees(
        page,
        re.compile(r"Missing: addresses of the models \(GPT-4, .*\(GPT-3\.5\), .*\(GPT-4\)"),
    )
    address(page, "Address of GPT-4", "nowhere")
    sees(page, re.compile("endpoint 'nowhere': it is neither an http"))
    address(page, "Address of GPT-4", NOBODY)
    expect(page.get_by_label("Address of GPT-4", exact=True)).to_have_count(0)
    for _ in range(8):  # the models that nobody has an address for
        rests(page)
        page.get_by_role("combobox", name="Character models").press("Backspace")
    sees(page, "Missing: address of the narrator (GPT-3.5), address of the judge (GPT-4).")
    address(page, "Address of the narrator GPT-3.5", "rehearsal")
    address(page, "Address of the judge GPT-4", "rehearsal")
    sees(page, "GPT-4 · rehearsal · Critique first, then scores")
    press(page, "Show plan")
    sees(page, "12 stories: 12 scenes × 1 model × 1 narrator × 1 seed")


def address(page: Page, label: str, text: str) -> None:
    rests(page)
    box = page.get_by_role("combobox", name=label, exact=True)
    box.press("ControlOrMeta+a")
    box.press_sequentially(text)
    page.get_by_role("option").first.click()
    rests(page)


def test_what_failed_is_listed_and_tried_again(app: App, page: Page) -> None:
    page.goto(f"{app.url}/sweeps?new=form")
    write(page, "Name", "nobody there")
    pick_all(page, "Individual scenes", "The captain asks")
    pick_all(page, "Character models", "not an address")
    sees(page, re.compile("endpoint 'not an address': .*enter URL#MODEL or rehearsal"))
    page.get_by_role("combobox", name="Character models").press("Backspace")
    pick_all(page, "Character models", NOBODY)
    pick_all(page, "Narrators", "rehearsal")
    write(page, "Budget (US dollars)", "1")
    sees(page, re.compile("a budget needs prices, but there is no price for"))
    write(page, "Budget (US dollars)", "")
    write(page, "Seeds", "1, two")
    sees(page, "two is not a seed. Enter whole numbers")
    write(page, "Seeds", "1-2")
    press(page, "Show plan")
    sees(page, f"unknown: no price for {NOBODY}")
    press(page, "Start sweep")
    sees(page, re.compile("Ended · 0 of 2 stories played"))
    sees(page, "2 failed")
    sees(page, re.compile("connection refused"))
    sees(page, "The captain asks for the galley key · none · narrator rehearsal · seed 1")
    before = tried_at(app)
    press(page, "Retry failed tasks")
    until(lambda: tried_at(app) > before)
    sees(page, re.compile("Ended · 0 of 2 stories played"))
    sees(page, re.compile("Last attempt: "))
    page.goto(f"{app.url}/sweeps")
    sees(page, "nobody there")
    sees(page, "2 failed")
    press(page, "New sweep")
    write(page, "Name", "nobody there")
    sees(page, "A sweep with this name already exists. This one replaces it.")


def test_one_that_runs_in_another_process_or_is_not_there(app: App, page: Page) -> None:
    stored(app, "elsewhere", "running")
    other = subprocess.Popen(
        [sys.executable, "-c", HOLDS, f"sqlite:///{app.db}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        page.goto(f"{app.url}/sweeps?sweep=elsewhere")
        sees(page, re.compile("Running in another process · 0 of 1 stories played"))
        expect(page.get_by_role("button", name="Resume")).to_have_count(0)
        page.goto(f"{app.url}/sweeps?new=form")
        write(page, "Name", "elsewhere")
        pick_all(page, "Individual scenes", "The captain asks")
        pick_all(page, "Character models", "rehearsal")
        pick_all(page, "Narrators", "rehearsal")
        sees(page, "A sweep with this name is running. Choose another name")
        page.goto(f"{app.url}/sweeps?sweep=elsewhere")
    finally:
        other.communicate(timeout=120)
    sees(page, re.compile("Interrupted · 0 of 1 stories played"))
    press(page, "Resume")
    sees(page, "Ended · 1 of 1 stories played, 1 of 1 judgments done")
    page.goto(f"{app.url}/sweeps?sweep=none")
    sees(page, re.compile("there is no sweep named .* in the database"))
    press(page, "All sweeps")
    sees(page, "elsewhere")


def test_one_whose_budget_is_spent_is_given_more(app: App, page: Page) -> None:
    stored(app, "dear", "paused", Reason("spent"), budget=0.5)
    page.goto(f"{app.url}/sweeps?sweep=dear")
    sees(page, "The budget of $0.5000 is spent. Increase it to continue.")
    write(page, "New budget (US dollars)", "0")
    sees(page, "$0.00 has already been spent. Enter a larger budget.")
    expect(page.get_by_role("button", name="Continue")).to_be_disabled()
    write(page, "New budget (US dollars)", "3")
    press(page, "Continue")
    sees(page, "Ended · 1 of 1 stories played, 1 of 1 judgments done")
    sees(page, "$0.00 of $3.00 spent")


def test_a_sweep_given_as_files(app: App, page: Page) -> None:
    page.goto(f"{app.url}/sweeps?new=files")
    toml = (
        'name = "given"\ncharacters = ["rehearsal"]\nnarrators = ["rehearsal"]\nrounds = 1\n[[scenes]]\nfile = "{}"\n'
    )
    give(page, {"sweep.toml": toml.format("mine.json")})
    sees(page, re.compile(r"sweep\.toml: line 5.*mine\.json: it is missing next to"))
    scene = {**bundled_scene("treasure-watch").model_dump(mode="json", exclude_none=True), "id": "mine"}
    page.reload()
    rests(page)
    give(page, {"sweep.toml": toml.format("mine.json"), "mine.json": json.dumps({"scenes": [scene]})})
    press(page, "Show plan")
    sees(page, "1 story: 1 scene × 1 model × 1 narrator × 1 seed")
    press(page, "Start sweep")
    sees(page, "Ended · 1 of 1 stories played")
    page.goto(f"{app.url}/sweeps?new=form")
    rests(page)
    page.get_by_role("combobox", name="Individual scenes").fill(scene["title"])
    expect(page.get_by_role("option", name=scene["title"])).to_have_count(2)


def give(page: Page, files: dict[str, str]) -> None:
    given = [
        {"name": name, "mimeType": "application/octet-stream", "buffer": text.encode()} for name, text in files.items()
    ]
    page.locator("input[type=file]").set_input_files(given)  # type: ignore[arg-type]
