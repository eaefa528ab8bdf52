"""The jobs that ask models on behalf of a person: judgings, experiments, cross-checks, sweeps and craftings."""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Generic, Protocol, TypeVar

from annotations.i18n.messages import Message, to_say
from characterbox.crafting.progress import WAYS, Looks, Wished, wish_of
from characterbox.crafting.running import How, begin
from characterbox.crafting.running import run as craft
from characterbox.crafting.scene_scores import judge_crafting
from characterbox.crafting.sources.source import Source
from characterbox.errors import CharacterBoxError, Interlude, PlayedElsewhere, StoryError
from characterbox.judging.cross_check import check_story, place_of_check
from characterbox.judging.experiments import Trial, experiment
from characterbox.judging.judge import Judge, judge_story, registered
from characterbox.judging.subject import JudgeRubric
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.journal import OnMismatch
from characterbox.stage.jobs.jobs import Job, Jobs
from characterbox.store import Store
from characterbox.store.ratings.ratings import Rating
from characterbox.store.stories.stories import Story
from characterbox.store.sweeps import Task
from characterbox.sweeps.budget import BudgetedClient, Resting, check_budget
from characterbox.sweeps.progress import Progress
from characterbox.sweeps.running import Run
from characterbox.sweeps.sweep import Sweep, stored_sweep

log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class Counted(Job):
    """A job of so many pieces."""

    done: int = field(default=0, init=False)
    whole: int | None = field(default=None, init=False)
    """None until it is known."""

    def count(self, done: int, whole: int | None = None) -> None:
        """Tell how many pieces are done, and of how many where that was not known."""
        self.done, self.whole = done, self.whole if whole is None else whole


@dataclass(slots=True, eq=False)
class Judging(Counted):
    """A judge at work on a story: one at a time for each story, judge and kind of what is judged."""

    story: Story
    judge: Judge
    """As it is registered."""
    of: JudgeRubric = "character"
    anew: bool = False
    """As in `judge_story`."""

    @classmethod
    def by(cls, store: Store, story: Story, judge: Judge, of: JudgeRubric = "character") -> "Judging":
        """That of a judge which is registered here, where it is not yet."""
        return cls(story, registered(store, judge, of), of)

    def __post_init__(self) -> None:
        self.whole = len(self.story.script.rated) if self.of == "character" else 1

    @property
    def key(self) -> tuple[str, ...]:
        """The story, the judge, and what is judged."""
        return self.story.id, self.judge.rater, self.of

    async def work(self, store: Store, client: Client) -> Sequence[Rating]:
        """Judge the story."""
        told = lambda _: self.count(self.done + 1)  # noqa: E731 - whom is judged is not told
        return await judge_story(store, client, self.story, self.judge, of=self.of, anew=self.anew, on_verdict=told)


@dataclass(slots=True, eq=False)
class Experiment(Counted):
    """An experiment on a judge: one at a time for each."""

    trials: Sequence[Trial]
    """What is to be made; the first is the judge itself."""
    anew: bool = False
    """As in `judge_story`."""

    def __post_init__(self) -> None:
        self.whole = len(self.trials)

    @property
    def key(self) -> tuple[str, ...]:
        """The judge."""
        return (self.trials[0].judge.rater,)

    async def work(self, store: Store, client: Client) -> None:
        """Make the trials."""
        await experiment(store, client, self.trials, anew=self.anew, on_trial=self.count)


@dataclass(slots=True, eq=False)
class Crosscheck(Counted):
    """A second narrator that is asked about a story: one at a time for each story and name that it is filed under."""

    story: Story
    narrator: Endpoint

    @property
    def key(self) -> tuple[str, ...]:
        """The story and the model. Raises AddressError for a model whose name has no letter or digit."""
        return self.story.id, place_of_check(self.narrator)

    async def work(self, store: Store, client: Client) -> None:
        """Ask it."""
        await check_story(store, client, self.story, self.narrator, on_decision=self.count)


