"""What each agent remembered as it was asked: worked out anew by playing a story over its record."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache

from characterbox.errors import CharacterBoxError, Interlude
from characterbox.llm.request import Remembered, Request
from characterbox.play.events import Event
from characterbox.play.performance import play
from characterbox.stage.players import record_of
from characterbox.store.stories import Story, StoryStore

Recollections = Mapping[str, Sequence[Remembered]]
"""By the path of the reply."""


def recollections(stories: StoryStore, story: Story) -> Recollections:
    """What was remembered at every reply of a story. Not to be called where an event loop runs.

    A record that belongs to other prompts than those of today tells nothing from there on.
    """
    return _recollections(stories, story.id, len(stories.events(story.id)), len(stories.asked(story.id)))


@lru_cache(maxsize=8)
def _recollections(stories: StoryStore, id: str, events: int, asked: int) -> Recollections:
    story = stories.story(id)
    record = replace(record_of(stories, story), on_mismatch="stop")
    found: dict[str, Sequence[Remembered]] = {}

    async def ask(request: Request) -> str:
        known = record.find(request)
        if known.reply is None:
            raise Interlude(f"there is no reply at {request.path} yet")
        found[request.path] = known.request.remember()
        return known.reply.whole()

    async def emit(event: Event) -> None:
        pass

    with suppress(CharacterBoxError):
        asyncio.run(play(story.script, ask, emit))
    return found
