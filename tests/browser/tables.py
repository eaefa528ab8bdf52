"""Reading the tables of the validity page."""

import re
from contextlib import suppress
from pathlib import Path

from playwright.sync_api import Page, expect
from playwright.sync_api import TimeoutError as NothingCame

CELL = re.compile(r"(-?\d\.\d\d)\D? *\[(-?\d\.\d\d), (-?\d\.\d\d)\] *n = ([\d,]+)")
WAIT = 600_000
"""Milliseconds: figures are worked out at a low priority, which is little beside much else."""
BARE = re.compile(r"(-?\d\.\d\d)\D? *no interval[^\d=]*n = ([\d,]+)")
GIVEN_UP = 180_000
"""Milliseconds that Streamlit waits for a file."""


def row(page: Page, table: str, label: str, number: int = 0) -> list[str]:
    """The cells of a row of one of the two tables."""
    region = page.get_by_role("region", name=table)
    found = region.locator("tbody tr").filter(has=page.locator("th[scope=row]", has_text=label)).nth(number)
    expect(found).to_be_visible(timeout=WAIT)
    return [re.sub(r"\s+", " ", text) for text in found.locator("td").all_inner_texts()]


def figures(cell: str) -> tuple[float, float, float, int]:
    match = CELL.search(cell)
    assert match is not None, cell
    estimate, low, high, n = match.groups()
    return float(estimate), float(low), float(high), int(n.replace(",", ""))


def figure_without_interval(cell: str) -> tuple[float, int]:
    """An estimate from too few scenes for an interval, which the cell says, and its n."""
    match = BARE.search(cell)
    assert match is not None, cell
    estimate, n = match.groups()
    return float(estimate), int(n.replace(",", ""))


def taken(page: Page, label: str) -> bytes:
    """The file that a button makes. What takes longer than Streamlit waits is there at the next press."""
    button = page.get_by_role("button", name=label)
    with suppress(NothingCame):
        with page.expect_download(timeout=GIVEN_UP) as download:
            button.click()
        return Path(download.value.path()).read_bytes()
    with page.expect_download(timeout=WAIT) as download:
        button.click()
    return Path(download.value.path()).read_bytes()
