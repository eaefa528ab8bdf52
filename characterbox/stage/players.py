"""People who play: what they are asked, and how their answers enter the record, like the reply of a model."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from annotations.wording import to_say
from characterbox.errors import ReplyError, StoryError
from characterbox.llm.journal import Author, OnMismatch, Record, Reply
from characterbox.llm.request import AGAIN, Request
from characterbox.play.events import Event
from characterbox.stage.branching import Outlook, inherited, outlook
from characterbox.store.stories import Story, StoryStore
from characterbox.store.story import OVER


def record_of(stories: StoryStore, story: Story, on_mismatch: OnMismatch = "keep") -> Record:
    """The record of a story as it is now."""
    parent = None if story.branch is None else inherited(stories, story.branch)
    return Record(stories.replies(story.id), story.casting.endpoint, story.script.seed, on_mismatch, parent)


def look_ahead(story: Story, record: Record, played: Sequence[Event]) -> Outlook:
    """What would be asked next. Not to be called where an event loop runs."""
    return asyncio.run(outlook(story.script, record, played))


def questions(stories: StoryStore, story: Story) -> Sequence[Request]:
    """What people who play in the story are asked now. Not to be called where an event loop runs."""
    ids = [story.id] if story.branch is None else [story.id, story.branch.parent]
    asked = _next(stories, story.id, story.casting.model_dump_json(), *map(stories.extent, ids))
    return [one for one in asked if one.agent in story.people]


@lru_cache(maxsize=8)
def _next(stories: StoryStore, id: str, *_: object) -> Sequence[Request]:
    """What anybody is asked next. Kept as long as nothing grows: without, each drawing of the page reads the journal,
    0.1 s for 900 events."""
    story = stories.story(id)
    return look_ahead(story, record_of(stories, story), stories.events(id)).next


def answered(stories: StoryStore, story: Story, path: str, text: str) -> Reply:
    """The answer of a person as a reply, not yet recorded.

    Raises StoryError if this is not asked now, and ReplyError, saying what is wrong, if it can't be read. What is asked
    stays so only for who holds the claim on the story. Not to be called where an event loop runs.
    """
    record, played = record_of(stories, story), stories.events(story.id)
    asked = [one for one in look_ahead(story, record, played).next if one.path == path and one.agent in story.people]
    if story.status in OVER or not asked:
        raise StoryError(
            to_say("story {id}: nobody is asked for {path} now; perhaps it was answered, or ended, already"),
            id=story.id,
            path=path,
        )
    take = record.find(asked[0]).take
    reply = written(asked[0], text, story, "human", take)
    check(story, replace(record, replies={**record.replies, path: reply}), played, reply)
    return reply


def written(request: Request, text: str, story: Story, author: Author, take: int) -> Reply:
    """What a person wrote in the place of the model that is cast, as a reply."""
    return Reply(
        path=request.path, take=take, digest=request.digest(story.script.seed), messages=request.messages, text=text,
        author=author, endpoint=story.casting.endpoint(request.agent), dropped=request.dropped,
        memory=request.remember(),
    )  # fmt: skip


def check(story: Story, record: Record, played: Sequence[Event], written: Reply) -> None:
    """Raises ReplyError, saying what is wrong, if what a person wrote can't be read where the record holds it."""
    again = f"{written.path}{AGAIN}"
    record = replace(record, replies={key: reply for key, reply in record.replies.items() if key != again})
    for request in look_ahead(story, record, played).next:
        if request.path == again:
            raise ReplyError(request.problem, reply=written.text)
