"""The scenes that users brought in."""

import hashlib
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, Engine, select

from characterbox.scenes.scene import Scene
from characterbox.store.tables import SceneRow, insert_into, now, table_of
from characterbox.store.writer import Writer


class SceneStore:
    """Keeps imported scenes, each once."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer

    def add(self, scenes: Iterable[Scene]) -> int:
        """Store the scenes that are not there yet, and tell how many were new."""
        table = table_of(SceneRow)
        insert = insert_into(table, self._engine.dialect.name)
        unless_there = insert.on_conflict_do_nothing(index_elements=[table.c.key]).returning(table.c.key)
        rows = [_row(scene) for scene in scenes]

        def write(connection: Connection) -> int:
            return sum(connection.scalar(unless_there, row) is not None for row in rows)

        return self._writer.submit(write).result()

    def all(self) -> list[Scene]:
        """All stored scenes, in the order in which they came."""
        table = table_of(SceneRow)
        with self._engine.connect() as connection:
            contents = connection.scalars(select(table.c.content).order_by(table.c.created_at, table.c.key))
            return [Scene.model_validate(content) for content in contents]


def _row(scene: Scene) -> dict[str, Any]:
    return {
        "key": hashlib.sha256(scene.model_dump_json().encode()).hexdigest(),
        "title": scene.title,
        "work": scene.work,
        "language": scene.language,
        "content": scene.model_dump(mode="json"),
        "created_at": now(),
    }
