"""What takes longer than 0.3 s after a click says so where one looks."""

from playwright.sync_api import Page, expect

from tests.browser.app import LATE, App, rests


def shown(part: str) -> str:
    return f"getComputedStyle(document.querySelector('{part}'), '::after').opacity === '1'"


def test_a_line_runs_below_what_was_clicked_and_below_the_header_until_the_page_is_drawn(
    page: Page, sampled_app: App
) -> None:
    page.add_init_script(LATE)
    page.goto(f"{sampled_app.url}/leaderboard")
    rests(page)
    view = page.get_by_role("radio", name="Costs")
    view.click()
    page.wait_for_function(shown(".stMain .stElementContainer:focus-within"), polling=20)
    assert page.evaluate(shown(".stMain"))
    expect(page.locator("[data-test-script-state=notRunning]")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.querySelector('.stMain'), '::after').content") == "none"
