"""The craftings at work in this process."""

import asyncio
import logging
import threading
from collections.abc import Collection, Coroutine
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from annotations.messages import Message
from characterbox.crafting.judging import judge_crafting
from characterbox.crafting.running import How, begin, run
from characterbox.crafting.source import Source
from characterbox.crafting.standing import Looks, Wished, wish_of
from characterbox.errors import CharacterBoxError, Interlude, PlayedElsewhere, StoryError
from characterbox.judging.judge import Judge
from characterbox.llm.call import OnToken
from characterbox.llm.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.journal import OnMismatch
from characterbox.llm.request import Request
from characterbox.store import Store
from characterbox.store.craftings import CraftingStatus

log = logging.getLogger(__name__)


@dataclass
class _Door:
    """Lets calls leave until it is shut."""

    people: Collection[str | None] = ()
    on_token: OnToken | None = None
    shut: bool = False
    judges: bool = False
    """Whether it is a judge's, and not the crafting's own."""
    rests_as: CraftingStatus = "paused"
    future: "Future[None]" = field(default_factory=Future)
    task: "asyncio.Task[Any] | None" = None

    def admitted(self, request: Request, endpoint: Endpoint) -> AbstractAsyncContextManager[None]:
        """Lets a call leave within it, or raises Interlude."""
        if self.shut:
            raise Interlude(Message("the crafting was stopped before {path}", path=request.path))
        return nullcontext()

    def urgent(self) -> bool:
        """Stories that people watch go first."""
        return False


class Craftings:
    """Starts craftings and stops them. Its methods may be called from any thread but that of its event loop."""

    def __init__(self, store: Store, client: Client, loop: asyncio.AbstractEventLoop) -> None:
        self._store = store
        self._client = client
        self._loop = loop
        self._lock = threading.Lock()
        self._doors: dict[str, _Door] = {}
        self.look = Looks(store).look
        """Gives a crafting as it stands, whoever is at work on it; pages do so all the time."""

    def begin(self, wish: Wished, source: Source | None = None) -> str:
        """Store a wish with its source and start to craft; gives the id of the crafting."""
        id = begin(self._store, wish, source, "app")
        self.go_on(id)
        return id

    def go_on(self, id: str, on_mismatch: OnMismatch = "stop", *, unread_anew: bool = False) -> None:
        """Craft on from where it stands; `on_mismatch` says what to do with replies to other prompts than today's.

        `unread_anew` has evaluators asked anew whose replies could not be read; that is for a person to say. Addresses
        that count as down are tried at once. Raises StoryError if it is under way, here or in another process, or there
        is no such crafting.
        """
        wish = wish_of(self._store, id)
        with self._lock:
            if self.under_way(id):
                raise StoryError(Message("crafting {id}: it is under way", id=id))
            if self._store.craftings.at_work(id):
                raise PlayedElsewhere(Message("crafting {id}: another process is at it; end it there first", id=id))
            for endpoint in wish.endpoints.values():
                self._client.try_again(endpoint.url)
            door = self._doors[id] = _Door()
            how = How(door=door, on_mismatch=on_mismatch, unread_anew=unread_anew, rests_as=lambda: door.rests_as)
            self._start(door, run(self._store, self._client, id, how))

    def judge(self, id: str, judge: Judge) -> None:
        """Have a judge score the accepted scenes. Raises StoryError if it is under way, here or elsewhere."""
        with self._lock:
            if self.under_way(id) or self._store.craftings.at_work(id):
                raise StoryError(Message("crafting {id}: it is under way", id=id))
            self._client.try_again(judge.endpoint.url)
            door = self._doors[id] = _Door(judges=True)
            self._start(door, judge_crafting(self._store, self._client, id, judge, door=door))

    def fault(self, id: str) -> Message | None:
        """What it, or its judging, broke off with in this process; None where it did not."""
        if id not in self._doors or not (future := self._doors[id].future).done() or future.cancelled():
            return None
        error = future.exception()
        return error.args[0] if isinstance(error, CharacterBoxError) and not isinstance(error, Interlude) else None

    def _start(self, door: _Door, work: Coroutine[Any, Any, object]) -> None:
        async def known() -> None:
            door.task = asyncio.current_task()
            await work

        door.future = asyncio.run_coroutine_threadsafe(known(), self._loop)
        door.future.add_done_callback(_tell)

    def under_way(self, id: str) -> bool:
        """Whether it is being crafted in this process."""
        return id in self._doors and not self._doors[id].future.done()

    def stopping(self, id: str) -> bool:
        """Whether it is about to rest, as soon as the replies under way have come."""
        return self.under_way(id) and self._doors[id].shut

    def stop(self, id: str) -> None:
        """Let no more of its calls leave; nothing if it is not under way here."""
        if id in self._doors:
            self._doors[id].shut = True

    def resume_all(self) -> None:
        """Craft on what was under way as the app ended, or was killed."""
        for one in self._store.craftings.all():
            if one.status == "running" and one.launched_from == "app":
                try:
                    self.go_on(one.id)
                except StoryError as error:
                    log.warning("it is not gone on with: %s", error)

    async def close(self, patience: float) -> None:
        """End all, as to be gone on with at the next start where nobody has stopped it. On the event loop."""
        doors = [door for door in self._doors.values() if not door.future.done()]
        for door in doors:
            if not (door.shut or door.judges):
                door.rests_as = "running"
            door.shut = True
        if tasks := [door.task for door in doors if door.task is not None]:
            _, late = await asyncio.wait(tasks, timeout=patience)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)


def _tell(future: "Future[Any]") -> None:
    """What a person does not see on the page goes to the log."""
    if not future.cancelled() and (error := future.exception()) and not isinstance(error, CharacterBoxError):
        log.error("a crafting broke off", exc_info=error)
