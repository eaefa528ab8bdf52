"""The messages of replies, in the database: every line of them once."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeVar

from sqlalchemy import Connection, bindparam, select, text

from characterbox.llm.request import ChatMessage
from characterbox.store.parts import Role, pack, parts_of, unpack
from characterbox.store.tables import PartRow, insert_into, table_of

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

    Remembers the numbers of lines that are surely in the database; what is not committed is never remembered.
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
