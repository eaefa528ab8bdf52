"""What tests of a saved story use."""

from collections.abc import Callable

from playwright.sync_api import Page

Opener = Callable[..., Page]


def place(page: Page) -> int:
    return int(page.get_by_role("slider").input_value())
