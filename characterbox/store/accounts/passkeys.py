"""Passkeys: by which key of a device somebody signs in without a password."""

from datetime import datetime

from sqlalchemy import Connection, Engine, delete, insert, select, update

from characterbox.accounts.account import Account
from characterbox.errors import AccountError
from characterbox.store.accounts.audit_log import record
from characterbox.store.tables.accounts import PasskeyRow, the_account
from characterbox.store.tables.columns import now, table_of
from characterbox.store.writer import Writer, in_turn
from characterbox.values import Value

_PASSKEY = table_of(PasskeyRow)

MOST = 10
"""How many passkeys an account has at most."""


class Passkey(Value):
    """A passkey that was added to an account."""

    id: str
    """The id of the credential, in base64url."""
    account: str
    public_key: str
    """As COSE has it, in base64url."""
    sign_count: int
    """How often it has signed, as it said last; 0 where it does not count."""
    name: str
    created_at: datetime
    last_used_at: datetime | None


class PasskeyStore:
    """Keeps passkeys."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer

    def of(self, account: Account) -> list[Passkey]:
        """Those of an account, oldest first."""
        query = select(_PASSKEY).where(_PASSKEY.c.account == account.id).order_by(_PASSKEY.c.created_at)
        with self._engine.connect() as connection:
            return [Passkey.model_validate(dict(row)) for row in connection.execute(query).mappings()]

    def find(self, id: str) -> tuple[Passkey, Account] | None:
        """A passkey and whose it is; None if there is none with this id."""
        with self._engine.connect() as connection:
            row = connection.execute(select(_PASSKEY).where(_PASSKEY.c.id == id)).mappings().one_or_none()
            return None if row is None else (Passkey.model_validate(dict(row)), the_account(connection, row["account"]))

    def add(self, actor: Account, passkey: Passkey) -> None:
        """Add one to the account of the one who acts. Raises AccountError if it is taken, or there are too many."""

        def add(connection: Connection) -> None:
            there = connection.execute(select(_PASSKEY.c.id, _PASSKEY.c.account)).all()
            if any(id == passkey.id for id, _ in there) or sum(account == actor.id for _, account in there) >= MOST:
                raise AccountError(
                    "this passkey has already been added, or there are already {most}; remove one first", most=MOST
                )
            connection.execute(insert(_PASSKEY), passkey.model_dump() | {"account": actor.id})
            record(connection, actor, "passkey.add", str(actor.id), {"name": actor.name, "passkey": passkey.name})

        self._writer.submit(in_turn(add)).result()

    def remove(self, actor: Account, id: str) -> None:
        """Remove one of the account of the one who acts; nothing happens if there is none with this id."""

        def remove(connection: Connection) -> None:
            mine = (_PASSKEY.c.id == id) & (_PASSKEY.c.account == actor.id)
            name = connection.execute(select(_PASSKEY.c.name).where(mine)).scalar_one_or_none()
            if name is not None:
                connection.execute(delete(_PASSKEY).where(mine))
                record(connection, actor, "passkey.remove", str(actor.id), {"name": actor.name, "passkey": name})

        self._writer.submit(in_turn(remove)).result()

    def used(self, passkey: Passkey, sign_count: int) -> bool:
        """Note that it has signed; False if its count was raised meanwhile, as when a copy of it signs too."""
        using = (
            update(_PASSKEY)
            .where(_PASSKEY.c.id == passkey.id, _PASSKEY.c.sign_count == passkey.sign_count)
            .values(sign_count=sign_count, last_used_at=now())
        )
        return self._writer.submit(lambda connection: connection.execute(using).rowcount == 1).result()


def remove_passkeys(connection: Connection, account: str) -> None:
    """Remove all of an account, along with what else is written on the connection."""
    connection.execute(delete(_PASSKEY).where(_PASSKEY.c.account == account))
