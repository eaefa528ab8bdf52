"""What a story comes to when nothing goes wrong: worked out without a client, a database or a server."""

from dataclasses import dataclass, field

from characterbox.llm.request import ChatMessage, Request
from characterbox.play.algorithm import play
from characterbox.play.events import Event
from characterbox.play.world import Script
from tests.fakes.mock_server import key_of, reply_text


@dataclass(frozen=True)
class Undisturbed:
    """A story as the mock server's replies make it."""

    events: list[Event] = field(default_factory=list)
    replies: dict[str, str] = field(default_factory=dict)
    """By path."""
    keys: dict[str, str] = field(default_factory=dict)
    """What tells the request at each path from all others."""


async def undisturbed(script: Script) -> Undisturbed:
    """Play the story, with the reply to each request that the mock server would give."""
    story = Undisturbed()

    async def ask(request: Request) -> str:
        story.keys[request.path] = key(request.messages)
        return story.replies.setdefault(request.path, expected(request.messages))

    async def emit(event: Event) -> None:
        story.events.append(event)

    await play(script, ask, emit)
    return story


def key(messages: tuple[ChatMessage, ...]) -> str:
    """What tells a request with these messages from all others; the mark in its reply begins with it."""
    return key_of(_plain(messages))


def expected(messages: tuple[ChatMessage, ...]) -> str:
    """The reply of the mock server to these messages."""
    return reply_text({"messages": _plain(messages)}, "json")


def _plain(messages: tuple[ChatMessage, ...]) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in messages]
