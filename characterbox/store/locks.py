"""Locks that end with the process that holds them: the proof that whoever holds a claim is alive."""

import fcntl
import hashlib
import os
from functools import cached_property
from pathlib import Path
from typing import Protocol

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError


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
