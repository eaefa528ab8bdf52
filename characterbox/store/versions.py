"""What users write or import, each with all its versions: a chain, to which versions are only added."""

import secrets
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Generic, NamedTuple, TypeVar

from sqlalchemy import Column, Connection, Engine, Row, Select, Table, insert, select, update

from characterbox.accounts.account import Account
from characterbox.errors import CharacterBoxError
from characterbox.store.tables.columns import now
from characterbox.store.writer import Writer, in_turn

_MANY = 500
"""Fingerprints that are looked for at once."""

C = TypeVar("C")


class Version(NamedTuple, Generic[C]):
    """Something as it was at one time."""

    chain: str
    """What names it as the thing that is edited."""
    version: int
    """From 1."""
    newest: int
    """Number of the newest version."""
    content: C
    made_by: str | None
    """An account; None where nobody signed in."""
    created_at: datetime
    away: bool
    """Whether it was put away."""


class VersionStore(ABC, Generic[C]):
    """Keeps things of one kind, which have an id. What is put away stays: others may name it."""

    def __init__(self, engine: Engine, writer: Writer, chains: Table, versions: Table, id: Column[Any]) -> None:
        """`chains` and `versions` are the tables of this kind, and `id` is the column that has the id."""
        self._engine = engine
        self._writer = writer
        self._chains = chains
        self._table = versions
        self._id = id
        self._newest = (versions.c.chain == chains.c.id) & (versions.c.version == chains.c.newest)

    @abstractmethod
    def _key(self, content: C) -> str:
        """The fingerprint of all that it says."""

    @abstractmethod
    def _row(self, content: C) -> Mapping[str, Any]:
        """The columns by which it is found, and `content`."""

    @abstractmethod
    def _read(self, content: Any) -> C:
        """It, from the column `content`."""

    @abstractmethod
    def _missing(self, chain: str, version: int | None) -> CharacterBoxError:
        """There is no such chain, or it has no such version."""

    @abstractmethod
    def _refused(self, before: Version[C], after: int) -> CharacterBoxError:
        """It can't be the version after this one: another was saved meanwhile, or it is called otherwise."""

    @abstractmethod
    def _log(self, connection: Connection, actor: Account, chain: str, *, away: bool) -> None:
        """Note that it was put away, or brought back."""

    def add(self, contents: Iterable[C], made_by: str | None = None) -> int:
        """Store what is not there yet, in any version, and tell how many were new.

        What is there and was put away is in use again.
        """
        keyed = {self._key(content): content for content in contents}

        def write(connection: Connection) -> int:
            there = self._chains_of(connection, keyed)
            back = update(self._chains).where(self._chains.c.id.in_({*there.values()})).values(away_since=None)
            connection.execute(back)
            new = [self._rows(content, made_by) for key, content in keyed.items() if key not in there]
            if new:
                connection.execute(insert(self._chains), [chain for chain, _ in new])
                connection.execute(insert(self._table), [version for _, version in new])
            return len(new)

        return self._writer.submit(in_turn(write)).result()

    def start(self, content: C, made_by: str | None) -> str:
        """Store something as the first version of a new chain, and name that."""
        chain, version = self._rows(content, made_by)

        def write(connection: Connection) -> None:
            connection.execute(insert(self._chains), chain)
            connection.execute(insert(self._table), version)

        self._writer.submit(write).result()
        return str(chain["id"])

    def save(self, chain: str, content: C, *, after: int, made_by: str | None) -> int:
        """Store it as the next version after `after`, which it was made from, and give its number.

        What is the same as that version is no new one. Raises the error of its kind if another version was saved
        meanwhile, if there is no such chain, or if it is called otherwise than its versions.
        """

        def write(connection: Connection) -> int:
            before = self._the(connection, chain, None)
            row = self._version_row(content, made_by)
            if before.version != after or row[self._id.name] != self._row(before.content)[self._id.name]:
                raise self._refused(before, after)
            if before.content == content:
                return after
            mine = (self._chains.c.id == chain) & (self._chains.c.newest == after)
            connection.execute(update(self._chains).where(mine).values(newest=after + 1))
            connection.execute(insert(self._table), {**row, "chain": chain, "version": after + 1})
            return after + 1

        return self._writer.submit(in_turn(write)).result()

    def put_away(self, actor: Account, chain: str) -> None:
        """Leave it out of what is offered, with all its versions, until it is brought back."""
        self._set_away(actor, chain, now())

    def bring_back(self, actor: Account, chain: str) -> None:
        """Offer again what was put away."""
        self._set_away(actor, chain, None)

    def find(self, chain: str, version: int | None = None) -> Version[C]:
        """A version, the newest one if none is named. Raises the error of its kind if there is none."""
        with self._engine.connect() as connection:
            return self._the(connection, chain, version)

    def versions(self, chain: str) -> list[Version[C]]:
        """All versions of one, the newest first."""
        query = self._all_versions().where(self._chains.c.id == chain).order_by(self._table.c.version.desc())
        with self._engine.connect() as connection:
            return [self._version_of(row) for row in connection.execute(query)]

    def with_id(self, id: str) -> Version[C] | None:
        """The newest version of what is called so, of the oldest chain if several are; None if none is."""
        query = self._all_versions().where(self._id == id, self._newest)
        with self._engine.connect() as connection:
            row = connection.execute(query.order_by(self._chains.c.created_at, self._chains.c.id)).first()
        return None if row is None else self._version_of(row)

    def known(self, contents: Iterable[C]) -> dict[str, str]:
        """The chains in which these stand as they are, in any version, by fingerprint."""
        with self._engine.connect() as connection:
            return self._chains_of(connection, [self._key(content) for content in contents])

    def _set_away(self, actor: Account, chain: str, since: datetime | None) -> None:
        column = self._chains.c.away_since
        other = column.is_(None) if since is not None else column.is_not(None)
        changing = update(self._chains).where(self._chains.c.id == chain, other).values(away_since=since)

        def change(connection: Connection) -> None:
            if connection.execute(changing).rowcount:
                self._log(connection, actor, chain, away=since is not None)

        self._writer.submit(change).result()

    def _all_versions(self) -> Select[Any]:
        chains, versions = self._chains.c, self._table.c
        columns = (versions.version, versions.content, versions.made_by, versions.created_at)
        query = select(chains.id, chains.newest, chains.away_since, *columns)
        return query.join(self._table, versions.chain == chains.id)

    def _the(self, connection: Connection, chain: str, version: int | None) -> Version[C]:
        wanted = self._table.c.version == (self._chains.c.newest if version is None else version)
        row = None
        if chain.isascii() and chain.isalnum():
            row = connection.execute(self._all_versions().where(self._chains.c.id == chain, wanted)).one_or_none()
        if row is None:
            raise self._missing(chain, version)
        return self._version_of(row)

    def _version_of(self, row: Row[Any]) -> Version[C]:
        away = row.away_since is not None
        content = self._read(row.content)
        return Version(row.id, row.version, row.newest, content, row.made_by, row.created_at, away)

    def _chains_of(self, connection: Connection, keys: Collection[str]) -> dict[str, str]:
        """The chains that have versions with these fingerprints, by fingerprint."""
        found: dict[str, str] = {}
        wanted = [*keys]
        for start in range(0, len(wanted), _MANY):
            some: Sequence[str] = wanted[start : start + _MANY]
            query = select(self._table.c.key, self._table.c.chain).where(self._table.c.key.in_(some))
            found |= dict(iter(connection.execute(query)))
        return found

    def _rows(self, content: C, made_by: str | None) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """A new chain, and its first version."""
        row = self._version_row(content, made_by)
        chain = secrets.token_hex(6)
        return {"id": chain, "newest": 1, "created_at": row["created_at"]}, {**row, "chain": chain, "version": 1}

    def _version_row(self, content: C, made_by: str | None) -> dict[str, Any]:
        return {**self._row(content), "key": self._key(content), "made_by": made_by, "created_at": now()}
