"""Failures to sign in, as they go into the log: told of soon, but so few entries that a flood of them fills no disk."""

import threading
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from sqlalchemy import Connection

from characterbox.accounts.account import NOBODY, Account
from characterbox.accounts.origin_address import coming_from, origin_address
from characterbox.store.audit import record
from characterbox.store.tables import now
from characterbox.store.writer import Writer

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
