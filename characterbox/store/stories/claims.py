"""Claims: who writes for a story, proved by a lock that ends with its process.

A lock tells whether the holder of a claim is alive. The lock can be lost unnoticed, as a session of PostgreSQL can be;
so each claim has a fence number, which grows whenever it is taken, and which every write under it checks.
"""

import fcntl
import hashlib
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Protocol

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from annotations.i18n.messages import Message, to_say
from characterbox.errors import PlayedElsewhere
from characterbox.store.tables.columns import insert_into, now, table_of
from characterbox.store.tables.stories import ClaimRow
from characterbox.store.writer import Claim, Writer


def lock_number(key: str) -> int:
    """The number under which a key is locked: 62 bits, above all that is locked under a number of its own."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8]) >> 2 | 1 << 62


class Locks(Protocol):
    """Locks by number. Who holds a number does not take it again."""

    def take(self, number: int) -> bool:
        """Take a lock, unless another process holds it; tells whether it was taken."""

    def release(self, number: int) -> None:
        """Release a lock that was taken."""

    def close(self) -> None:
        """Release all."""


def locks_beside(engine: Engine) -> Locks:
    """The locks that all processes on this database share."""
    return _SessionLocks(engine) if engine.dialect.name == "postgresql" else _FileLocks(engine)


class _FileLocks:
    """Locks on single bytes, by offset, of a file beside an SQLite database."""

    def __init__(self, engine: Engine) -> None:
        self._path = Path(f"{engine.url.database}.playing")

    @cached_property
    def _file(self) -> int:
        """Opened once: a process loses all its locks on a file when it closes any handle of it."""
        return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def take(self, number: int) -> bool:
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, number)
        except BlockingIOError:
            return False
        return True

    def release(self, number: int) -> None:
        fcntl.lockf(self._file, fcntl.LOCK_UN, 1, number)

    def close(self) -> None:
        if "_file" in self.__dict__:
            os.close(self._file)


class _SessionLocks:
    """Advisory locks of one session of PostgreSQL, which lasts as long as there are any.

    When the session is lost, its locks are too. The next one takes again what nobody else has taken meanwhile; what
    somebody has is theirs, and the fence of its claim keeps this process from writing.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._numbers: set[int] = set()
        self._session: Connection | None = None

    def take(self, number: int) -> bool:
        try:
            taken = self._try(number)
        except DBAPIError as error:
            if not error.connection_invalidated:
                raise
            self.close()
            taken = self._try(number)
        if taken:
            self._numbers.add(number)
        return taken

    def release(self, number: int) -> None:
        self._numbers.discard(number)
        if self._session is None:
            return
        try:
            self._session.execute(text("select pg_advisory_unlock(:number)"), {"number": number})
        except DBAPIError:  # the session is lost, and the lock with it
            self.close()

    def close(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None

    def _try(self, number: int) -> bool:
        if self._session is None:
            self._session = self._opened()
            for held in self._numbers:
                self._lock(self._session, held)
        return self._lock(self._session, number)

    def _opened(self) -> Connection:
        """A session of its own, outside of the pool, that no idle time ends."""
        session = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        session.detach()
        session.execute(
            text("select set_config(name, '0', false) from pg_settings where name = 'idle_session_timeout'")
        )
        return session

    @staticmethod
    def _lock(session: Connection, number: int) -> bool:
        return bool(session.scalar(text("select pg_try_advisory_lock(:number)"), {"number": number}))


_CLAIM = table_of(ClaimRow)
SWEEP, CRAFTING, SCENE = "sweep:", "crafting:", "scene:"
"""What the keys of sweeps, craftings and judged scenes begin with; that of a story does not have these words."""


_KINDS = {SWEEP: to_say("sweep {id}"), CRAFTING: to_say("scene generation {id}"), SCENE: to_say("scene {id}")}


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
                    "{what}: this process is already working on it; try again in a moment", what=_what(key)
                )
            if not (number in self._held.values() or self._locks.take(number)):
                raise PlayedElsewhere(
                    "{what}: another process is working on it; let it finish, or stop it first", what=_what(key)
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
