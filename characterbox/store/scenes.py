"""The scenes that users brought in."""

import hashlib
from collections.abc import Iterable

from sqlalchemy import Engine, insert, select
from sqlalchemy.exc import IntegrityError

from characterbox.scenes.scene import Scene
from characterbox.store.tables import SceneRow, now, table_of
from characterbox.store.writer import Writer


class SceneStore:
    """Keeps imported scenes, each once."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer

    def add(self, scenes: Iterable[Scene]) -> int:
        """Store the scenes that are not there yet, and tell how many were new."""
        return sum(self._add(scene) for scene in scenes)

    def all(self) -> list[Scene]:
        """All stored scenes, in the order in which they came."""
        table = table_of(SceneRow)
        with self._engine.connect() as connection:
            contents = connection.scalars(select(table.c.content).order_by(table.c.created_at, table.c.key))
            return [Scene.model_validate(content) for content in contents]

    def _add(self, scene: Scene) -> bool:
        row = {
            "key": hashlib.sha256(scene.model_dump_json().encode()).hexdigest(),
            "title": scene.title,
            "work": scene.work,
            "language": scene.language,
            "content": scene.model_dump(mode="json"),
            "created_at": now(),
        }
        try:
            self._writer.submit(lambda connection: connection.execute(insert(table_of(SceneRow)), row)).result()
        except IntegrityError:
            return False
        return True
