"""Many stories at once, through the real client and the real database, against a server in another process."""

import asyncio
import ctypes
import gc
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.story import casting, script
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Casting
from characterbox.play.world import Script
from characterbox.stage.client import open_client
from characterbox.stage.playback_control import PlaybackControl
from characterbox.stage.runner import perform
from characterbox.store import Store
from characterbox.store.stories.stories import Story

PAGE = 4096


@dataclass(frozen=True, slots=True)
class Load:
    """What it took to play stories side by side."""

    wall: float
    """Seconds."""
    cpu: float
    """Seconds of this process, its writing thread included."""
    calls: int
    prompt_tokens: int
    """Of all calls, as the server counts them."""
    bytes: int
    """By how much the database grew."""
    resident: list[int]
    """Bytes of memory that the process held after each batch but the last, where they were played in batches."""


def load(stories: int, url: str, *, rounds: int = 3, at_once: int | None = None) -> Load:
    """Play so many stories, all or some of them at once. Raises RuntimeError if one of them does not end."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "bench.db"
        Store(f"sqlite:///{file}").close()
        empty = _in_use(file)
        scripts = [script(rounds, seed) for seed in range(1, stories + 1)]
        played = asyncio.run(_load(scripts, casting(url), at_once or stories, file))
        return replace(played, bytes=_in_use(file) - empty)


async def _load(scripts: Sequence[Script], casting: Casting, at_once: int, file: Path) -> Load:
    store = Store(f"sqlite:///{file}")
    client = open_client(store)
    resident: list[int] = []
    try:
        stories = [store.stories.create(script, casting, "command line") for script in scripts]
        wall, cpu = time.perf_counter(), time.process_time()
        for first in range(0, len(stories), at_once):
            if first > 0:
                resident.append(_resident())
            await asyncio.gather(*(_play(store, client, story) for story in stories[first : first + at_once]))
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        costs = [store.stories.costs(story.id) for story in stories]
    finally:
        await client.close()
        store.close()
    calls, tokens = (sum(getattr(cost.replies, name) for cost in costs) for name in ("calls", "prompt_tokens"))
    return Load(wall, cpu, calls, tokens, 0, resident)


async def _play(store: Store, client: Client, story: Story) -> None:
    status = await perform(store.stories, client, story, PlaybackControl(), on_event=lambda seq, event: None)
    if status != "ended":
        raise RuntimeError(f"story {story.id} is {status}")


def _in_use(file: Path) -> int:
    """Bytes of the pages of a database that hold something: those that a migration left free are filled first."""
    with closing(sqlite3.connect(file)) as connection:
        pages, free = (connection.execute(f"pragma {of}").fetchone()[0] for of in ("page_count", "freelist_count"))
    return int(pages - free) * PAGE


def _resident() -> int:
    """What is held, without what the allocator keeps for later: how much that is depends on chance."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE
