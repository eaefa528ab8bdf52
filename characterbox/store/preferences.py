"""What people prefer, such as how they launched a story last: kept for whoever asks, and for nobody else."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Engine, delete, select

from characterbox.store.tables import PreferenceRow, insert_into, table_of
from characterbox.store.writer import Writer

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
