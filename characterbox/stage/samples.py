"""The sample stories in the database: played from what was written, so that they are stories like all others."""

import asyncio
import json

from characterbox.llm.endpoint import HANDWRITTEN, Casting, Endpoint
from characterbox.llm.request import Request
from characterbox.play.events import Event
from characterbox.play.performance import play
from characterbox.samples import Sample, samples
from characterbox.stage.players import written
from characterbox.store.stories import Story, StoryStore

BY_HAND = Endpoint(url=HANDWRITTEN, model=HANDWRITTEN)


def bring_samples(stories: StoryStore) -> None:
    """Store the samples where there is no other story. Not to be called where an event loop runs.

    One that an earlier start of the app was ended in the middle of is completed.
    """
    found = {story.id: story for story in stories.stories(limit=len(samples()) + 1)}
    if found.keys() <= {sample.id for sample in samples()}:
        for sample in reversed(samples()):  # the newest story is listed first
            if (story := found.get(sample.id)) is None or story.status == "running":
                bring(stories, sample, story)


def bring(stories: StoryStore, sample: Sample, story: Story | None = None) -> None:
    """Store a sample as a story that has ended; `story` is what is there of it. Raises KeyError if it lacks a reply."""
    if story is None:
        casting = Casting(narrator=BY_HAND, characters=dict.fromkeys(sample.script.scene.names, BY_HAND))
        story = stories.create(sample.script, casting, "app", id=sample.id)
    with stories.claimed(story.id) as claimed:
        known, told = {reply.path for reply in stories.journal(story.id)}, len(stories.events(story.id))
        shown = 0

        async def ask(request: Request) -> str:
            reply = sample.replies[request.path]
            text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
            if request.path not in known:
                claimed.answered(written(request, text, story, "human", 0))
            return text

        async def emit(event: Event) -> None:
            nonlocal shown
            shown += 1
            if shown > told:
                claimed.record(shown, event)

        async def perform() -> None:
            await play(sample.script, ask, emit)
            await claimed.move("ended")

        asyncio.run(perform())
