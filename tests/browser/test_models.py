"""The Models page in Chromium: servers are added, tested, changed and removed; keys are seen nowhere."""

import re
import sqlite3
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Page, Response, expect

from characterbox.llm.vllm.servers import Servers
from tests.browser.app import App, rests, runs
from tests.browser.choosing import pick
from tests.browser.fields import press
from tests.fakes.mock_server import MockServer, mock_server
from tests.fakes.ports import free_port

KEY = "hush-0123456789-hush"
STOPPED = re.compile("^Stopped$")
READY = re.compile(r"Ready · process (\d+)")
FAKE_VLLM = Path(__file__).parents[1] / "llm" / "vllm" / "fake_vllm.py"


class Received:
    """All text that a page gets from the app, by HTTP or WebSocket."""

    def __init__(self, page: Page) -> None:
        self._frames: list[bytes] = []
        self._responses: list[Response] = []
        page.on("websocket", lambda socket: socket.on("framereceived", self._take))
        page.on("response", self._answered)

    def _answered(self, response: Response) -> None:
        self._responses.append(response)

    def _take(self, frame: str | bytes) -> None:
        self._frames.append(frame.encode() if isinstance(frame, str) else frame)

    def __contains__(self, text: str) -> bool:
        return any(text.encode() in part for part in (*self._frames, *self._bodies()))

    def _bodies(self) -> Iterator[bytes]:
        for response in self._responses:
            yield f"{response.url} {response.headers}".encode()
            with suppress(Error):  # a redirect has no body, and that of a page that was left is gone
                yield response.body()


@pytest.fixture
def lab() -> Iterator[MockServer]:
    with mock_server(models=("tiny", "other<b>*x*")) as server:
        yield server


