"""Plays a stored story: from its opening, over its journal, to where it rests or ends."""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import get_args

from characterbox.errors import (
    CharacterBoxError,
    Cue,
    EndpointDown,
    Interlude,
    RecordMismatch,
    Superseded,
)
from characterbox.llm.asking import Asker, JournaledAsk
from characterbox.llm.journal import OnMismatch, Record
from characterbox.play.events import Event
from characterbox.play.performance import Emit, play
from characterbox.reasons import Reason
from characterbox.stage.branching import check_unbranched, inherited
from characterbox.stage.pace import Pace
from characterbox.store.claimed import ClaimedStory
from characterbox.store.held import held
from characterbox.store.stories import Status, Story, StoryStore
from characterbox.store.story import OVER

OPEN: Collection[Status] = tuple(status for status in get_args(Status) if status not in OVER)
"""The statuses of stories that can be played on."""

OnEvent = Callable[[int, Event], None]
"""Takes the number of an event, from 1, and the event, once it is stored. It may not raise: nobody waits for it."""


async def perform(
    stories: StoryStore,
    client: Asker,
    story: Story,
    pace: Pace,
    *,
    on_event: OnEvent,
    on_mismatch: OnMismatch = "stop",
    out_of: Collection[Status] = OPEN,
    retells: bool = True,
) -> Status:
    """Play the story until it ends, or rests at the pace that is wanted. What its journal holds is not asked again.

    Gives the status that it came to. A story whose status is none of `out_of` is only shown again, also if others have
    just changed it. Raises StoryError if another process plays it, or takes it over meanwhile; EndpointError or
    RecordMismatch when it stops: then it is kept, with its status and the reason.
    """
    if story.status not in out_of:
        return await _tell_again(stories, story, on_event) if retells else story.status
    if on_mismatch == "ask":
        await asyncio.to_thread(check_unbranched, stories, story.id)
    async with held(stories.claimed(story.id)) as claimed:
        rest = _Rest(claimed, pace)
        try:
            story = await asyncio.to_thread(stories.story, story.id)  # as others left it: nobody else plays it now
            if story.status not in out_of:
                rest.status = story.status
                return await _tell_again(stories, story, on_event) if retells else story.status
            pace.seat(story.people, at_first=True)
            await claimed.move("running", pace.step)
            pace.begin()
            await rest.after(
                lambda: _play(story, _Telling(stories, claimed, on_event, on_mismatch, retells), client, pace)
            )
        except asyncio.CancelledError:
            await asyncio.shield(rest.cut_short())
            raise
        return rest.status


class _Rest:
    """How a story comes to rest: its status is stored, whatever happens."""

    def __init__(self, claimed: ClaimedStory, pace: Pace) -> None:
        self.status: Status = "running"
        self._claimed = claimed
        self._pace = pace

    async def after(self, play: Callable[[], Awaitable[None]]) -> None:
        """Play, and store how it ended; play again if people have changed their minds meanwhile."""
        while True:
            try:
                await play()
            except Superseded:
                raise
            except Exception as error:
                if self._is_taken_back(error):
                    continue
                await self._move(*_status(error, self._pace))
                if self._is_taken_back(error):  # while it was written
                    continue
                self._pace.over = True
                if not isinstance(error, Interlude):
                    raise
            else:
                await self._move("ended", None)
                self._pace.over = True
            return

    async def cut_short(self) -> None:
        """Store that it was cancelled, unless its end is stored already."""
        if self.status == "running":
            await self._move(self._pace.rests_as, None)

    def _is_taken_back(self, error: Exception) -> bool:
        if isinstance(error, Cue):
            return error.agent not in self._pace.people
        return isinstance(error, Interlude) and self._pace.goes_on()

    async def _move(self, status: Status, reason: Reason | None) -> None:
        self.status = status
        await asyncio.shield(self._claimed.move(status, reason))


async def _tell_again(stories: StoryStore, story: Story, on_event: OnEvent) -> Status:
    for seq, event in enumerate(await asyncio.to_thread(stories.events, story.id), 1):
        on_event(seq, event)
    return story.status


@dataclass(frozen=True, slots=True)
class _Telling:
    """How the events of a performance are told."""

    stories: StoryStore
    claimed: ClaimedStory
    on_event: OnEvent
    on_mismatch: OnMismatch
    retells: bool

    async def emitting(self, id: str) -> Emit:
        """Takes the events of a story: stores the new ones, and compares the others with the record."""
        recorded = await asyncio.to_thread(self.stories.events, id)
        shown = 0

        async def emit(event: Event) -> None:
            nonlocal shown
            shown += 1
            if shown <= len(recorded) and not _is_same(recorded[shown - 1], event):
                if self.on_mismatch == "stop":
                    raise _differs(event)
                await self.claimed.forget_events(shown)
                del recorded[shown - 1 :]
            tell = partial(self.on_event, shown, event)
            if shown > len(recorded):
                self.claimed.record(shown, event).then(tell)
            elif self.retells:
                tell()

        return emit


async def _play(story: Story, telling: _Telling, client: Asker, pace: Pace) -> None:
    await asyncio.to_thread(telling.claimed.finish)  # what was played before is read again below
    stories, branch = telling.stories, story.branch
    parent = None if branch is None else await asyncio.to_thread(inherited, stories, branch)
    record = Record(
        replies=await asyncio.to_thread(stories.replies, story.id),
        endpoint_of=story.casting.endpoint,
        seed=story.script.seed,
        on_mismatch=telling.on_mismatch,
        parent=parent,
    )
    ask = JournaledAsk(telling.claimed, record, client, pace)
    await play(story.script, ask, await telling.emitting(story.id))


def _is_same(recorded: Event, event: Event) -> bool:
    """Whether an event is the one that was recorded; a reason that older versions stored may be read otherwise."""
    if recorded.reason is None or event.reason is None:
        return recorded == event
    alike = str(recorded.reason) == str(event.reason)
    return alike and recorded.model_copy(update={"reason": event.reason}) == event


def _status(error: Exception, pace: Pace) -> tuple[Status, Reason | None]:
    """The status of a story that was stopped, and the reason."""
    match error:
        case Cue():
            return "cued", Reason.of(error)
        case Interlude():
            return pace.rests_as, None
        case EndpointDown():
            return pace.rests_as if pace.goes_no_further else "waiting", Reason.of(error)
        case RecordMismatch():
            return "mismatched", Reason.of(error)
        case CharacterBoxError():
            return "failed", Reason.of(error)
        case _:
            return "failed", Reason("unexpected", error=type(error).__name__)


def _differs(event: Event) -> RecordMismatch:
    return RecordMismatch(Reason("other_reading", path=event.path), path=event.path)
