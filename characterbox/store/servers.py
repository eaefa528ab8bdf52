"""The addresses that people have registered."""

import threading
import time
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Connection, Engine, delete, select

from annotations.wording import to_say
from characterbox.accounts.account import Account
from characterbox.accounts.rights import require
from characterbox.errors import StoreError
from characterbox.llm.address import is_private, origin
from characterbox.llm.server import Server
from characterbox.reasons import KEY_IN_CLEAR
from characterbox.store.audit import record
from characterbox.store.tables import KeyBindingRow, ServerRow, insert_into, now, table_of
from characterbox.store.writer import Writer

_SERVER = table_of(ServerRow)
_BINDING = table_of(KeyBindingRow)
FRESH = 1.0
"""Seconds for which this process goes by what it has read; what other processes change shows after that."""


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
                to_say("server {url}: what is stored of it can't be read ({found}); add it anew (Models)"),
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
        if server.key is not None and not is_private(server.url):
            raise StoreError(KEY_IN_CLEAR, key=server.key, origin=origin(server.url))
        content = server.model_dump(mode="json")
        adding = insert_into(_SERVER, self._engine.dialect.name).values(url=server.url, content=content)
        saving = adding.on_conflict_do_update(index_elements=["url"], set_={"content": content})

        def write(connection: Connection) -> None:
            connection.execute(saving)
            record(connection, actor, "server.saved", server.url, _logged(server))
            self._bind(connection, actor, server)
            _unbind_unused(connection)

        self._writer.submit(write).result()
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

    def _bind(self, connection: Connection, actor: Account, server: Server) -> None:
        if server.key is None:
            return
        row = {"origin": origin(server.url), "key": server.key}
        by = {"bound_at": now(), "bound_by": actor.id, "bound_by_name": actor.name}
        binding = insert_into(_BINDING, self._engine.dialect.name).values({**row, **by}).on_conflict_do_nothing()
        if connection.execute(binding.returning(_BINDING.c.key)).first() is not None:
            record(connection, actor, "key.bound", row["origin"], {"key": server.key})

    def note(self, actor: Account, action: str, server: Server) -> None:
        """Tell in the log what is done with a server, such as `server.started`."""
        self._writer.submit(lambda connection: record(connection, actor, action, server.url, _logged(server))).result()

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
