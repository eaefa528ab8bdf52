"""What tests of several rooms share: a real browser."""

import shutil
import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

CHROMIUM = shutil.which("chromium")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]

expect.set_options(timeout=30_000)  # a busy machine is late
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has what it runs in the background ignore it


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium. It ends with the module, so that the asynchronous tests of others find no event loop running."""
    if CHROMIUM is None:
        pytest.skip("there is no chromium on this machine; as root: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()
