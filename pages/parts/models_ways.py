"""Ways between the views of the Models page; each has its own address."""

from annotations.wording import say
from characterbox.errors import AddressError
from characterbox.llm.endpoint import REHEARSAL
from characterbox.llm.server import Server
from characterbox.stage.stage import Stage


def all_servers(stage: Stage) -> list[Server]:
    """All servers to choose from, the rehearsal first."""
    saved = stage.store.servers.all()
    return [find_server(stage, REHEARSAL), *(server for server in saved if server.url != REHEARSAL)]


def find_server(stage: Stage, url: str) -> Server:
    """The server at an address. Raises AddressError if there is none."""
    server = stage.store.servers.find(url)
    if server is None and url != REHEARSAL:
        raise AddressError(say("there is no server at this address; it may have been removed"))
    return server or Server.unregistered(REHEARSAL)
