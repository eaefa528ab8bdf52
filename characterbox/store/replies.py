"""Replies as rows, and rows as replies."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, Table, insert, select

from characterbox.llm.endpoint import REHEARSAL, REHEARSAL_MODELS, Endpoint
from characterbox.llm.journal import Reply
from characterbox.llm.reading import storable
from characterbox.llm.request import ChatMessage
from characterbox.llm.usage import Usage
from characterbox.play.paths import CHECKS, JUDGES
from characterbox.store.prompts import PromptSink, read_prompts
from characterbox.store.tables import ReplyRow, now, table_of

REPLY = table_of(ReplyRow)


def by_rehearsal() -> ColumnElement[bool]:
    """Picks the replies that the rehearsal gave, be it at an address of its own."""
    return (REPLY.c.url == REHEARSAL) | REPLY.c.model.in_(REHEARSAL_MODELS)


def by_readers(path: ColumnElement[str]) -> ColumnElement[bool]:
    """Picks the paths of what judges and second narrators were asked."""
    return path.startswith(JUDGES) | path.startswith(CHECKS)


_AS_THEY_ARE = ("path", "take", "author", "finish_reason", "origin", "memory")
_OF_USAGE = ("attempts", "latency", "prompt_tokens", "completion_tokens", "cached_tokens", "price")


class ReplySink:
    """Stores replies, each with the id of the story or crafting that it belongs to.

    What no database stores of a text becomes U+FFFD.
    """

    def __init__(self, dialect: str, table: Table = REPLY, owner: str = "story_id") -> None:
        self._prompts = PromptSink(dialect)
        self._insert = insert(table)
        self._owner = owner

    def write(self, connection: Connection, many: Sequence[tuple[str, Reply]]) -> None:
        """Store them all."""
        prompts = self._prompts.store(connection, [reply.messages for _, reply in many])
        rows = [
            {self._owner: id, **_row(reply), "prompt": prompt}
            for (id, reply), prompt in zip(many, prompts, strict=True)
        ]
        connection.execute(self._insert, rows)

    def committed(self) -> None:
        """The replies stored last are in the database."""
        self._prompts.committed()


def read_replies(connection: Connection, query: Select[Any]) -> list[Reply]:
    """The replies whose rows a query gives, in its order."""
    rows = connection.execute(query).all()
    prompts = read_prompts(connection, [row.prompt for row in rows])
    return [_reply(row, messages) for row, messages in zip(rows, prompts, strict=True)]


def read_without_prompts(connection: Connection, query: Select[Any]) -> list[Reply]:
    """The same replies without their messages, which take longest: most of a prompt is long, and lies elsewhere."""
    return [_reply(row, ()) for row in connection.execute(query)]


def replies_of(story: str) -> Select[Any]:
    """The rows of a story's replies in the order in which they came, the takes of a path in order."""
    return select(REPLY).where(REPLY.c.story_id == story).order_by(REPLY.c.created_at, REPLY.c.path, REPLY.c.take)


def _row(reply: Reply) -> dict[str, Any]:
    return {
        **{name: getattr(reply, name) for name in _AS_THEY_ARE},
        **{name: getattr(reply.usage, name) for name in _OF_USAGE},
        "text": storable(reply.text),
        "digest": bytes.fromhex(reply.digest),
        "url": reply.endpoint.url,
        "model": reply.endpoint.model,
        "troubles": list(reply.usage.troubles) or None,
        "dropped": list(reply.dropped) or None,
        "created_at": reply.came_at or now(),
    }


def _reply(row: Row[Any], messages: tuple[ChatMessage, ...]) -> Reply:
    return Reply(
        **{name: getattr(row, name) for name in _AS_THEY_ARE},
        text=row.text,
        digest=bytes(row.digest).hex(),
        messages=messages,
        endpoint=Endpoint(url=row.url, model=row.model),
        usage=Usage(troubles=tuple(row.troubles or ()), **{name: getattr(row, name) for name in _OF_USAGE}),
        dropped=tuple(row.dropped or ()),
        came_at=row.created_at,
    )