class Rests(Protocol):
    """Lets calls leave, until it is to rest."""

    @property
    def resting(self) -> bool:
        """Whether no more calls leave, as people want it."""

    def rest(self, status: Resting = "paused") -> None:
        """Let no more calls leave; those under way come to their end. To be called on the event loop."""


@dataclass(eq=False)
class BatchJob(Job):
    """A batch that runs in this process: it rests where it is told to, and is gone on with later."""

    kind: ClassVar[str]
    under_way_told: ClassVar[str]
    """Why it is not started where it is under way in this process; `elsewhere_told`, where it is in another one."""
    elsewhere_told: ClassVar[str]
    name: str
    """That of the sweep, the id of the crafting, or the folder of the run that is evaluated."""
    run: Rests
    """What lets its calls leave."""
    endpoints: Iterable[Endpoint]
    """Those that are asked."""

    @property
    def key(self) -> tuple[str, ...]:
        """The name."""
        return (self.name,)

    @property
    def resting(self) -> bool:
        """Whether it is about to rest, as soon as the replies under way have come."""
        return self.under_way and self.run.resting

    def check(self, store: Store, client: Client) -> None:
        """Addresses that count as down are tried at once: a person wants it. Raises PlayedElsewhere."""
        if self.at_work(store):
            raise PlayedElsewhere(self.elsewhere_told, name=self.name, id=self.name)
        for endpoint in self.endpoints:
            client.try_again(endpoint.url)

    @abstractmethod
    def at_work(self, store: Store) -> bool:
        """Whether some process is at it."""

    def close(self) -> bool:
        """Let it rest, as to be gone on with at the next start where nobody has stopped it."""
        self.run.rest("running")
        return True

    def failed(self, error: BaseException) -> None:
        """Put into the log what it broke off with."""
        if not isinstance(error, CharacterBoxError):
            log.error("%s %s broke off", self.kind, self.name, exc_info=error)
        elif not isinstance(error, Interlude):
            log.warning("%s %s broke off: %s", self.kind, self.name, error)


@dataclass(eq=False)
class SweepJob(BatchJob):
    """A sweep that runs in this process, or ran lately."""

    kind = "sweep"
    under_way_told = to_say("sweep {name}: it is running; wait until it has stopped")
    elsewhere_told = to_say("sweep {name}: it is running in another process; let it finish, or stop it there")
    run: Run

    def at_work(self, store: Store) -> bool:
        """Whether some process runs a sweep of this name."""
        return store.sweeps.at_work(self.name)

    async def work(self, store: Store, client: Client) -> Progress:
        """Run it."""
        return await self.run.run()


@dataclass(eq=False)
class CraftingJob(BatchJob):
    """A crafting at work, or a judge of it."""

    kind = "crafting"
    under_way_told = to_say("scene generation {id}: it is running")
    elsewhere_told = to_say("scene generation {id}: it is running in another process; stop it there first")
    run: BudgetedClient
    judge: Judge | None = None
    """Who scores its accepted scenes; None where it is crafted itself."""
    on_mismatch: OnMismatch = "stop"
    unread_anew: bool = False

    def at_work(self, store: Store) -> bool:
        """Whether some process crafts, or judges, it."""
        return store.craftings.at_work(self.name)

    async def work(self, store: Store, client: Client) -> None:
        """Craft on, or judge."""
        if self.judge is not None:
            await judge_crafting(store, self.run, self.name, self.judge, door=self.run)
            return
        resting = lambda: self.run.rests_as or "paused"  # noqa: E731
        how = How(door=self.run, on_mismatch=self.on_mismatch, unread_anew=self.unread_anew, rests_as=resting)
        await craft(store, self.run, self.name, how)


B = TypeVar("B", bound=BatchJob)


