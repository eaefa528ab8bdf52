"""No page has a serious fault for those who read it in another way (axe-core): light and dark, wide and narrow."""

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.browser.app import App

PATIENCE = 30_000
SERIOUS = {"serious", "critical"}


def faults(page: Page) -> list[str]:
    """What axe-core finds that is serious, each with the first places."""
    found = Axe().run(page).response["violations"]
    return [
        f"{fault['id']}: {fault['help']}: {[node['target'] for node in fault['nodes'][:3]]}"
        for fault in found
        if fault["impact"] in SERIOUS
    ]


def _played(page: Page) -> None:
    expect(page.get_by_role("slider")).to_be_visible(timeout=PATIENCE)


def _notebook(sheet: int) -> Callable[[Page], None]:
    def opened(page: Page) -> None:
        _played(page)
        page.locator(".timeline .tool").last.click()
        page.get_by_role("tab").nth(sheet).click()
        expect(page.locator(".sheet > *").first).to_be_visible(timeout=PATIENCE)

    return opened


def _listed(page: Page) -> None:
    expect(page.locator(".library .title").first).to_be_visible(timeout=PATIENCE)


def _items(page: Page) -> None:
    expect(page.locator("tbody tr").first).to_be_visible(timeout=PATIENCE)


def _titled(page: Page) -> None:
    expect(page.locator("h1").first).to_be_visible(timeout=PATIENCE)
    page.wait_for_timeout(500)


STORY = "/playback?story=samplehongloushigao&at=30"
PAGES = {
    "stage": ("/", _titled),
    "library": ("/playback", _listed),
    "story": (STORY, _played),
    "reply": (STORY, _notebook(0)),
    "memory": (STORY, _notebook(1)),
    "knowledge": (STORY, _notebook(2)),
    "beliefs": (STORY, _notebook(3)),
    "influence": (STORY, _notebook(4)),
    "models": ("/models", _titled),
    "campaigns": ("/campaigns", _titled),
    "annotate": (
        "/annotate?rater=Ann",
        lambda page: expect(page.locator("tbody tr").first).to_be_visible(timeout=PATIENCE),
    ),
    "validity": ("/validity", _titled),
    "accounts": ("/admin", _titled),
}


@pytest.mark.parametrize(("scheme", "tongue", "width"), [("light", "en", 1440), ("dark", "zh", 390)])
@pytest.mark.parametrize("name", PAGES)
def test_no_page_has_a_serious_fault(
    sampled_app: App, browser: Browser, name: str, scheme: str, tongue: str, width: int
) -> None:
    address, shown = PAGES[name]
    context = browser.new_context(
        color_scheme=scheme, viewport={"width": width, "height": 900}, reduced_motion="reduce"
    )
    try:
        context.add_cookies([{"name": "characterbox_language", "value": tongue, "url": sampled_app.url}])
        page = context.new_page()
        page.goto(sampled_app.url + address)
        shown(page)
        assert faults(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    finally:
        context.close()
