"""Generations over a journal: begun, gone on with after any end, and looked at."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from annotations.i18n.messages import cited, listed
from characterbox.crafting.journaled import Resuming, go_on, price_of
from characterbox.errors import EndpointDown, EndpointError, RecordMismatch, ReplyError, StoryError
from characterbox.llm.asking import NotAsked, RecordedAsk
from characterbox.llm.calls.client import Client
from characterbox.llm.journal import OnMismatch, Record, Reply
from characterbox.llm.request import Ask
from characterbox.pause_reasons import Reason
from characterbox.rolebench.generation import Generation, Task, Unread
from characterbox.rolebench.kinds import KINDS
from characterbox.store import Store
from characterbox.store.craftings import CraftingStatus, Standing
from characterbox.store.sweeps import Launched
from characterbox.sweeps.budget import BudgetedClient, without_price

AT_ONCE = 64
"""Tasks side by side; how many calls leave at once is for the client to say."""


@dataclass(frozen=True, slots=True)
class Generated:
    """A generation as it stands."""

    id: str
    wish: Generation
    status: CraftingStatus
    reason: Reason | None
    """Why it is paused, where no person wanted that."""
    known: Mapping[str, Any]
    """The outcomes so far, by the names of their tasks."""
    open: tuple[str, ...]
    """The tasks that can be asked now and are not done; others may come of their outcomes."""
    changed: tuple[str, ...]
    """The tasks whose recorded replies belong to other prompts than would be asked now; they count all the same."""
    replies: tuple[Reply, ...]
    """All that were paid, in the order in which they came; without their prompts."""
    unanswered: int
    """Calls that left and have no reply: in flight at the end of a process, or failed."""

    @property
    def result(self) -> Any:
        """What it has come to so far, by its kind."""
        return self.wish.result(self.known)

    @property
    def all(self) -> int:
        """Tasks that are known so far."""
        return len(self.known) + len(self.open)

    @property
    def unread(self) -> dict[str, Unread]:
        """The tasks whose replies could not be read, by name."""
        return {name: one for name, one in self.known.items() if isinstance(one, Unread)}

    @property
    def price(self) -> float | None:
        """US dollars of all replies; None where the price of one is not known."""
        return price_of(self.replies)


@dataclass(frozen=True)
class How(Resuming):
    """How a generation is gone on with; the door is its budget's."""

    on_done: Callable[[int, int], None] = lambda *_: None
    """Is told how many tasks are done, of how many that are known."""


def begin(store: Store, wish: Generation, launched_from: Launched = "command line") -> str:
    """Store a wish, and give the id of its generation."""
    return store.craftings.create(wish.model_dump(mode="json"), launched_from)


def wish_of(store: Store, id: str) -> Generation:
    """What was wished for. Raises StoryError if there is no such generation, or it can't be read."""
    return _read(id, store.craftings.standing(id).content)


def budgeted(store: Store, client: Client, id: str) -> BudgetedClient:
    """The client with which a generation is run: within its budget, less what others of its batch have spent.

    Raises StoryError if there is none, or it has a budget and its model has no price.
    """
    wish = wish_of(store, id)
    if wish.budget is not None and (unpriced := without_price(client, [wish.model])):
        raise StoryError(
            "generation {id}: a budget needs prices, but there is no price for {models}; add prices, or remove the"
            " budget",
            id=id,
            models=listed(unpriced),
        )
    left = wish.budget
    if left is not None and wish.batch is not None:
        others = [one.id for one in batch_of(store, wish.batch) if one.id != id]
        left -= sum(reply.usage.price or 0.0 for other in others for reply in store.craftings.journal(other))
    return BudgetedClient(client, left)


def batch_of(store: Store, batch: str) -> list[Standing]:
    """The generations of a batch, the oldest first."""
    return [one for one in reversed(store.craftings.all(KINDS)) if one.content.get("batch") == batch]