@dataclass(eq=False)
class Batches(ABC, Generic[B]):
    """Starts batches of a kind and lets them rest. Its methods may be called from any thread but that of its loop."""

    kind: type[B] = field(init=False)
    store: Store
    client: Client
    loop: asyncio.AbstractEventLoop
    jobs: Jobs

    def of(self, name: str) -> B | None:
        """That of this name, if it has run since the app started."""
        return self.jobs.last(self.kind, name)

    def under_way(self, name: str) -> bool:
        """Whether it runs in this process."""
        return (known := self.of(name)) is not None and known.under_way

    def rest(self, name: str) -> None:
        """Let it rest as soon as the replies under way have come; nothing if it does not run here."""
        if (known := self.of(name)) is not None and known.under_way:
            self.loop.call_soon_threadsafe(known.run.rest)

    def resume_all(self) -> None:
        """Go on with what was under way as the app ended, or was killed."""
        for name in self._broken_off():
            try:
                self._resume(name)
            except ValueError:
                log.warning("%s %s can't be read any more; it is not gone on with", self.kind.kind, name)
            except CharacterBoxError as error:
                log.warning("it is not gone on with: %s", error)

    @abstractmethod
    def _broken_off(self) -> list[str]:
        """What the app was at work on when it ended."""

    @abstractmethod
    def _resume(self, name: str) -> None: ...

    def _start(self, job: B) -> None:
        if self.jobs.start(job) is not job:
            raise StoryError(job.under_way_told, name=job.name, id=job.name)


class Sweepings(Batches[SweepJob]):
    """Starts sweeps and lets them rest."""

    kind = SweepJob

    def start(self, sweep: Sweep, only: frozenset[Task] | None = None) -> None:
        """Run a sweep from where it stands: all that is missing, or only these tasks.

        Raises StoryError if one of this name is under way here, be it about to rest, or in another process, and where
        there is a budget that can't be kept.
        """
        check_budget(self.store, self.client, sweep)
        run = Run(self.store, self.client, sweep, only=only, launched_from="app")
        self._start(SweepJob(sweep.name, run, sweep.endpoints))

    def _broken_off(self) -> list[str]:
        return [one.name for one in self.store.sweeps.all() if (one.status, one.launched_from) == ("running", "app")]

    def _resume(self, name: str) -> None:
        self.start(stored_sweep(self.store.sweeps.content(name)))


@dataclass(eq=False)
class Craftings(Batches[CraftingJob]):
    """Starts craftings and stops them."""

    kind = CraftingJob

    def __post_init__(self) -> None:
        self.look = Looks(self.store).look
        """Gives a crafting as it stands, whoever is at work on it; pages do so all the time."""

    def begin(self, wish: Wished, source: Source | None = None) -> str:
        """Store a wish with its source and start to craft; gives the id of the crafting."""
        id = begin(self.store, wish, source, "app")
        self.go_on(id)
        return id

    def go_on(self, id: str, on_mismatch: OnMismatch = "stop", *, unread_anew: bool = False) -> None:
        """Craft on from where it stands; `on_mismatch` says what to do with replies to other prompts than today's.

        `unread_anew` has evaluators asked anew whose replies could not be read; that is for a person to say. Addresses
        that count as down are tried at once. Raises StoryError if it is under way, here or in another process, or there
        is no such crafting.
        """
        endpoints = wish_of(self.store, id).endpoints.values()
        client = BudgetedClient(self.client)
        self._start(CraftingJob(id, client, endpoints, on_mismatch=on_mismatch, unread_anew=unread_anew))

    def judge(self, id: str, judge: Judge) -> None:
        """Have a judge score the accepted scenes. Raises StoryError if it is under way, here or elsewhere."""
        if self.store.craftings.at_work(id):
            raise StoryError(CraftingJob.under_way_told, id=id)
        self._start(CraftingJob(id, BudgetedClient(self.client), [judge.endpoint], judge))

    def fault(self, id: str) -> Message | None:
        """What it, or its judging, broke off with in this process; None where it did not."""
        error = None if (known := self.of(id)) is None else known.last_error
        return error.args[0] if isinstance(error, CharacterBoxError) and not isinstance(error, Interlude) else None

    def _broken_off(self) -> list[str]:
        craftings = self.store.craftings.all(WAYS)
        return [one.id for one in craftings if (one.status, one.launched_from) == ("running", "app")]

    def _resume(self, name: str) -> None:
        self.go_on(name)
