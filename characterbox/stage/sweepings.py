"""The sweeps that run in this process, one at a time for each name."""

import asyncio
import logging
import threading
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial

from annotations.messages import Message
from characterbox.errors import CharacterBoxError, PlayedElsewhere, StoryError
from characterbox.llm.client import Client
from characterbox.store import Store
from characterbox.sweeps.purse import check_budget
from characterbox.sweeps.running import Run
from characterbox.sweeps.standing import Progress
from characterbox.sweeps.sweep import Sweep

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Sweeping:
    """A sweep that runs in this process, or ran lately."""

    run: Run
    future: "Future[Progress]"

    @property
    def progress(self) -> Progress:
        """How far it is."""
        return self.run.progress

    @property
    def under_way(self) -> bool:
        """Whether it still runs."""
        return not self.future.done()

    @property
    def resting(self) -> bool:
        """Whether it is about to rest, as soon as the replies under way have come."""
        return self.under_way and self.run.resting

    @property
    def fault(self) -> BaseException | None:
        """What it broke off with; None while it runs, and where it came to rest or to its end."""
        return None if self.under_way or self.future.cancelled() else self.future.exception()


class Sweepings:
    """Starts sweeps and lets them rest. Its methods may be called from any thread but that of its event loop."""

    def __init__(self, store: Store, client: Client, loop: asyncio.AbstractEventLoop) -> None:
        self._store = store
        self._client = client
        self._loop = loop
        self._all: dict[str, Sweeping] = {}
        self._lock = threading.Lock()

    def start(self, sweep: Sweep, only: frozenset[str] | None = None) -> None:
        """Run a sweep from where it stands: all that is missing, or only these tasks.

        Addresses that count as down are tried at once: a person wants it. Raises StoryError if one of this name is
        under way here, be it about to rest, or in another process, and where there is a budget that can't be kept.
        """
        check_budget(self._store, self._client, sweep)
        with self._lock:
            if (known := self._all.get(sweep.name)) is not None and known.under_way:
                raise StoryError(Message("sweep {name}: it is under way; let it come to rest first", name=sweep.name))
            if self._store.sweeps.at_work(sweep.name):
                raise PlayedElsewhere(
                    Message("sweep {name}: it runs in another process; let it finish, or end it there", name=sweep.name)
                )
            for endpoint in sweep.endpoints:
                self._client.try_again(endpoint.url)
            run = Run(self._store, self._client, sweep, only=only, launched_from="app")
            future = asyncio.run_coroutine_threadsafe(run.run(), self._loop)
            self._all[sweep.name] = Sweeping(run, future)
        future.add_done_callback(partial(_tell, sweep.name))

    def of(self, name: str) -> Sweeping | None:
        """The sweep of this name, if it has run since the app started."""
        return self._all.get(name)

    def rest(self, name: str) -> None:
        """Let a sweep rest as soon as the replies under way have come; nothing if it does not run here."""
        if (known := self._all.get(name)) is not None and known.under_way:
            self._loop.call_soon_threadsafe(known.run.rest)

    def resume_all(self) -> None:
        """Run on what was running as the app ended, or was killed."""
        for heading in self._store.sweeps.all():
            if heading.status == "running" and heading.launched_from == "app":
                try:
                    self.start(Sweep.model_validate(self._store.sweeps.content(heading.name)))
                except ValueError:
                    log.warning("sweep %s can't be read any more; it is not run on", heading.name)
                except StoryError as error:
                    log.warning("it is not run on: %s", error)

    async def close(self, patience: float) -> None:
        """Let all rest, as running on at the next start; what takes longer is ended. On the event loop."""
        runs = [one for one in self._all.values() if one.under_way]
        for one in runs:
            one.run.rest("running")
        futures = [asyncio.wrap_future(one.future) for one in runs]
        if futures:
            _, late = await asyncio.wait(futures, timeout=patience)
            for one in runs:
                one.future.cancel()
            await asyncio.gather(*late, return_exceptions=True)


def _tell(name: str, future: "Future[Progress]") -> None:
    """Put into the log what a sweep broke off with."""
    fault = None if future.cancelled() else future.exception()
    if isinstance(fault, CharacterBoxError):
        log.warning("sweep %s broke off: %s", name, fault)
    elif fault is not None:
        log.error("sweep %s broke off", name, exc_info=fault)
