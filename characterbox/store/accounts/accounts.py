"""Accounts: who there is, and every change of it, each with its entry in the log."""

import secrets
from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, insert, select, update
from sqlalchemy.exc import IntegrityError

from characterbox.accounts.account import LOCAL, Account, Role, account_name, account_role, email_address, name_key
from characterbox.accounts.credentials import new_token
from characterbox.accounts.permissions import may
from characterbox.errors import AccountError
from characterbox.store.accounts.audit_log import record
from characterbox.store.accounts.invitations import use_invitation, use_up_invitations
from characterbox.store.accounts.passkeys import remove_passkeys
from characterbox.store.accounts.sessions import Session, SessionStore, end_sessions, start_session
from characterbox.store.tables.accounts import ACCOUNT, account_of, find_account, the_account
from characterbox.store.tables.columns import now
from characterbox.store.writer import Writer, in_turn

T = TypeVar("T")


class AccountStore:
    """Keeps accounts. They are disabled and never removed, as what they did stays."""

    def __init__(self, engine: Engine, writer: Writer, sessions: SessionStore) -> None:
        self._engine = engine
        self._writer = writer
        self._sessions = sessions

    def all(self) -> list[Account]:
        """All accounts, by name."""
        with self._engine.connect() as connection:
            rows = connection.execute(select(ACCOUNT).order_by(ACCOUNT.c.key)).mappings().all()
        return [account_of(row) for row in rows]

    def find(self, id: str) -> Account:
        """The account with this id. Raises AccountError if there is none."""
        with self._engine.connect() as connection:
            return the_account(connection, id)

    def named(self, name: str) -> Account | None:
        """The account of this name, in whatever case it is written. Raises AccountError for what can be no name."""
        key = name_key(account_name(name))
        with self._engine.connect() as connection:
            return find_account(connection, ACCOUNT.c.key == key)

    def is_empty(self) -> bool:
        """Whether there is no account at all."""
        with self._engine.connect() as connection:
            return connection.execute(select(ACCOUNT.c.id).limit(1)).first() is None

    def add(self, actor: Account, name: str, role: Role, email: str | None = None) -> Account:
        """Make an account for somebody. Raises AccountError if name, role or e-mail cannot be used, or are taken."""
        name, role = account_name(name), account_role(role)
        email = None if email is None else email_address(email)
        return self._do(lambda connection: _add(connection, actor, name, role, email))

    def expert_named(self, name: str) -> Account:
        """The account under which somebody rates in an app without accounts; it is made if there is none.

        Raises AccountError if the name cannot be used, or its account may not rate.
        """
        account = self.named(name) or self._do(lambda connection: _expert(connection, account_name(name)))
        if not may(account, "rate"):
            raise AccountError("{name} is not allowed to rate; use another name", name=account.name)
        return account

    def change_role(self, actor: Account, id: str, role: Role) -> None:
        """Let somebody do other things than before.

        Raises AccountError for what is no role, and if nobody would be left to administer.
        """
        role = account_role(role)

        def change(connection: Connection) -> None:
            account = the_account(connection, id)
            if account.role == role:
                return
            if role != "admin":
                _check_not_last(connection, account)
            _set(connection, id, role=role)
            record(connection, actor, "account.role", id, {"name": account.name, "from": account.role, "to": role})

        self._do(change)

    def disable(self, actor: Account, id: str) -> None:
        """Let somebody in no more, and end all their sessions. Raises AccountError as `change_role` does."""

        def disable(connection: Connection) -> None:
            account = the_account(connection, id)
            if account.disabled_at is None:
                _check_not_last(connection, account)
                _set(connection, id, disabled_at=now())
                end_sessions(connection, id)
                use_up_invitations(connection, id)
                record(connection, actor, "account.disable", id, {"name": account.name})

        self._do(disable)

    def enable(self, actor: Account, id: str) -> None:
        """Let somebody in again."""

        def enable(connection: Connection) -> None:
            account = the_account(connection, id)
            if account.disabled_at is not None:
                _set(connection, id, disabled_at=None)
                record(connection, actor, "account.enable", id, {"name": account.name})

        self._do(enable)

    def lend_writing(self, actor: Account, lends: bool) -> None:
        """Say whether models may be trained on what the one who acts writes in stories; nobody else can say so.

        Raises AccountError for one who has no account.
        """

        def lend(connection: Connection) -> None:
            account = the_account(connection, str(actor.id))
            if account.lends_writing != lends:
                _set(connection, str(account.id), lends_writing=lends)
                detail = {"name": account.name, "lends": "yes" if lends else "no"}
                record(connection, account, "account.writing", str(account.id), detail)

        self._do(lend)

    def lenders(self) -> frozenset[str]:
        """The ids of those on whose writing models may be trained: also of those who are let in no more."""
        with self._engine.connect() as connection:
            return frozenset(connection.scalars(select(ACCOUNT.c.id).where(ACCOUNT.c.lends_writing)))

    def password_of(self, name: str) -> tuple[Account, str | None] | None:
        """The account of this name and the hash of its password; None if there is no such account."""
        try:
            key = name_key(account_name(name))
        except AccountError:  # it is nobody's
            return None
        with self._engine.connect() as connection:
            row = connection.execute(select(ACCOUNT).where(ACCOUNT.c.key == key)).mappings().first()
        return None if row is None else (account_of(row), row["password"])

    def change_password(self, session: Session, password: str) -> None:
        """Keep another hash for the one who is signed in; all other sessions end."""
        account = session.account

        def change(connection: Connection) -> None:
            _set(connection, str(account.id), password=password)
            end_sessions(connection, str(account.id), but=session.token)
            record(connection, account, "account.password", str(account.id), {"name": account.name})

        self._do(change)

    def accept(self, invitation: str, password: str) -> str:
        """Use an invitation to set a password; signs in, and gives the value of the cookie.

        Sessions from before end, and passkeys are removed: somebody else may have added them.

        Raises AccountError if the invitation is unknown, used or expired.
        """
        token = new_token()

        def accept(connection: Connection) -> None:
            account = use_invitation(connection, invitation)
            _set(connection, str(account.id), password=password)
            end_sessions(connection, str(account.id))
            remove_passkeys(connection, str(account.id))
            record(connection, account, "invitation.use", str(account.id), {"name": account.name})
            start_session(connection, str(account.id), token, "invitation")

        self._do(accept)
        return self._sessions.cookie(token)

    def signed_in_elsewhere(self, issuer: str, subject: str, email: str | None) -> Account | None:
        """The account of somebody whom an OpenID provider vouches for; `email` is None unless it is verified.

        It is bound to the provider's subject the first time. None if the person was not invited, or is disabled.
        """
        here = (ACCOUNT.c.issuer == issuer) & (ACCOUNT.c.subject == subject)
        with self._engine.connect() as connection:
            account = find_account(connection, here)
            invited = None if account or email is None else _invited(connection, email)
        if invited is not None:
            account = self._do(lambda connection: _bind(connection, issuer, subject, str(invited.email)))
        return account if account is not None and account.disabled_at is None else None

    def _do(self, write: Callable[[Connection], T]) -> T:
        """Write, and have every request look at sessions anew."""
        try:
            return self._writer.submit(in_turn(write)).result()
        except IntegrityError:
            raise AccountError("this name or e-mail address has just been taken; check the list of accounts") from None
        finally:
            self._sessions.forget()


