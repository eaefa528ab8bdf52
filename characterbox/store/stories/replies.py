"""Replies as rows, and their messages, of which every line is stored once.

Prompts of a story repeat each other nearly word for word. Each different line is stored once, under a number; a prompt
is the list of its numbers, written as runs of numbers that follow each other.
"""

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeVar

from sqlalchemy import ColumnElement, Connection, Row, Select, Table, Text, bindparam, cast, insert, or_, select, text

from characterbox.llm.endpoint import HANDWRITTEN, REHEARSAL, REHEARSAL_MODELS, Endpoint
from characterbox.llm.journal import Author, Reply
from characterbox.llm.packed_numbers import folded, packed, unfolded, unpacked
from characterbox.llm.replies.reading import storable
from characterbox.llm.request import ChatMessage
from characterbox.llm.usage import Usage
from characterbox.play.paths import READERS
from characterbox.store.tables.columns import insert_into, now, table_of
from characterbox.store.tables.stories import PartRow, ReplyRow

Role = Literal["system", "user", "assistant"]

_ROLES: tuple[Role, ...] = ("system", "user", "assistant")
"""A role is stored as its place in this list; a new one goes to its end."""
_LINE = re.compile(r"\n*[^\n]+|\n+")
"""A line with all line ends before it: so the last line of a prompt is the same part once another one follows."""

Numbered = Sequence[tuple[Role, Sequence[int]]]
"""Messages: the role of each, and the numbers of its parts."""


def parts_of(text: str) -> list[str]:
    """The parts of a text; joined, they are the text."""
    return _LINE.findall(text)


def pack(messages: Numbered) -> bytes:
    """The messages in a few bytes.

    For each its role, how many runs it has, and for each run how far its first number is from where the run before
    ended, and its length.
    """
    values: list[int] = []
    expected = 0
    for role, numbers in messages:
        runs = list(_runs(numbers))
        values += _ROLES.index(role), len(runs)
        for first, length in runs:
            values += folded(first - expected), length
            expected = first + length
    return packed(values)


def unpack(raw: bytes) -> list[tuple[Role, list[int]]]:
    """The messages that were packed."""
    messages: list[tuple[Role, list[int]]] = []
    values = unpacked(raw)
    expected = 0
    for role in values:
        numbers: list[int] = []
        for _ in range(next(values)):
            step, length = next(values), next(values)
            first = expected + unfolded(step)
            expected = first + length
            numbers.extend(range(first, expected))
        messages.append((_ROLES[role], numbers))
    return messages


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The first number and the length of each run of numbers that follow each other."""
    if not numbers:
        return
    first = last = numbers[0]
    for number in numbers[1:]:
        if number != last + 1:
            yield first, last - first + 1
            first = number
        last = number
    yield first, last - first + 1


T = TypeVar("T")

_PART = table_of(PartRow)
_CHUNK = 1000
"""How many lines are looked for with one query."""
REMEMBERED = 50_000
"""How many lines a process knows the numbers of, without their text: about 10 MB."""
_PARTS_LOCK = 7243
"""Of several processes that store parts, one at a time does: in different orders they would wait for each other."""


class PromptSink:
    """Stores messages; it belongs to the thread that writes.

    Remembers the numbers of lines that are surely in the database; what is not committed is never remembered. Without,
    a call in a story of 20 rounds takes half a millisecond more, and all its lines go to the database again.
    """

    def __init__(self, dialect: str, remembered: int = REMEMBERED) -> None:
        self._dialect = dialect
        self._remembered = remembered
        self._insert = insert_into(_PART, dialect).on_conflict_do_nothing(index_elements=["digest"])
        self._known: dict[bytes, int] = {}
        self._fresh: dict[bytes, int] = {}

    def store(self, connection: Connection, prompts: Iterable[Sequence[ChatMessage]]) -> list[bytes]:
        """Store what is new of these prompts, and give each in its short form."""
        lines: dict[bytes, str] = {}
        digested = [
            [(message.role, _digests(message.content, self._known, lines)) for message in messages]
            for messages in prompts
        ]
        self._fresh = self._numbers(connection, lines)
        known, fresh = self._known, self._fresh
        return [
            pack([(role, [known.get(digest) or fresh[digest] for digest in digests]) for role, digests in messages])
            for messages in digested
        ]

    def committed(self) -> None:
        """What was stored last is in the database."""
        self._known |= self._fresh
        self._fresh = {}
        for digest in list(islice(self._known, max(0, len(self._known) - self._remembered))):
            del self._known[digest]

    def _numbers(self, connection: Connection, lines: Mapping[bytes, str]) -> dict[bytes, int]:
        """The numbers of these lines, which are stored where they are not yet."""
        if not lines:
            return {}
        if self._dialect == "postgresql":
            connection.execute(text("select pg_advisory_xact_lock(:number)"), {"number": _PARTS_LOCK})
        connection.execute(self._insert, [{"digest": digest, "text": line} for digest, line in lines.items()])
        numbers: dict[bytes, int] = {}
        for digests in _chunks(lines):
            for row in connection.execute(_NUMBERS_OF, {"digests": digests}):
                numbers[bytes(row.digest)] = row.id
        return numbers


_NUMBERS_OF = select(_PART.c.digest, _PART.c.id).where(_PART.c.digest.in_(bindparam("digests", expanding=True)))


def _digests(content: str, known: Collection[bytes], unknown: dict[bytes, str]) -> list[bytes]:
    """The digests of a text's parts; a part that is not known goes among the unknown ones."""
    digests = []
    for part in parts_of(content):
        digest = hashlib.sha256(part.encode()).digest()[:16]
        if digest not in known:
            unknown[digest] = part
        digests.append(digest)
    return digests


