"""A story with its journal as one JSON file, which another app can import without loss.

There are no keys in it: none is ever stored.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from pydantic import ValidationError

from annotations.errors import EncodingError
from annotations.exchange.decoding import decode
from annotations.i18n.messages import Message
from characterbox import __version__
from characterbox.errors import StoryError
from characterbox.llm.journal import Reply
from characterbox.pause_reasons import filed
from characterbox.play.memory_record import Recollection
from characterbox.reason_sentences import as_sentence
from characterbox.share.story_schema import (
    FORMAT,
    REPLY_FIELDS,
    FiledCall,
    FiledMessage,
    FiledReply,
    Misfit,
    StoryFile,
    first_misfit,
    told,
)
from characterbox.share.validation import misfits
from characterbox.store.stories.call_costs import StoryCosts
from characterbox.store.stories.stories import Asked, Status, Story, StoryStore

MOST_BYTES = 64 << 20
"""The largest file that is read."""
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
"""The character as JSON writes it: behind an even number of backslashes. PostgreSQL has no place for it."""
_AT_REST: Mapping[Status, Status] = {"running": "paused", "waiting": "paused"}
"""How a story stands after it was imported that would go on by itself where it comes from."""


def file_of(stories: StoryStore, story: Story) -> dict[str, Any]:
    """The file of a story, as JSON-ready values; what servers said is in it for admins alone (`pause_reasons.in_full`).

    Reasons are sentences in it, as they were when they were stored so: other versions read them, too.
    """
    file = StoryFile(
        format=FORMAT,
        version=__version__,
        story=story,
        events=tuple(stories.events(story.id)),
        journal=tuple(_filed(reply) for reply in stories.journal(story.id)),
        asked=tuple(FiledCall(path=one.path, take=one.take, asked_at=one.asked_at) for one in stories.asked(story.id)),
        costs={"story": _sums(stories.costs(story.id)), "judges": _sums(stories.costs(story.id, "judges"))},
    )
    content = file.model_dump(mode="json")
    content["story"]["reason"] = story.reason and as_sentence(filed(story.reason))
    for event, values in zip(file.events, content["events"], strict=True):
        values["reason"] = event.reason and as_sentence(filed(event.reason))
    return content


def read_story_file(content: bytes) -> StoryFile:
    """The story in a file. Raises StoryError, saying what is wrong and where, if it can't be used.

    Saved, it is in UTF-8, as JSON between systems has to be (RFC 8259); editors store it otherwise.
    """
    if len(content) > MOST_BYTES:
        raise StoryError("the file is larger than {most} MB; it is not a story file", most=MOST_BYTES >> 20)
    try:
        text, _ = decode(content)
    except EncodingError as error:
        raise StoryError("not a CharacterBox story file: {error}", error=error) from None
    if _NUL.search(text):
        raise _refusal(((), Message("it contains the character NUL, which is not allowed in text")))
    try:
        file = StoryFile.model_validate_json(text)
    except ValidationError as error:
        raise _refusal(first_misfit(error)) from None
    if (misfit := next(misfits(file), None)) is not None:
        raise _refusal(misfit)
    return file


def bring_in(stories: StoryStore, file: StoryFile) -> Story:
    """Store the story of a file; where it is there already, that one is given.

    It keeps its id, unless another story has it. What would go on by itself where it comes from rests here.
    """
    wanted = file.story
    if (known := _there(stories, wanted.id)) is not None:
        if _same(StoryFile.model_validate(file_of(stories, known)), file):
            return known
        wanted = wanted.model_copy(update={"id": stories.new_id()})
    status = _AT_REST.get(wanted.status, wanted.status)
    story = wanted.model_copy(update={"launched_from": "file", "status": status})
    replies: Sequence[Reply] = [reply.reply() for reply in file.journal]
    asked = [Asked(one.path, one.take, one.asked_at) for one in file.asked]
    stories.bring(story, file.events, replies, asked)
    return story


def _refusal(misfit: Misfit) -> StoryError:
    wrong = Message("not a CharacterBox story file ({told}); save the story as JSON again", told=told(misfit))
    return StoryError(wrong)


def _there(stories: StoryStore, id: str) -> Story | None:
    try:
        return stories.story(id)
    except StoryError:
        return None


def _same(one: StoryFile, other: StoryFile) -> bool:
    """Whether two files hold the same story, wherever it was launched and however it rests."""
    return _essence(one) == _essence(other)


def _essence(file: StoryFile) -> dict[str, Any]:
    """As values, not as text: one moment is written in many ways. What was remembered follows from the rest."""
    content = file.model_dump(include={"story", "events", "journal"}, exclude={"journal": {"__all__": {"memory"}}})
    for name in ("launched_from", "status", "reason"):
        del content["story"][name]
    return content


def _filed(reply: Reply) -> FiledReply:
    values = {name: getattr(reply, name) for name in REPLY_FIELDS}
    values |= {field.name: getattr(reply.usage, field.name) for field in fields(reply.usage)}
    messages = tuple(FiledMessage(role=one.role, content=one.content) for one in reply.messages)
    memory = None if reply.memory is None else Recollection.read(reply.memory)
    return FiledReply(**{**values, "messages": messages, "memory": memory})


def _sums(costs: StoryCosts) -> dict[str, Any]:
    replies = costs.replies
    names = ("calls", "reused", "by_people", "prompt_tokens", "completion_tokens", "cached_tokens", "uncounted")
    return {
        **{name: getattr(replies, name) for name in names},
        "price": replies.dollars,
        "unpriced": replies.unpriced,
        "retries": replies.retries,
        "troubles": dict(costs.troubles),
        "degraded": costs.degraded,
        "unanswered": costs.unanswered,
    }
