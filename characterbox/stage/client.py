"""The client of a process: it reads what the database knows of servers, and the prices that the user set."""

from functools import partial

from pydantic import SecretStr

from characterbox.llm.client import Client
from characterbox.llm.keys import key_for
from characterbox.llm.prices import Prices
from characterbox.llm.reach import Reach
from characterbox.llm.server import Server
from characterbox.settings import settings
from characterbox.store import Store


def open_client(store: Store, rehearsal_latency: float = 0.0, *, for_owner: bool = False) -> Client:
    """A client for the servers of a database. Raises CharacterBoxError if the file of prices can't be used.

    With accounts on it connects to public addresses, and to others where an admin has registered the server and
    allowed that. `for_owner` lifts this: commands are run by whoever has this computer, and can reach all that it can.
    """

    def server_at(url: str) -> Server:
        return store.servers.find(url) or Server.unregistered(url)

    def key_of(server: Server) -> SecretStr | None:
        return key_for(server, store.servers.is_bound)

    prices = Prices.load(settings().prices)
    reach = reach_for_owner if for_owner else partial(reach_of, store)
    return Client(server_at, key_of=key_of, prices=prices, rehearsal_latency=rehearsal_latency, reach=reach)


def reach_of(store: Store, url: str) -> Reach:
    """Where the app may connect for an address."""
    if settings().auth == "off":
        return "anywhere"
    registered = store.servers.find(url)
    return "public" if registered is None else registered.reach


def reach_for_owner(_: str) -> Reach:
    """Where commands may connect: wherever this computer can."""
    return "anywhere"
