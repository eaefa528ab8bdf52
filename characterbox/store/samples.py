"""Which stories and datasets were made as samples, so that none that was removed is made again."""

from datetime import datetime

from sqlalchemy import Connection, Engine, select

from characterbox.store.tables.columns import insert_into, now, table_of
from characterbox.store.tables.samples import SampleRow
from characterbox.store.writer import Writer

_SAMPLE = table_of(SampleRow)


class SampleStore:
    """Keeps the ids of samples, also of those that were removed since."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer

    def made(self) -> frozenset[str]:
        """The ids of all stories and datasets that were ever made as samples."""
        with self._engine.connect() as connection:
            return frozenset(connection.scalars(select(_SAMPLE.c.id)))

    def note(self, id: str) -> None:
        """Note that this story or dataset was made as a sample."""
        at: datetime = now()
        adding = insert_into(_SAMPLE, self._engine.dialect.name).values(id=id, made_at=at).on_conflict_do_nothing()

        def write(connection: Connection) -> None:
            connection.execute(adding)

        self._writer.submit(write).result()
