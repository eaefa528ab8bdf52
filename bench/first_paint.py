"""The pages of a running app: how soon each shows what it is called."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.browser import reader
from bench.concurrent_raters import served
from bench.percentile import slowest_in_twenty_of
from characterbox.accounts.permissions import PAGES
from characterbox.samples import bring_samples
from characterbox.store import Store

OPENINGS = 20
PAINTED = r"""
addEventListener("DOMContentLoaded", () => {
  const look = () => {
    if (!document.querySelector(".stMain h1")) return requestAnimationFrame(look);
    const painted = new MessageChannel();
    painted.port1.onmessage = () => { window.paintedAt = performance.now(); };
    requestAnimationFrame(() => painted.port2.postMessage(null));
  };
  look();
});
"""
"""Notes the milliseconds from the start of an opening until the heading of the page has been painted."""
NOTED = """
() => new Promise((resolve) => {
  const look = () => (window.paintedAt ? resolve(window.paintedAt) : requestAnimationFrame(look));
  look();
})
"""


def slowest_page() -> float:
    """The 95th percentile of the time from an opening to its first paint, in seconds, of the page that takes longest.

    The database is a new one, with the samples; the browser has been there before.
    """
    return max(map(slowest_in_twenty_of, times().values()))


@cache
def times() -> dict[str, list[float]]:
    """By page, in seconds."""
    with TemporaryDirectory() as folder:
        db = Path(folder) / "bench.db"
        store = Store(f"sqlite:///{db}")
        bring_samples(store)
        store.close()
        with served(db, "off") as url, reader() as page:
            page.add_init_script(PAINTED)
            found: dict[str, list[float]] = {name: [] for name in PAGES}
            for _ in range(1 + OPENINGS):
                for name, taken in found.items():
                    page.goto(f"{url}/{name}", wait_until="commit")
                    taken.append(float(page.evaluate(NOTED)) / 1000)
                    page.wait_for_load_state("networkidle")
    return {name: taken[1:] for name, taken in found.items()}
