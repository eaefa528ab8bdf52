"""A story with its journal as one JSON file, which another app can bring in again without loss.

There are no keys in it: none is ever stored.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from annotations.wording import say
from characterbox import __version__
from characterbox.errors import StoryError
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.journal import Author, Reply
from characterbox.llm.request import Message
from characterbox.play.events import Event
from characterbox.store.costs import Costs
from characterbox.store.families import MOST_LABEL
from characterbox.store.stories import Asked, Status, Story, StoryStore
from characterbox.values import Value

FORMAT = "characterbox-story"
MOST_BYTES = 64 << 20
"""The largest file that is read."""
_AT_REST: Mapping[Status, Status] = {"running": "paused", "waiting": "paused"}
"""How a story stands after it was brought in that would go on by itself where it comes from."""

Count = Annotated[int, Field(ge=0, lt=2**31)]
_ID = re.compile("[0-9A-Za-z]{1,64}")


class FiledMessage(Value):
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    content: str


class FiledReply(Value):
    """One reply of the journal; the fields are those of `Reply`."""

    path: Annotated[str, Field(min_length=1, max_length=400)]
    take: Count
    digest: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    messages: tuple[FiledMessage, ...]
    text: str
    author: Author
    endpoint: Endpoint
    attempts: Count
    troubles: tuple[str, ...]
    latency: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    prompt_tokens: Count | None
    completion_tokens: Count | None
    cached_tokens: Count | None
    finish_reason: str | None
    price: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None
    dropped: tuple[str, ...]
    origin: str | None
    came_at: datetime

    def reply(self) -> Reply:
        """The reply as the journal keeps it."""
        values = {field.name: getattr(self, field.name) for field in fields(Reply)}
        return Reply(**{**values, "messages": tuple(Message(one.role, one.content) for one in self.messages)})


class FiledCall(Value):
    """The mark of a call that was about to leave."""

    path: Annotated[str, Field(min_length=1, max_length=400)]
    take: Count
    asked_at: datetime


class StoryFile(Value):
    """What is in a file."""

    format: Literal["characterbox-story"]
    version: str
    """Of the app that wrote it."""
    story: Story
    events: tuple[Event, ...]
    journal: tuple[FiledReply, ...]
    asked: tuple[FiledCall, ...]
    costs: dict[str, Any]
    """Sums over the journal, for readers of the file; they are not read again."""

    @model_validator(mode="after")
    def _is_of_one_story(self) -> "StoryFile":
        names = {*self.story.script.scene.names}
        for number, event in enumerate(self.events, 1):
            for part in ("turn", "character", "affected", "to"):
                if (name := getattr(event, part, None)) is not None and name not in names:
                    raise ValueError(f"events: number {number}: {part}: {name!r} is not in the cast")
        paths = [event.path for event in self.events]
        if len(set(paths)) < len(paths):
            raise ValueError("events: two of them are at one path")
        places = [(reply.path, reply.take) for reply in self.journal]
        if len(set(places)) < len(places):
            raise ValueError("journal: two replies are the same take of one path")
        marks = [(call.path, call.take) for call in self.asked]
        if len(set(marks)) < len(marks):
            raise ValueError("asked: two marks are of the same take of one path")
        if not _ID.fullmatch(self.story.id):
            raise ValueError("story: id: it is not made of letters and digits")
        if self.story.branch is not None and self.story.branch.parent == self.story.id:
            raise ValueError("story: branch: it is its own parent")
        if unknown := {*self.story.people} - {None, *names}:
            raise ValueError(f"story: people: {min(map(str, unknown))!r} is not in the cast")
        if len(self.story.label or "") > MOST_LABEL:
            raise ValueError(f"story: label: it is longer than {MOST_LABEL} characters")
        if {*self.story.casting.characters} != names:
            raise ValueError("story: casting: it is not that of the cast")
        if self.story.title != self.story.script.scene.title:
            raise ValueError("story: title: it is not that of the scene")
        return self


def file_of(stories: StoryStore, story: Story) -> dict[str, Any]:
    """The file of a story, as JSON-ready values."""
    file = StoryFile(
        format=FORMAT,
        version=__version__,
        story=story,
        events=tuple(stories.events(story.id)),
        journal=tuple(_filed(reply) for reply in stories.journal(story.id)),
        asked=tuple(FiledCall(path=one.path, take=one.take, asked_at=one.asked_at) for one in stories.asked(story.id)),
        costs={"story": _sums(stories.costs(story.id)), "judges": _sums(stories.costs(story.id, "judges"))},
    )
    return file.model_dump(mode="json")


def read_story_file(content: bytes) -> StoryFile:
    """The story in a file. Raises StoryError, saying what is wrong and where, if it can't be used."""
    if len(content) > MOST_BYTES:
        raise StoryError(say("the file is larger than {most} MB; it is no story", most=MOST_BYTES >> 20))
    try:
        return StoryFile.model_validate_json(content)
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(str(part) for part in fault["loc"])
        what = fault["msg"].removeprefix("Value error, ")
        told = f"{where}: {what}" if where else what
        wrong = say("the file is no story of CharacterBox ({told}); save one as JSON again", told=told)
        raise StoryError(wrong) from None


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


def _there(stories: StoryStore, id: str) -> Story | None:
    try:
        return stories.story(id)
    except StoryError:
        return None


def _same(one: StoryFile, other: StoryFile) -> bool:
    """Whether two files hold the same story, wherever it was launched and however it rests."""
    return _essence(one) == _essence(other)


def _essence(file: StoryFile) -> dict[str, Any]:
    content = file.model_dump(mode="json", include={"story", "events", "journal"})
    for name in ("launched_from", "status", "reason"):
        del content["story"][name]
    return content


def _filed(reply: Reply) -> FiledReply:
    values = {field.name: getattr(reply, field.name) for field in fields(Reply)}
    messages = tuple(FiledMessage(role=one.role, content=one.content) for one in reply.messages)
    return FiledReply(**{**values, "messages": messages})


def _sums(costs: Costs) -> dict[str, Any]:
    return {**asdict(costs), "troubles": dict(costs.troubles)}
