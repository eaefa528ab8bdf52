"""Plays a stored story: from its opening, over its journal, to where it rests or ends."""

import asyncio
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import get_args

from characterbox.errors import CharacterBoxError, Cue, EndpointDown, Interlude, RecordMismatch, Superseded
from characterbox.llm.asking import Asker, JournaledAsk
from characterbox.llm.embeddings import JournaledEmbedder
from characterbox.llm.journal import OnMismatch, Record
from characterbox.pause_reasons import Reason
from characterbox.play.algorithm import play
from characterbox.play.events import Event
from characterbox.processes.concurrency import held
from characterbox.stage.branching import check_unbranched
from characterbox.stage.playback_control import PlaybackControl, record_of
from characterbox.store.stories.claimed_writes import ClaimedStory
from characterbox.store.stories.stories import Status, Story, StoryStore
from characterbox.store.stories.story import OVER

OPEN: Collection[Status] = tuple(status for status in get_args(Status) if status not in OVER)
"""The statuses of stories that can be played on."""

OnEvent = Callable[[int, Event], None]
"""Takes the number of an event, from 1, and the event, once it is stored. It may not raise: nobody waits for it."""


async def perform(
    stories: StoryStore,
    client: Asker,
    story: Story,
    pace: PlaybackControl,
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
        performance = _Performance(stories, claimed, client, pace, on_event, on_mismatch, retells)
        try:
            story = await asyncio.to_thread(stories.story, story.id)  # as others left it: nobody else plays it now
            if story.status not in out_of:
                performance.status = story.status
                return await _tell_again(stories, story, on_event) if retells else story.status
            pace.seat(story.people, at_first=True)
            await claimed.move("running", pace.step)
            pace.begin()
            await performance.until_rest(story)
        except asyncio.CancelledError:
            await asyncio.shield(performance.cut_short())
            raise
        return performance.status


@dataclass(slots=True)
class _Performance:
    """A story in the hands of who plays it: its events are stored and told, and its status, whatever happens."""

    stories: StoryStore
    claimed: ClaimedStory
    client: Asker
    pace: PlaybackControl
    on_event: OnEvent
    on_mismatch: OnMismatch
    retells: bool
    status: Status = "running"

    async def until_rest(self, story: Story) -> None:
        """Play, and store how it ended; play again if people have changed their minds meanwhile."""
        while True:
            try:
                await self._play(story)
            except Superseded:
                raise
            except Exception as error:
                if self._is_taken_back(error):
                    continue
                await self._move(*_status(error, self.pace))
                if self._is_taken_back(error):  # while it was written
                    continue
                self.pace.over = True
                if not isinstance(error, Interlude):
                    raise
            else:
                await self._move("ended", None)
                self.pace.over = True
            return

    async def cut_short(self) -> None:
        """Store that it was cancelled, unless its end is stored already."""
        if self.status == "running":
            await self._move(self.pace.rests_as, None)

    def _is_taken_back(self, error: Exception) -> bool:
        if isinstance(error, Cue):
            return error.agent not in self.pace.people
        return isinstance(error, Interlude) and self.pace.goes_on()

    async def _move(self, status: Status, reason: Reason | None) -> None:
        self.status = status
        await asyncio.shield(self.claimed.move(status, reason))

    async def _play(self, story: Story) -> None:
        await asyncio.to_thread(self.claimed.finish)  # what was played before is read again below
        record = await asyncio.to_thread(record_of, self.stories, story, self.on_mismatch)
        recorded = await asyncio.to_thread(self.stories.events, story.id)
        shown = 0

        async def emit(event: Event) -> None:
            nonlocal shown
            shown += 1
            if shown <= len(recorded) and not _is_same(recorded[shown - 1], event):
                if self.on_mismatch == "stop":
                    raise RecordMismatch(Reason("other_reading", path=event.path), path=event.path)
                await self.claimed.forget_events(shown)
                del recorded[shown - 1 :]
            tell = partial(self.on_event, shown, event)
            if shown > len(recorded):
                self.claimed.record(shown, event).then(tell)
            elif self.retells:
                tell()

        ask = JournaledAsk(self.claimed, record, self.client, self.pace)
        await play(story.script, ask, emit, embedder=self._embedder(story, record))

    def _embedder(self, story: Story, record: Record) -> JournaledEmbedder | None:
        """What measures by meaning, where the story has an embedding model."""
        if record.embeddings is None:
            return None
        parent = None if story.branch is None else story.branch.parent
        language = story.script.scene.language
        return JournaledEmbedder(self.claimed, record.embeddings, self.client, self.pace, parent, language)


async def _tell_again(stories: StoryStore, story: Story, on_event: OnEvent) -> Status:
    for seq, event in enumerate(await asyncio.to_thread(stories.events, story.id), 1):
        on_event(seq, event)
    return story.status


def _is_same(recorded: Event, event: Event) -> bool:
    """Whether an event is the one that was recorded; a reason that older versions stored may be read otherwise."""
    if recorded.reason is None or event.reason is None:
        return recorded == event
    alike = str(recorded.reason) == str(event.reason)
    return alike and recorded.model_copy(update={"reason": event.reason}) == event


def _status(error: Exception, pace: PlaybackControl) -> tuple[Status, Reason | None]:
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
