"""What tests of several rooms share: a database, a real browser, and what tells the quick ones from the others."""

import asyncio
import gc
import os
import platform
import shutil
import signal
import sys
import tempfile
from asyncio import _set_running_loop
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from playwright.sync_api import Browser, expect, sync_playwright

from tests.fakes.examples import ORDINARY, QUICK, THOROUGH
from tests.fakes.time_limits import pytest_runtest_call, pytest_runtest_protocol  # noqa: F401 - hooks
from tests.fakes.waiting import PATIENCE

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each core has a worker; small matrices gain nothing by threads
CHROMIUM = shutil.which("chromium-headless-shell")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]

platform.platform()  # openai asks for it with the first call: once in each process, by a process of its own
expect.set_options(timeout=PATIENCE * 1000)
for profile, most in ((QUICK, 10), (ORDINARY, 25), (THOROUGH, 100)):
    settings.register_profile(profile, deadline=None, max_examples=most)
settings.load_profile(ORDINARY)
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has what it runs in the background ignore it


def pytest_configure(config: pytest.Config) -> None:
    """What opens the app's own database opens none of whoever runs the tests: that may be of another version."""
    folder = tempfile.mkdtemp(prefix="characterbox-")
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    os.environ["XDG_DATA_HOME"] = folder


@pytest.fixture(autouse=True)
def main_module() -> Iterator[None]:
    """Streamlit's AppTest leaves its script as the main module, which processes that are started later would run."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture
def url(tmp_path: Path) -> str:
    """The URL of an empty database with the newest schema."""
    from tests.fakes.databases import database_in  # noqa: PLC0415 - numpy, which first is told of its threads

    return database_in(tmp_path / "characterbox.db")


@pytest.fixture
def store(url: str) -> Iterator[object]:
    """A store on that database."""
    from characterbox.store import Store  # noqa: PLC0415 - as above

    store = Store(url)
    yield store
    store.close()


PROCESSES = {"postgres", "postgresql", "command", "environment"}
"""Fixtures and kinds of databases that are processes of their own, or that such processes are started with."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is loaded with the tests is there to stay, and is not looked through for garbage again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever drives Chromium or PostgreSQL is marked so, before tests are chosen by their marks."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
        if PROCESSES & {*getattr(item, "fixturenames", ()), *_parameters(item)}:
            item.add_marker("process")


def _parameters(item: pytest.Item) -> Iterator[str]:
    if isinstance(item, pytest.Function) and hasattr(item, "callspec"):
        yield from (value for value in item.callspec.params.values() if isinstance(value, str))


def pytest_collection_finish() -> None:
    """Tests of pages have Streamlit look through the installed packages once, not each of them anew."""
    if "streamlit.testing.v1" in sys.modules:
        from tests.fakes.scanned_once import scan_once  # noqa: PLC0415 - most of Streamlit

        scan_once()


@pytest.fixture(scope="session")
def chromium() -> Iterator[tuple[Browser, asyncio.AbstractEventLoop]]:
    """One Chromium for all tests of a process, and the event loop that drives it, which is not left running."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine; as root: apt-get install chromium-headless-shell")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        browser.on("context", lambda context: context.set_default_timeout(PATIENCE * 1000))
        loop = asyncio.get_running_loop()
        _set_running_loop(None)
        yield browser, loop
        _set_running_loop(loop)
        browser.close()


@pytest.fixture
def browser(chromium: tuple[Browser, asyncio.AbstractEventLoop]) -> Iterator[Browser]:
    """Chromium, without what other tests have opened.

    Its event loop counts as running in this thread for as long as the test lasts, and not longer: others have loops of
    their own.
    """
    browser, loop = chromium
    _set_running_loop(loop)
    try:
        yield browser
        for context in browser.contexts:
            context.close()
    finally:
        _set_running_loop(None)
