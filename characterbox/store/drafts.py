"""What people who play are about to answer, kept in case they go away."""

from sqlalchemy import Connection, Engine, delete, select

from characterbox.llm.reading import storable
from characterbox.store.tables import DraftRow, insert_into, now, table_of
from characterbox.store.writer import Writer

_DRAFT = table_of(DraftRow)


class DraftStore:
    """Keeps the last draft of each answer. It is dropped when the answer is recorded."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer

    def save(self, story: str, path: str, text: str) -> None:
        """Keep the text in place of what was kept before. What no database stores of it becomes U+FFFD."""
        values = {"text": storable(text), "saved_at": now()}
        adding = insert_into(_DRAFT, self._engine.dialect.name).values(story_id=story, path=path, **values)
        saving = adding.on_conflict_do_update(index_elements=["story_id", "path"], set_=values)
        self._writer.submit(lambda connection: connection.execute(saving)).result()

    def find(self, story: str, path: str) -> str | None:
        """What was written of the answer at this path, if anything."""
        query = select(_DRAFT.c.text).where(_DRAFT.c.story_id == story, _DRAFT.c.path == path)
        with self._engine.connect() as connection:
            text: str | None = connection.scalar(query)
            return text

    def drop(self, story: str, path: str) -> None:
        """Keep it no longer."""
        self._writer.submit(lambda connection: drop_draft(connection, story, path)).result()


def drop_draft(connection: Connection, story: str, path: str) -> None:
    """Drop a draft, if there is one, along with what else is written on the connection."""
    connection.execute(delete(_DRAFT).where(_DRAFT.c.story_id == story, _DRAFT.c.path == path))
