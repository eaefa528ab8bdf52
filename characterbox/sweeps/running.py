"""Runs a sweep: plays what is missing, judges what is not judged, and lists what could not be done."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from annotations.wording import say
from characterbox.errors import CharacterBoxError, EndpointDown, Interlude, PlayedElsewhere, StoreError, StoryError
from characterbox.judging.judge import Judge, judge_story
from characterbox.judging.registry import registered
from characterbox.llm.asking import OpenDoor
from characterbox.llm.client import Client
from characterbox.reasons import UNEXPECTED
from characterbox.stage.pace import Pace
from characterbox.stage.perform import perform
from characterbox.store import Store
from characterbox.store.held import held
from characterbox.store.stories import Story
from characterbox.store.sweeps import Launched, SweepStatus
from characterbox.sweeps.cells import Cell, cells_of, prompts_digest
from characterbox.sweeps.purse import Purse
from characterbox.sweeps.standing import Progress, judged_by
from characterbox.sweeps.sweep import Sweep

T = TypeVar("T")
log = logging.getLogger(__name__)

AT_ONCE = 64
"""Stories that are played or judged side by side; how many calls are is said by servers and the sweep."""
_LOOK = 2.0
"""Seconds between two looks at an address that is down."""
_LOOKS = 300
"""Looks at an address that has replied before, until what waits for it has failed."""


def check_prices(client: Client, sweep: Sweep) -> None:
    """Raises StoryError if a sweep has a budget, but there is no price for one of its models."""
    if sweep.budget is not None:
        unpriced = sorted({str(one) for one in sweep.endpoints if client.price(one, 1, 1) is None})
        if unpriced:
            raise StoryError(
                say(
                    "sweep {name}: there is a budget, but no price for {models}; add prices, or leave the budget out",
                    name=sweep.name,
                    models=say(", ").join(unpriced),
                )
            )


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
        self._only = only
        self._launched_from = launched_from
        self._rests_as: SweepStatus | None = None
        self._paces: set[Pace] = set()
        self._purse = Purse(client, sweep)
        self._progress = Progress(sweep.size, 0, sweep.size * len(sweep.judges), 0, 0, 0, 0.0)

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

    async def run(self) -> Progress:
        """Play and judge all that is missing.

        Raises StoryError if another process, or another part of this one, runs a sweep of this name, and where there is
        a budget, but no price for one of the models; StoreError if the database can't be written to any more.
        """
        check_prices(self._client, self.sweep)
        async with held(self._store.sweeps.claimed(self.sweep.name)):
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
        self._judged = judged_by(store, cells, judges, there)
        self._purse.spent = store.sweeps.spent([*there], [judge.rater for judge in judges])
        self._played = played = {id for id, status in there.items() if status == "ended"}
        store.sweeps.forget_failures(self.sweep.name, but=_open_tasks(cells, judges, played, self._judged))
        self._failing = {one.task for one in store.sweeps.failures(self.sweep.name)}
        self._tell(played=len(played), judged=len(self._judged))
        wanted = [cell for cell in cells if self._only is None or self._is_wanted(cell, judges)]
        left = {cell.id for cell in wanted if cell.id not in played or not self._all_judged(cell, judges)}
        return [cell for cell in wanted if cell.id in left], judges

    def _is_wanted(self, cell: Cell, judges: Iterable[Judge]) -> bool:
        tasks = {cell.id, *(f"{cell.id}/{judge.rater}" for judge in judges)}
        return self._only is None or bool(tasks & self._only)

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
                    await self._tried(f"{cell.id}/{judge.rater}", asked, partial(self._judge, story, judge))

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
                reason = str(error)
            except EndpointDown as error:
                if urls <= self._purse.answering and await self._is_back(urls, looks):
                    continue
                reason = str(error)
            except StoreError:
                raise  # nothing can be kept, and that it failed can't be either
            except CharacterBoxError as error:
                reason = str(error)
            except Exception as error:
                log.exception("sweep %s: %s", self.sweep.name, task)
                reason = UNEXPECTED.format(error=type(error).__name__)
            else:
                if task in self._failing:
                    await asyncio.to_thread(self._store.sweeps.done, self.sweep.name, task)
                return done
            await asyncio.to_thread(self._store.sweeps.failed, self.sweep.name, task, reason)
            self._tell(failed=self.progress.failed + 1)
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
            raise StoryError("a person plays in it, and has to answer; open it in the app")
        if status != "ended":
            return None
        self._count(cell)
        return await asyncio.to_thread(self._store.stories.story, cell.id)

    def _count(self, cell: Cell) -> None:
        self._played.add(cell.id)
        self._tell(played=len(self._played))

    def _story_of(self, cell: Cell) -> Story:
        """The story of a cell, new if there is none; its models are reached where the sweep says."""
        stories = self._store.stories
        if not self._store.sweeps.statuses([cell.id]):
            stories.create(cell.script, cell.casting, "sweep", id=cell.id)
        self._store.sweeps.add(self.sweep.name, {cell.id: cell.place})
        story = stories.story(cell.id)
        if story.status == "stopped":
            raise StoryError("a person has ended it before its end; delete it to have it played anew")
        if story.status != "ended" and story.casting != cell.casting:
            stories.recast(cell.id, cell.casting)
        return story

    async def _judge(self, story: Story, judge: Judge) -> None:
        await judge_story(self._store, self._purse, story, judge, door=_JudgesDoor(self))
        self._judged.add((story.id, judge.rater))
        self._tell(judged=len(self._judged))

    def _tell(self, **changes: int) -> None:
        self._progress = replace(self._progress, **changes)
        self._on_change(self.progress)

    def admit(self, path: str) -> None:
        """Let a call of a judge leave. Raises Interlude if the sweep rests, or there is nothing left to spend."""
        if self.resting:
            raise Interlude(f"the sweep rests before {path}")
        self._purse.admit(path)


def _open_tasks(
    cells: Iterable[Cell], judges: Sequence[Judge], played: set[str], judged: set[tuple[str, str]]
) -> set[str]:
    """All that is still to be done, as failures name it."""
    told = {f"{cell.id}/{judge.rater}" for cell in cells for judge in judges if (cell.id, judge.rater) not in judged}
    return told | {cell.id for cell in cells if cell.id not in played}


class _SweepPace(Pace):
    """The pace of a story that goes as far as the purse does."""

    def __init__(self, purse: Purse) -> None:
        super().__init__()
        self._purse = purse

    def admit(self, path: str) -> None:
        """Let a call leave. Raises Interlude if the story rests first, or there is nothing left to spend."""
        super().admit(path)
        self._purse.admit(path)


class _JudgesDoor(OpenDoor):
    """Lets the calls of judges leave as far as the sweep goes on."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def admit(self, path: str) -> None:
        """Let a call leave. Raises Interlude if the sweep rests, or there is nothing left to spend."""
        self._run.admit(path)

    def urgent(self) -> bool:
        """Nobody waits for it."""
        return False
