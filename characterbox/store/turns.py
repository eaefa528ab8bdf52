"""Writes that are made one after the other, whichever process makes them."""

from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import Connection

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
