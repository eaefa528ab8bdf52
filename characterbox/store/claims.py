"""Claims: who plays a story. A process that ends, however it ends, holds no claim any more."""

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from sqlalchemy import Connection, Engine, text

from characterbox.errors import StoryError


class Claims:
    """The claims of this process: locks on a file beside an SQLite database, advisory locks in PostgreSQL."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._held: set[str] = set()

    @contextmanager
    def on(self, story: str) -> Iterator[None]:
        """Hold the claim on a story. Raises StoryError if another process, or another part of this one, holds it."""
        with self._lock:
            if story in self._held or not self._take(int(story, 16)):
                raise StoryError(f"story {story}: another process is playing it; watch it, or end that one first")
            self._held.add(story)
        try:
            yield
        finally:
            with self._lock:
                self._held.discard(story)
                self._release(int(story, 16))

    def close(self) -> None:
        """Give up all claims."""
        with self._lock:
            if "_file" in self.__dict__:
                os.close(self._file)
            if "_session" in self.__dict__:
                self._session.close()

    @cached_property
    def _file(self) -> int:
        """Opened once: a process loses all its locks on a file when it closes any handle of it."""
        path = Path(f"{self._engine.url.database}.playing")
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    @cached_property
    def _session(self) -> Connection:
        return self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")

    def _take(self, number: int) -> bool:
        if self._engine.dialect.name == "postgresql":
            return bool(self._session.scalar(text("select pg_try_advisory_lock(:number)"), {"number": number}))
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, number)
        except BlockingIOError:
            return False
        return True

    def _release(self, number: int) -> None:
        if self._engine.dialect.name == "postgresql":
            self._session.execute(text("select pg_advisory_unlock(:number)"), {"number": number})
        else:
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, number)
