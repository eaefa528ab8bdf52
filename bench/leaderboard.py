"""The leaderboard of ten thousand trajectories that two judges have judged: how soon it opens, how soon it changes."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, expect

from bench.browser import reader
from bench.concurrent_raters import served
from bench.leaderboard_database import boarded_database
from bench.percentile import slowest_in_twenty_of

PATIENCE = 60_000
TURNS = 20
STARTS = 3
"""Processes of the app that are started for its first opening."""
CHANGE = r"""
([name, told]) => new Promise((resolve) => {
  const painted = new MessageChannel();
  const begun = performance.now();
  painted.port1.onmessage = () => resolve((performance.now() - begun) / 1000);
  const look = () => {
    const table = document.querySelector(".cb-board table");
    if (table && table.innerText.includes(told)) painted.port2.postMessage(null);
    else requestAnimationFrame(look);
  };
  const parts = [document, ...[...document.querySelectorAll("*")].flatMap((one) => one.shadowRoot ?? [])];
  const named = parts.flatMap((part) => [...part.querySelectorAll("a, button, label")]);
  named.find((one) => one.textContent.trim() === name).click();
  look();
})
"""
"""Clicks on what is called so, and gives the seconds until a table with this text has been painted."""
FIRST, PAPERS = "Leaderboard", {"Chinese": "paper 4.34 ±0.34", "English": "paper 3.93 ±0.36"}
"""The page in the navigation, and a text that the table of each language alone has."""


def slowest_opening_in_twenty() -> float:
    """The 95th percentile of the time from the click on the page's name to its table, in seconds. Since it was open
    last, a judge has judged once more."""
    return slowest_in_twenty_of(_times()[0])


def slowest_change_in_twenty() -> float:
    """The 95th percentile of the time from the click on the other language to its table, in seconds; here, too, a judge
    has judged once more, so that no table is one that was seen before."""
    return slowest_in_twenty_of(_times()[1])


def first_opening() -> float:
    """The same as an opening in a process that has not shown the page before, nor read a rating: the median of some."""
    with TemporaryDirectory() as folder:
        db = Path(folder) / "bench.db"
        boarded_database(db)
        return median(_cold(db) for _ in range(STARTS))


def _cold(db: Path) -> float:
    with served(db, "off") as url, reader() as page:
        _elsewhere(page, url)
        return float(page.evaluate(CHANGE, [FIRST, PAPERS["English"]]))


@cache
def _times() -> tuple[list[float], list[float]]:
    """Of openings, and of changes."""
    openings, changes = [], []
    with _app() as (page, url, db):
        for _ in range(TURNS):
            _elsewhere(page, url)
            _judge_once_more(db)
            openings.append(float(page.evaluate(CHANGE, [FIRST, PAPERS["English"]])))
        for turn in range(2 * TURNS):
            _judge_once_more(db)
            _rest(page)
            language = [*PAPERS][turn % 2]
            changes.append(float(page.evaluate(CHANGE, [language, PAPERS[language]])))
    return openings, changes


@contextmanager
def _app() -> Iterator[tuple[Page, str, Path]]:
    """A browser and the app, in which the page was open before."""
    with TemporaryDirectory() as folder:
        db = Path(folder) / "bench.db"
        boarded_database(db)
        with served(db, "off") as url, reader() as page:
            page.goto(f"{url}/leaderboard")
            expect(page.locator(".cb-board table").first).to_be_visible(timeout=PATIENCE)
            yield page, url, db


def _elsewhere(page: Page, url: str) -> None:
    page.goto(f"{url}/models")
    expect(page.get_by_role("heading", name="Models").first).to_be_visible(timeout=PATIENCE)
    _rest(page)


def _rest(page: Page) -> None:
    expect(page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]')).to_be_visible(timeout=PATIENCE)
    time.sleep(0.5)


def _judge_once_more(db: Path) -> None:
    columns = (
        "item_kind, owner, slug, story_id, scene, model, language, rater, kind, rubric, rubric_version, metric, score,"
        " created_at"
    )
    with sqlite3.connect(db) as database:
        last = f"select {columns} from rating order by id desc limit 1"  # noqa: S608 - our own words
        database.execute(f"insert into rating ({columns}) {last}")
