"""Choosing from a box of the page as a person does: what the page has closed under one's hand is opened again."""

import re

from playwright.sync_api import Locator, Page, TimeoutError

from tests.browser.app import rests

_PATIENCE = 5000
_TRIES = 24


def pick(page: Page, label: str, option: str | re.Pattern[str], *, typed: str | None = None) -> None:
    """Choose the option of that whole text, or pattern, from a box; what is `typed` narrows the list, and may name a
    part of the option only."""
    box = page.get_by_role("combobox", name=label)
    listed = page.get_by_role("option", name=option, exact=typed is None and isinstance(option, str))
    rests(page)
    for _ in range(_TRIES):
        box.scroll_into_view_if_needed()
        box.focus()
        if typed is None:
            box.press("ArrowDown")
        else:
            box.press("ControlOrMeta+a")
            box.press_sequentially(typed)
        if _clicked(listed):
            return
        rests(page)
    raise AssertionError(f"{label}: there is no {option}")


def _clicked(listed: Locator) -> bool:
    try:
        listed.first.click(timeout=_PATIENCE)
    except TimeoutError:  # a list closes where the page is drawn anew, or scrolls
        return False
    return True
