"""The craftings at work in this process."""

import logging
from collections.abc import Collection, Iterable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass

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
from characterbox.stage.jobs import Job, Jobs
from characterbox.store import Store
from characterbox.store.craftings import CraftingStatus

log = logging.getLogger(__name__)


@dataclass(eq=False)
class _Crafting(Job):
    """A crafting at work, or a judge of it; it lets calls leave until it is shut."""

    id: str
    endpoints: Iterable[Endpoint]
    """Those that are asked."""
    judge: Judge | None = None
    """Who scores its accepted scenes; None where it is crafted itself."""
    on_mismatch: OnMismatch = "stop"
    unread_anew: bool = False
    people: Collection[str | None] = ()
    on_token: OnToken | None = None
    shut: bool = False
    rests_as: CraftingStatus = "paused"

    @property
    def key(self) -> tuple[str, ...]:
        """The id of the crafting."""
        return (self.id,)

    def check(self, store: Store, client: Client) -> None:
        """Addresses that count as down are tried at once. Raises StoryError if another process is at it."""
        if store.craftings.at_work(self.id):
            if self.judge is not None:
                raise _under_way(self.id)
            raise PlayedElsewhere(Message("crafting {id}: another process is at it; end it there first", id=self.id))
        for endpoint in self.endpoints:
            client.try_again(endpoint.url)

    async def work(self, store: Store, client: Client) -> None:
        """Craft on, or judge."""
        if self.judge is not None:
            await judge_crafting(store, client, self.id, self.judge, door=self)
            return
        how = How(door=self, on_mismatch=self.on_mismatch, unread_anew=self.unread_anew, rests_as=lambda: self.rests_as)
        await run(store, client, self.id, how)

    def admitted(self, request: Request, endpoint: Endpoint) -> AbstractAsyncContextManager[None]:
        """Lets a call leave within it, or raises Interlude."""
        if self.shut:
            raise Interlude(Message("the crafting was stopped before {path}", path=request.path))
        return nullcontext()

    def urgent(self) -> bool:
        """Stories that people watch go first."""
        return False

    def close(self) -> bool:
        """Let it rest, as to be gone on with at the next start where nobody has stopped it."""
        if not self.shut and self.judge is None:
            self.rests_as = "running"
        self.shut = True
        return True

    def failed(self, error: BaseException) -> None:
        """What a person does not see on the page goes to the log."""
        if not isinstance(error, CharacterBoxError):
            log.error("a crafting broke off", exc_info=error)


class Craftings:
    """Starts craftings and stops them. Its methods may be called from any thread but that of its event loop."""

    def __init__(self, store: Store, jobs: Jobs) -> None:
        self._store = store
        self._jobs = jobs
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
        endpoints = wish_of(self._store, id).endpoints.values()
        self._start(_Crafting(id, endpoints, on_mismatch=on_mismatch, unread_anew=unread_anew))

    def judge(self, id: str, judge: Judge) -> None:
        """Have a judge score the accepted scenes. Raises StoryError if it is under way, here or elsewhere."""
        self._start(_Crafting(id, [judge.endpoint], judge))

    def fault(self, id: str) -> Message | None:
        """What it, or its judging, broke off with in this process; None where it did not."""
        known = self._jobs.last(_Crafting, id)
        error = None if known is None else known.last_error
        return error.args[0] if isinstance(error, CharacterBoxError) and not isinstance(error, Interlude) else None

    def under_way(self, id: str) -> bool:
        """Whether it is being crafted in this process."""
        return (known := self._jobs.last(_Crafting, id)) is not None and known.under_way

    def stopping(self, id: str) -> bool:
        """Whether it is about to rest, as soon as the replies under way have come."""
        return (known := self._jobs.last(_Crafting, id)) is not None and known.under_way and known.shut

    def stop(self, id: str) -> None:
        """Let no more of its calls leave; nothing if it is not under way here."""
        if (known := self._jobs.last(_Crafting, id)) is not None:
            known.shut = True

    def resume_all(self) -> None:
        """Craft on what was under way as the app ended, or was killed."""
        for one in self._store.craftings.all():
            if one.status == "running" and one.launched_from == "app":
                try:
                    self.go_on(one.id)
                except StoryError as error:
                    log.warning("it is not gone on with: %s", error)

    def _start(self, job: _Crafting) -> None:
        if self._jobs.start(job) is not job:
            raise _under_way(job.id)


def _under_way(id: str) -> StoryError:
    return StoryError(Message("crafting {id}: it is under way", id=id))
