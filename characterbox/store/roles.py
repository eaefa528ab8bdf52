"""The roles that users imported or made, each with all its versions."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, select

from annotations.i18n.messages import cited
from characterbox.accounts.account import Account
from characterbox.errors import RoleError
from characterbox.roles.heading import RoleHeading, heading_of, role_fingerprint
from characterbox.roles.role import Role
from characterbox.store.accounts.audit_log import record
from characterbox.store.tables.columns import table_of
from characterbox.store.tables.roles import RoleRow, RoleVersionRow
from characterbox.store.versions import Version, VersionStore
from characterbox.store.writer import Writer

_CHAIN, _VERSION = table_of(RoleRow), table_of(RoleVersionRow)


class PlacedHeading(NamedTuple):
    """The heading of a stored role, and where it stands."""

    place: str
    """Its chain."""
    version: int
    heading: RoleHeading
    created_at: datetime
    away: bool


class RoleStore(VersionStore[Role]):
    """Keeps roles. Dialogues hold a copy of theirs, so that nothing here changes what was said."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        super().__init__(engine, writer, _CHAIN, _VERSION, _VERSION.c.role)

    def headings(self) -> list[PlacedHeading]:
        """The headings of all roles, those that are put away too, in the order in which they came."""
        columns = (_CHAIN.c.id, _VERSION.c.version, _VERSION.c.heading, _VERSION.c.created_at)
        query = select(*columns, _CHAIN.c.away_since.is_not(None)).join(_VERSION, self._newest)
        with self._engine.connect() as connection:
            rows = connection.execute(query.order_by(_CHAIN.c.created_at, _CHAIN.c.id))
            return [
                PlacedHeading(place, version, RoleHeading.model_validate(heading), at, away)
                for place, version, heading, at, away in rows
            ]

    def _key(self, content: Role) -> str:
        return role_fingerprint(content)

    def _row(self, content: Role) -> Mapping[str, Any]:
        heading = heading_of(content).model_dump(mode="json")
        return {"role": content.id, "heading": heading, "content": content.model_dump(mode="json")}

    def _read(self, content: Any) -> Role:
        return Role.model_validate(content)

    def _missing(self, chain: str, version: int | None) -> RoleError:
        if version is None:
            return RoleError("there is no role {chain!r} in the database", chain=cited(chain))
        return RoleError("role {chain!r} has no version {version}", chain=cited(chain), version=version)

    def _refused(self, before: Version[Role], after: int) -> RoleError:
        if before.version == after:
            return RoleError("the role id {id!r} cannot be changed; create a new role instead", id=before.content.id)
        told = {"newest": before.version, "after": after}
        return RoleError(
            "version {newest} was saved in the meantime; your changes are based on version {after}", **told
        )

    def _log(self, connection: Connection, actor: Account, chain: str, *, away: bool) -> None:
        if away:
            record(connection, actor, "role.deleted", chain, {})
        else:
            record(connection, actor, "role.restored", chain, {})
