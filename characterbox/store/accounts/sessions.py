"""Who is signed in, in which browser, and through which identity provider. The database has digests."""

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, Engine, insert, select, update

from characterbox.accounts.account import Account
from characterbox.accounts.credentials import digest, new_token, signed, unsigned
from characterbox.store.accounts.audit_log import record
from characterbox.store.tables.accounts import ACCOUNT, AuditRow, SecretRow, SessionRow, account_of, the_account
from characterbox.store.tables.columns import insert_into, now, table_of
from characterbox.store.writer import Writer, in_turn

LASTS = timedelta(days=30)
"""How long a session lasts after it was last extended."""
_EXTENDED_AFTER = timedelta(days=1)
_FRESH = 1.0
"""Seconds for which this process goes by what it has read; what other processes change shows after that."""
_MOST_READ = 10_000
"""How many sessions are remembered at once."""

_SESSION, _SECRET = table_of(SessionRow), table_of(SecretRow)


@dataclass(frozen=True, slots=True)
class Session:
    """A browser in which somebody is signed in."""

    token: str
    account: Account
    expires_at: datetime

    @property
    def is_to_be_extended(self) -> bool:
        """Whether it is time to make it last longer."""
        return self.expires_at - now() < LASTS - _EXTENDED_AFTER


class SessionStore:
    """Keeps sessions. Asking it at every request costs little."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer
        self._lock = threading.Lock()
        self._read: dict[str, tuple[float, Session | None]] = {}
        """What was read, and when, by the digest of the token."""
        self._changes = 0
        """Counts how often what was read was forgotten."""
        self._key: str | None = None

    def start(self, account: str, by: str) -> str:
        """Sign somebody in, who proved it by a password or a passkey; gives the value of the cookie."""
        token = new_token()
        self._writer.submit(lambda connection: start_session(connection, account, token, by)).result()
        self.forget()  # that there is none may have been read already
        return self.cookie(token)

    def find(self, cookie: str) -> Session | None:
        """The session that a cookie belongs to; None if it has ended, or the account is disabled."""
        token = unsigned(cookie, self.key())
        if token is None:
            return None
        name = digest(token)
        with self._lock:
            changes = self._changes
            read_at, session = self._read.get(name, (None, None))
        if read_at is None or time.monotonic() - read_at > _FRESH:
            read_at, session = time.monotonic(), self._find(token)
            self._remember(name, read_at, session, changes)
        return session if session is None or session.expires_at > now() else None

    def extend(self, session: Session) -> str:
        """Let a session last its full time from now on; gives the value of the cookie."""
        extending = (
            update(_SESSION).where(_SESSION.c.token_hash == digest(session.token)).values(expires_at=now() + LASTS)
        )
        self._changed(lambda connection: connection.execute(extending))
        return self.cookie(session.token)

    def end(self, session: Session) -> None:
        """Sign out."""
        ending = (
            update(_SESSION)
            .where(_SESSION.c.token_hash == digest(session.token), _SESSION.c.ended_at.is_(None))
            .values(ended_at=now())
        )

        def end(connection: Connection) -> None:
            if connection.execute(ending).rowcount:
                account = session.account
                record(connection, account, "session.ended", str(account.id), {"name": account.name})

        self._changed(end)

    def cookie(self, token: str) -> str:
        """The value of the cookie that carries a token."""
        return signed(token, self.key())

    def key(self) -> str:
        """The key that signs cookies. It is made when it is needed first, and stays the same."""
        if self._key is None:
            making = insert_into(_SECRET, self._engine.dialect.name).values(name="cookies", value=secrets.token_hex(32))
            self._writer.submit(lambda connection: connection.execute(making.on_conflict_do_nothing())).result()
            with self._engine.connect() as connection:
                self._key = connection.execute(select(_SECRET.c.value).where(_SECRET.c.name == "cookies")).scalar_one()
        return self._key

    def forget(self) -> None:
        """Go by nothing that was read before."""
        with self._lock:
            self._changes += 1
            self._read.clear()

    def _remember(self, name: str, read_at: float, session: Session | None, changes: int) -> None:
        """Remember what was read, unless something was changed meanwhile."""
        with self._lock:
            if len(self._read) >= _MOST_READ:
                self._read.clear()
            if changes == self._changes:
                self._read[name] = read_at, session

    def _changed(self, write: Callable[[Connection], object]) -> None:
        self._writer.submit(write).result()
        self.forget()

    def _find(self, token: str) -> Session | None:
        query = (
            select(ACCOUNT, _SESSION.c.expires_at)
            .join(_SESSION, _SESSION.c.account == ACCOUNT.c.id)
            .where(_SESSION.c.token_hash == digest(token), _SESSION.c.ended_at.is_(None))
            .where(ACCOUNT.c.disabled_at.is_(None))
        )
        with self._engine.connect() as connection:
            row = connection.execute(query).mappings().one_or_none()
        return None if row is None else Session(token, account_of(row), row["expires_at"])


def start_session(connection: Connection, account: str, token: str, by: str) -> None:
    """Sign somebody in, along with what else is written on the connection."""
    values = {"token_hash": digest(token), "account": account, "created_at": now(), "expires_at": now() + LASTS}
    connection.execute(insert(_SESSION), values)
    signed_in = the_account(connection, account)
    record(connection, signed_in, "session.started", account, {"name": signed_in.name, "by": by})


def end_sessions(connection: Connection, account: str, but: str | None = None) -> None:
    """End all sessions of an account, but perhaps that of one token."""
    ending = update(_SESSION).where(_SESSION.c.account == account, _SESSION.c.ended_at.is_(None))
    if but is not None:
        ending = ending.where(_SESSION.c.token_hash != digest(but))
    connection.execute(ending.values(ended_at=now()))


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
