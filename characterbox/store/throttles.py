"""How often signing in has failed. It is kept in the database, so that a restart forgives nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, Engine, delete, select, update

from characterbox.accounts.slowing import FORGOTTEN, wait_for
from characterbox.store.account_tables import ThrottleRow
from characterbox.store.tables import insert_into, now, table_of
from characterbox.store.turns import in_turn
from characterbox.store.writer import Writer

_THROTTLE = table_of(ThrottleRow)


@dataclass(frozen=True, slots=True)
class Failures:
    """How often signing in has failed under one key, since it last went well."""

    key: str
    """Of a name, an address or a browser: see `slowing`."""
    count: int
    last: datetime


class ThrottleStore:
    """Lets people try to sign in, more and more slowly while they fail."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._dialect = engine.dialect.name
        self._writer = writer

    def attempt(self, *keys: str) -> timedelta:
        """Ask to try to sign in: how long to wait first; zero where one may try now.

        A try counts as failed from here on, so that of many at once no more go through than one after the other.
        """
        return self._writer.submit(in_turn(lambda connection: self._attempt(connection, keys))).result()

    def succeeded(self, own: str, *shared: str) -> None:
        """The try went well: the failures of the name or browser are forgiven, and this try is none of the address."""
        forgiving = delete(_THROTTLE).where(_THROTTLE.c.key == own)
        one_less = _THROTTLE.c.failures - 1
        taking_back = update(_THROTTLE).where(_THROTTLE.c.key.in_(shared), one_less >= 0).values(failures=one_less)

        def write(connection: Connection) -> None:
            connection.execute(forgiving)
            connection.execute(taking_back)

        self._writer.submit(write).result()

    def failures(self) -> list[Failures]:
        """What is counted, of the last day, most failures first."""
        query = (
            select(_THROTTLE.c.key, _THROTTLE.c.failures, _THROTTLE.c.last_at)
            .where(_THROTTLE.c.last_at >= now() - FORGOTTEN, _THROTTLE.c.failures > 0)
            .order_by(_THROTTLE.c.failures.desc(), _THROTTLE.c.key)
        )
        with self._engine.connect() as connection:
            return [Failures(*row) for row in connection.execute(query)]

    def _attempt(self, connection: Connection, keys: Sequence[str]) -> timedelta:
        at = now()
        connection.execute(delete(_THROTTLE).where(_THROTTLE.c.last_at < at - FORGOTTEN))
        known = _known(connection, keys)
        wait = max((wait_for(key, *known[key], at) for key in known), default=timedelta(0))
        if not wait:
            for key in keys:
                values = {"failures": known[key][0] + 1 if key in known else 1, "last_at": at}
                adding = insert_into(_THROTTLE, self._dialect).values(key=key, **values)
                connection.execute(adding.on_conflict_do_update(index_elements=["key"], set_=values))
        return wait


def _known(connection: Connection, keys: Sequence[str]) -> dict[str, tuple[int, datetime]]:
    query = select(_THROTTLE.c.key, _THROTTLE.c.failures, _THROTTLE.c.last_at).where(_THROTTLE.c.key.in_(keys))
    return {key: (failures, last) for key, failures, last in connection.execute(query)}
