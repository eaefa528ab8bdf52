"""The client of a process: it reads what the database knows of servers, and the prices that the user set."""

from pydantic import SecretStr

from characterbox.llm.client import Client
from characterbox.llm.keys import key_for
from characterbox.llm.prices import Prices
from characterbox.llm.server import Server
from characterbox.settings import settings
from characterbox.store import Store


def open_client(store: Store, rehearsal_latency: float = 0.0) -> Client:
    """A client for the servers of a database. Raises CharacterBoxError if the file of prices can't be used."""

    def server_at(url: str) -> Server:
        return store.servers.find(url) or Server.unregistered(url)

    def key_of(server: Server) -> SecretStr | None:
        return key_for(server, store.servers.is_bound)

    return Client(server_at, key_of=key_of, prices=Prices.load(settings().prices), rehearsal_latency=rehearsal_latency)
