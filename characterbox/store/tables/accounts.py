"""The tables of people: accounts, how they come in, and the log of what they change; and their rows."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Connection,
    Integer,
    Text,
    UniqueConstraint,
    false,
    select,
)
from sqlmodel import Field, SQLModel

from annotations.i18n.messages import cited
from characterbox.accounts.account import Account
from characterbox.errors import AccountError
from characterbox.store.tables.columns import UtcDateTime, moment, now, table_of


def _optional_moment() -> Any:
    return Column(UtcDateTime, nullable=True)


_STAYS = {"info": {"travels": False}}
"""Rows that let people in, or keep them out, stay with their database: no archive has them."""


class AccountRow(SQLModel, table=True):
    """A person. `password` is an argon2 hash; who signs in elsewhere, or has not used the invitation yet, has none."""

    __tablename__ = "account"
    __table_args__ = (UniqueConstraint("issuer", "subject"),)
    id: str = Field(primary_key=True)
    """Twelve hexadecimal digits, drawn at random."""
    name: str
    """As the person writes it."""
    key: str = Field(unique=True)
    """The name with the differences taken out that nobody sees or hears: NFC, without case."""
    role: str
    password: str | None
    email: str | None = Field(unique=True)
    """In small letters. Whoever signs in elsewhere with it for the first time gets this account."""
    issuer: str | None
    subject: str | None
    """Issuer and subject of OpenID Connect, once the person has signed in with it."""
    disabled_at: datetime | None = Field(default=None, sa_column=_optional_moment())
    created_at: datetime = Field(default_factory=now, sa_column=moment())
    lends_writing: bool = Field(default=False, sa_column=Column(Boolean, server_default=false(), nullable=False))
    """Whether models may be trained on what the person writes in stories."""


class InvitationRow(SQLModel, table=True):
    """A link by which a person sets the password of an account, once."""

    __tablename__ = "invitation"
    __table_args__ = _STAYS
    token_hash: str = Field(primary_key=True)
    """The SHA-256 of the secret in the link, in hexadecimal."""
    account: str = Field(foreign_key="account.id", index=True)
    made_by: str | None = Field(foreign_key="account.id")
    """None is the command line, or an app without accounts."""
    expires_at: datetime = Field(sa_column=moment())
    used_at: datetime | None = Field(default=None, sa_column=_optional_moment())
    """When it was used, or replaced by a newer one."""


class SessionRow(SQLModel, table=True):
    """One browser in which a person is signed in."""

    __tablename__ = "session"
    __table_args__ = _STAYS
    token_hash: str = Field(primary_key=True)
    """The SHA-256 of the secret in the cookie, in hexadecimal."""
    account: str = Field(foreign_key="account.id", index=True)
    created_at: datetime = Field(default_factory=now, sa_column=moment())
    expires_at: datetime = Field(sa_column=moment())
    ended_at: datetime | None = Field(default=None, sa_column=_optional_moment())


class PasskeyRow(SQLModel, table=True):
    """A passkey (WebAuthn), by which a person signs in without a password."""

    __tablename__ = "passkey"
    __table_args__ = _STAYS
    id: str = Field(primary_key=True)
    """The id of the credential, in base64url."""
    account: str = Field(foreign_key="account.id", index=True)
    public_key: str
    """As COSE has it, in base64url."""
    sign_count: int = Field(sa_column=Column(BigInteger, nullable=False))
    name: str
    created_at: datetime = Field(default_factory=now, sa_column=moment())
    last_used_at: datetime | None = Field(default=None, sa_column=_optional_moment())


class ThrottleRow(SQLModel, table=True):
    """How often signing in has failed, for a name, from an address or in a browser, since it last went well."""

    __tablename__ = "throttle"
    __table_args__ = _STAYS
    key: str = Field(primary_key=True)
    failures: int
    last_at: datetime = Field(default_factory=now, sa_column=moment())


class SecretRow(SQLModel, table=True):
    """A secret of this installation, made once, such as the key that signs cookies."""

    __tablename__ = "secret"
    __table_args__ = _STAYS
    name: str = Field(primary_key=True)
    value: str


class AuditRow(SQLModel, table=True):
    """One thing that was done. The database itself refuses to change it, or to delete it but for `AuditPruningRow`."""

    __tablename__ = "audit"
    id: int | None = Field(
        default=None, sa_column=Column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    )
    at: datetime = Field(default_factory=now, sa_column=moment())
    actor: str | None = Field(foreign_key="account.id")
    """Who did it; None is the command line, or an app without accounts."""
    actor_name: str
    address: str | None = None
    """The network address from which it was done; None is the command line, or before addresses were kept."""
    action: str
    """What was done, as `noun.verb`, such as `account.disable`."""
    subject: str = Field(sa_column=Column(Text, nullable=False))
    """What it was done to: an account's or a campaign's id, for example."""
    detail: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))


class AuditPruningRow(SQLModel, table=True):
    """Entries of the log from before this may be deleted. It is there only within the transaction that does so."""

    __tablename__ = "audit_pruning"
    __table_args__ = _STAYS
    before: datetime = Field(sa_column=Column(UtcDateTime, primary_key=True))


ACCOUNT = table_of(AccountRow)

_AS_STORED = ("id", "name", "role", "email", "disabled_at", "created_at", "lends_writing")


def account_of(row: Mapping[Any, Any]) -> Account:
    """The account that a row of the table holds."""
    signs_in_by = "oidc" if row["issuer"] is not None else "password" if row["password"] is not None else None
    return Account.model_validate({**{name: row[name] for name in _AS_STORED}, "signs_in_by": signs_in_by})


def find_account(connection: Connection, which: ColumnElement[bool]) -> Account | None:
    """The account of which this holds, if there is one."""
    row = connection.execute(select(ACCOUNT).where(which)).mappings().one_or_none()
    return None if row is None else account_of(row)


def the_account(connection: Connection, id: str) -> Account:
    """The account with this id. Raises AccountError if there is none."""
    account = find_account(connection, ACCOUNT.c.id == id)
    if account is None:
        raise AccountError("account {id!r} does not exist; choose one from the list", id=cited(id))
    return account
