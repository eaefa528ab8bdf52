"""The menu in the header, by which one gets to the pages."""

from playwright.sync_api import Locator, Page


def menu(page: Page) -> Locator:
    """The menu, wide or narrow."""
    return page.get_by_role("navigation", name="Pages")


def to_page(page: Page, group: str, name: str) -> None:
    """Open a group of the menu, and the page of a name in it."""
    menu(page).get_by_role("button", name=group).click()
    menu(page).get_by_role("link", name=name, exact=True).click()


def offered(page: Page) -> list[str]:
    """The names of all pages in the menu, shown or not."""
    return menu(page).locator("a").all_text_contents()
