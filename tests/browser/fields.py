"""Fields that are filled in and buttons that are pressed, once a page has come to rest."""

from playwright.sync_api import Page

from tests.browser.app import rests


def write(page: Page, label: str, text: str) -> None:
    """Fill in the field of a label, and leave it."""
    rests(page)
    box = page.get_by_label(label, exact=True)
    box.fill(text)
    box.press("Tab")
    rests(page)


def press(page: Page, button: str) -> None:
    """Press the one button of a name."""
    rests(page)
    page.get_by_role("button", name=button, exact=True).click()
