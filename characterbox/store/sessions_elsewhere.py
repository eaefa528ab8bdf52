"""Sessions of those who sign in elsewhere (OpenID Connect): none is kept here, but the log tells when one began."""

import threading

from sqlalchemy import Connection, select

from characterbox.accounts.account import Account
from characterbox.store.account_tables import AuditRow
from characterbox.store.audit import record
from characterbox.store.tables import table_of
from characterbox.store.turns import in_turn
from characterbox.store.writer import Writer

_AUDIT = table_of(AuditRow)
_MOST_SEEN = 10_000
"""How many sessions are remembered at once."""
_LOOKED_BACK = 100
"""In how many of the newest sessions of an account one is looked for."""


class SessionsElsewhere:
    """Logs the first request of each session, which is known by when the provider vouched for the person."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._lock = threading.Lock()
        self._seen: set[tuple[str, int | None]] = set()

    def seen(self, account: Account, issued: object) -> None:
        """Somebody comes whom a provider vouched for at a time, in seconds (`iat`).

        It is logged unless the log has it; without such a time, once in each process.
        """
        session = str(account.id), issued if isinstance(issued, int) else None
        with self._lock:
            if session in self._seen:
                return
            if len(self._seen) >= _MOST_SEEN:
                self._seen.clear()
            self._seen.add(session)
        self._writer.submit(in_turn(lambda connection: _log(connection, account, session[1]))).result()


def _log(connection: Connection, account: Account, issued: int | None) -> None:
    id = str(account.id)
    started = select(_AUDIT.c.detail).where(_AUDIT.c.actor == id, _AUDIT.c.action == "session.started")
    newest = connection.scalars(started.order_by(_AUDIT.c.id.desc()).limit(_LOOKED_BACK))
    if issued is None or not any(detail.get("vouched_at") == issued for detail in newest):
        detail = {"name": account.name, "by": "oidc", **({} if issued is None else {"vouched_at": issued})}
        record(connection, account, "session.started", id, detail)
