"""The journal: every reply a story received, by its place in the story.

Resuming a story is playing it again over its journal: a recorded reply is used as long as it answers the very same
prompt, and only what is missing is asked.
"""

from collections.abc import Awaitable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from characterbox.errors import ReplyError
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.request import ChatMessage
from characterbox.reasons import Reason

Author = Literal["model", "human", "edit"]


@dataclass(frozen=True, slots=True)
class Reply:
    """One recorded reply."""

    path: str
    take: int
    """0 for the first reply at a path; each later take replaces the one before. Its seed is the story's plus this."""
    digest: str
    messages: tuple[ChatMessage, ...]
    text: str
    author: Author
    endpoint: Endpoint
    attempts: int
    """How many times the call was sent before the reply came."""
    troubles: tuple[str, ...]
    """What went wrong with the attempts before, in order: `HTTP 429`, `timed out`, `answer broken off` ..."""
    latency: float
    """Seconds from the last attempt to the end of the reply."""
    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int | None
    """Prompt tokens served from the endpoint's cache, where it tells."""
    finish_reason: str | None
    price: float | None
    """US dollars, by the prices known when the reply came; None where none is known."""
    dropped: tuple[str, ...]
    """The memories that were left out of the prompt, as the context window is too small for all."""
    origin: str | None
    """The story that this reply was taken over from; None when it was asked, or written, for this one."""
    memory: str | None = field(default=None, compare=False)
    """What the prompt told of what was before, and what it left out (see `play.recollection`); None where it was not
    written down, as in older stories, and where there is nothing of the kind, as for judges."""
    came_at: datetime | None = field(default=None, compare=False)
    """When it was recorded; None as long as it is not. For people: nothing in a story depends on it."""

    def whole(self) -> str:
        """The text, if it came to its end; what a person wrote always did. Raises ReplyError if it was cut off."""
        if self.author == "model" and self.finish_reason == "length":
            count = self.completion_tokens
            told = Reason("cut_off") if count is None else Reason("cut_off_after", count=count)
            raise ReplyError(told, reply=self.text)
        return self.text


class Journal(Protocol):
    """Where the replies of one story are written, by the one who holds the claim on it.

    Every write raises Superseded once somebody else has taken over. Writes are done in the order in which they are
    asked for: what one of them failed with that nobody waited for is raised by the next one.
    """

    async def asked(self, path: str, take: int) -> None:
        """Mark that a call is about to leave. No crash can lose any more what was written before."""

    def answered(self, reply: Reply) -> Awaitable[None]:
        """Record a reply; once this is awaited, no crash can lose it."""
