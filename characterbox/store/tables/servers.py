"""The tables of the servers at which models are reached."""

from datetime import datetime
from typing import Any

from sqlalchemy import (
    JSON,
    Column,
)
from sqlmodel import Field, SQLModel

from characterbox.store.tables.columns import KEY_FIRST, moment, now


class ServerRow(SQLModel, table=True):
    """An address at which models are reached."""

    __tablename__ = "server"
    __table_args__ = KEY_FIRST
    url: str = Field(primary_key=True)
    content: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))


class KeyBindingRow(SQLModel, table=True):
    """That an admin has entered the key of a name for an origin: it is sent nowhere else.

    No archive has it: what is restored from a file says nothing of who may get which key.
    """

    __tablename__ = "key_binding"
    __table_args__ = {**KEY_FIRST, "info": {"travels": False}}
    origin: str = Field(primary_key=True)
    """Scheme, host and port."""
    key: str = Field(primary_key=True)
    """The name of the key, never the key."""
    bound_at: datetime = Field(default_factory=now, sa_column=moment())
    bound_by: str | None
    """The account; None is the command line, or an app without accounts."""
    bound_by_name: str


class ServerProposalRow(SQLModel, table=True):
    """A server that somebody proposes, until an admin accepts or declines it.

    No archive has it: what is restored from a file asks no admin for a click.
    """

    __tablename__ = "server_proposal"
    __table_args__ = {**KEY_FIRST, "info": {"travels": False}}
    id: str = Field(primary_key=True)
    """Sixteen hexadecimal digits, drawn at random."""
    url: str
    content: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    proposed_at: datetime = Field(default_factory=now, sa_column=moment())
    proposed_by: str | None = Field(index=True)
    """The account; None is an app without accounts."""
    proposed_by_name: str
