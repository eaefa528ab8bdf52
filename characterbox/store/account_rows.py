"""Rows of accounts, read and found."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, select

from annotations.messages import Message
from annotations.wording import cited
from characterbox.accounts.account import Account
from characterbox.errors import AccountError
from characterbox.store.account_tables import AccountRow
from characterbox.store.tables import table_of

ACCOUNT = table_of(AccountRow)

_AS_STORED = ("id", "name", "role", "email", "disabled_at", "created_at")


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
        raise AccountError(
            Message("account {id!r}: there is none with this id; choose one from the list", id=cited(id))
        )
    return account
