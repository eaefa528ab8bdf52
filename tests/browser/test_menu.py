"""The header: the menu in groups, wide and narrow, by hand and by keyboard, and what stands beside it."""

import re
from collections.abc import Iterator
from itertools import pairwise

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.app import App, rests
from tests.browser.campaigning import PASSWORD, Campaigning
from tests.browser.menu import menu, offered, to_page
from tests.browser.test_accessibility import faults

WIDE, NARROW = {"width": 1440, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture
def narrow(browser: Browser) -> Iterator[Page]:
    """A page as wide as a phone's, to be touched."""
    with browser.new_context(viewport=NARROW, has_touch=True) as context:  # type: ignore[arg-type]
        yield context.new_page()


def lit(page: Page) -> tuple[str | None, str | None]:
    """The group and the page that are lit."""
    group = page.locator(".top-bar .groups > .lit").get_attribute("data-name")
    return group, page.locator(".top-bar a[aria-current=page]").text_content()


@pytest.mark.parametrize(
    ("address", "group", "name"),
    [
        ("/", "Watch", "Stage"),
        ("/playback?story=samplehongloushigao&at=30", "Watch", "Playback"),
        ("/scenes?scene=bundled:pride-rain", "Watch", "Scenes"),
        ("/campaigns?new=1", "Rate", "Campaigns"),
        ("/validity?view=Experts", "Measure", "Reliability and validity"),
        ("/sweeps?new=form", "Measure", "Sweeps"),
        ("/models?server=rehearsal", "Models", "Models"),
        ("/admin", "Accounts", "Accounts"),
    ],
)
def test_the_place_one_is_in_is_lit_wherever_one_comes_from(
    page: Page, sampled_app: App, address: str, group: str, name: str
) -> None:
    page.goto(sampled_app.url + address)
    expect(page.locator(".top-bar a[aria-current=page]")).to_have_count(1)
    assert lit(page) == (group, name)
    if group != name:
        expect(menu(page).get_by_role("button", name=group)).to_have_text(re.compile(f"{group}.*{name}"))
    page.set_viewport_size(NARROW)  # type: ignore[arg-type]
    at = menu(page).get_by_role("button")
    expect(at).to_have_count(1)
    expect(at).to_have_text(name if group == name else f"{group}{name}")


def test_a_page_of_a_group_is_reached_without_loading_the_app_again(page: Page, sampled_app: App) -> None:
    page.goto(sampled_app.url)
    rests(page)
    page.evaluate("window.same = true")
    to_page(page, "Measure", "Leaderboard")
    expect(page).to_have_url(f"{sampled_app.url}/leaderboard")
    assert lit(page) == ("Measure", "Leaderboard"), "at once"
    expect(page.get_by_role("heading", name="Leaderboard", exact=True)).to_be_visible()
    expect(menu(page).locator(".pages:visible")).to_have_count(0)
    assert page.evaluate("window.same")
    page.go_back()
    expect(page.get_by_role("heading", name="Stage")).to_be_visible()
    expect(page.locator(".top-bar a[aria-current=page]")).to_have_text("Stage")
    menu(page).get_by_role("button", name="Rate").click()
    with page.context.expect_page() as other:
        menu(page).get_by_role("link", name="Campaigns").click(modifiers=["ControlOrMeta"])
    expect(other.value).to_have_url(f"{sampled_app.url}/campaigns")


def test_a_group_opens_alone_and_closes_by_a_press_beside_it(page: Page, sampled_app: App) -> None:
    page.goto(sampled_app.url)
    rests(page)
    watch, rate = (menu(page).get_by_role("button", name=name) for name in ("Watch", "Rate"))
    watch.click()
    expect(watch).to_have_attribute("aria-expanded", "true")
    assert faults(page) == []
    rate.click()
    expect(watch).to_have_attribute("aria-expanded", "false")
    expect(menu(page).locator(".pages:visible a")).to_have_text(["Campaigns", "Annotate"])
    page.get_by_role("heading", name="Stage").click()
    expect(rate).to_have_attribute("aria-expanded", "false")


def test_the_groups_by_keyboard_alone(page: Page, sampled_app: App) -> None:
    page.goto(sampled_app.url)
    rests(page)
    watch, measure = (menu(page).get_by_role("button", name=name) for name in ("Watch", "Measure"))
    for _ in range(30):
        if watch.evaluate("one => one.matches(':focus')"):
            break
        page.keyboard.press("Tab")
    expect(watch).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(menu(page).get_by_role("link", name="Stage")).to_be_focused()
    page.keyboard.press("Escape")
    expect(watch).to_be_focused()
    expect(watch).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(measure).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(menu(page).get_by_role("link", name="Reliability and validity")).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(menu(page).get_by_role("link", name="Sweeps")).to_be_focused()
    page.keyboard.press("Tab")  # away from the group
    expect(measure).to_have_attribute("aria-expanded", "true")
    expect(menu(page).get_by_role("button", name="Models")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(measure).to_have_attribute("aria-expanded", "false")
    measure.focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{sampled_app.url}/sweeps")
    expect(page.get_by_role("heading", name="Sweeps", exact=True)).to_be_visible()
    expect(measure).to_be_focused()


def test_on_a_phone_one_button_opens_all_groups(narrow: Page, sampled_app: App) -> None:
    narrow.goto(sampled_app.url)
    rests(narrow)
    button = menu(narrow).get_by_role("button")
    button.tap()
    expect(menu(narrow).get_by_role("link")).to_have_text(offered(narrow))
    assert faults(narrow) == []
    menu(narrow).get_by_role("link", name="Reliability and validity").tap()
    expect(narrow).to_have_url(f"{sampled_app.url}/validity")
    expect(button).to_have_text("MeasureReliability and validity")
    expect(menu(narrow).get_by_role("link")).to_have_count(0)


@pytest.mark.parametrize("tongue", ["en", "zh"])
def test_the_header_stands_in_one_line_on_a_phone(campaigning: Campaigning, browser: Browser, tongue: str) -> None:
    """The menu, the palette, the name and the language: none over another, none beyond the edge."""
    with browser.new_context(viewport=NARROW) as context:  # type: ignore[arg-type]
        context.add_cookies([{"name": "characterbox_language", "value": tongue, "url": campaigning.app.url}])
        page = context.new_page()
        page.goto(f"{campaigning.app.url}/annotate")
        page.locator("input").first.fill("Cai")
        page.locator("input[type=password]").fill(PASSWORD)
        page.keyboard.press("Enter")
        expect(page.locator(".top-bar")).to_be_visible()
        page.locator(".cb-who").evaluate("one => one.textContent = 'A name of more than forty letters in a row'")
        boxes = [page.locator(f".top-bar {one}").bounding_box() for one in (".all", ".go", ".cb-who", ".cb-tongue")]
        edges = [(box["x"], box["x"] + box["width"]) for box in boxes if box is not None]
        assert len(edges) == 4
        assert all(before[1] <= after[0] for before, after in pairwise(edges)), edges
        assert edges[0][0] >= 0
        assert edges[-1][1] <= NARROW["width"]
        middles = {round(box["y"] + box["height"] / 2) for box in boxes if box is not None}
        assert max(middles) - min(middles) <= 2, boxes


def test_the_other_language_keeps_what_one_is_in(page: Page, sampled_app: App) -> None:
    page.goto(f"{sampled_app.url}/playback?story=samplehongloushigao&at=30")
    expect(page.get_by_role("slider")).to_be_visible()
    page.get_by_role("link", name="中文").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    expect(page).to_have_url(re.compile(r"/playback\?story=samplehongloushigao&at=30$"))
    expect(page.get_by_role("slider")).to_have_value("30")
    expect(page.locator("a[href^='/language']")).to_have_count(1)


def test_one_alone_is_offered_as_itself(campaigning: Campaigning, page: Page) -> None:
    page.goto(f"{campaigning.app.url}/annotate")
    page.locator("input").first.fill("Cai")
    page.locator("input[type=password]").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator(".list-view")).to_be_visible()
    assert offered(page) == ["Annotate"]
    expect(menu(page).get_by_role("button")).to_have_count(0)
    expect(page.locator("a[href^='/language']")).to_have_count(1)
