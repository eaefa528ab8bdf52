"""From Enter to the next usable item, in a browser, as an expert sees it."""

from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, expect

from bench.browser import reader
from bench.concurrent_raters import RATERS, served
from bench.percentile import slowest_in_twenty_of
from bench.ratings_database import FRESH, KEYS, PASSWORD, rated_database

PATIENCE = 60_000
WATCH = """
() => {
  window.turns = [];
  let pressed = null, place = null;
  const shadows = () => [...document.querySelectorAll('*')].map((node) => node.shadowRoot);
  const root = () => shadows().find((shadow) => shadow?.querySelector('.frame'));
  const shown = () => (root() ?? document).querySelector('.around .place')?.textContent;
  const usable = () => (root() ?? document).querySelector('.metric.lit') !== null;
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    [pressed, place] = [performance.now(), shown()];
  }, true);
  const look = () => {
    if (pressed !== null && shown() !== place && usable()) {
      window.turns.push(performance.now() - pressed);
      pressed = null;
    }
    requestAnimationFrame(look);
  };
  look();
}
"""
"""Notes, frame by frame, how long it takes from Enter until another item is there and one of its metrics is lit."""


def slowest_turn_in_twenty(stored: int) -> float:
    """The 95th percentile of the time from Enter to the next usable item, in seconds, with so many ratings stored."""
    with (
        TemporaryDirectory() as folder,
        rated_database(Path(folder) / "bench.db", RATERS, stored) as rated,
        served(rated.db) as url,
        reader() as page,
    ):
        page.goto(f"{url}/annotate")
        page.get_by_label("Your name").fill("Expert 1")
        page.get_by_label("Password").fill(PASSWORD)
        page.keyboard.press("Enter")
        page.locator("a.primary").click(timeout=PATIENCE)
        expect(page.locator(".part-view")).to_be_visible(timeout=PATIENCE)
        turns = _turns(page)
    return slowest_in_twenty_of(turns) / 1000


def _turns(page: Page) -> list[float]:
    """Seven digits and Enter, on one item after the other; the time that each turn took, in milliseconds."""
    page.evaluate(WATCH)
    for turn in range(1, FRESH):
        for _ in KEYS:
            page.keyboard.press("3")
        page.keyboard.press("Enter")
        page.wait_for_function("count => window.turns.length === count", arg=turn, timeout=PATIENCE)
    turns: list[float] = page.evaluate("window.turns")
    return turns