@pytest.fixture
def keyed_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    """The app with a key in its environment, and a vLLM to start that is none."""
    vllm = tmp_path / "vllm"
    vllm.write_text(f'#!/bin/sh\n[ "$1" = --version ] && exit 0\nexec {sys.executable} {FAKE_VLLM} "$@"\n')
    vllm.chmod(vllm.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("LAB_API_KEY", KEY)
    monkeypatch.setenv("CHARACTERBOX_VLLM", str(vllm))
    monkeypatch.setenv("CHARACTERBOX_VLLM_ARGUMENTS", "--fake")
    monkeypatch.setenv("CHARACTERBOX_PRICES", str(tmp_path / "prices.toml"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "prices.toml").write_text("[tiny]\ninput = 0.075\noutput = 3\n")
    app = App(tmp_path / "models.db")
    try:
        app.start()
        yield app
    finally:
        app.stop()
        end_servers(tmp_path / "state" / "characterbox" / "vllm")


def end_servers(folder: Path) -> None:
    """End what a test that failed has left running."""
    servers = Servers(folder, lambda: ())
    for record in folder.glob("*.json"):
        servers.stop(f"http://127.0.0.1:{record.stem}/v1")


def back(page: Page) -> None:
    page.go_back()
    rests(page)


def write(page: Page, field: str, text: str) -> None:
    rests(page)
    box = page.get_by_label(field, exact=True)
    box.fill(text)
    box.press("Tab")


def choose(page: Page, kind: str) -> None:
    rests(page)
    page.get_by_role("radio", name=kind).click()


def sees(page: Page, text: str | re.Pattern[str]) -> None:
    expect(page.get_by_test_id("stMain").get_by_text(text).first).to_be_visible()


def add_lab(page: Page, app: App, lab: MockServer) -> None:
    page.goto(f"{app.url}/models?new=api")
    write(page, "Name", "Lab *one*")
    write(page, "Address", lab.url)
    write(page, "Key name", "LAB_API_KEY")
    press(page, "Add server")
    expect(page).to_have_url(re.compile(r"\?server=http"))


def server_row(app: App) -> list[str]:
    with sqlite3.connect(app.db) as database:
        return [row[0] for row in database.execute("select content from server")]


def test_a_server_is_added_tested_changed_and_removed_and_its_key_is_seen_nowhere(
    keyed_app: App, lab: MockServer, browser: Browser
) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        received = Received(page)
        page.goto(f"{keyed_app.url}/models")
        sees(page, "It is not a language model.")
        expect(page.get_by_role("button", name="Remove")).to_have_count(0)
        add_lab(page, keyed_app, lab)
        sees(page, "key LAB_API_KEY (set)")

        press(page, "Test")
        sees(page, re.compile(r"\d s for a short call"))
        sees(page, "yes, in 2 chunks")
        assert lab.authorization == f"Bearer {KEY}"
        press(page, "Set context window to 4,096 tokens")
        sees(page, "context window 4,096 tokens")
        for model in ("tiny", "other<b>*x*"):
            pick(page, "Offered models not yet in the list", model)
            page.keyboard.press("Escape")
        press(page, "Add to list")
        row = page.get_by_role("row")
        expect(row.filter(has_text="tiny")).to_have_text(re.compile(r"tiny\s*0\.075\s*0\.075\s*3\.00"))
        expect(row.filter(has_text="other<b>*x*")).to_contain_text("price unknown")
        sees(page, str(keyed_app.db.parent / "prices.toml"))

        press(page, "All servers")
        press(page, "Add server")
        expect(page.get_by_label("Name", exact=True)).to_have_value("")
        back(page)
        press(page, "Edit")
        write(page, "Requests per minute", "60")
        press(page, "Save")
        sees(page, "60 requests per minute")
        page.reload()
        sees(page, "60 requests per minute")
        back(page)
        expect(page.get_by_label("Requests per minute")).to_have_value("60")

        page.goto(f"{keyed_app.url}/models")
        press(page, "Remove")
        press(page, "Keep")
        expect(page.get_by_role("dialog")).to_have_count(0)
        [content] = server_row(keyed_app)
        assert "LAB_API_KEY" in content
        press(page, "Remove")
        press(page, "Remove server")
        sees(page, "No language model server yet")
        assert server_row(keyed_app) == []
        assert "LAB_API_KEY" in received, "the check below would see a key, had it been sent"
        assert KEY not in received
    keyed_app.stop()
    for file in keyed_app.db.parent.glob("**/*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes(), file


def test_what_cannot_be_used_is_said_beside_its_field_and_a_key_is_not_kept(app: App, browser: Browser) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        received = Received(page)
        add_lab(page, app, MockServer(url="http://127.0.0.1:9/v1"))
        press(page, "All servers")
        press(page, "Add server")
        write(page, "Name", "Lab *one*")
        write(page, "Address", "http://127.0.0.1:9/v1/")
        press(page, "Add server")
        sees(page, "A server with this address already exists: Lab *one*.")
        write(page, "Address", "http://127.0.0.1:10/v1/")
        press(page, "Add server")
        sees(page, "Another server already has this name.")
        write(page, "Name", "Lab")
        write(page, "Address", "somewhere")
        write(page, "Key name", KEY)
        press(page, "Add server")
        sees(page, "Enter an address, such as http://127.0.0.1:8000/v1.")
        sees(page, "A key name must end in _API_KEY")
        expect(page.get_by_label("Key name", exact=True)).to_have_value("")
        choose(page, "vLLM server")
        expect(page).to_have_url(re.compile("new=vllm"))
        expect(page.get_by_label("Name", exact=True)).to_have_value("Lab")
        choose(page, "vLLM, started by this app")
        expect(page.get_by_label("Port")).to_be_visible()
        expect(page.get_by_label("Address")).to_have_count(0)
        assert len(server_row(app)) == 1
        assert KEY not in received


def test_a_server_that_nobody_answers_for_is_told_so(keyed_app: App, browser: Browser) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        add_lab(page, keyed_app, MockServer(url="http://127.0.0.1:9/v1"))
        press(page, "Test")
        sees(page, re.compile("refused"))


def test_a_server_that_stories_need_is_removed_only_with_a_clear_word(
    lab: MockServer, keyed_app: App, browser: Browser
) -> None:
    lab.answers = 0
    with browser.new_context() as context:
        page = context.new_page()
        add_lab(page, keyed_app, lab)
        page.goto(keyed_app.url)
        for seat in ("Narrator", "Characters"):
            rests(page)
            box = page.get_by_role("combobox", name=seat)
            box.fill(f"{lab.url}#tiny")
            box.press("Enter")
        sees(page, "Sent to Lab *one*: key LAB_API_KEY (set).")
        press(page, "Start story")
        page.wait_for_url(re.compile(r"story="))
        page.goto(f"{keyed_app.url}/models")
        press(page, "Remove")
        expect(page.get_by_text("1 unfinished story needs this server")).to_be_visible()
        removal = page.get_by_role("button", name="Remove server", exact=True)
        expect(removal).to_be_disabled()
        page.get_by_text("Remove anyway").click()
        expect(removal).to_be_enabled()
        removal.click()
        sees(page, "No language model server yet")
    lab.answers = None


def add_started(page: Page, app: App, model: str, flags: str = "", *, keep: bool = False) -> None:
    port = free_port()
    page.goto(f"{app.url}/models?new=started")
    write(page, "Name", "Here")
    write(page, "Model", model)
    write(page, "Port", str(port))
    write(page, "Additional arguments", flags)
    if keep:
        page.get_by_text("Keep running when the app exits").click()
        expect(page.get_by_label("Keep running when the app exits")).to_be_checked()
    press(page, "Add server")
    press(page, "Start")


def process_ready(page: Page) -> int:
    """The number of the process, once the page says that the server is ready."""
    sees(page, READY)
    found = READY.search(page.get_by_test_id("stMain").get_by_text(READY).first.inner_text())
    assert found is not None
    return int(found[1])


def test_a_vllm_server_is_started_watched_and_stopped(keyed_app: App, browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text("{}")
    with browser.new_context() as context:
        page = context.new_page()
        add_started(page, keyed_app, str(tmp_path / "model"))
        process = process_ready(page)
        expect(page.get_by_role("log")).to_contain_text("Application startup complete.")
        sees(page, "Stops when the app exits.")
        press(page, "Stop")
        sees(page, STOPPED)
        assert not runs(process)
        press(page, "All servers")
        sees(page, re.compile("^stopped$"))
        press(page, "Start")
        process = process_ready(page)
    keyed_app.stop()
    assert not runs(process)


def test_a_vllm_server_to_be_kept_outlives_the_app_and_is_found_again(keyed_app: App, browser: Browser) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        add_started(page, keyed_app, "no/such", keep=True)
        process = process_ready(page)
        keyed_app.stop()
        assert runs(process)
        keyed_app.start()
        page.reload()
        assert process_ready(page) == process
        press(page, "Remove")
        press(page, "Remove server")
        sees(page, "No language model server yet")
        deadline = time.monotonic() + 30
        while runs(process):
            assert time.monotonic() < deadline
            time.sleep(0.1)


def test_a_vllm_server_that_fails_to_start_says_why(keyed_app: App, browser: Browser) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        add_started(page, keyed_app, "no/such", "--fake fail")
        sees(page, re.compile("Failed"))
        sees(page, re.compile("Engine core initialization failed"))


def test_who_plays_whom_is_chosen_from_known_models_and_people(
    keyed_app: App, lab: MockServer, browser: Browser
) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        add_lab(page, keyed_app, lab)
        press(page, "Edit")
        write(page, "Models, one per line", "tiny\nother<b>*x*")
        press(page, "Save")
        sees(page, "tiny, other<b>*x*")
        page.goto(f"{keyed_app.url}/?scene=holmes-study")
        pick(page, "Characters", "Lab *one* · other<b>*x*")
        page.keyboard.press("Escape")
        pick(page, "Played by a person", "the narrator")
        page.keyboard.press("Escape")
        sees(page, "the narrator → rehearsal")
        press(page, "Start story")
        page.wait_for_url(re.compile(r"story="))
        with sqlite3.connect(keyed_app.db) as database:
            people, casting = database.execute("select people, casting from story").fetchone()
        assert people == "[null]"
        assert casting.count("other<b>*x*") >= 2
