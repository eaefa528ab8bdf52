"""What was remembered at the replies of stories that were played before this was stored with each reply."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache

from characterbox.errors import CharacterBoxError, Interlude
from characterbox.llm.request import Request
from characterbox.play.events import Event
from characterbox.play.performance import play
from characterbox.stage.players import record_of
from characterbox.store.stories import Story, StoryStore


def recollect(stories: StoryStore, story: Story) -> None:
    """Find out what was remembered at all replies of a story, and store it. Not to be called where an event loop runs.

    The story is played over its record for it. A record that belongs to other prompts than those of today tells nothing
    from there on: this is not tried again before the story has grown.
    """
    _recollect(stories, story.id, *stories.extent(story.id))


@lru_cache(maxsize=8)
def _recollect(stories: StoryStore, id: str, *_: object) -> None:
    """Kept for what can't be found out: without, each look at it takes as long as playing the story, some seconds."""
    story = stories.story(id)
    record = replace(record_of(stories, story), on_mismatch="stop")
    found: dict[tuple[str, int], str] = {}

    async def ask(request: Request) -> str:
        known = record.find(request)
        if known.reply is None:
            raise Interlude(f"there is no reply at {request.path} yet")
        if not known.inherited and known.reply.memory is None and (memory := known.request.remember()) is not None:
            found[request.path, known.reply.take] = memory
        return known.reply.whole()

    async def emit(event: Event) -> None:
        pass

    with suppress(CharacterBoxError):
        asyncio.run(play(story.script, ask, emit))
    stories.add_memories(id, found)
