"""The names that people add for the models of the paper's tables: one table of the installation, of which every state
is kept, so that a change can be undone."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Engine, select

from annotations.report.published_names import PublishedNames, checked_name
from characterbox.accounts.account import Account
from characterbox.accounts.permissions import require
from characterbox.store.accounts.audit_log import record
from characterbox.store.tables.columns import insert_into, table_of
from characterbox.store.tables.stories import PreferenceRow
from characterbox.store.writer import Writer

_PREFERENCE = table_of(PreferenceRow)
_OURS = {"owner": "", "name": "published names"}
_QUERY = select(_PREFERENCE.c.content).where(*(_PREFERENCE.c[name] == value for name, value in _OURS.items()))
MOST_STATES = 50
"""States that are kept: all changes but the first of them can be undone, one after the other."""

State = Mapping[str, str | None]


class PublishedNameStore:
    """Keeps the names that were added, for everybody who uses the app."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer

    def names(self) -> PublishedNames:
        """The names as they are now."""
        with self._engine.connect() as connection:
            return PublishedNames(_states(connection)[-1])

    def undoable(self) -> int:
        """How many changes can be undone."""
        with self._engine.connect() as connection:
            return len(_states(connection)) - 1

    def add(self, actor: Account, model: str, row: str | None) -> None:
        """Say in which published row a model of this name stands; None for none, whatever comes with the package says.

        Raises NotAllowed, and RatingError for a name or a row that can't be used.
        """
        require(actor, "direct")
        name, row = checked_name(model, row)

        def write(connection: Connection) -> None:
            states = _states(connection)
            if states[-1].get(name, "") != row:
                self._keep(connection, [*states, {**states[-1], name: row}][-MOST_STATES:])
                record(connection, actor, "published-name.add", name, {"row": row})

        self._writer.submit(write).result()

    def undo(self, actor: Account) -> None:
        """Take the last change back, whoever made it; nothing where there is none. Raises NotAllowed."""
        require(actor, "direct")

        def write(connection: Connection) -> None:
            *before, last = _states(connection)
            if before:
                (name,) = (name for name in last if last[name] != before[-1].get(name, ""))
                self._keep(connection, before)
                record(connection, actor, "published-name.undo", name, {"row": before[-1].get(name)})

        self._writer.submit(write).result()

    def _keep(self, connection: Connection, states: list[State]) -> None:
        content: dict[str, Any] = {"states": states}
        adding = insert_into(_PREFERENCE, self._engine.dialect.name).values(**_OURS, content=content)
        connection.execute(adding.on_conflict_do_update(index_elements=[*_OURS], set_={"content": content}))


def _states(connection: Connection) -> list[State]:
    """All states that are kept, the newest last; at first nothing is added."""
    content = connection.scalar(_QUERY)
    return [{}] if content is None else content["states"]
