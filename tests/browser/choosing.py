"""Choosing from a box of the page as a person does: what the page has closed under one's hand is opened again."""

import re

from playwright.sync_api import Locator, Page, TimeoutError

from tests.browser.app import rests

_PATIENCE = 5000
_TRIES = 24


def pick(page: Page, label: str, option: str | re.Pattern[str], *, typed: str | None = None) -> None:
    """Choose an option (a whole text, or a pattern) of a box; boxes of very many options are typed into first."""
    box = page.get_by_role("combobox", name=label)
    listed = page.get_by_role("option", name=option, exact=isinstance(option, str))
    rests(page)
    for _ in range(_TRIES):
        box.scroll_into_view_if_needed()
        box.focus()
        if typed is None:
            box.press("ArrowDown")
        else:
            box.fill(typed)
        if _clicked(listed):
            return
        page.keyboard.press("Escape")
        rests(page)
    raise AssertionError(f"{label}: there is no {option}")


def _clicked(listed: Locator) -> bool:
    try:
        listed.first.click(timeout=_PATIENCE)
    except TimeoutError:  # a list closes where the page is drawn anew, or scrolls
        return False
    return True