def read_prompts(connection: Connection, packed: Iterable[bytes]) -> list[tuple[ChatMessage, ...]]:
    """The messages of each prompt, as they were stored."""
    prompts = [unpack(bytes(prompt)) for prompt in packed]
    wanted = {number for messages in prompts for _, numbers in messages for number in numbers}
    texts: dict[int, str] = {}
    for numbers in _chunks(sorted(wanted)):
        rows = connection.execute(select(_PART.c.id, _PART.c.text).where(_PART.c.id.in_(numbers)))
        texts.update(tuple(row) for row in rows)
    return [tuple(_message(role, numbers, texts) for role, numbers in messages) for messages in prompts]


def _message(role: Role, numbers: Iterable[int], texts: Mapping[int, str]) -> ChatMessage:
    return ChatMessage(role, "".join(texts[number] for number in numbers))


def _chunks(things: Iterable[T]) -> Iterator[list[T]]:
    iterator = iter(things)
    while chunk := list(islice(iterator, _CHUNK)):
        yield chunk


REPLY = table_of(ReplyRow)


def by_rehearsal() -> ColumnElement[bool]:
    """Picks the replies that the rehearsal gave, be it at an address of its own."""
    return (REPLY.c.url == REHEARSAL) | REPLY.c.model.in_(REHEARSAL_MODELS)


def without_model(samples: Collection[str]) -> ColumnElement[bool]:
    """Picks the replies of stories that no language model gave, or that were taken over from one of these samples."""
    of_story = REPLY.c.path.startswith("r")
    given = (REPLY.c.author == "model") & (by_rehearsal() | (REPLY.c.url == HANDWRITTEN))
    return of_story & (given | REPLY.c.origin.in_(samples))


def by_readers(path: ColumnElement[str]) -> ColumnElement[bool]:
    """Picks the paths of what judges, second narrators and models that rewrite their parts were asked."""
    return or_(*map(path.startswith, READERS))


_AS_THEY_ARE = ("path", "take", "author", "finish_reason", "origin", "memory", "person")
_OF_USAGE = ("attempts", "latency", "prompt_tokens", "completion_tokens", "cached_tokens", "price")
_MEMORIES, _OPTIONS = "memories", "options"
"""What was left out of a request, where it is more than memories, which alone are a list."""


class ReplyMark(NamedTuple):
    """What is told of a reply without its text."""

    path: str
    take: int
    author: Author
    person: str | None
    """The account that wrote it; None for models, and where that is not known."""
    url: str
    model: str
    origin: str | None
    """The story that it was taken over from."""
    came_at: datetime


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


def read_marks(connection: Connection, story: str, under: str) -> list[ReplyMark]:
    """What is told of the replies of a story whose paths begin with `under`, the takes of a path in order."""
    columns = [REPLY.c.created_at if name == "came_at" else REPLY.c[name] for name in ReplyMark._fields]
    where = (REPLY.c.story_id == story) & REPLY.c.path.startswith(under, autoescape=True)
    rows = connection.execute(select(*columns).where(where).order_by(REPLY.c.created_at, REPLY.c.path, REPLY.c.take))
    return [ReplyMark(*row) for row in rows]


def _row(reply: Reply) -> dict[str, Any]:
    return {
        **{name: getattr(reply, name) for name in _AS_THEY_ARE},
        **{name: getattr(reply.usage, name) for name in _OF_USAGE},
        "text": storable(reply.text),
        "digest": bytes.fromhex(reply.digest),
        "url": reply.endpoint.url,
        "model": reply.endpoint.model,
        "troubles": list(reply.usage.troubles) or None,
        "dropped": _left_out(reply),
        "created_at": reply.came_at or now(),
    }


def _left_out(reply: Reply) -> list[str] | dict[str, list[str]] | None:
    """The memories and options that a request was sent without; nearly always None."""
    memories, options = [*reply.dropped], [*reply.usage.refused]
    return {_MEMORIES: memories, _OPTIONS: options} if options else memories or None


def options_in(left_out: Any) -> tuple[str, ...]:
    """The options in what a reply has `dropped`."""
    return tuple(left_out[_OPTIONS]) if isinstance(left_out, dict) else ()


def refused_options(connection: Connection, where: ColumnElement[bool]) -> dict[str, tuple[str, ...]]:
    """The options that models were asked without, as they do not take them, by model, in the replies that are picked.

    Told by the replies that stand where the models were asked, and by those that were taken over.
    """
    with_options = cast(REPLY.c.dropped, Text).startswith("{")
    found: dict[str, dict[str, None]] = {}
    for model, left_out in connection.execute(select(REPLY.c.model, REPLY.c.dropped).where(where, with_options)):
        found.setdefault(model, {}).update(dict.fromkeys(options_in(left_out)))
    return {model: tuple(options) for model, options in sorted(found.items())}


def _reply(row: Row[Any], messages: tuple[ChatMessage, ...]) -> Reply:
    left_out = row.dropped or ()
    return Reply(
        **{name: getattr(row, name) for name in _AS_THEY_ARE},
        text=row.text,
        digest=bytes(row.digest).hex(),
        messages=messages,
        endpoint=Endpoint(url=row.url, model=row.model),
        usage=Usage(
            troubles=tuple(row.troubles or ()),
            refused=options_in(left_out),
            **{name: getattr(row, name) for name in _OF_USAGE},
        ),
        dropped=tuple(left_out[_MEMORIES] if isinstance(left_out, dict) else left_out),
        came_at=row.created_at,
    )
