"""Plays a stored story: from its opening, over its journal, to its end."""

import asyncio
from collections.abc import Callable

from characterbox.errors import CharacterBoxError, RecordMismatch
from characterbox.llm.asking import JournaledAsk, OnMismatch
from characterbox.llm.client import Client, OnToken
from characterbox.play.events import Event
from characterbox.play.performance import Emit, play
from characterbox.store.stories import Status, Story, StoryStore

OnEvent = Callable[[int, Event], None]
"""Takes the number of an event, from 1, and the event, once it is stored."""


async def perform(
    stories: StoryStore,
    client: Client,
    story: Story,
    *,
    on_event: OnEvent,
    on_token: OnToken | None = None,
    on_mismatch: OnMismatch = "stop",
) -> None:
    """Play the story to its end. What its journal holds is not asked again.

    An ended story is only shown again. Raises StoryError if another process plays it; EndpointError or RecordMismatch
    when it stops: then it is kept, with its status and the reason.
    """
    if story.status == "ended":
        for seq, event in enumerate(await asyncio.to_thread(stories.events, story.id), 1):
            on_event(seq, event)
        return
    with stories.claims.on(story.id):
        stories.move(story.id, "running")  # at once: whoever pauses the story now must find it begun
        try:
            ask = JournaledAsk(
                story=story.id,
                journal=stories,
                client=client,
                endpoint_of=story.casting.endpoint,
                seed=story.script.seed,
                recorded=dict(await stories.replies(story.id)),
                on_mismatch=on_mismatch,
                on_token=on_token,
            )
            await play(story.script, ask, await _emitting(stories, story, on_event, on_mismatch))
        except asyncio.CancelledError:
            stories.move(story.id, "paused")
            raise
        except Exception as error:
            await asyncio.to_thread(stories.move, story.id, *_failure(error))
            raise
        await asyncio.to_thread(stories.move, story.id, "ended")


def _failure(error: Exception) -> tuple[Status, str]:
    """The status of a story that was stopped by an error, and the reason in one line."""
    if isinstance(error, RecordMismatch):
        return "mismatched", str(error)
    if isinstance(error, CharacterBoxError):
        return "failed", str(error)
    return "failed", f"{type(error).__name__}; the log of the app tells more"


async def _emitting(stories: StoryStore, story: Story, on_event: OnEvent, on_mismatch: OnMismatch) -> Emit:
    """Takes the events of a performance: stores the new ones, and compares the others with the record."""
    recorded = await asyncio.to_thread(stories.events, story.id)
    shown = 0

    async def emit(event: Event) -> None:
        nonlocal shown
        shown += 1
        if shown <= len(recorded) and recorded[shown - 1] != event:
            if on_mismatch == "stop":
                raise _differs(event)
            await asyncio.to_thread(stories.forget_events, story.id, shown)
            del recorded[shown - 1 :]
        if shown > len(recorded):
            await stories.record(story.id, shown, event)
        on_event(shown, event)

    return emit


def _differs(event: Event) -> RecordMismatch:
    return RecordMismatch(
        f"the event recorded at {event.path} is not what its replies give now: replies are read differently since",
        path=event.path,
    )
