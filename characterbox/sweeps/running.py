"""Runs a sweep: plays what is missing, judges what is not judged, and lists what could not be done."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import partial
from typing import TypeVar

from characterbox.errors import CharacterBoxError, EndpointDown, Interlude, PlayedElsewhere, StoreError, StoryError
from characterbox.judging.judge import Judge, judge_story, registered
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.request import Request
from characterbox.pause_reasons import Reason
from characterbox.play.settings import PROMPTS
from characterbox.processes.concurrency import held
from characterbox.stage.playback_control import PlaybackControl
from characterbox.stage.runner import perform
from characterbox.store import Store
from characterbox.store.stories.call_costs import total
from characterbox.store.stories.stories import Story
from characterbox.store.sweeps import Launched, SweepStatus, Task
from characterbox.sweeps.budget import BudgetedClient, Resting, check_budget
from characterbox.sweeps.progress import AT_ONCE, Progress, judged_by, unread_by
from characterbox.sweeps.sweep import Cell, Sweep, cells_of, prompts_digest

T = TypeVar("T")
log = logging.getLogger(__name__)

_LOOK = 2.0
"""Seconds between two looks at an address that is down."""
_LOOKS = 300
"""Looks at an address that has replied before, until what waits for it has failed."""


class Run:
    """One run of a sweep, from where it stands to its end. It belongs to one event loop."""

    def __init__(
        self,
        store: Store,
        client: Client,
        sweep: Sweep,
        *,
        on_change: Callable[[Progress], None] = lambda _: None,
        only: frozenset[Task] | None = None,
        launched_from: Launched = "command line",
    ) -> None:
        """`on_change` is told how far it is; `only` the tasks that are named are done, as those that have failed."""
        self.sweep = sweep
        self._store = store
        self._client = client
        self._on_change = on_change
        self._only = only  # a judgement that is named is asked anew where it could not be read
        self._launched_from = launched_from
        self._paces: set[PlaybackControl] = set()
        self._budgeted = BudgetedClient(client, sweep.budget, sweep.parallel)
        self._progress = Progress(sweep.size, 0, sweep.size * len(sweep.judges), 0, 0, 0, 0, 0.0)
        self._failed: set[Task] = set()

    @property
    def progress(self) -> Progress:
        """How far it is now."""
        return replace(self._progress, calls=self._budgeted.calls, spent=self._budgeted.spent)

    @property
    def resting(self) -> bool:
        """Whether no more calls leave, as people want it."""
        return self._budgeted.resting

    def rest(self, status: Resting = "paused") -> None:
        """Let no more calls leave; those under way come to their end. To be called on the event loop."""
        for pace in self._paces:
            pace.rest()
        self._budgeted.rest(status)

    async def run(self) -> Progress:
        """Play and judge all that is missing.

        Raises StoryError if another process, or another part of this one, runs a sweep of this name, and where there is
        a budget that can't be kept; StoreError if the database can't be written to any more.
        """
        async with held(self._store.sweeps.claimed(self.sweep.name)):
            await asyncio.to_thread(check_budget, self._store, self._client, self.sweep)
            missing = await asyncio.to_thread(self._begin)
            todo = iter(missing)
            try:
                async with asyncio.TaskGroup() as group:
                    for _ in range(min(AT_ONCE, len(missing))):
                        group.create_task(self._work(todo))
            except ExceptionGroup as faults:
                raise faults.exceptions[0] from None
            await asyncio.to_thread(self._end)
        return self.progress

    def _begin(self) -> list[tuple[Cell, list[Judge]]]:
        """The stories that are to be played or judged, each with the judges who have not judged it.

        What is done already belongs to the sweep from now on.
        """
        store, settings = self._store, self.sweep.settings.model_copy(update={"prompts": PROMPTS})
        self.sweep = self.sweep.model_copy(update={"prompts": prompts_digest(), "settings": settings})
        cells = [*cells_of(self.sweep)]
        before = store.sweeps.find(self.sweep.name)
        self._was_paused = before is not None and before.status == "paused"
        store.sweeps.put(self.sweep.name, self.sweep.model_dump(mode="json"), self._launched_from)
        places = {cell.id: cell.place for cell in cells}
        there = store.sweeps.statuses([*places])
        store.sweeps.add(self.sweep.name, {id: places[id] for id in there})
        judges = [registered(store, judge) for judge in self.sweep.judges]
        unread = unread_by(store, judges, there).keys()
        self._judged = judged_by(store, cells, judges, there) - {task for task in unread if self._is_named(task)}
        self._unread = self._judged & unread
        costs = store.sweeps.costs([*there], [judge.rater for judge in judges])
        self._budgeted.spent = total(costs.values()).price
        self._budgeted.dearest = {one: of.dearest for one, of in costs.items() if of.unpriced < of.calls}
        self._played = {id for id, status in there.items() if status == "ended"}
        missing, open_tasks = [], set[Task]()
        for cell in cells:
            unjudged = [judge for judge in judges if Task(cell.id, judge.rater) not in self._judged]
            tasks = {Task(cell.id, judge.rater) for judge in unjudged}
            tasks |= set() if cell.id in self._played else {Task(cell.id)}
            open_tasks |= tasks
            named = {Task(cell.id), *(Task(cell.id, judge.rater) for judge in judges)}
            if tasks and (self._only is None or self._only & named):
                missing.append((cell, unjudged))
        store.sweeps.forget_failures(self.sweep.name, but=open_tasks)
        self._failing = {one.task for one in store.sweeps.failures(self.sweep.name)}
        self._tell()
        return missing

    def _is_named(self, task: Task) -> bool:
        return self._only is not None and task in self._only

    def _end(self) -> None:
        """A run of some tasks alone leaves a sweep that was paused as it was."""
        reason = None if self.progress.done else self._budgeted.reason
        status: SweepStatus = self._budgeted.rests_as or "ended"
        if reason is not None or (self._only is not None and self._was_paused and not self.progress.done):
            status = "paused"
        self._store.sweeps.rest(self.sweep.name, status, reason)

    async def _work(self, todo: Iterator[tuple[Cell, list[Judge]]]) -> None:
        for cell, judges in todo:
            if self._budgeted.halts:
                return
            story = await self._tried(Task(cell.id), cell.casting.urls, partial(self._play, cell))
            for judge in judges:
                if story is not None and not self._budgeted.halts:
                    asked = frozenset([judge.endpoint.url])
                    await self._tried(Task(cell.id, judge.rater), asked, partial(self._judge, story, judge))

    async def _tried(self, task: Task, urls: frozenset[str], do: Callable[[], Awaitable[T | None]]) -> T | None:
        """What a task gives that asks at these addresses; None if it rests, or fails, which is kept."""
        looks = iter(range(_LOOKS))
        while True:
            try:
                done = await do()
            except Interlude:
                return None
            except PlayedElsewhere as error:  # another sweep has this story, too: what it does is done here as well
                if await self._once_more(looks):
                    continue
                reason = Reason.of(error)
            except EndpointDown as error:
                if urls <= self._budgeted.answering and await self._is_back(urls, looks):
                    continue
                reason = Reason.of(error)
            except StoreError:
                raise  # nothing can be kept, and that it failed can't be either
            except CharacterBoxError as error:
                reason = Reason.of(error)
            except Exception as error:
                log.exception("sweep %s: %s", self.sweep.name, task)
                reason = Reason("unexpected", error=type(error).__name__)
            else:
                if task in self._failing:
                    await asyncio.to_thread(self._store.sweeps.done, self.sweep.name, task)
                return done
            await asyncio.to_thread(self._store.sweeps.failed, self.sweep.name, task, reason)
            self._failed.add(task)
            self._tell()
            return None

    async def _is_back(self, urls: frozenset[str], looks: Iterator[int]) -> bool:
        """Wait until these addresses can be reached again, which have replied in this run."""
        while not all([await self._client.reachable(url) for url in urls]):
            if not await self._once_more(looks):
                return False
        return True

    async def _once_more(self, looks: Iterator[int]) -> bool:
        """Wait a while; whether it is worth another look."""
        if self._budgeted.halts or next(looks, None) is None:
            return False
        await asyncio.sleep(_LOOK)
        return not self._budgeted.halts

    async def _play(self, cell: Cell) -> Story | None:
        story = await asyncio.to_thread(self._story_of, cell)
        if story.status != "ended":
            await self._perform(story)
            story = await asyncio.to_thread(self._store.stories.story, cell.id)
        if story.status != "ended":
            return None
        self._played.add(cell.id)
        self._tell()
        return story

    async def _perform(self, story: Story) -> None:
        pace = _SweepPace(self._budgeted)
        self._paces.add(pace)
        try:
            nobody = lambda *_: None  # noqa: E731 - nobody watches
            status = await perform(self._store.stories, self._budgeted, story, pace, on_event=nobody, retells=False)
        finally:
            self._paces.discard(pace)
        if status == "cued":
            raise StoryError(Reason("person_awaited"))

    def _story_of(self, cell: Cell) -> Story:
        """The story of a cell, new if there is none; its models are reached where the sweep says."""
        stories = self._store.stories
        if not self._store.sweeps.statuses([cell.id]):
            stories.create(cell.script, cell.casting, "sweep", id=cell.id)
        self._store.sweeps.add(self.sweep.name, {cell.id: cell.place})
        story = stories.story(cell.id)
        if story.status == "stopped":
            raise StoryError(Reason("ended_by_person"))
        if story.status != "ended" and story.casting != cell.casting:
            stories.recast(cell.id, cell.casting)
        return story

    async def _judge(self, story: Story, judge: Judge) -> None:
        task, client = Task(story.id, judge.rater), self._budgeted
        ratings = await judge_story(self._store, client, story, judge, unread=self._is_named(task), door=client)
        self._judged.add(task)
        if any(rating.score is None for rating in ratings):
            self._unread.add(task)
        self._tell()

    def _tell(self) -> None:
        played, unread = len(self._played), len(self._unread)
        failed = len(self._failed | self._unread)
        judged = len(self._judged) - unread
        self._progress = replace(self._progress, played=played, judged=judged, unread=unread, failed=failed)
        self._on_change(self.progress)


class _SweepPace(PlaybackControl):
    """The pace of a story that goes as far as the budget does."""

    def __init__(self, budgeted: BudgetedClient) -> None:
        super().__init__()
        self._budgeted = budgeted

    def admitted(self, request: Request, endpoint: Endpoint) -> AbstractAsyncContextManager[None]:
        """Lets a call leave within it, once there is money for it. Raises Interlude if the story rests first."""
        self.admit(request.path)
        return self._budgeted.admitted(request, endpoint)
