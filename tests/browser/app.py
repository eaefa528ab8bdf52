"""The whole app on a free port with a database of its own."""

import os
import signal
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from playwright.sync_api import Page, expect
from playwright.sync_api import TimeoutError as PageMoves

from tests.fakes import warm_app, warm_cli
from tests.fakes.databases import database_in
from tests.fakes.forked_processes import Forked
from tests.fakes.ports import free_port

REPOSITORY = Path(__file__).parents[2]
START = 60.0
"""Seconds that the app has to start in."""


LATE = """
    const late = (heard) => (event) => setTimeout(() => heard(event), 1500);
    const { set, ...rest } = Object.getOwnPropertyDescriptor(WebSocket.prototype, "onmessage");
    Object.defineProperty(WebSocket.prototype, "onmessage", { ...rest, set(heard) { set.call(this, late(heard)); } });
    const listen = WebSocket.prototype.addEventListener;
    WebSocket.prototype.addEventListener = function (kind, heard, how) {
        listen.call(this, kind, kind === "message" ? late(heard) : heard, how);
    };
"""
"""Has the browser hear late of all that the app says, as over a slow line."""
_STYLED = "getComputedStyle(document.documentElement).getPropertyValue('--cb-reading')"
"""Whether the house style is there: a browser that is new to the app can show texts before it has what styles need."""
STILL = f"""(!document.querySelector('[data-testid="stApp"]') || {_STYLED}) && document.getAnimations().every(
    one => one.playState !== 'running' || one.timeline !== document.timeline
    || one.effect?.getTiming().iterations > 9)"""
"""Whether what is drawn has come to rest; left out is what turns for ever while one waits, or goes by scrolling."""
_QUIET = f"""begun => {{
    const drawn = document.querySelector('[data-testid="stApp"][data-test-script-state="notRunning"]') && {STILL};
    const [of, since] = window.restsSince ?? [];
    if (!drawn || of !== begun) window.restsSince = [begun, performance.now()];
    return drawn && of === begun && performance.now() - since > 200;
}}"""
"""Whether a page has been drawn for a while: it hears a little late of what a click has set going."""


def rests(page: Page) -> None:
    """Wait, as a person would, until the page is drawn: what is clicked before may be drawn anew under one's hand."""
    with suppress(PageMoves):  # as where something is looked at every second: then it is enough that it is drawn
        page.wait_for_function(_QUIET, arg=time.monotonic_ns(), polling=50, timeout=START * 1000 / 4)
    drawn = page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]')
    expect(drawn).to_be_visible(timeout=3 * START * 1000)


def runs(process: int) -> bool:
    """Whether a process of that number has not ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


class App:
    """The app as its own process, on the database `db`; `url` stays the same when it is started again."""

    def __init__(self, db: Path, *, samples: bool = False, latency: float = 0) -> None:
        self.db = db
        self._more = {"CHARACTERBOX_SAMPLES": str(samples), "CHARACTERBOX_REHEARSAL_LATENCY": str(latency)}
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._process: Forked | None = None

    @property
    def pid(self) -> int | None:
        """The number of its process, if it has been started."""
        return None if self._process is None else self._process.process.pid

    def start(self) -> None:
        """Start, and wait until it answers."""
        database_in(self.db)
        log = self.db.with_suffix(".log")
        self._process = warm_app.start(self.port, REPOSITORY, _environment(self.db) | self._more, log)
        deadline = time.monotonic() + START
        while not self._answers():
            if self._process.status is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the app did not start:\n{log.read_text(encoding='utf-8')}")
            time.sleep(0.02)

    def kill(self) -> None:
        """End it as a crash would (SIGKILL)."""
        assert self._process is not None
        self._process.kill()
        self._process = None

    def signal(self, number: signal.Signals) -> None:
        """Send its process a signal, as one that stops it for a while."""
        assert self._process is not None
        self._process.signal(number)

    def stop(self, patience: float = 30) -> None:
        """End it in good order, if it runs. Raises TimeoutError when that takes more seconds than `patience`."""
        if self._process is not None:
            process, self._process = self._process, None
            process.signal(signal.SIGTERM)
            process.wait(patience)

    def play(self, scene: str, *options: str) -> str:
        """Play a scene to its end from the command line, and give the story's id."""
        return play(self.db, scene, *options)

    def _answers(self) -> bool:
        try:
            urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=1).close()
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False
        return True


@contextmanager
def running(db: Path, *, samples: bool = False, latency: float = 0) -> Iterator[App]:
    """The app on a database, started; it is stopped in the end. Its rehearsal takes so many seconds for a reply."""
    app = App(db, samples=samples, latency=latency)
    try:
        app.start()
        yield app
    finally:
        app.stop()


def play(db: Path, scene: str, *options: str) -> str:
    """Play a scene to its end into the database, and give the story's id."""
    said = run(db, "play", scene, *options).err.read_text(encoding="utf-8")
    return said.split("story ", 1)[1].split()[0]


def run(db: Path, *words: str, folder: Path = REPOSITORY, **more: str) -> warm_cli.Command:
    """Run a command on the database to its end, in a folder; more is said by environment variables."""
    command = warm_cli.start(words, folder, _environment(db) | more, db.parent)
    assert command.wait() == 0, command.err.read_text(encoding="utf-8")
    return command


def _environment(db: Path) -> dict[str, str]:
    return {**os.environ, "CHARACTERBOX_DB": str(db), "CHARACTERBOX_REHEARSAL_LATENCY": "0"}