async def run(store: Store, client: BudgetedClient, id: str, how: How | None = None) -> None:
    """Go on with a generation to its end.

    What the journal has is not asked again; what it has paid counts in the budget. Where an endpoint fails at one task,
    the others still come to their end. Raises StoryError if there is no such generation or another process is at it,
    and what failed first: EndpointError, RecordMismatch, or Interlude where no more calls may leave, as the budget is
    spent or people want it. It is then paused.
    """
    how, wish = how or How(), await asyncio.to_thread(wish_of, store, id)
    how = replace(how, door=client, rests_as=lambda: client.rests_as or "paused", rests_because=lambda: client.reason)

    async def known(replies: list[Reply]) -> Record:
        client.spent = sum(reply.usage.price or 0.0 for reply in replies)
        return record(wish, replies, how.on_mismatch)

    await go_on(store, client, id, how, known=known, work=lambda ask: _Run(wish, ask, how).work())


class _Run:
    """One run over the tasks of a generation, from the first to the last that comes of them."""

    def __init__(self, wish: Generation, ask: Ask, how: How) -> None:
        self._wish = wish
        self._ask = ask
        self._how = how
        self._known: dict[str, Any] = {}
        self._failures: list[BaseException] = []
        self._halts = False
        self._all = 0

    async def work(self) -> list[BaseException]:
        while not self._failures and (todo := _new(self._wish, self._known)):
            self._all = len(self._known) + len(todo)
            waiting = iter(todo)
            async with asyncio.TaskGroup() as group:
                for _ in range(min(AT_ONCE, len(todo))):
                    group.create_task(self._some(waiting))
        return self._failures

    async def _some(self, waiting: Iterator[Task]) -> None:
        for task in waiting:
            if self._halts:
                return
            try:
                self._known[task.name] = await _outcome(task, self._ask)
            except Exception as error:
                self._failures.append(error)
                self._halts = self._halts or isinstance(error, EndpointDown) or not isinstance(error, EndpointError)
            self._how.on_done(len(self._known), self._all)


def look(store: Store, id: str) -> Generated:
    """A generation as it stands, whoever is at work on it. Raises StoryError if there is none. Not on an event loop."""
    standing = store.craftings.standing(id)
    wish, replies = _read(id, standing.content), store.craftings.journal(id)
    strict, lenient = (RecordedAsk(record(wish, replies, way)) for way in ("stop", "keep"))
    known: dict[str, Any] = {}
    open: list[str] = []
    changed: list[str] = []

    async def so_far() -> None:
        while not open and (todo := _new(wish, known)):
            for task in todo:
                try:
                    known[task.name] = await _recorded(task, strict, lenient, changed)
                except NotAsked:
                    open.append(task.name)

    asyncio.run(so_far())
    heading = (id, wish, standing.status, standing.reason)
    return Generated(*heading, known, tuple(open), tuple(changed), tuple(replies), store.craftings.unanswered(id))


async def _recorded(task: Task, strict: Ask, lenient: Ask, changed: list[str]) -> Any:
    """The outcome by the record, also where that answers other prompts; then the task is told. Raises NotAsked."""
    try:
        return await _outcome(task, strict)
    except RecordMismatch:
        changed.append(task.name)
        return await _outcome(task, lenient)


async def _outcome(task: Task, ask: Ask) -> Any:
    try:
        return await task.work(ask)
    except ReplyError as error:
        return Unread(error.args[0], error.reply)


def _new(wish: Generation, known: Mapping[str, Any]) -> list[Task]:
    return [task for task in wish.tasks(known) if task.name not in known]


def record(wish: Generation, replies: Sequence[Reply], on_mismatch: OnMismatch = "stop") -> Record:
    """The record of the replies of a generation, in the order in which they came."""
    return Record({reply.path: reply for reply in replies}, lambda _: wish.model, wish.seed, on_mismatch)


def _read(id: str, content: Mapping[str, Any]) -> Generation:
    if (kind := KINDS.get(str(content.get("way")))) is None:
        raise StoryError("there is no generation {id}", id=cited(id))
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        raise StoryError("generation {id}: it can no longer be read; start a new one", id=id) from error
