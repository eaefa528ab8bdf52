"""Plays a stored story: from its opening, over its journal, to where it rests or ends."""

import asyncio
from collections.abc import Callable, Collection
from dataclasses import dataclass

from characterbox.errors import CharacterBoxError, Cue, EndpointDown, Interlude, RecordMismatch, Superseded
from characterbox.llm.asking import JournaledAsk
from characterbox.llm.client import Client
from characterbox.llm.record import OnMismatch, Record
from characterbox.play.events import Event
from characterbox.play.performance import Emit, play
from characterbox.stage.branching import inherited
from characterbox.stage.pace import Pace
from characterbox.store.claimed import ClaimedStory
from characterbox.store.stories import Status, Story, StoryStore

OVER: Collection[Status] = ("ended", "stopped")
"""The statuses of stories that are not played on: their events stand, and others may rest on them."""

OnEvent = Callable[[int, Event], None]
"""Takes the number of an event, from 1, and the event, once it is stored."""


async def perform(
    stories: StoryStore,
    client: Client,
    story: Story,
    pace: Pace,
    *,
    on_event: OnEvent,
    on_mismatch: OnMismatch = "stop",
) -> Status:
    """Play the story until it ends, or rests at the pace that is wanted. What its journal holds is not asked again.

    Gives the status that it came to. A story that is over is only shown again. Raises StoryError if another process
    plays it, or takes it over meanwhile; EndpointError or RecordMismatch when it stops: then it is kept, with its
    status and the reason.
    """
    if story.status in OVER:
        return await _tell_again(stories, story, on_event)
    with stories.claimed(story.id) as claimed:
        story = await asyncio.to_thread(stories.story, story.id)  # as others left it, now that nobody else plays it
        if story.status in OVER:
            return await _tell_again(stories, story, on_event)
        await claimed.move("running")
        pace.begun.set()
        try:
            await _play(story, _Telling(stories, claimed, on_event, on_mismatch), client, pace)
        except (Superseded, asyncio.CancelledError) as error:
            if isinstance(error, asyncio.CancelledError):
                await asyncio.shield(claimed.move(pace.rests_as))
            raise
        except Interlude as error:
            return await _rest(claimed, *_status(error, pace))
        except Exception as error:
            await claimed.move(*_status(error, pace))
            raise
        return await _rest(claimed, "ended", None)


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

    async def emitting(self, id: str) -> Emit:
        """Takes the events of a story: stores the new ones, and compares the others with the record."""
        recorded = await asyncio.to_thread(self.stories.events, id)
        shown = 0

        async def emit(event: Event) -> None:
            nonlocal shown
            shown += 1
            if shown <= len(recorded) and recorded[shown - 1] != event:
                if self.on_mismatch == "stop":
                    raise _differs(event)
                await self.claimed.forget_events(shown)
                del recorded[shown - 1 :]
            if shown > len(recorded):
                await self.claimed.record(shown, event)
            self.on_event(shown, event)

        return emit


async def _play(story: Story, telling: _Telling, client: Client, pace: Pace) -> None:
    stories, branch = telling.stories, story.branch
    parent = None if branch is None else await asyncio.to_thread(inherited, stories, branch)
    record = Record(
        replies=await stories.replies(story.id),
        endpoint_of=story.casting.endpoint,
        seed=story.script.seed,
        on_mismatch=telling.on_mismatch,
        parent=parent,
    )
    ask = JournaledAsk(telling.claimed, record, client, pace)
    await play(story.script, ask, await telling.emitting(story.id))


async def _rest(claimed: ClaimedStory, status: Status, reason: str | None) -> Status:
    await claimed.move(status, reason)
    return status


def _status(error: Exception, pace: Pace) -> tuple[Status, str | None]:
    """The status of a story that was stopped, and the reason in one line."""
    match error:
        case Cue():
            return "cued", str(error)
        case Interlude():
            return pace.rests_as, None
        case EndpointDown():
            return "waiting", str(error)
        case RecordMismatch():
            return "mismatched", str(error)
        case CharacterBoxError():
            return "failed", str(error)
        case _:
            return "failed", f"{type(error).__name__}; the log of the app tells more"


def _differs(event: Event) -> RecordMismatch:
    return RecordMismatch(
        f"the event recorded at {event.path} is not what its replies give now: replies are read differently since",
        path=event.path,
    )
