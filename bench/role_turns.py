"""Dialogues with roles: how late a reader sees what a model begins to say, and what the choice of examples takes."""

import statistics
import time
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from playwright.sync_api import expect

from bench.browser import reader
from bench.concurrent_raters import served
from bench.percentile import slowest_in_twenty_of
from bench.timestamped_server import stamped_server
from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.play.conversation import of_roles
from characterbox.roles.library import bundled_roles
from characterbox.roles.retrieval import EXAMPLES, examples_of
from characterbox.roles.role import Dialogues, Provenance, Role, Round, Turn
from characterbox.store import Store
from characterbox.values import LANGUAGE_CODES, Language

ROUNDS = 10_000
ASKED = 21
LETTERS = 40
"""Of each of the two pieces of a turn."""
TURNS = 20
READS = 0.2
"""Seconds in which the model reads its prompt; meanwhile the page has shown the turn before."""
PATIENCE = 120_000
WATCH = r"""
() => {
  window.lags = [];
  const shadows = [...document.querySelectorAll('*')].map((node) => node.shadowRoot);
  const turns = shadows.map((root) => root?.querySelector('.dialogue .turns')).find(Boolean);
  new MutationObserver((records) => {
    for (const {addedNodes} of records)
      for (const node of addedNodes) {
        const words = node.matches?.('.growing .words') ? node : null;
        const stamp = words?.textContent.match(/^t(\d{13})\s*$/);
        if (stamp) window.lags.push(Date.now() - Number(stamp[1]));
      }
  }).observe(turns, {subtree: true, childList: true});
}
"""
"""Notes how old the first stamp of each turn is as it stands in the page."""


def first_token() -> float:
    """Milliseconds from a model's server to the page, for the first token of a turn: the 95th percentile of twenty."""
    with TemporaryDirectory() as folder, stamped_server(READS) as url:
        db = Path(folder) / "bench.db"
        story = _dialogue(db, url)
        with served(db, "off") as app, reader() as page:
            page.goto(f"{app}/roles?dialogue={story}")
            expect(page.locator(".dialogue .turn").first).to_be_visible(timeout=PATIENCE)
            page.evaluate(WATCH)
            while len(lags := page.evaluate("window.lags")) < TURNS:
                page.wait_for_timeout(500)
            print(f"  median {statistics.median(lags)} ms, slowest {max(lags)} ms")
            return slowest_in_twenty_of(lags)


def _dialogue(db: Path, url: str) -> str:
    """A dialogue of two roles that the app will play on as it starts."""
    first, second, *_ = bundled_roles()
    script = of_roles((first, second), TURNS, "fsd")
    endpoint = Endpoint(url=url, model="stamps")
    casting = Casting(narrator=endpoint, characters=dict.fromkeys(script.scene.names, endpoint))
    store = Store(f"sqlite:///{db}")
    try:
        return store.stories.create(script, casting, "app").id
    finally:
        store.close()


def retrieval() -> float:
    """Milliseconds in which the five best of 10,000 rounds are found, the median of the slower language."""
    return max(_retrieved(language) for language in LANGUAGE_CODES)


def _retrieved(language: Language) -> float:
    role = _large(language)
    examples = examples_of(role)
    spent = []
    for number in range(ASKED):
        asked = [*role.rounds][number * 97].before[0].text
        began = time.perf_counter()
        found = examples.nearest(asked)
        spent.append(1000 * (time.perf_counter() - began))
        if len(found) != EXAMPLES:
            raise RuntimeError(f"{len(found)} examples were found")
    return statistics.median(spent)


def _large(language: Language) -> Role:
    """A role with many rounds, made of the words of the bundled ones."""
    chance, texts = Random(1), []  # noqa: S311 - no secret
    for role in bundled_roles():
        if role.language == language:
            texts += [turn.text for one in role.rounds for turn in one.turns]
    gap = " " if language == "en" else ""

    def text() -> str:
        pieces = ((one, chance.randrange(max(len(one) - LETTERS, 1))) for one in chance.sample(texts, 2))
        return gap.join(one[at : at + LETTERS] for one, at in pieces)

    name = role.name
    rounds = tuple(
        Round(turns=(Turn(speaker="X", text=text()), Turn(speaker=name, text=text()))) for _ in range(ROUNDS)
    )
    part = Dialogues(provenance=Provenance(source="bench"), rounds=rounds)
    return role.model_copy(update={"dialogues": (part,)})
