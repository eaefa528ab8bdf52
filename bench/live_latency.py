"""Stories as they are watched while they are played: how late a reader sees what a model has sent."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import expect

from bench.browser import reader
from bench.concurrent_raters import served
from bench.percentile import slowest_in_twenty_of
from bench.story import casting, script
from bench.story_watchers import audience
from bench.timestamped_server import stamped_server
from characterbox.store import Store

PATIENCE = 60_000
ROUNDS = 9
"""Enough for as long as it is measured."""
LASTS = 60_000
"""Milliseconds that are measured."""
WATCH = r"""
() => {
  window.lags = {token: [], event: []};
  const shadows = [...document.querySelectorAll('*')].map((node) => node.shadowRoot);
  const player = shadows.map((root) => root?.querySelector('.player')).find(Boolean);
  const painted = new MessageChannel();
  let latest = 0, waiting = [];
  painted.port1.onmessage = () => {
    const now = Date.now();
    for (const [kind, sent] of waiting) window.lags[kind].push(now - sent);
    waiting = [];
  };
  const note = (kind, sent) => {
    if (waiting.length === 0) requestAnimationFrame(() => painted.port2.postMessage(null));
    waiting.push([kind, sent]);
  };
  new MutationObserver((records) => {
    for (const {target, addedNodes} of records)
      for (const node of addedNodes) {
        const stamps = Array.from(node.textContent.matchAll(/t(\d{13})/g), ([, stamp]) => Number(stamp));
        const sent = Math.max(...stamps);
        if (stamps.length === 0 || node.matches?.('section')) continue;
        if (target.closest('.pending')) note('token', sent);
        else if (target.closest('.turns')) note('event', (latest = Math.max(latest, sent)));
      }
  }).observe(player, {subtree: true, childList: true});
}
"""
"""Notes how old each stamp is when the frame that first shows it has been painted: in the text that grows, and in a
step of the story. A step is told when all before it have been: the last stamp so far is when it could be."""


@dataclass(frozen=True, slots=True)
class Lags:
    """Milliseconds from a model's server to painted pixels, the 95th percentile."""

    event: float
    token: float


@cache
def lags(stories: int, watchers: int) -> Lags:
    """Of one story that is watched by so many, while so many stories are played, each of them watched."""
    with TemporaryDirectory() as folder, stamped_server() as url:
        db = Path(folder) / "bench.db"
        ids = _stories(db, stories, url)
        with served(db, "off") as app, reader() as page:
            page.goto(f"{app}/?story={ids[0]}")
            expect(page.locator(".player")).to_be_visible(timeout=PATIENCE)
            with audience(app, [*ids[1:], *[ids[0]] * (watchers - 1)]):
                page.evaluate(WATCH)
                page.wait_for_timeout(LASTS)
                found = page.evaluate("window.lags")
    return Lags(*(slowest_in_twenty_of(found[kind]) for kind in ("event", "token")))


def _stories(db: Path, count: int, url: str) -> list[str]:
    """So many stories that the app will play on as it starts."""
    store = Store(f"sqlite:///{db}")
    ids = [store.stories.create(script(ROUNDS, seed), casting(url), "app").id for seed in range(1, count + 1)]
    store.close()
    return ids
