"""Rating as tests see it: the page, and what is stored."""

import sqlite3
from collections.abc import Callable
from urllib.parse import urlencode

from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.browser.app import App
from tests.fakes.waiting import PATIENCE

METRICS = ("KA", "BA", "EE", "PT", "IM", "AD", "BC")
LAPTOP: ViewportSize = {"width": 1440, "height": 900}


def address(app: App, **place: str) -> str:
    """The address of a place on the Annotate page."""
    return f"{app.url}/annotate?{urlencode(place)}"


def open_item(page: Page, app: App, rater: str, character: str = "Sherlock Holmes", **place: str) -> Page:
    """Open a character's part from the list, as somebody who writes this name."""
    page.goto(address(app, rater=rater, **place))
    row = page.locator("tbody tr", has=page.locator(".character").get_by_text(character, exact=True))
    row.get_by_role("link").click()
    expect(page.locator(".part-view .profile .name")).to_have_text(character)
    return page


def marks(app: App, rater: str, kind: str = "score") -> list[tuple[str, int | None]]:
    """Everything of one kind that was stored of a rater, in order."""
    query = (
        "select metric, score from mark join assignment on assignment.id = mark.assignment"
        " join account on account.id = assignment.rater where account.name = ? and mark.kind = ? order by mark.id"
    )
    with sqlite3.connect(app.db) as database:
        return database.execute(query, (rater, kind)).fetchall()


def items_of(app: App, rater: str, purpose: str | None = None) -> dict[str, str]:
    """What a rater has to rate, all or for one purpose: for each item its opaque name."""
    query = "select item, assignment.id from assignment join account on account.id = assignment.rater where name = ?"
    with sqlite3.connect(app.db) as database:
        return dict(database.execute(f"{query} and coalesce(?, purpose) = purpose", (rater, purpose)).fetchall())


def metric(page: Page, key: str) -> Locator:
    """The row of a metric."""
    return page.locator(f"[data-metric={key}]")


def chosen(page: Page) -> dict[str, str]:
    """The scores that the page shows, by metric."""
    pressed = page.locator("[data-metric] .scale [aria-pressed=true]")
    return dict(
        pressed.evaluate_all("nodes => nodes.map(n => [n.closest('[data-metric]').dataset.metric, n.textContent])")
    )


def expect_saved(page: Page, count: int) -> None:
    """That so many scores are shown as committed."""
    expect(page.locator(".mark.saved")).to_have_count(count)


def end_burst(page: Page) -> None:
    """Wait, by the page's own clock, until a key belongs to no row of keys that came before it."""
    page.wait_for_function("begun => performance.now() - begun > 400", arg=page.evaluate("performance.now()"))


def lit(page: Page) -> list[str]:
    """The metrics that are lit: one, or none."""
    return [str(key) for key in page.locator(".metric.lit").evaluate_all("nodes => nodes.map(n => n.dataset.metric)")]


def expect_shown(page: Page, scores: dict[str, str], lit_metrics: list[str] | None = None) -> None:
    """That the page comes to show these scores and no others, and, when asked, these metrics as lit."""
    comes_to(page, lambda: chosen(page), scores)
    if lit_metrics is not None:
        expect_lit(page, lit_metrics)


def expect_lit(page: Page, metrics: list[str]) -> None:
    """That the page comes to light these metrics."""
    comes_to(page, lambda: lit(page), metrics)


def comes_to(page: Page, seen: Callable[[], object], wanted: object) -> None:
    """That what is seen comes to be what is wanted, while the page goes on."""
    for _ in range(round(PATIENCE / 0.05)):
        if seen() == wanted:
            return
        page.wait_for_timeout(50)
    now = seen()
    assert now == wanted, f"{now} is shown, and {wanted} was to come"
