"""A dataset of 100,000 examples: how long it takes to be written, and whether memory stays flat."""

import asyncio
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory

from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.journal import Reply
from characterbox.play.events import Event
from characterbox.play.paths import NARRATED, parse_path
from characterbox.play.world import Script
from characterbox.scenes.library import bundled
from characterbox.stage.playback_control import PlaybackControl
from characterbox.stage.runner import perform
from characterbox.store import Store
from characterbox.store.stories.stories import Story
from tests.fakes.databases import database_in
from tests.fakes.in_process_servers import ToNearby
from tests.fakes.stories import casting_at

EXAMPLES = 100_000
FEW = EXAMPLES // 5
"""Examples beside which it is seen whether memory grows."""
PLAYED = 8
"""Stories that are really played; all others are copies of them."""
FIRST_DAY, OTHER_DAYS = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC)


@dataclass(frozen=True)
class Written:
    """One run of the command."""

    seconds: float
    megabytes: float
    """The most memory that its process had."""


def seconds() -> float:
    """Seconds for all of the examples."""
    return written()[1].seconds


def memory_growth() -> float:
    """The most memory for all of them over that for a fifth of them."""
    few, all_of_them = written()
    return all_of_them.megabytes / few.megabytes


@cache
def written() -> tuple[Written, Written]:
    """Writes a fifth of the examples, then all of them, each in a process of its own."""
    with TemporaryDirectory() as folder, _stories(Path(folder)) as url:
        few = _run(url, Path(folder) / "few", "--until", f"{FIRST_DAY:%Y-%m-%d}")
        return few, _run(url, Path(folder) / "all")


def _run(url: str, out: Path, *words: str) -> Written:
    command = [sys.executable, "-m", "characterbox", "dataset", "narrator", "--improvised", "--out", str(out)]
    began = time.perf_counter()
    pid = os.posix_spawn(sys.executable, [*command, "--db", url, *words], os.environ)
    _, status, usage = os.wait4(pid, 0)
    if status:
        raise RuntimeError("the dataset could not be written")
    return Written(time.perf_counter() - began, usage.ru_maxrss / 1024)


@contextmanager
def _stories(folder: Path) -> Iterator[str]:
    """A database with so many calls of narrators; a fifth of them in stories of the first day."""
    url = database_in(folder / "stories.db")
    store = Store(url)
    try:
        originals = asyncio.run(_played(store))
        count = 0
        for id in cycle(originals):
            story, events, journal = originals[id]
            day = FIRST_DAY if count < FEW else OTHER_DAYS
            copy = story.model_copy(update={"id": store.stories.new_id(), "created_at": day})
            store.stories.bring(copy, events, journal, [])
            count += sum(parse_path(reply.path)[0].step in NARRATED for reply in journal)
            if count >= EXAMPLES:
                break
        yield url
    finally:
        store.close()


async def _played(store: Store) -> dict[str, tuple[Story, list[Event], list[Reply]]]:
    """Stories by id, with their events and replies."""
    client, played = Client(transport=ToNearby()), {}
    for scene in bundled()[:PLAYED]:
        casting = casting_at(Endpoint.parse("rehearsal"), scene)
        story = store.stories.create(Script(scene=scene), casting, "command line")
        await perform(store.stories, client, story, PlaybackControl(), on_event=lambda *_: None)
        journal = store.stories.journal(story.id)
        played[story.id] = (store.stories.story(story.id), store.stories.events(story.id), journal)
    await client.close()
    return played
