"""Runs an evaluation: plays what is missing, has it judged and decided once more, and asks nothing twice."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import NamedTuple

from annotations.i18n.messages import listed
from characterbox.errors import CharacterBoxError, Interlude, StoreError, TrainingError
from characterbox.judging.cross_check import UNASKED, check_story
from characterbox.judging.judge import Judge, given_by, judge_story, registered
from characterbox.llm.calls.client import Client
from characterbox.pause_reasons import Reason
from characterbox.processes.concurrency import held
from characterbox.store import Store
from characterbox.store.stories.stories import Story
from characterbox.store.sweeps import SweepStatus
from characterbox.sweeps.budget import BudgetedClient, Resting, without_price
from characterbox.sweeps.progress import AT_ONCE, Progress, failures_of
from characterbox.sweeps.running import Run
from characterbox.sweeps.sweep import cells_of
from characterbox.training.evaluation.plan import EvaluationPlan
from characterbox.training.evaluation.progress import (
    EvaluationProgress,
    ReadingTask,
    ended_story,
    open_decisions,
    readings,
    spent,
    spent_on_readings,
    standing_of,
)

log = logging.getLogger(__name__)

_NEXT_TO_NOTHING = 1e-9
"""US dollars: what is left for a sweep where the rest of its evaluation has taken all."""


class Failed(NamedTuple):
    """Something that could not be done this time."""

    what: str
    """The story, and who was asked about it."""
    reason: Reason


class EvaluationRun:
    """One run of an evaluation, from where it stands to its end. It belongs to one event loop."""

    def __init__(
        self,
        store: Store,
        client: Client,
        plan: EvaluationPlan,
        on_change: Callable[[EvaluationProgress], None] = lambda _: None,
    ) -> None:
        """`on_change` is told how far it is."""
        self.plan = plan
        self.failures: list[Failed] = []
        """What could not be done; it is tried again by the next run."""
        self._store = store
        self._client = client
        self._on_change = on_change
        self._budgeted = BudgetedClient(client, plan.budget)
        self._sweep: Run | None = None
        self._progress = EvaluationProgress(0, 0, 0, 0, 0, 0, 0, 0.0, decisions=0, decided=0)

    @property
    def progress(self) -> EvaluationProgress:
        """How far it is now."""
        return self._progress

    @property
    def reason(self) -> Reason | None:
        """Why no more calls leave, where no person wanted that."""
        return self._budgeted.reason

    @property
    def status(self) -> SweepStatus:
        """How it is to stand after it has run."""
        if self._budgeted.rests_as is not None:
            return self._budgeted.rests_as
        return "paused" if self.reason is not None else "ended"

    @property
    def resting(self) -> bool:
        """Whether no more calls leave, as people want it."""
        return self._budgeted.resting

    def rest(self, status: Resting = "paused") -> None:
        """Let no more calls leave; those under way come to their end. To be called on the event loop."""
        self._budgeted.rest(status)
        if self._sweep is not None:
            self._sweep.rest(status)

    async def run(self) -> EvaluationProgress:
        """Do all that is missing.

        Raises StoryError if another process, or another part of this one, runs it, TrainingError where it has a budget
        that can't be kept, and StoreError if the database can't be written to any more.
        """
        check_prices(self._client, self.plan)
        self._progress = await asyncio.to_thread(standing_of, self._store, self.plan)
        if self.plan.kind != "judge":
            await self._play()
        if not self._budgeted.halts:
            async with held(self._store.sweeps.claimed(self.plan.called)):
                await self._read()
        # what failed may have been asked for in part: all is counted by what is stored
        calls = self._progress.calls
        self._progress = replace(await asyncio.to_thread(standing_of, self._store, self.plan), calls=calls)
        self._tell()
        return self.progress

    async def _play(self) -> None:
        """Run the sweep, with what of the budget is left to it."""
        before, plan, sweep = self._progress, self.plan, self.plan.sweep
        elsewhere = await asyncio.to_thread(spent_on_readings, self._store, plan)
        if sweep.budget is not None:
            sweep = sweep.model_copy(update={"budget": max(sweep.budget - elsewhere, _NEXT_TO_NOTHING)})

        def on_change(of_sweep: Progress) -> None:
            told = {one.name: getattr(of_sweep, one.name) for one in fields(of_sweep)}
            if plan.kind == "narrator":
                told |= {"judgements": before.judgements, "judged": before.judged, "unread": before.unread}
            self._progress = replace(before, **{**told, "spent": of_sweep.spent + elsewhere})
            self._tell()

        self._sweep = Run(self._store, self._client, sweep, on_change=on_change, launched_from="evaluation")
        if self._budgeted.rests_as is not None:
            self._sweep.rest(self._budgeted.rests_as)
        await self._sweep.run()
        failed = await asyncio.to_thread(failures_of, self._store, sweep, [*cells_of(sweep)])
        self.failures += [Failed(str(one.task), one.reason) for one in failed]
        heading = await asyncio.to_thread(self._store.sweeps.find, sweep.name)
        if heading is not None and heading.reason is not None:
            self._budgeted.reason = heading.reason

    async def _read(self) -> None:
        """Have judges and second narrators read what there is."""
        todo = await asyncio.to_thread(self._readings)
        self._budgeted.spent = await asyncio.to_thread(spent, self._store, self.plan)
        waiting = iter(todo)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(AT_ONCE, len(todo))):
                    group.create_task(self._work(waiting))
        except ExceptionGroup as faults:
            raise faults.exceptions[0] from None

    def _readings(self) -> list[tuple[ReadingTask, Story]]:
        """What is missing, of stories that have ended; judges get their versions."""
        store, plan = self._store, self.plan
        for judge in plan.trained_judges.values() if plan.kind == "judge" else plan.judges:
            registered(store, judge, plan.judged)
        found = []
        for reading in readings(store, plan):
            story = ended_story(store, reading.story)
            if story is not None and not _is_done(store, plan, reading, story):
                found.append((reading, story))
        return found

    async def _work(self, todo: Iterator[tuple[ReadingTask, Story]]) -> None:
        for reading, story in todo:
            if self._budgeted.halts:
                return
            name = reading.by.rater if isinstance(reading.by, Judge) else reading.by.model
            try:
                await self._asked(reading, story)
            except Interlude:
                return
            except StoreError:
                raise  # nothing can be kept
            except CharacterBoxError as error:
                self.failures.append(Failed(f"{story.id}/{name}", Reason.of(error)))
            except Exception as error:
                log.exception("%s: %s/%s", self.plan.called, story.id, name)
                self.failures.append(Failed(f"{story.id}/{name}", Reason("unexpected", error=type(error).__name__)))
            self._progress = replace(self._progress, failed=len(self.failures))
            self._tell()

    async def _asked(self, reading: ReadingTask, story: Story) -> None:
        """Ask one of them about one story."""
        store, client = self._store, self._budgeted
        if isinstance(reading.by, Judge):
            given = await judge_story(store, client, story, reading.by, of=self.plan.judged, door=client)
            whole = all(one.score is not None for one in given)
            counted = {"judged" if whole else "unread": 1}
        else:
            left, _ = await asyncio.to_thread(open_decisions, store, story, reading.by)
            checked = await check_story(store, client, story, reading.by, door=client)
            counted = {"decided": len(left) - sum(one.left_out == UNASKED for one in checked)}
        self._count(counted)

    def _count(self, counted: dict[str, int]) -> None:
        told = {name: getattr(self._progress, name) + more for name, more in counted.items()}
        self._progress = replace(self._progress, **told)

    def _tell(self) -> None:
        played = 0 if self._sweep is None else self._sweep.progress.calls
        self._progress = replace(self._progress, calls=played + self._budgeted.calls)
        if self._budgeted.spent:
            self._progress = replace(self._progress, spent=self._budgeted.spent)
        self._on_change(self.progress)


def _is_done(store: Store, plan: EvaluationPlan, reading: ReadingTask, story: Story) -> bool:
    if isinstance(reading.by, Judge):
        return given_by(store, story, reading.by, plan.judged) is not None
    left, _ = open_decisions(store, story, reading.by)
    return not left


def check_prices(client: Client, plan: EvaluationPlan) -> None:
    """Raises TrainingError if an evaluation has a budget, but there is no price for one of its models."""
    unpriced = [] if plan.budget is None else without_price(client, plan.endpoints)
    if unpriced:
        raise TrainingError(
            "evaluation: a budget needs prices, but there is no price for {models}; add prices, or remove the budget",
            models=listed(unpriced),
        )
