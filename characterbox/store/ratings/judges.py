"""The judges by name and version."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Engine, func, insert, select

from characterbox.store.tables.columns import now, table_of
from characterbox.store.tables.ratings import JudgeRow
from characterbox.store.writer import Writer, in_turn

_JUDGE = table_of(JudgeRow)


class JudgeStore:
    """Keeps what has judged under each name, by the rubric. A version is never changed or removed: ratings name it."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer

    def version(self, name: str, of: str, digest: str, content: Mapping[str, Any]) -> int:
        """The version of a judge with this fingerprint, from 1: the one that is known, else a new one."""

        def write(connection: Connection) -> int:
            mine = (_JUDGE.c.name == name) & (_JUDGE.c.subject == of)
            known = select(_JUDGE.c.version).where(mine, _JUDGE.c.digest == digest)
            version: int | None = connection.scalar(known)
            if version is None:
                last = connection.scalar(select(func.max(_JUDGE.c.version)).where(mine))
                version = (last or 0) + 1
                row = {"name": name, "subject": of, "version": version, "digest": digest, "content": content}
                connection.execute(insert(_JUDGE).values({**row, "created_at": now()}))
            return version

        return self._writer.submit(in_turn(write)).result()

    def find(self, name: str, of: str, digest: str) -> int | None:
        """The version of a judge with this fingerprint; None if it is not known."""
        mine = (_JUDGE.c.name == name) & (_JUDGE.c.subject == of)
        known = select(_JUDGE.c.version).where(mine, _JUDGE.c.digest == digest)
        with self._engine.connect() as connection:
            version: int | None = connection.scalar(known)
        return version

    def latest(self, of: str) -> dict[str, Mapping[str, Any]]:
        """What judges such things under each name now: its newest version, by name."""
        return {name: content for name, _, content in self.all(of)}

    def all(self, of: str) -> list[tuple[str, int, Mapping[str, Any]]]:
        """Name, number and content of every version of the judges of such things, by name and in order."""
        columns = (_JUDGE.c.name, _JUDGE.c.version, _JUDGE.c.content)
        query = select(*columns).where(_JUDGE.c.subject == of).order_by(_JUDGE.c.name, _JUDGE.c.version)
        with self._engine.connect() as connection:
            return [(row.name, row.version, row.content) for row in connection.execute(query)]
