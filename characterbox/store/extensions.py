"""What campaigns are to be extended by, kept for each who prepares it until it is carried out."""

from typing import Any

from sqlalchemy import Engine, delete, select

from characterbox.store.campaign_tables import ExtensionRow
from characterbox.store.tables import insert_into, now, table_of
from characterbox.store.writer import Writer

_EXTENSION = table_of(ExtensionRow)
_NOBODY = ""
"""Stands for the id of an account where nobody signs in."""


class ExtensionStore:
    """Keeps the last preparation of each person for each campaign."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer

    def save(self, campaign: str, account: str | None, content: dict[str, Any]) -> None:
        """Keep this, as JSON, in place of what was kept before."""
        values = {"content": content, "saved_at": now()}
        key = {"campaign": campaign, "account": account or _NOBODY}
        adding = insert_into(_EXTENSION, self._engine.dialect.name).values(**key, **values)
        saving = adding.on_conflict_do_update(index_elements=list(key), set_=values)
        self._writer.submit(lambda connection: connection.execute(saving)).result()

    def find(self, campaign: str, account: str | None) -> dict[str, Any] | None:
        """What was kept last, if anything."""
        query = select(_EXTENSION.c.content).where(
            _EXTENSION.c.campaign == campaign, _EXTENSION.c.account == (account or _NOBODY)
        )
        with self._engine.connect() as connection:
            content: dict[str, Any] | None = connection.scalar(query)
            return content

    def drop(self, campaign: str, account: str | None) -> None:
        """Keep it no longer."""
        which = (_EXTENSION.c.campaign == campaign) & (_EXTENSION.c.account == (account or _NOBODY))
        self._writer.submit(lambda connection: connection.execute(delete(_EXTENSION).where(which))).result()
