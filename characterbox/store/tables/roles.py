"""The tables of roles."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Column
from sqlmodel import Field, SQLModel

from characterbox.store.tables.columns import KEY_FIRST, UtcDateTime, moment, now


class RoleRow(SQLModel, table=True):
    """A role that users imported or made: the chain of its versions. The bundled ones are files."""

    __tablename__ = "role_chain"
    __table_args__ = KEY_FIRST
    id: str = Field(primary_key=True)
    newest: int
    """Number of its newest version."""
    away_since: datetime | None = Field(default=None, sa_column=Column(UtcDateTime))
    """When it was put away; None while it is in use."""
    created_at: datetime = Field(default_factory=now, sa_column=moment())


class RoleVersionRow(SQLModel, table=True):
    """One version of a role, from 1. Versions are only added to.

    `made_by` is an account, or empty where nobody signs in. `heading` is what lists tell of it, without its dialogues.
    """

    __tablename__ = "role_version"
    chain: str = Field(primary_key=True, foreign_key="role_chain.id")
    version: int = Field(primary_key=True)
    key: str = Field(index=True)
    """Fingerprint of the content."""
    role: str = Field(index=True)
    """The id of the role."""
    heading: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    content: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    made_by: str | None
    created_at: datetime = Field(default_factory=now, sa_column=moment())
