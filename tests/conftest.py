"""What tests of several rooms share: a real browser."""

import shutil
import signal
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings
from playwright.sync_api import Browser, expect, sync_playwright

CHROMIUM = shutil.which("chromium-headless-shell")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]

expect.set_options(timeout=60_000)  # a busy machine is late
settings.register_profile("calm", deadline=None)
settings.load_profile("calm")
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has what it runs in the background ignore it


@pytest.fixture(autouse=True)
def main_module() -> Iterator[None]:
    """Streamlit's AppTest leaves its script as the main module, which processes that are started later would run."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium. It ends with the module, so that the asynchronous tests of others find no event loop running."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine; as root: apt-get install chromium-headless-shell")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()
