"""What people are about to answer, and what they prefer, kept for them alone."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Engine, delete, select

from characterbox.llm.replies.reading import storable
from characterbox.store.tables.columns import insert_into, now, table_of
from characterbox.store.tables.stories import DraftRow, PreferenceRow
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


_PREFERENCE = table_of(PreferenceRow)
_NOBODY = ""
"""The owner where nobody signs in."""


class PreferenceStore:
    """Keeps the last content of each preference."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer

    def find(self, account: str | None, name: str) -> Mapping[str, Any]:
        """What an account prefers; nothing where it never said. None is whoever uses an app without accounts."""
        mine = (_PREFERENCE.c.owner == (account or _NOBODY)) & (_PREFERENCE.c.name == name)
        with self._engine.connect() as connection:
            return connection.scalar(select(_PREFERENCE.c.content).where(mine)) or {}

    def save(self, account: str | None, name: str, content: Mapping[str, Any]) -> None:
        """Keep this in place of what was preferred before."""
        adding = insert_into(_PREFERENCE, self._engine.dialect.name).values(
            owner=account or _NOBODY, name=name, content=dict(content)
        )
        saving = adding.on_conflict_do_update(index_elements=["owner", "name"], set_={"content": dict(content)})
        self._writer.submit(lambda connection: connection.execute(saving)).result()

    def drop(self, account: str | None, name: str) -> None:
        """Keep it no longer."""
        mine = (_PREFERENCE.c.owner == (account or _NOBODY)) & (_PREFERENCE.c.name == name)
        self._writer.submit(lambda connection: connection.execute(delete(_PREFERENCE).where(mine))).result()
