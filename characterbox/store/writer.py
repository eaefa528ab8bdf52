"""One thread that writes for all, one after the other, whichever process it is."""

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from sqlalchemy import Connection, Engine, Table, bindparam, insert, select
from sqlalchemy.exc import OperationalError

from characterbox.accounts.login_throttle import coming_from, origin_address
from characterbox.errors import StoreError, Superseded
from characterbox.store.tables.columns import table_of
from characterbox.store.tables.stories import ClaimRow

T = TypeVar("T")
_LOCK = "SELECT pg_advisory_xact_lock(7243)"


def in_turn(write: Callable[[Connection], T]) -> Callable[[Connection], T]:
    """The write, such that no other one in turn is under way from its beginning to the end of its transaction.

    So what it has looked at stays as it was until it is committed, and rows are numbered in the order of their commits:
    whoever has read one has read all with lower numbers. On SQLite only one transaction writes at a time anyway.
    """

    def waiting(connection: Connection) -> T:
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql(_LOCK)
        return write(connection)

    return waiting


T_contra = TypeVar("T_contra", contravariant=True)

MAX_GROUP = 256
"""How many writes go into one commit at most."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to write on behalf of a story, or of a judge; it is lost to whoever takes it next."""

    key: str
    fence: int
    """How many times it was taken so far. A write with a number that is no longer the newest one is refused."""


class Sink(Protocol[T_contra]):
    """Takes things of one kind, many at once where many are there."""

    def write(self, connection: Connection, many: Sequence[T_contra]) -> None:
        """Write them all, in order."""

    def committed(self) -> None:
        """What was written last has been committed."""


class Rows:
    """The sink of a table."""

    def __init__(self, table: Table) -> None:
        self._insert = insert(table)

    def write(self, connection: Connection, many: Sequence[Mapping[str, Any]]) -> None:
        """Insert them all, in order."""
        connection.execute(self._insert, many)

    def committed(self) -> None:
        """Nothing is remembered of them."""


@dataclass(slots=True, eq=False)
class _Write:
    """A thing for a sink, or else what to do on the connection."""

    sink: Sink[Any] | None
    what: Any
    claim: Claim | None
    lingers: bool = False
    future: "Future[Any]" = field(default_factory=Future)
    result: Any = None

    def settle(self, error: Exception | None) -> None:
        """Tell the one who waits, unless nobody does any more."""
        if self.future.set_running_or_notify_cancel():
            if error is None:
                self.future.set_result(self.result)
            else:
                self.future.set_exception(error)


class Writer:
    """Commits writes in groups. A write is done, and safe from a crash, when its future is.

    A future fails with whatever the write or its commit raises: StoreError when the database cannot be written to, and
    Superseded when its claim is no longer the newest on its key. The check is made in the transaction of the write, and
    keeps others from taking the claim until that ends.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._queue: deque[_Write] = deque()
        self._wake = threading.Condition()
        """Guards the queue and the two below."""
        self._hurry = False
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    def submit(self, write: Callable[[Connection], T], claim: Claim | None = None) -> "Future[T]":
        """Queue a write that does as it likes with the connection; its future has what it returns.

        What it logs comes from the address of whoever queues it.
        Raises StoreError once the writer is closed.
        """
        address = origin_address()

        def said(connection: Connection) -> T:
            with coming_from(address):
                return write(connection)

        return self._queued(_Write(None, said, claim))

    def put(self, sink: Sink[T], thing: T, claim: Claim | None = None, *, lingers: bool = False) -> "Future[None]":
        """Queue a thing for a sink; things put one after the other may be written in another order of sinks.

        What `lingers` is committed with the next write that does not, or when there is some `hurry`. No write is
        committed before one that was queued earlier. Raises StoreError once the writer is closed.
        """
        return self._queued(_Write(sink, thing, claim, lingers))

    def hurry(self) -> None:
        """Commit what lingers."""
        with self._wake:
            self._hurry = True
            self._wake.notify()

    def close(self) -> None:
        """Finish all that was submitted, and stop."""
        with self._wake:
            self._closed = True
            self._wake.notify()
        self._thread.join()

    def _queued(self, write: _Write) -> "Future[Any]":
        with self._wake:
            if self._closed:
                raise StoreError("the database is closed; nothing more can be written")
            self._queue.append(write)
            if not write.lingers:
                self._hurry = True
                self._wake.notify()
        return write.future

    def _run(self) -> None:
        while group := self._group():
            self._commit(group)

    def _group(self) -> Sequence[_Write]:
        """What is committed next; nothing once the writer is closed and all is done."""
        with self._wake:
            self._wake.wait_for(lambda: self._closed or (self._hurry and self._queue))
            group = [self._queue.popleft() for _ in range(min(MAX_GROUP, len(self._queue)))]
            self._hurry = bool(self._queue)
            return group

    def _commit(self, group: Sequence[_Write]) -> None:
        """Commit a group; if that fails, its halves, so that what fails fails alone."""
        try:
            superseded, sinks = self._transact(group)
        except Exception as error:
            if _is_hopeless(error):
                for write in group:
                    write.settle(StoreError("the database cannot be written to: {reason}", reason=_reason(error)))
            elif len(group) == 1:
                group[0].settle(error)
            else:
                middle = len(group) // 2
                self._commit(group[:middle])
                self._commit(group[middle:])
            return
        for sink in sinks:
            sink.committed()
        for write in group:
            lost = write.claim in superseded
            write.settle(_superseded(write.claim) if write.claim is not None and lost else None)

    def _transact(self, group: Sequence[_Write]) -> tuple[set[Claim], set[Sink[Any]]]:
        """Write the group in one transaction. Gives the claims that did not hold, and the sinks that were used."""
        with self._engine.begin() as connection:
            if connection.dialect.name == "sqlite":
                connection.exec_driver_sql("BEGIN IMMEDIATE")  # from here on nobody else writes
            superseded = _not_held(connection, {write.claim for write in group if write.claim is not None})
            used: set[Sink[Any]] = set()
            together: dict[Sink[Any], list[Any]] = {}
            for write in group:
                if write.claim in superseded:
                    continue
                if write.sink is not None:
                    together.setdefault(write.sink, []).append(write.what)
                else:
                    _pour(connection, together)
                    write.result = write.what(connection)
                used.update(together)
            _pour(connection, together)
        return superseded, used


def _pour(connection: Connection, together: dict[Sink[Any], list[Any]]) -> None:
    for sink, many in together.items():
        sink.write(connection, many)
    together.clear()


_CLAIM = table_of(ClaimRow)
_NEWEST = (
    select(_CLAIM.c.key, _CLAIM.c.fence)
    .where(_CLAIM.c.key.in_(bindparam("keys", expanding=True)))
    .with_for_update(read=True)
)


def _not_held(connection: Connection, claims: set[Claim]) -> set[Claim]:
    """The claims that others have taken since. The rest can't be taken before the transaction ends."""
    if not claims:
        return set()
    newest = connection.execute(_NEWEST, {"keys": [claim.key for claim in claims]})
    return claims - {Claim(key, fence) for key, fence in newest}


def _superseded(claim: Claim) -> Superseded:
    return Superseded(f"{claim.key}: another process has taken over; nothing more is written here")


def _is_hopeless(error: Exception) -> bool:
    """Whether the database, and not a write, is at fault; a deadlock is (SQLSTATE class 40) no such fault."""
    state = getattr(getattr(error, "orig", None), "sqlstate", None) or ""
    return isinstance(error, OperationalError) and not state.startswith("40")


def _reason(error: Exception) -> str:
    return str(getattr(error, "orig", error)).splitlines()[0]
