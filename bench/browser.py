"""What a reader has: a page of a real browser."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, sync_playwright


@contextmanager
def reader() -> Iterator[Page]:
    """A page of Chromium, 1440 x 900 pixels."""
    with sync_playwright() as playwright:
        chromium = shutil.which("chromium-headless-shell")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser.new_page(viewport={"width": 1440, "height": 900})
        browser.close()
