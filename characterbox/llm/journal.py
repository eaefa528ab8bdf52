"""The journal: every reply a story received, by its place in the story.

Resuming a story is playing it again over its journal: a recorded reply is used as long as it answers the very same
prompt, and only what is missing is asked.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from characterbox.llm.endpoint import Endpoint
from characterbox.llm.request import Message

Author = Literal["model", "human", "edit"]


@dataclass(frozen=True, slots=True)
class Reply:
    """One recorded reply."""

    path: str
    take: int
    """0 for the first reply at a path; each later take replaces the one before."""
    digest: str
    messages: tuple[Message, ...]
    text: str
    author: Author
    endpoint: Endpoint
    attempts: int
    """How many times the call was sent before the reply came."""
    latency: float
    """Seconds from the last attempt to the end of the reply."""
    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int | None
    """Prompt tokens served from the endpoint's cache, where it tells."""
    finish_reason: str | None


class Journal(Protocol):
    """Where the replies of stories are kept."""

    async def replies(self, story: str) -> Mapping[str, Reply]:
        """The last take of every recorded reply, by path."""

    async def asked(self, story: str, path: str, take: int) -> None:
        """Mark that a call is about to leave."""

    async def answered(self, story: str, reply: Reply) -> None:
        """Record a reply; once this returns, no crash can lose it."""
