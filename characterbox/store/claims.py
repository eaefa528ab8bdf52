"""Claims: who writes for a story. A process that ends, however it ends, holds no claim any more.

A lock tells whether the holder of a claim is alive. The lock can be lost unnoticed, as a session of PostgreSQL can be;
so each claim has a fence number, which grows whenever it is taken, and which every write under it checks.
"""

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine

from annotations.messages import Message
from annotations.wording import to_say
from characterbox.errors import PlayedElsewhere
from characterbox.store.locks import lock_number, locks_beside
from characterbox.store.tables import ClaimRow, insert_into, now, table_of
from characterbox.store.writer import Claim, Writer

_CLAIM = table_of(ClaimRow)
SWEEP, CRAFTING, SCENE = "sweep:", "crafting:", "scene:"
"""What the keys of sweeps, craftings and judged scenes begin with; that of a story does not have these words."""


_KINDS = {SWEEP: to_say("sweep {id}"), CRAFTING: to_say("crafting {id}"), SCENE: to_say("scene {id}")}


class Claims:
    """The claims of this process."""

    def __init__(self, engine: Engine, writer: Writer, number: Callable[[str], int] = lock_number) -> None:
        """`number` tells under which number a key is locked."""
        self._dialect = engine.dialect.name
        self._writer = writer
        self._number = number
        self._locks = locks_beside(engine)
        self._lock = threading.Lock()
        self._held: dict[str, int] = {}
        """The keys, each with its lock; two of them may share one, should their hashes agree."""

    @contextmanager
    def on(self, key: str) -> Iterator[Claim]:
        """Hold the claim on a key: a story's id, a path that begins with it, a sweep, a crafting, or a scene's judge.

        Raises PlayedElsewhere if another process, or another part of this one, holds it.
        """
        number = self._number(key)
        with self._lock:
            if key in self._held:
                raise PlayedElsewhere(
                    to_say("{what}: this process is at it already; look again in a moment"), what=_what(key)
                )
            if not (number in self._held.values() or self._locks.take(number)):
                raise PlayedElsewhere(
                    to_say("{what}: another process is at it; let it finish, or end it first"), what=_what(key)
                )
            self._held[key] = number
        try:
            yield Claim(key, self._writer.submit(lambda connection: self._next_fence(connection, key)).result())
        finally:
            with self._lock:
                del self._held[key]
                if number not in self._held.values():
                    self._locks.release(number)

    def free(self, key: str) -> bool:
        """Whether nobody is at a key now. For that its lock is taken for a moment."""
        number = self._number(key)
        with self._lock:
            if key in self._held:
                return False
            if number not in self._held.values():
                if not self._locks.take(number):
                    return False
                self._locks.release(number)
            return True

    def close(self) -> None:
        """Give up all claims."""
        with self._lock:
            self._locks.close()

    def _next_fence(self, connection: Connection, key: str) -> int:
        values = {"fence": 1, "holder": f"{socket.gethostname()}:{os.getpid()}", "taken_at": now()}
        taking = insert_into(_CLAIM, self._dialect).values(key=key, **values)
        again = taking.on_conflict_do_update(index_elements=["key"], set_={**values, "fence": _CLAIM.c.fence + 1})
        fence: int = connection.execute(again.returning(_CLAIM.c.fence)).scalar_one()
        return fence


def _what(key: str) -> Message:
    for kind, message in _KINDS.items():
        if key.startswith(kind):
            return Message(message, id=key.removeprefix(kind))
    story, _, part = key.partition("/")
    return Message("story {id}, {part}", id=story, part=part) if part else Message("story {id}", id=story)
