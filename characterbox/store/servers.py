"""The addresses that people have registered, and those that they propose to."""

import json
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import ValidationError
from sqlalchemy import ColumnElement, Connection, Engine, Row, delete, func, insert, select, true

from characterbox.accounts.account import Account
from characterbox.accounts.permissions import require
from characterbox.errors import StoreError
from characterbox.llm.calls.address import is_private, origin
from characterbox.llm.endpoint import REHEARSAL
from characterbox.llm.server import Server
from characterbox.pause_reasons import Reason
from characterbox.store.accounts.audit_log import record
from characterbox.store.tables.columns import insert_into, now, table_of
from characterbox.store.tables.servers import KeyBindingRow, ServerProposalRow, ServerRow
from characterbox.store.writer import Writer

_SERVER = table_of(ServerRow)
_BINDING = table_of(KeyBindingRow)
_PROPOSAL = table_of(ServerProposalRow)
FRESH = 1.0
"""Seconds for which this process goes by what it has read; what other processes change shows after that."""
MOST_PROPOSALS = 20
"""How many proposals of one person may be open at once."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A server that somebody proposes. It is never changed: what is accepted is what was shown under its id."""

    id: str
    """Sixteen hexadecimal digits, drawn at random, so that no other proposal ever has them."""
    url: str
    server: Server | None
    """None if what is stored of it can't be read."""
    proposed_at: datetime
    proposed_by: str | None
    """The account."""
    proposed_by_name: str


