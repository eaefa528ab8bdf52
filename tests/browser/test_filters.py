"""Lists are searched and filtered in one line; where there is no room for it, the filters fold behind one control."""

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.app import App, rests
from tests.browser.choosing import pick

CUT = """all => all.filter(one => one.scrollWidth > one.clientWidth).map(one => one.value || one.placeholder)"""
"""What stands in fields and does not fit."""
LISTS = {"playback": 6, "scenes": 7, "admin?log=newest": 4}
"""The pages, and the fields of each."""


def _fields(page: Page) -> Locator:
    return page.locator(".st-key-filters :is(.stTextInput, .stSelectbox, .stDateInput)")


@pytest.mark.parametrize("language", ["en-US", "zh-CN"])
def test_a_wide_page_has_its_search_and_filters_in_one_line_and_cuts_none(
    browser: Browser, sampled_app: App, language: str
) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 900}, locale=language)
    for place, count in LISTS.items():
        page.goto(f"{sampled_app.url}/{place}")
        expect(_fields(page)).to_have_count(count)
        rests(page)
        boxes = [field.bounding_box() for field in _fields(page).all()]
        assert len({round(box["y"] + box["height"]) for box in boxes if box is not None}) == 1, place
        assert page.locator(".st-key-filters input").evaluate_all(CUT) == [], place
        expect(page.locator(".cb-filters")).not_to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.close()


def test_on_a_narrow_page_filters_fold_behind_a_control_that_counts_the_active(page: Page, sampled_app: App) -> None:
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto(f"{sampled_app.url}/playback?language=en&status=ended")
    expect(page.get_by_text("2 active")).to_be_visible()
    expect(page.get_by_label("Search")).to_be_visible()
    rests(page)
    language = page.get_by_role("combobox", name="Language")
    expect(language).not_to_be_visible()
    page.get_by_label("Search").press("Tab")
    page.keyboard.press("Enter")
    expect(language).to_be_visible()
    pick(page, "Language", "any language")
    expect(page.get_by_text("1 active")).to_be_visible()
    expect(language).to_be_visible()  # it stays open, for the next choice
    page.get_by_text("Filters").click()
    expect(language).not_to_be_visible()
    expect(page.get_by_label("Search")).to_be_visible()


def test_a_long_option_stands_in_two_lines(page: Page, sampled_app: App) -> None:
    page.goto(f"{sampled_app.url}/scenes")
    rests(page)
    page.get_by_role("combobox", name="Work").focus()
    page.keyboard.press("ArrowDown")
    option = page.get_by_role("option", name=re.compile("Alice's Adventures in Wonderland"))
    expect(option).to_be_visible()
    assert option.locator("> div").evaluate("one => one.scrollWidth <= one.clientWidth && one.clientHeight < 40")


def test_the_pages_of_a_list_are_turned_below_it_and_in_the_address(page: Page, sampled_app: App) -> None:
    page.goto(f"{sampled_app.url}/scenes")
    rests(page)
    page.get_by_role("button", name="Page 2").click()
    expect(page).to_have_url(re.compile("page=2"))
    page.reload()
    expect(page.get_by_role("button", name="Page 2")).to_have_attribute("aria-current", "page")
    pick(page, "Language", re.compile("Chinese"))
    expect(page).to_have_url(re.compile(r"scenes\?language=zh$"))
    expect(page.get_by_role("button", name="Page 1")).to_have_attribute("aria-current", "page")
