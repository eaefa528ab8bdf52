"""Failures to sign in: how often, kept across restarts, and a few entries of them in the log."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from sqlalchemy import Connection, Engine, delete, select, update

from characterbox.accounts.account import NOBODY, Account
from characterbox.accounts.login_throttle import FORGOTTEN, coming_from, origin_address, wait_for
from characterbox.store.accounts.audit_log import record
from characterbox.store.tables.accounts import ThrottleRow
from characterbox.store.tables.columns import insert_into, now, table_of
from characterbox.store.writer import Writer, in_turn

_THROTTLE = table_of(ThrottleRow)


@dataclass(frozen=True, slots=True)
class Failures:
    """How often signing in has failed under one key, since it last went well."""

    key: str
    """Of a name, an address or a browser: see `login_throttle`."""
    count: int
    last: datetime


class ThrottleStore:
    """Lets people try to sign in, more and more slowly while they fail."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._dialect = engine.dialect.name
        self._writer = writer

    def attempt(self, *keys: str) -> timedelta:
        """Ask to try to sign in: how long to wait first; zero where one may try now.

        A try counts as failed from here on, so that of many at once no more go through than one after the other.
        """
        return self._writer.submit(in_turn(lambda connection: self._attempt(connection, keys))).result()

    def succeeded(self, own: str, *shared: str) -> None:
        """The try went well: the failures of the name or browser are forgiven, and this try is none of the address."""
        forgiving = delete(_THROTTLE).where(_THROTTLE.c.key == own)
        one_less = _THROTTLE.c.failures - 1
        taking_back = update(_THROTTLE).where(_THROTTLE.c.key.in_(shared), one_less >= 0).values(failures=one_less)

        def write(connection: Connection) -> None:
            connection.execute(forgiving)
            connection.execute(taking_back)

        self._writer.submit(write).result()

    def failures(self) -> list[Failures]:
        """What is counted, of the last day, most failures first."""
        query = (
            select(_THROTTLE.c.key, _THROTTLE.c.failures, _THROTTLE.c.last_at)
            .where(_THROTTLE.c.last_at >= now() - FORGOTTEN, _THROTTLE.c.failures > 0)
            .order_by(_THROTTLE.c.failures.desc(), _THROTTLE.c.key)
        )
        with self._engine.connect() as connection:
            return [Failures(*row) for row in connection.execute(query)]

    def _attempt(self, connection: Connection, keys: Sequence[str]) -> timedelta:
        at = now()
        connection.execute(delete(_THROTTLE).where(_THROTTLE.c.last_at < at - FORGOTTEN))
        known = _known(connection, keys)
        wait = max((wait_for(key, *known[key], at) for key in known), default=timedelta(0))
        if not wait:
            for key in keys:
                values = {"failures": known[key][0] + 1 if key in known else 1, "last_at": at}
                adding = insert_into(_THROTTLE, self._dialect).values(key=key, **values)
                connection.execute(adding.on_conflict_do_update(index_elements=["key"], set_=values))
        return wait


def _known(connection: Connection, keys: Sequence[str]) -> dict[str, tuple[int, datetime]]:
    query = select(_THROTTLE.c.key, _THROTTLE.c.failures, _THROTTLE.c.last_at).where(_THROTTLE.c.key.in_(keys))
    return {key: (failures, last) for key, failures, last in connection.execute(query)}


EVERY = timedelta(minutes=1)
"""How long failures of one account from one address are counted before they make an entry again."""
MOST_COUNTED = 100
"""Of how many pairs of address and account failures are counted apart; those of more are counted together."""


class _Tried(NamedTuple):
    address: str | None
    account: str | None
    name: str | None


_OTHERS = _Tried(None, None, None)


@dataclass(slots=True)
class _Counted:
    told_at: datetime
    tries: int = 0
    """Since then, and not told of yet."""


class FailedSignIns:
    """Counts failures in this process, and logs them: the first at once, and then each minute those that came."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._lock = threading.Lock()
        self._counted: dict[_Tried, _Counted] = {}

    def failed(self, account: Account | None) -> None:
        """Somebody failed to sign in, as an account, or as nobody whom there is: what was typed is not kept.

        People type passwords where their name belongs.
        """
        known = (None, None) if account is None else (account.id, account.name)
        self._tell(self._count(_Tried(origin_address(), *known), now()))

    def flush(self) -> None:
        """Log what was counted and not told of yet."""
        with self._lock:
            left = [(tried, counted.tries) for tried, counted in self._counted.items() if counted.tries]
            self._counted.clear()
        self._tell(left)

    def _count(self, tried: _Tried, at: datetime) -> list[tuple[_Tried, int]]:
        """Count a failure; gives what is to be told of now: it, or others that were counted for a minute."""
        with self._lock:
            if tried not in self._counted and len(self._counted) >= MOST_COUNTED:
                tried = _OTHERS
            first = tried not in self._counted
            counted = self._counted.setdefault(tried, _Counted(at))
            counted.tries += 1
            due = [one for one, kept in self._counted.items() if at - kept.told_at >= EVERY]
            told = [(one, self._counted[one].tries) for one in due if self._counted[one].tries]
            for one in due:
                if self._counted[one].tries:
                    self._counted[one] = _Counted(at)
                else:
                    del self._counted[one]
            if first:
                counted.tries = 0
                told.append((tried, 1))
            return told

    def _tell(self, told: list[tuple[_Tried, int]]) -> None:
        for tried, tries in told:
            with coming_from(tried.address):
                self._writer.submit(partial(_record, tried=tried, tries=tries)).result()


def _record(connection: Connection, tried: _Tried, tries: int) -> None:
    detail = {"tries": tries} if tried.name is None else {"name": tried.name, "tries": tries}
    record(connection, NOBODY, "sign-in.failed", tried.account or "", detail)