def _add(connection: Connection, actor: Account, name: str, role: Role, email: str | None) -> Account:
    if find_account(connection, ACCOUNT.c.key == name_key(name)) is not None:
        raise AccountError("there is already an account named {name}; use another name", name=name)
    if email is not None and find_account(connection, ACCOUNT.c.email == email) is not None:
        raise AccountError("there is already an account with the e-mail address {email}; use another one", email=email)
    account = Account(id=secrets.token_hex(6), name=name, role=role, email=email, created_at=now())
    row = account.model_dump(include={"id", "name", "role", "email", "created_at"})
    connection.execute(insert(ACCOUNT), {**row, "key": name_key(name)})
    detail = {"name": name, "role": role, **({} if email is None else {"email": email})}
    record(connection, actor, "account.add", str(account.id), detail)
    return account


def _expert(connection: Connection, name: str) -> Account:
    there = find_account(connection, ACCOUNT.c.key == name_key(name))
    return there or _add(connection, LOCAL, name, "expert", None)


def _invited(connection: Connection, email: str) -> Account | None:
    """The account that is there for whoever signs in elsewhere with this address first."""
    unbound = ACCOUNT.c.issuer.is_(None) & ACCOUNT.c.disabled_at.is_(None)
    return find_account(connection, unbound & (ACCOUNT.c.email == email.strip().lower()))


def _bind(connection: Connection, issuer: str, subject: str, email: str) -> Account | None:
    account = _invited(connection, email)
    if account is None:
        return None
    _set(connection, str(account.id), issuer=issuer, subject=subject)
    detail = {"name": account.name, "issuer": issuer, "subject": subject}
    record(connection, account, "account.bind", str(account.id), detail)
    return account.model_copy(update={"signs_in_by": "oidc"})


def _set(connection: Connection, id: str, **values: Any) -> None:
    connection.execute(update(ACCOUNT).where(ACCOUNT.c.id == id).values(values))


def _check_not_last(connection: Connection, account: Account) -> None:
    """Raises AccountError if, without this one, no admin could come in any more."""
    if account.role != "admin" or account.disabled_at is not None:
        return
    admins = select(ACCOUNT).where(
        ACCOUNT.c.role == "admin", ACCOUNT.c.disabled_at.is_(None), ACCOUNT.c.id != account.id
    )
    others = [account_of(row) for row in connection.execute(admins).mappings()]
    if not any(other.signs_in_by or not account.signs_in_by for other in others):
        raise AccountError(
            "{name} is the last admin who can sign in; make another person an admin first", name=account.name
        )
