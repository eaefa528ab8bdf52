"""Stories whose players are killed at random moments, with several workers on one database."""

import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerProcess

from bench.workers import start_worker
from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.llm.journal import Reply
from characterbox.play.events import Event
from characterbox.play.script import Script
from characterbox.store import Store
from tests.fakes.mock_server import MockServer, key_of

PATIENCE = 60.0
STORIES = 3


@dataclass
class Kills:
    """What was found after the kills, and at the end."""

    kills: int = 0
    asked_again: int = 0
    """Calls for replies that were recorded before."""
    misplaced: int = 0
    """Recorded replies that belong to another prompt, or another path."""
    lost: int = 0
    """Events that were recorded, and are not there any more or are others."""
    repeated: int = 0
    """Calls that were in flight at a kill, and were sent once more."""
    unanswered: int = 0
    """Marks of calls that have no reply."""
    events: list[list[Event]] = field(default_factory=list)
    """The events of each story in the end."""


def kill(database: str, server: MockServer, script: Script, *, kills: int, workers: int, seed: int) -> Kills:
    """Play stories of a script with workers of which one, in turn, is killed with SIGKILL at random moments."""
    chance, found, store = random.Random(seed), Kills(), Store(database)  # noqa: S311 - no secret
    running: list[ForkServerProcess] = []
    try:
        stories = []
        while found.kills < kills:
            if not any(store.stories.stories("running", "paused", "waiting", "failed")):
                stories += [_launch(store, server, script, len(stories) + number) for number in range(STORIES)]
            running += [start_worker(database) for _ in range(workers - len(running))]
            _wait_for_calls(server, chance.randint(1, 30))
            time.sleep(chance.uniform(0, 2 * server.latency))
            before = {id: store.stories.events(id) for id in stories}
            recorded = {key for id in stories for key in _keys(store.stories.journal(id))}
            seen = len(server.seen)
            victim = running.pop(chance.randrange(len(running)))
            victim.kill()
            victim.join(PATIENCE)
            found.kills += 1
            time.sleep(2 * server.latency)
            found.asked_again += len(recorded & set(server.keys()[seen:]))
            found.lost += sum(store.stories.events(id)[: len(told)] != told for id, told in before.items())
        running += [start_worker(database) for _ in range(workers - len(running))]
        _wait_until(lambda: all(store.stories.story(id).status == "ended" for id in stories))
        _judge(found, store, server, stories)
    finally:
        for worker in running:
            worker.kill()
            worker.join(PATIENCE)
        store.close()
    return found


def _launch(store: Store, server: MockServer, script: Script, number: int) -> str:
    """A new story; its own seed makes its calls other calls than those of the stories before."""
    endpoint = Endpoint(url=server.url, model="m")
    casting = Casting(narrator=endpoint, characters=dict.fromkeys(script.scene.names, endpoint))
    scene = script.scene.model_copy(update={"title": f"{script.scene.title} {number}"})
    return store.stories.create(script.model_copy(update={"scene": scene}), casting, "app").id


def _judge(found: Kills, store: Store, server: MockServer, stories: Sequence[str]) -> None:
    """Compare what the server was asked with what was recorded."""
    asked = Counter(server.keys())
    found.repeated = asked.total() - len(asked)
    for id in stories:
        replies = store.stories.journal(id)
        found.misplaced += sum(f"mark-{key[:12]}" not in reply.text for key, reply in zip(_keys(replies), replies, strict=True))
        found.unanswered += store.stories.unanswered(id)
        found.events.append(store.stories.events(id))


def _keys(replies: Sequence[Reply]) -> list[str]:
    return [key_of([{"role": one.role, "content": one.content} for one in reply.messages]) for reply in replies]


def _wait_for_calls(server: MockServer, count: int) -> None:
    wanted = len(server.seen) + count
    end = time.monotonic() + 2.0  # the stories may be over before
    while len(server.seen) < wanted and time.monotonic() < end:
        time.sleep(0.001)


def _wait_until(happened: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not happened():
        if time.monotonic() > end:
            raise TimeoutError("the stories do not come to their end")
        time.sleep(0.02)
