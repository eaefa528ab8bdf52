"""The addresses that people have registered."""

import threading
import time

from sqlalchemy import Engine, delete, select

from characterbox.llm.server import Server
from characterbox.store.tables import ServerRow, insert_into, table_of
from characterbox.store.writer import Writer

_SERVER = table_of(ServerRow)
_FRESH = 1.0
"""Seconds for which this process goes by what it has read; what other processes change shows after that."""


class ServerStore:
    """Keeps servers, one for each address. Asking it before every call costs nothing."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer
        self._lock = threading.Lock()
        self._read: dict[str, Server] = {}
        self._read_at: float | None = None

    def all(self) -> list[Server]:
        """All servers, by name."""
        return sorted(self._servers().values(), key=lambda server: (server.name, server.url))

    def find(self, url: str) -> Server | None:
        """The server at this address, if it is registered."""
        return self._servers().get(url)

    def save(self, server: Server) -> None:
        """Register a server, or change the one at its address."""
        content = server.model_dump(mode="json")
        adding = insert_into(_SERVER, self._engine.dialect.name).values(url=server.url, content=content)
        saving = adding.on_conflict_do_update(index_elements=["url"], set_={"content": content})
        self._writer.submit(lambda connection: connection.execute(saving)).result()
        self._forget()

    def remove(self, url: str) -> None:
        """Forget the server at this address, if there is one."""
        removing = delete(_SERVER).where(_SERVER.c.url == url)
        self._writer.submit(lambda connection: connection.execute(removing)).result()
        self._forget()

    def _servers(self) -> dict[str, Server]:
        with self._lock:
            if self._read_at is None or time.monotonic() - self._read_at > _FRESH:
                with self._engine.connect() as connection:
                    contents = connection.scalars(select(_SERVER.c.content)).all()
                servers = [Server.model_validate(content) for content in contents]
                self._read = {server.url: server for server in servers}
                self._read_at = time.monotonic()
            return self._read

    def _forget(self) -> None:
        with self._lock:
            self._read_at = None
