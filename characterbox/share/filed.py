"""What is in the file of a story, field by field."""

from dataclasses import fields
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from characterbox.llm.endpoint import Endpoint
from characterbox.llm.journal import Author, Reply
from characterbox.llm.request import ChatMessage
from characterbox.llm.usage import Usage
from characterbox.play.events import Event
from characterbox.play.recollection import Recollection
from characterbox.store.stories import Story
from characterbox.values import Value

FORMAT = "characterbox-story"

Path = Annotated[str, Field(min_length=1, max_length=4000)]
"""Of two names at most, each of which some letters make longer as they are spelled out."""
Count = Annotated[int, Field(ge=0, lt=2**31)]


class FiledMessage(Value):
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    content: str


class FiledReply(Value):
    """One reply of the journal; the fields are those of `Reply` and of its usage."""

    path: Path
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
    memory: Recollection | None = None
    """None where it is not known, as in files of older apps."""

    def reply(self) -> Reply:
        """The reply as the journal keeps it."""
        usage = Usage(**{field.name: getattr(self, field.name) for field in fields(Usage)})
        values = {field.name: getattr(self, field.name) for field in fields(Reply) if field.name != "usage"}
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
