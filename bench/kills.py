"""Stories whose players are killed at random moments, with several workers on one database."""

import asyncio
import random
import signal
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess

from bench.fault_free_outcome import Undisturbed, key, undisturbed
from bench.workers import start_worker
from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.play.events import Event
from characterbox.play.world import Script
from characterbox.store import Store
from tests.fakes.mock_server import MockServer

PATIENCE = 60.0
STORIES = 3
"""How many stories are under way at once."""
MOST_CALLS = 30
"""How many calls at most are seen between two kills."""


@dataclass
class Kills:
    """What was found, from kill to kill and at the end."""

    kills: int = 0
    stories: int = 0
    lost: int = 0
    """Events that were recorded and later are not there, or are others; and those that an undisturbed play has more."""
    asked_again: int = 0
    """Calls for replies that had been recorded before."""
    misplaced: int = 0
    """Paths whose recorded replies are not the one that belongs there, and calls that belong to no path."""
    repeated: int = 0
    """Calls that had been sent before."""
    unanswered: int = 0
    """Marks of calls that have no reply: they were in flight at a kill."""


class Ordeal:
    """Stories that are played by workers, and what is known of them."""

    def __init__(self, store: Store, server: MockServer, script: Script) -> None:
        self.found = Kills()
        self._store = store
        self._server = server
        self._script = script
        self._since = len(server.seen)
        self._stories: dict[str, Undisturbed] = {}
        self._told: dict[str, list[Event]] = {}
        """The events of each story when it was last looked at."""
        self._recorded: dict[str, int] = {}
        """The requests whose replies are recorded, and how many the server had seen by then."""

    @property
    def unfinished(self) -> list[str]:
        """The stories that have not ended. Raises RuntimeError if one of them can't."""
        stories = self._store.stories.stories("running", "paused", "waiting", "cued", "failed", "mismatched", "stopped")
        for story in stories:
            if story.status != "running":
                raise RuntimeError(f"story {story.id} is {story.status}: {story.reason}")
        return [story.id for story in stories]

    def launch(self) -> None:
        """Begin as many new stories as have ended. The world, and so every prompt, of each is its own."""
        for _ in range(STORIES - len(self.unfinished)):
            work = f"{self._script.scene.work} {len(self._stories)}"
            script = self._script.model_copy(update={"scene": self._script.scene.model_copy(update={"work": work})})
            endpoint = Endpoint(url=self._server.url, model="m")
            casting = Casting(narrator=endpoint, characters=dict.fromkeys(script.scene.names, endpoint))
            story = self._store.stories.create(script, casting, "app")
            self._stories[story.id] = asyncio.run(undisturbed(script))
            self.found.stories += 1

    def wait_for_calls(self, count: int) -> None:
        """Wait until the server has seen so many calls more; stories that end meanwhile are followed by others."""
        wanted, end = len(self._server.seen) + count, time.monotonic() + PATIENCE
        while len(self._server.seen) < wanted:
            if time.monotonic() > end:
                raise TimeoutError(f"no call is sent any more; unfinished: {self.unfinished}")
            self.launch()
            time.sleep(0.002)

    def wait_for_the_end(self) -> None:
        """Wait until all stories have ended."""
        end = time.monotonic() + PATIENCE
        while unfinished := self.unfinished:
            if time.monotonic() > end:
                raise TimeoutError(f"stories that do not come to their end: {unfinished}")
            time.sleep(0.02)

    def look(self) -> None:
        """See what is recorded, and whether what was there before still is."""
        for id in self._told.keys() | set(self.unfinished):
            events, told = self._store.stories.events(id), self._told.get(id, [])
            self.found.lost += _differing(told, events[: len(told)])
            self._told[id] = events
            for reply in self._store.stories.journal(id):
                if (request := key(reply.messages)) not in self._recorded:
                    self._recorded[request] = len(self._server.seen)

    def judge(self) -> None:
        """Compare how the stories ended, and what the server was asked, with what must be."""
        self.look()
        asked = self._server.keys()[self._since :]
        belonging = {request for story in self._stories.values() for request in story.keys.values()}
        found = self.found
        found.asked_again = sum(
            self._since + number >= self._recorded.get(request, len(self._server.seen))
            for number, request in enumerate(asked)
        )
        found.repeated = len(asked) - len(set(asked))
        found.misplaced += sum(request not in belonging for request in asked)
        for id, story in self._stories.items():
            found.lost += _differing(story.events, self._store.stories.events(id))
            found.misplaced += self._misplaced(id, story)
            found.unanswered += self._store.stories.unanswered(id)

    def _misplaced(self, id: str, story: Undisturbed) -> int:
        recorded = Counter((reply.path, key(reply.messages), reply.text) for reply in self._store.stories.journal(id))
        right = Counter((path, story.keys[path], text) for path, text in story.replies.items())
        return max((recorded - right).total(), (right - recorded).total())


def kill(database: str, server: MockServer, script: Script, *, kills: int, workers: int, seed: int) -> Kills:
    """Play stories of a script with workers, of which the oldest is killed with SIGKILL at random moments."""
    chance, store = random.Random(seed), Store(database)  # noqa: S311 - no secret
    ordeal = Ordeal(store, server, script)
    running: list[ForkServerProcess] = []
    try:
        for _ in range(kills):
            ordeal.launch()
            running += [start_worker(database) for _ in range(workers - len(running))]
            ordeal.wait_for_calls(chance.randint(0, MOST_CALLS))
            time.sleep(chance.uniform(0, 2 * server.latency))
            ordeal.look()
            end_worker(running.pop(0))
            ordeal.found.kills += 1
            ordeal.look()
        running += [start_worker(database) for _ in range(workers - len(running))]
        ordeal.wait_for_the_end()
        ordeal.judge()
    finally:
        for worker in running:
            end_worker(worker)
        store.close()
    return ordeal.found


def end_worker(worker: ForkServerProcess) -> None:
    """Kill a worker. Raises RuntimeError if it was not alive."""
    worker.kill()
    worker.join(PATIENCE)
    if worker.exitcode != -signal.SIGKILL:
        raise RuntimeError(f"a worker has ended by itself, with {worker.exitcode}")


def _differing(wanted: Iterable[Event], found: Iterable[Event]) -> int:
    wanted, found = list(wanted), list(found)
    same = sum(one == other for one, other in zip(wanted, found, strict=False))
    return max(len(wanted), len(found)) - same
