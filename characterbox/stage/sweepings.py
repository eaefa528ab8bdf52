"""The sweeps that run in this process, one at a time for each name."""

import asyncio
import logging
from dataclasses import dataclass

from annotations.messages import Message
from characterbox.errors import CharacterBoxError, PlayedElsewhere, StoryError
from characterbox.llm.client import Client
from characterbox.stage.jobs import Job, Jobs
from characterbox.store import Store
from characterbox.sweeps.purse import check_budget
from characterbox.sweeps.running import Run
from characterbox.sweeps.standing import Progress
from characterbox.sweeps.sweep import Sweep

log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class Sweeping(Job):
    """A sweep that runs in this process, or ran lately."""

    run: Run

    @property
    def key(self) -> tuple[str, ...]:
        """The name of the sweep."""
        return (self.run.sweep.name,)

    @property
    def progress(self) -> Progress:
        """How far it is."""
        return self.run.progress

    @property
    def resting(self) -> bool:
        """Whether it is about to rest, as soon as the replies under way have come."""
        return self.under_way and self.run.resting

    def check(self, store: Store, client: Client) -> None:
        """Addresses that count as down are tried at once: a person wants it. Raises PlayedElsewhere."""
        (name,) = self.key
        if store.sweeps.at_work(name):
            raise PlayedElsewhere(
                Message("sweep {name}: it runs in another process; let it finish, or end it there", name=name)
            )
        for endpoint in self.run.sweep.endpoints:
            client.try_again(endpoint.url)

    async def work(self, store: Store, client: Client) -> Progress:
        """Run it."""
        return await self.run.run()

    def close(self) -> bool:
        """Let it rest, as running on at the next start."""
        self.run.rest("running")
        return True

    def failed(self, error: BaseException) -> None:
        """Put into the log what it broke off with."""
        if isinstance(error, CharacterBoxError):
            log.warning("sweep %s broke off: %s", *self.key, error)
        else:
            log.error("sweep %s broke off", *self.key, exc_info=error)


class Sweepings:
    """Starts sweeps and lets them rest. Its methods may be called from any thread but that of its event loop."""

    def __init__(self, store: Store, client: Client, loop: asyncio.AbstractEventLoop, jobs: Jobs) -> None:
        self._store = store
        self._client = client
        self._loop = loop
        self._jobs = jobs

    def start(self, sweep: Sweep, only: frozenset[str] | None = None) -> None:
        """Run a sweep from where it stands: all that is missing, or only these tasks.

        Raises StoryError if one of this name is under way here, be it about to rest, or in another process, and where
        there is a budget that can't be kept.
        """
        check_budget(self._store, self._client, sweep)
        job = Sweeping(Run(self._store, self._client, sweep, only=only, launched_from="app"))
        if self._jobs.start(job) is not job:
            raise StoryError(Message("sweep {name}: it is under way; let it come to rest first", name=sweep.name))

    def of(self, name: str) -> Sweeping | None:
        """The sweep of this name, if it has run since the app started."""
        return self._jobs.last(Sweeping, name)

    def rest(self, name: str) -> None:
        """Let a sweep rest as soon as the replies under way have come; nothing if it does not run here."""
        if (known := self.of(name)) is not None and known.under_way:
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
