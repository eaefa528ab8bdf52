"""What is in the file of a story, field by field, and which field of a faulty one is wrong, and how."""

import re
from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from annotations.i18n.messages import Message, Readable, any_of, to_say
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.journal import Author, Reply
from characterbox.llm.request import ChatMessage
from characterbox.llm.usage import Usage
from characterbox.play.events import Event
from characterbox.play.memory_record import Recollection
from characterbox.store.stories.stories import Story
from characterbox.values import Value

FORMAT = "characterbox-story"

Path = Annotated[str, Field(min_length=1, max_length=4000)]
"""Of two names at most, each of which some letters make longer as they are spelled out."""
Count = Annotated[int, Field(ge=0, lt=2**31)]


class FiledMessage(Value):
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    content: str


REPLY_FIELDS = tuple(field.name for field in fields(Reply) if field.name not in ("usage", "person"))
"""What a file has of a reply, beside its usage. The account of the one who wrote it stays in the database."""


class FiledReply(Value):
    """One reply of the journal; the fields are those of `Reply` and of its usage, without the account of who wrote."""

    path: Path
    take: Count
    digest: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    messages: tuple[FiledMessage, ...]
    text: str
    author: Author
    endpoint: Endpoint
    attempts: Count
    troubles: tuple[str, ...]
    refused: tuple[str, ...] = ()
    latency: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    prompt_tokens: Count | None
    completion_tokens: Count | None
    cached_tokens: Count | None
    finish_reason: str | None
    price: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None
    dropped: tuple[str, ...]
    origin: str | None
    came_at: datetime
    memory: Recollection | None = None
    """None where it is not known, as in files of older apps."""

    def reply(self) -> Reply:
        """The reply as the journal keeps it."""
        usage = Usage(**{field.name: getattr(self, field.name) for field in fields(Usage)})
        values = {name: getattr(self, name) for name in REPLY_FIELDS}
        messages = tuple(ChatMessage(one.role, one.content) for one in self.messages)
        memory = self.memory and self.memory.stored
        return Reply(**{**values, "usage": usage, "messages": messages, "memory": memory})


class FiledCall(Value):
    """The mark of a call that was about to leave."""

    path: Path
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


Place = tuple[str | int, ...]
"""The keys and numbers, from 0, that lead to a field."""
Misfit = tuple[Place, Readable]
"""Where something is wrong, and what."""

_PARTS = {
    "events": to_say("event {number}"),
    "journal": to_say("reply {number} of the journal"),
    "asked": to_say("call {number}"),
}
"""What the parts of a file are called of which there are many."""
_REASONS = {
    "missing": to_say("it is missing"),
    "extra_forbidden": to_say("this field is not allowed here"),
    "string_type": to_say("it must be text"),
    "string_too_short": to_say("it is empty"),
    "string_too_long": to_say("it is longer than {max_length} characters"),
    "too_short": to_say("it is empty"),
    "tuple_type": to_say("it must be a list"),
    "literal_error": to_say("it must be {expected}"),
    "union_tag_invalid": to_say("its kind is not a known kind of event"),
    "union_tag_not_found": to_say("its kind is missing"),
    "greater_than_equal": to_say("it must be {ge} or more"),
    "less_than_equal": to_say("it must be {le} or less"),
    "less_than": to_say("it must be less than {lt}"),
    "string_pattern_mismatch": to_say("its format is not valid"),
    "no_reason": to_say("its format is not valid"),
    "value_error": "{error}",
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), to_say("it must be a whole number")),
    **dict.fromkeys(("float_type", "float_parsing", "finite_number"), to_say("it must be a number")),
    **dict.fromkeys(("bool_type", "bool_parsing"), to_say("it must be true or false")),
    **dict.fromkeys(
        ("datetime_type", "datetime_parsing", "datetime_from_date_parsing"), to_say("it is not a valid date and time")
    ),
    **dict.fromkeys(("model_type", "model_attributes_type", "dict_type"), to_say("it must be an object")),
}
"""By pydantic's name of a fault, what we say of it."""
_MOST_KEY = 40
_POSITION = re.compile(r"line (\d+) column (\d+)")


def told(misfit: Misfit) -> Readable:
    """What is wrong, with the part and the field that it is in."""
    place, what = misfit
    where = _where(place)
    return Message("{where}: {what}", where=where, what=what) if where else what


def first_misfit(error: ValidationError) -> Misfit:
    """The first thing that keeps a file from being read."""
    fault = error.errors(include_url=False, include_input=False)[0]
    place, values = fault["loc"], fault.get("ctx", {})
    if place[:1] == ("events",):
        place = (*place[:2], *place[3:])  # without the kind, by which the event was read
    return place, _reason(fault["type"], values)


def _reason(type: str, values: dict[str, Any]) -> Message:
    if type == "json_invalid":
        position = _POSITION.search(str(values["error"]))
        line, column = position.groups() if position else ("1", "1")
        return Message("it cannot be read as JSON from line {line}, column {column}", line=line, column=column)
    if type == "literal_error":
        values = {"expected": any_of(str(values["expected"]))}
    if type not in _REASONS:
        return Message("it cannot be read")
    return Message(_REASONS[type], **values)


def _where(place: Place) -> Readable:
    match place:
        case ("events" | "journal" | "asked" as part, int(number), *rest):
            said = Message(_PARTS[part], number=number + 1)
        case ("story", *rest):
            said = Message("the story")
        case _:
            return _field(place)
    field = _field(rest)
    return Message("{part}, {field}", part=said, field=field) if field else said


def _field(place: Sequence[str | int]) -> str:
    """As in `cast[1].name`, numbers from 0; a key that somebody made up may be as long as a book."""
    return "".join(f"[{one}]" if isinstance(one, int) else f".{one[:_MOST_KEY]}" for one in place).removeprefix(".")
