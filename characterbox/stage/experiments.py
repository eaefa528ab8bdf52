"""The experiments on judges in this process: one at a time for each judge."""

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from characterbox.judging.experiment import Trial, experiment
from characterbox.llm.client import Client
from characterbox.store import Store


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment under way, or over."""

    trials: Sequence[Trial]
    """What is to be made."""
    done: Sequence[int]
    """Grows by one with each that is."""
    future: "Future[None]"

    def stop(self) -> None:
        """Stop it; replies that came are kept, and are not asked for again."""
        self.future.cancel()


class Experiments:
    """What is being tried, and what was last, by judge. Its methods may be called from any thread."""

    def __init__(self, store: Store, client: Client, loop: asyncio.AbstractEventLoop) -> None:
        self._store = store
        self._client = client
        self._loop = loop
        self._lock = threading.Lock()
        self._all: dict[str, Experiment] = {}

    def start(self, judge: str, trials: Sequence[Trial], *, anew: bool = False) -> Experiment:
        """Have the trials made, unless an experiment on the judge is under way."""
        with self._lock:
            found = self._all.get(judge)
            if found is None or found.future.done():
                done: list[int] = []
                coroutine = experiment(self._store, self._client, trials, anew=anew, on_trial=done.append)
                future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
                found = self._all[judge] = Experiment(trials, done, future)
        return found

    def all(self) -> dict[str, Experiment]:
        """What is being tried of each judge, or was last."""
        with self._lock:
            return dict(self._all)
