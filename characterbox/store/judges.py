"""The judges by name and version."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Engine, func, insert, select

from characterbox.store.tables import JudgeRow, now, table_of
from characterbox.store.turns import in_turn
from characterbox.store.writer import Writer

_JUDGE = table_of(JudgeRow)


class JudgeStore:
    """Keeps what has judged under each name. A version is never changed or removed: ratings name it."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer

    def version(self, name: str, digest: str, content: Mapping[str, Any]) -> int:
        """The version of a judge with this fingerprint, from 1: the one that is known, else a new one."""

        def write(connection: Connection) -> int:
            known = select(_JUDGE.c.version).where(_JUDGE.c.name == name, _JUDGE.c.digest == digest)
            version: int | None = connection.scalar(known)
            if version is None:
                last = connection.scalar(select(func.max(_JUDGE.c.version)).where(_JUDGE.c.name == name))
                version = (last or 0) + 1
                row = {"name": name, "version": version, "digest": digest, "content": content, "created_at": now()}
                connection.execute(insert(_JUDGE).values(row))
            return version

        return self._writer.submit(in_turn(write)).result()

    def find(self, name: str, digest: str) -> int | None:
        """The version of a judge with this fingerprint; None if it is not known."""
        known = select(_JUDGE.c.version).where(_JUDGE.c.name == name, _JUDGE.c.digest == digest)
        with self._engine.connect() as connection:
            version: int | None = connection.scalar(known)
        return version

    def latest(self) -> dict[str, Mapping[str, Any]]:
        """What judges under each name now: its newest version, by name."""
        query = select(_JUDGE.c.name, _JUDGE.c.content).order_by(_JUDGE.c.name, _JUDGE.c.version)
        with self._engine.connect() as connection:
            return {row.name: row.content for row in connection.execute(query)}

    def all(self) -> list[tuple[str, int, Mapping[str, Any]]]:
        """Name, number and content of every version, by name and in order."""
        query = select(_JUDGE.c.name, _JUDGE.c.version, _JUDGE.c.content).order_by(_JUDGE.c.name, _JUDGE.c.version)
        with self._engine.connect() as connection:
            return [(row.name, row.version, row.content) for row in connection.execute(query)]
