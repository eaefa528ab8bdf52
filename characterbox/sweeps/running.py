"""Runs a sweep: plays what is missing, judges what is not judged, and lists what could not be done."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import partial
from typing import TypeVar

from characterbox.errors import CharacterBoxError, EndpointDown, Interlude, PlayedElsewhere, StoreError, StoryError
from characterbox.judging.judge import Judge, judge_story
from characterbox.judging.registry import registered
from characterbox.llm.asking import OpenDoor
from characterbox.llm.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.request import Request
from characterbox.reasons import Reason
from characterbox.stage.pace import Pace
from characterbox.stage.perform import perform
from characterbox.store import Store
from characterbox.store.call_costs import total
from characterbox.store.held import held
from characterbox.store.stories import Story
from characterbox.store.sweeps import Launched, SweepStatus
from characterbox.sweeps.cells import Cell, cells_of, prompts_digest
from characterbox.sweeps.purse import Purse, check_budget
from characterbox.sweeps.standing import Progress, judged_by, judgement, open_tasks, unread_by
from characterbox.sweeps.sweep import Sweep

T = TypeVar("T")
log = logging.getLogger(__name__)

AT_ONCE = 64
"""Stories that are played or judged side by side; how many calls are is said by servers and the sweep."""
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
        only: frozenset[str] | None = None,
        launched_from: Launched = "command line",
    ) -> None:
        """`on_change` is told how far it is; `only` the tasks that are named are done, as those that have failed."""
        self.sweep = sweep
        self._store = store
        self._client = client
        self._on_change = on_change
        self._only = only  # a judgement that is named is asked anew where it could not be read
        self._launched_from = launched_from
        self._rests_as: SweepStatus | None = None
        self._paces: set[Pace] = set()
        self._purse = Purse(client, sweep)
        self._progress = Progress(sweep.size, 0, sweep.size * len(sweep.judges), 0, 0, 0, 0, 0.0)
        self._failed: set[str] = set()

    @property
    def progress(self) -> Progress:
        """How far it is now."""
        return replace(self._progress, calls=self._purse.calls, spent=self._purse.spent)

    @property
    def resting(self) -> bool:
        """Whether no more calls leave, as people want it."""
        return self._rests_as is not None

    def rest(self, status: SweepStatus = "paused") -> None:
        """Let no more calls leave; those under way come to their end. To be called on the event loop.

        What rests already rests as it was told first: an app that ends takes no pause back.
        """
        self._rests_as = self._rests_as or status
        for pace in self._paces:
            pace.rest()
        self._purse.rest()

    async def run(self) -> Progress:
        """Play and judge all that is missing.

        Raises StoryError if another process, or another part of this one, runs a sweep of this name, and where there is
        a budget that can't be kept; StoreError if the database can't be written to any more.
        """
        async with held(self._store.sweeps.claimed(self.sweep.name)):
            await asyncio.to_thread(check_budget, self._store, self._client, self.sweep)
            cells, judges = await asyncio.to_thread(self._begin)
            todo = iter(cells)
            try:
                async with asyncio.TaskGroup() as group:
                    for _ in range(min(AT_ONCE, len(cells))):
                        group.create_task(self._work(todo, judges))
            except ExceptionGroup as faults:
                raise faults.exceptions[0] from None
            await asyncio.to_thread(self._end)
        return self.progress

    def _begin(self) -> tuple[list[Cell], list[Judge]]:
        """What there is to do; what is done already belongs to the sweep from now on."""
        store, self.sweep = self._store, self.sweep.model_copy(update={"prompts": prompts_digest()})
        cells = [*cells_of(self.sweep)]
        before = store.sweeps.find(self.sweep.name)
        self._was_paused = before is not None and before.status == "paused"
        store.sweeps.put(self.sweep.name, self.sweep.model_dump(mode="json"), self._launched_from)
        places = {cell.id: cell.place for cell in cells}
        there = store.sweeps.statuses([*places])
        store.sweeps.add(self.sweep.name, {id: places[id] for id in there})
        judges = [registered(store, judge) for judge in self.sweep.judges]
        unread = unread_by(store, judges, there).keys()
        self._judged = judged_by(store, cells, judges, there) - {pair for pair in unread if self._is_named(*pair)}
        self._unread = self._judged & unread
        raters = [judge.rater for judge in judges]
        costs = store.sweeps.costs([*there], raters)
        self._purse.spent = total(costs.values()).price
        self._purse.dearest = {one: of.dearest for one, of in costs.items() if of.unpriced < of.calls}
        self._played = played = {id for id, status in there.items() if status == "ended"}
        store.sweeps.forget_failures(self.sweep.name, but=open_tasks(cells, judges, played, self._judged))
        self._failing = {one.task for one in store.sweeps.failures(self.sweep.name)}
        self._tell()
        wanted = [cell for cell in cells if self._is_wanted(cell, judges)]
        return [cell for cell in wanted if cell.id not in played or not self._all_judged(cell, judges)], judges

    def _is_wanted(self, cell: Cell, judges: Iterable[Judge]) -> bool:
        return self._only is None or cell.id in self._only or any(self._is_named(cell.id, one.rater) for one in judges)

    def _is_named(self, story: str, rater: str) -> bool:
        return self._only is not None and judgement(story, rater) in self._only

    def _all_judged(self, cell: Cell, judges: Iterable[Judge]) -> bool:
        return all((cell.id, judge.rater) in self._judged for judge in judges)

    def _end(self) -> None:
        """A run of some tasks alone leaves a sweep that was paused as it was."""
        if not self.progress.done and (reason := self._purse.reason) is not None:
            self._store.sweeps.rest(self.sweep.name, "paused", reason)
        elif self._only is not None and self._was_paused and not self.progress.done:
            self._store.sweeps.rest(self.sweep.name, "paused")
        else:
            self._store.sweeps.rest(self.sweep.name, self._rests_as or "ended")

    async def _work(self, todo: Iterator[Cell], judges: Sequence[Judge]) -> None:
        for cell in todo:
            if self._halts:
                return
            story = await self._tried(cell.id, cell.casting.urls, partial(self._play, cell))
            for judge in judges:
                if story is not None and (cell.id, judge.rater) not in self._judged and not self._halts:
                    asked = frozenset([judge.endpoint.url])
                    await self._tried(judgement(cell.id, judge.rater), asked, partial(self._judge, story, judge))

    @property
    def _halts(self) -> bool:
        return self.resting or self._purse.reason is not None

    async def _tried(self, task: str, urls: frozenset[str], do: Callable[[], Awaitable[T | None]]) -> T | None:
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
                if urls <= self._purse.answering and await self._is_back(urls, looks):
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
        if self._halts or next(looks, None) is None:
            return False
        await asyncio.sleep(_LOOK)
        return not self._halts

    async def _play(self, cell: Cell) -> Story | None:
        story = await asyncio.to_thread(self._story_of, cell)
        if story.status == "ended":
            self._count(cell)
            return story
        pace = _SweepPace(self._purse)
        self._paces.add(pace)
        try:
            nobody = lambda *_: None  # noqa: E731 - nobody watches
            status = await perform(self._store.stories, self._purse, story, pace, on_event=nobody, retells=False)
        finally:
            self._paces.discard(pace)
        if status == "cued":
            raise StoryError(Reason("person_awaited"))
        if status != "ended":
            return None
        self._count(cell)
        return await asyncio.to_thread(self._store.stories.story, cell.id)

    def _count(self, cell: Cell) -> None:
        self._played.add(cell.id)
        self._tell()

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
        pair, door = (story.id, judge.rater), _JudgesDoor(self._purse)
        ratings = await judge_story(self._store, self._purse, story, judge, unread=self._is_named(*pair), door=door)
        self._judged.add(pair)
        if any(rating.score is None for rating in ratings):
            self._unread.add(pair)
        self._tell()

    def _tell(self) -> None:
        played, unread = len(self._played), len(self._unread)
        failed = len(self._failed | {judgement(*pair) for pair in self._unread})
        judged = len(self._judged) - unread
        self._progress = replace(self._progress, played=played, judged=judged, unread=unread, failed=failed)
        self._on_change(self.progress)


class _SweepPace(Pace):
    """The pace of a story that goes as far as the purse does."""

    def __init__(self, purse: Purse) -> None:
        super().__init__()
        self._purse = purse

    def admitted(self, request: Request, endpoint: Endpoint) -> AbstractAsyncContextManager[None]:
        """Lets a call leave within it, once there is money for it. Raises Interlude if the story rests first."""
        self.admit(request.path)
        return self._purse.admitted(request, endpoint)


class _JudgesDoor(OpenDoor):
    """Lets the calls of judges leave as far as the purse goes."""

    def __init__(self, purse: Purse) -> None:
        self._purse = purse

    def admitted(self, request: Request, endpoint: Endpoint) -> AbstractAsyncContextManager[None]:
        """Lets a call leave within it, once there is money for it. Raises Interlude if the sweep rests first."""
        return self._purse.admitted(request, endpoint)

    def urgent(self) -> bool:
        """Nobody waits for it."""
        return False