class ServerStore:
    """Keeps servers, one for each address. Asking it before every call costs nothing."""

    def __init__(self, engine: Engine, writer: Writer, fresh: float = FRESH) -> None:
        self._engine = engine
        self._writer = writer
        self._fresh = fresh
        self._lock = threading.Lock()
        self._read: dict[str, Server | str] = {}
        """The servers by address, or what is wrong with what is stored of one."""
        self._bound: frozenset[tuple[str, str]] = frozenset()
        """The origins and the names of the keys that may be sent there."""
        self._read_at: float | None = None

    def all(self) -> list[Server]:
        """All servers that can be read, by name."""
        servers = [found for found in self._found().values() if isinstance(found, Server)]
        return sorted(servers, key=lambda server: (server.name, server.url))

    def find(self, url: str) -> Server | None:
        """The server at this address, if it is registered. Raises StoreError if what is stored of it can't be read."""
        found = self._found().get(url)
        if isinstance(found, str):
            raise StoreError(
                "server {url}: its stored data cannot be read ({found}); add it again on the Models page",
                url=url,
                found=found,
            )
        return found

    def is_bound(self, origin: str, key: str) -> bool:
        """Whether an admin has entered the key of this name for an origin."""
        self._found()
        return (origin, key) in self._bound

    def save(self, actor: Account, server: Server) -> None:
        """Register a server, or change the one at its address; the key that it names is bound to its origin.

        Raises NotAllowed unless the actor is an admin, and StoreError for a key that would be sent unencrypted.
        """
        require(actor, "administer")
        _check_key(server)
        self._writer.submit(lambda connection: self._write(connection, actor, server)).result()
        self._forget()

    def remove(self, actor: Account, url: str) -> None:
        """Forget the server at this address, if there is one. Raises NotAllowed unless the actor is an admin."""
        require(actor, "administer")
        removing = delete(_SERVER).where(_SERVER.c.url == url)

        def write(connection: Connection) -> None:
            if connection.execute(removing).rowcount:
                record(connection, actor, "server.removed", url, {})
                _unbind_unused(connection)

        self._writer.submit(write).result()
        self._forget()

    def note(self, actor: Account, action: str, server: Server) -> None:
        """Tell in the log what is done with a server, such as `server.started`."""
        self._writer.submit(lambda connection: record(connection, actor, action, server.url, _logged(server))).result()

    def propose(self, actor: Account, server: Server) -> None:
        """Propose a server, for an admin to accept or decline.

        Raises NotAllowed unless the actor may direct, and StoreError for a server that can't be proposed, for an
        address or a name that is taken, and for one proposal too many of the same person.
        """
        require(actor, "direct")
        _check_proposed(server)
        by = {"proposed_at": now(), "proposed_by": actor.id, "proposed_by_name": actor.name}
        row = {"id": secrets.token_hex(8), "url": server.url, "content": server.model_dump(mode="json"), **by}
        own = select(func.count()).select_from(_PROPOSAL).where(_PROPOSAL.c.proposed_by == actor.id)

        def write(connection: Connection) -> None:
            if connection.execute(own).scalar_one() >= MOST_PROPOSALS:
                raise StoreError(
                    "you have {count} server proposals waiting for an admin; withdraw one, or ask an admin",
                    count=MOST_PROPOSALS,
                )
            _check_free(connection, server)
            connection.execute(insert(_PROPOSAL), row)
            record(connection, actor, "server.proposed", server.url, _logged(server))

        self._writer.submit(write).result()

    def proposals(self, actor: Account) -> list[Proposal]:
        """All that is proposed, oldest first. Raises NotAllowed unless the actor is an admin."""
        require(actor, "administer")
        return self._proposals(true())

    def proposals_of(self, actor: Account) -> list[Proposal]:
        """What the actor proposes, oldest first. Raises NotAllowed unless the actor may direct."""
        require(actor, "direct")
        return self._proposals(_PROPOSAL.c.proposed_by == actor.id)

    def accept(self, actor: Account, id: str) -> None:
        """Register a server that is proposed, as if the actor had entered it: its key is bound to its origin.

        Raises NotAllowed unless the actor is an admin, and StoreError for a proposal that is no longer there, and for
        one that could not be made any more, such as where its address or its name is taken meanwhile.
        """
        require(actor, "administer")

        def write(connection: Connection) -> None:
            taken = _take(connection, _PROPOSAL.c.id == id)
            if taken.server is None:
                raise StoreError("the stored data of this proposal cannot be read; decline it")
            _check_proposed(taken.server)
            _check_free(connection, taken.server)
            detail = {"name": taken.server.name, "proposed_by": taken.proposed_by_name}
            record(connection, actor, "server.accepted", taken.url, detail)
            self._write(connection, actor, taken.server)

        self._writer.submit(write).result()
        self._forget()

    def decline(self, actor: Account, id: str) -> None:
        """Drop a proposal. Raises NotAllowed unless the actor is an admin, and StoreError if it is no longer there."""
        require(actor, "administer")
        self._drop(actor, _PROPOSAL.c.id == id, "server.declined")

    def withdraw(self, actor: Account, id: str) -> None:
        """Take back what one has proposed.

        Raises NotAllowed unless the actor may direct, and StoreError if the actor has no proposal of this id any more.
        """
        require(actor, "direct")
        self._drop(actor, (_PROPOSAL.c.id == id) & (_PROPOSAL.c.proposed_by == actor.id), "server.withdrawn")

    def _drop(self, actor: Account, which: ColumnElement[bool], action: str) -> None:
        def write(connection: Connection) -> None:
            taken = _take(connection, which)
            record(connection, actor, action, taken.url, {"proposed_by": taken.proposed_by_name})

        self._writer.submit(write).result()

    def _proposals(self, which: ColumnElement[bool]) -> list[Proposal]:
        query = select(_PROPOSAL).where(which).order_by(_PROPOSAL.c.proposed_at, _PROPOSAL.c.id)
        with self._engine.connect() as connection:
            return [_proposal(row) for row in connection.execute(query)]

    def _write(self, connection: Connection, actor: Account, server: Server) -> None:
        """Register a server in the transaction of the connection."""
        content = server.model_dump(mode="json")
        adding = insert_into(_SERVER, self._engine.dialect.name).values(url=server.url, content=content)
        connection.execute(adding.on_conflict_do_update(index_elements=["url"], set_={"content": content}))
        record(connection, actor, "server.saved", server.url, _logged(server))
        self._bind(connection, actor, server)
        _unbind_unused(connection)

    def _bind(self, connection: Connection, actor: Account, server: Server) -> None:
        if server.key is None:
            return
        row = {"origin": origin(server.url), "key": server.key}
        by = {"bound_at": now(), "bound_by": actor.id, "bound_by_name": actor.name}
        binding = insert_into(_BINDING, self._engine.dialect.name).values({**row, **by}).on_conflict_do_nothing()
        if connection.execute(binding.returning(_BINDING.c.key)).first() is not None:
            record(connection, actor, "key.bound", row["origin"], {"key": server.key})

    def _found(self) -> Mapping[str, Server | str]:
        with self._lock:
            if self._read_at is None or time.monotonic() - self._read_at > self._fresh:
                with self._engine.connect() as connection:
                    rows = connection.execute(select(_SERVER.c.url, _SERVER.c.content)).all()
                    bound = connection.execute(select(_BINDING.c.origin, _BINDING.c.key)).all()
                self._bound = frozenset((at, key) for at, key in bound)
                self._read = {url: _server(content) for url, content in rows}
                self._read_at = time.monotonic()
            return self._read

    def _forget(self) -> None:
        with self._lock:
            self._read_at = None


