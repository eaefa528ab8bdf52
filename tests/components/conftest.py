"""Saved stories, opened in a browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from characterbox.components.player.html_file import story_page
from tests.components.opening import Opener


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Opener]:
    """Opens an exported story; fails the test on an error, a dialog or a request for anything but the file."""
    troubles: list[str] = []
    context = browser.new_context(reduced_motion="reduce")

    def opened(data: dict[str, Any], query: str = "?at=99999", width: int = 1440, height: int = 900) -> Page:
        file = tmp_path / "story.html"
        file.write_text(story_page(data), encoding="utf-8")
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("console", lambda message: troubles.append(message.text))
        page.on("dialog", lambda dialog: troubles.append(dialog.message))
        page.on(
            "request",
            lambda request: None if request.url.split("?")[0] == file.as_uri() else troubles.append(request.url),
        )
        page.goto(file.as_uri() + query)
        expect(page.locator(".player")).to_be_visible()
        return page

    yield opened
    context.close()
    assert troubles == []
