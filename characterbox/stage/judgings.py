"""The judges at work in this process: one at a time for each story, name and kind of what is judged."""

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from annotations.rubric import Subject
from characterbox.judging.judge import Judge, judge_story
from characterbox.judging.registry import registered
from characterbox.llm.client import Client
from characterbox.store import Store
from characterbox.store.ratings import Rating
from characterbox.store.stories import Story

_KEPT = 300
"""How many that are over are kept to be told of."""


@dataclass(frozen=True, slots=True)
class Judging:
    """A judge at work on a story."""

    judge: Judge
    of: Subject
    names: Sequence[str]
    """The characters to be judged; one name where it is the narrator, or the scene."""
    done: Sequence[str]
    """Those that are; it grows as the judge goes on."""
    future: "Future[Sequence[Rating]]"

    def stop(self) -> None:
        """Stop it; replies that came are kept, and are not asked for again."""
        self.future.cancel()


class Judgings:
    """What this process is judging, and the last that it has judged. Its methods may be called from any thread."""

    def __init__(self, store: Store, client: Client, loop: asyncio.AbstractEventLoop) -> None:
        self._store = store
        self._client = client
        self._loop = loop
        self._lock = threading.Lock()
        self._all: dict[tuple[str, str, Subject], Judging] = {}

    def start(self, story: Story, judge: Judge, *, of: Subject = "character", anew: bool = False) -> Judging:
        """Have a story judged, unless the judge is at it; `anew` as in `judge_story`."""
        judge = registered(self._store, judge, of)
        key = (story.id, judge.rater, of)
        with self._lock:
            judging = self._all.get(key)
            if judging is None or judging.future.done():
                done: list[str] = []
                coroutine = judge_story(
                    self._store, self._client, story, judge, of=of, anew=anew, on_verdict=done.append
                )
                future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
                self._all.pop(key, None)  # the new one is the latest
                names = story.script.scene.names if of == "character" else (of,)
                judging = self._all[key] = Judging(judge, of, names, done, future)
                self._forget_old()
        return judging

    def of(self, story: str) -> list[Judging]:
        """What is being judged of a story, or was lately."""
        with self._lock:
            return [judging for (id, *_), judging in self._all.items() if id == story]

    def _forget_old(self) -> None:
        over = [key for key, judging in self._all.items() if judging.future.done()]
        for key in over[:-_KEPT]:
            del self._all[key]