def _check_key(server: Server) -> None:
    """Raises StoreError for a key that would be sent unencrypted."""
    if server.key is not None and not is_private(server.url):
        raise StoreError(Reason("key_in_clear", key=server.key, origin=origin(server.url)))


def _check_proposed(server: Server) -> None:
    """Raises StoreError for a server that can't be proposed.

    What it does to the computer that the app runs on, and to the network around it, is for admins alone to say; and
    they decide by what they see.
    """
    if server.launch is not None:
        raise StoreError("only admins can add servers that the app starts; propose the address of a running server")
    if server.private:
        raise StoreError(
            "only admins can allow private network addresses; propose the server without this option, and ask an admin"
        )
    _check_key(server)
    if not json.dumps(server.model_dump(mode="json"), ensure_ascii=False).isprintable():
        raise StoreError("the proposal contains an invisible character; type its name and models again")


def _check_free(connection: Connection, server: Server) -> None:
    """Raises StoreError if a server has the same address, however it is spelled, or the same name."""
    known = (_server(content) for content in connection.scalars(select(_SERVER.c.content)))
    for other in (Server.unregistered(REHEARSAL), *(one for one in known if isinstance(one, Server))):
        if other.spelled == server.spelled:
            raise StoreError("there is already a server at this address: {name}", name=other.name)
        if other.name == server.name:
            raise StoreError("there is already a server named {name}; choose another name", name=other.name)


def _take(connection: Connection, which: ColumnElement[bool]) -> Proposal:
    """Take a proposal off the list. Raises StoreError if it is not there: of two who take it, one does."""
    row = connection.execute(delete(_PROPOSAL).where(which).returning(_PROPOSAL)).first()
    if row is None:
        raise StoreError("this proposal no longer exists; it was accepted, declined or withdrawn in the meantime")
    return _proposal(row)


def _proposal(row: Row[Any]) -> Proposal:
    found = _server(row.content)
    return Proposal(
        id=row.id,
        url=row.url,
        server=found if isinstance(found, Server) else None,
        proposed_at=row.proposed_at,
        proposed_by=row.proposed_by,
        proposed_by_name=row.proposed_by_name,
    )


def _unbind_unused(connection: Connection) -> None:
    """A key that no server at an origin names any more is not sent there when one does again."""
    servers = (_server(content) for content in connection.scalars(select(_SERVER.c.content)))
    used = {(origin(one.url), one.key) for one in servers if isinstance(one, Server)}
    for at, key in connection.execute(select(_BINDING.c.origin, _BINDING.c.key)).all():
        if (at, key) not in used:
            connection.execute(delete(_BINDING).where(_BINDING.c.origin == at, _BINDING.c.key == key))


def _logged(server: Server) -> dict[str, Any]:
    """What the log tells of a server."""
    launch = None if server.launch is None else server.launch.model_dump(mode="json")
    return {"name": server.name, "url": server.url, "key": server.key, "private": server.private, "launch": launch}


def _server(content: object) -> Server | str:
    """The server, or what is wrong with what is stored of it."""
    try:
        return Server.model_validate(content)
    except ValidationError as error:
        fault = error.errors()[0]
        return ": ".join([*map(str, fault["loc"]), fault["msg"]])
