"""Stories as they are read: how soon any step of a long one stands there, and what is behind it, and how soon one of
thousands opens."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, WebSocket, expect

from bench.browser import reader
from bench.concurrent_raters import served
from bench.percentile import slowest_in_twenty_of
from bench.story import casting, improvised, played, script
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.journal import Reply
from characterbox.llm.request import Request
from characterbox.play.world import Script
from characterbox.store import Store

PATIENCE = 60_000
ROUNDS = 30
STORIES = 5_000
OPENINGS = 20
CLICKS = 20
SCRUB = r"""
async () => {
  const shadows = [...document.querySelectorAll('*')].map((node) => node.shadowRoot);
  const player = shadows.map((root) => root?.querySelector('.player')).find(Boolean);
  const [range, page] = ['.range', '.script'].map((name) => player.querySelector(name));
  const painted = new MessageChannel();
  const times = [];
  let random = 1;
  for (let turn = 0; turn < 300; turn += 1) {
    random = (random * 48271) % 2147483647;
    const begun = performance.now();
    range.value = String(turn === 0 ? range.max : turn === 1 ? 1 : 1 + (random % range.max));
    range.dispatchEvent(new Event('input', {bubbles: true}));
    await new Promise((resolve) => {
      painted.port1.onmessage = resolve;
      requestAnimationFrame(() => painted.port2.postMessage(null));
    });
    times.push(performance.now() - begun);
    const step = player.querySelector('.lit').getBoundingClientRect(), around = page.getBoundingClientRect();
    if (step.top < around.top || step.top >= around.bottom) throw new Error(`step ${range.value} is out of sight`);
  }
  return times;
}
"""
"""Moves the timeline to the end, to the beginning and to 298 places by chance; gives the milliseconds that each took
until it had been painted."""
OPEN = r"""
() => new Promise((resolve) => {
  const found = (name) => {
    const within = (root) => root.querySelector(name) ?? [...root.querySelectorAll('*')]
      .map((node) => node.shadowRoot && within(node.shadowRoot)).find(Boolean);
    return within(document);
  };
  const painted = new MessageChannel();
  const begun = performance.now();
  painted.port1.onmessage = () => resolve(performance.now() - begun);
  const look = () => {
    if (found('.player .lit')?.getClientRects().length) painted.port2.postMessage(null);
    else requestAnimationFrame(look);
  };
  found('.library .title').click();
  look();
})
"""
"""Opens the first story of the library, and gives the milliseconds until a step of it has been painted."""

BEHIND = r"""
() => new Promise((resolve) => {
  const shadows = [...document.querySelectorAll('*')].map((node) => node.shadowRoot);
  const player = shadows.map((root) => root?.querySelector('.player')).find(Boolean);
  const painted = new MessageChannel();
  const begun = performance.now();
  painted.port1.onmessage = () => resolve(performance.now() - begun);
  const look = () => {
    if (player.querySelector('.notebook .facts')) painted.port2.postMessage(null);
    else requestAnimationFrame(look);
  };
  player.querySelector('[aria-expanded]').click();
  look();
})
"""
"""Opens the notebook, and gives the milliseconds until what is behind the step has been painted."""


def slowest_scrub_in_twenty() -> float:
    """The 95th percentile of the time from a move of the timeline of a long story to the step that it leads to, in
    milliseconds. Raises RuntimeError if the server is asked for anything meanwhile."""
    asked: list[str] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framesent", lambda _: asked.append("the page anew"))

    with _reader(stories=1, rounds=ROUNDS) as (page, url, ids):
        page.on("websocket", listen)
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{url}/playback?story={ids[0]}")
        expect(page.locator(".player")).to_be_visible(timeout=PATIENCE)
        page.wait_for_load_state("networkidle")
        asked.clear()
        times: list[float] = page.evaluate(SCRUB)
    if asked:
        raise RuntimeError(f"the server was asked for {asked[0]}")
    return slowest_in_twenty_of(times)


def slowest_first_click_in_twenty() -> float:
    """The 95th percentile of the time from the first click in a long story to what is behind its step, in seconds.

    It was recorded by an older app, which did not store what was remembered.
    """
    with _reader(stories=1, rounds=ROUNDS, replies=True) as (page, url, ids):
        times = []
        for number in range(1, CLICKS + 1):
            page.goto(f"{url}/playback?story={ids[0]}&at={50 * number}")
            expect(page.locator(".player .lit")).to_be_visible(timeout=PATIENCE)
            page.wait_for_load_state("networkidle")
            page.wait_for_timeout(1000)
            times.append(page.evaluate(BEHIND) / 1000)
            page.keyboard.press("Escape")  # the next page would be loaded with the notebook open
    return slowest_in_twenty_of(times)


def slowest_opening_in_twenty() -> float:
    """The 95th percentile of the time from the click on one of many stories to its first step, in seconds."""
    with _reader(stories=STORIES, rounds=3) as (page, url, _):
        times = []
        for _ in range(OPENINGS):
            page.goto(f"{url}/playback")
            expect(page.locator(".library .title").first).to_be_visible(timeout=PATIENCE)
            page.wait_for_timeout(500)
            times.append(page.evaluate(OPEN) / 1000)
    return slowest_in_twenty_of(times)


@contextmanager
def _reader(*, stories: int, rounds: int, replies: bool = False) -> Iterator[tuple[Page, str, list[str]]]:
    """A browser, and the app with so many stories that have ended, which may have the replies behind their steps."""
    with TemporaryDirectory() as folder:
        db = Path(folder) / "bench.db"
        ids = asyncio.run(_stories(db, stories, rounds, replies))
        with served(db, "off") as url, reader() as page:
            yield page, url, ids


async def _stories(db: Path, count: int, rounds: int, replies: bool) -> list[str]:
    store = Store(f"sqlite:///{db}")
    told = script(rounds)
    requests, events = await played(told)
    journal = [_reply(request, told) for request in requests] if replies else []
    first = store.stories.create(told, casting("http://127.0.0.1:8000/v1"), "command line")
    store.stories.move(first.id, "ended", out_of=["running"])
    ended = store.stories.story(first.id)
    ids = [store.stories.new_id() for _ in range(count)]
    for number, id in enumerate(ids, 1):
        store.stories.bring(ended.model_copy(update={"id": id, "label": f"Number {number}"}), events, journal, [])
    store.close()
    return ids


def _reply(request: Request, script: Script) -> Reply:
    """The reply to a request, without what was remembered for it."""
    text, rehearsal = improvised(request, script.seed), Endpoint(url="rehearsal", model="rehearsal")
    return Reply(
        path=request.path, take=0, digest=request.digest(script.seed), messages=request.messages, text=text,
        author="model", endpoint=rehearsal,
    )  # fmt: skip
