"""The client of a process, and whether it can ask the endpoints of a story.

It reads what the database knows of servers, and the prices that the user set.
"""

import asyncio
from collections.abc import Mapping
from types import MappingProxyType

from pydantic import SecretStr

from characterbox.errors import EndpointDown, EndpointError, StoryError
from characterbox.llm.calls.address import Reach
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import MODELLESS, Casting
from characterbox.llm.keys import key_for
from characterbox.llm.server import Server
from characterbox.llm.usage import Price, Prices
from characterbox.pause_reasons import OfferedModels, Reason, at_endpoint
from characterbox.settings import settings
from characterbox.store import Store
from characterbox.store.stories.stories import Story


def open_client(
    store: Store,
    rehearsal_latency: float = 0.0,
    *,
    for_owner: bool = False,
    prices: Mapping[str, Price] = MappingProxyType({}),
) -> Client:
    """A client for the servers of a database. Raises CharacterBoxError if the file of prices can't be used.

    With accounts on it connects to public addresses, and to others where an admin has registered the server and
    allowed that. `for_owner` lifts this: commands are run by whoever has this computer, and can reach all that it can.
    `prices` count, by the name of the model, where neither the app nor the user has one.
    """

    def server_at(url: str) -> Server:
        return store.servers.find(url) or Server.unregistered(url)

    def key_of(server: Server) -> SecretStr | None:
        return key_for(server, store.servers.is_bound)

    known = Prices({**prices, **Prices.load(settings().prices).of})

    def reach(url: str) -> Reach:
        return "anywhere" if for_owner else reach_of(store, url)

    return Client(server_at, key_of=key_of, prices=known, rehearsal_latency=rehearsal_latency, reach=reach)


def reach_of(store: Store, url: str) -> Reach:
    """Where the app may connect for an address."""
    if settings().auth == "off":
        return "anywhere"
    registered = store.servers.find(url)
    return "public" if registered is None else registered.reach


def check_addresses(store: Store, story: Story, casting: Casting) -> None:
    """Raises StoryError if a story from a file would be played at addresses that nobody has registered here."""
    registered = {server.url for server in store.servers.all()} | MODELLESS
    if story.launched_from == "file" and (alien := casting.urls - registered):
        raise StoryError(
            "story {id}: it was imported, and its models are at addresses that are not registered here"
            " ({addresses}); register them on the Models page, or branch the story with another model",
            id=story.id,
            addresses=", ".join(sorted(alien)),
        )


_NAMED = 5
"""How many models are named that an endpoint offers instead."""


async def missing(client: Client, casting: Casting) -> list[Reason]:
    """What is not as it should be, for each endpoint a reason; empty when all can be asked.

    An endpoint that does not tell what it offers counts as ready: only a call finds out more.
    """
    urls = sorted(casting.urls - MODELLESS)
    faults = await asyncio.gather(*(_fault(client, casting, url) for url in urls))
    return [fault for fault in faults if fault is not None]


async def _fault(client: Client, casting: Casting, url: str) -> Reason | None:
    client.try_again(url)
    try:
        offered = [offer.model for offer in await client.offers(url) or ()]
    except EndpointDown as error:
        return Reason.of(error)
    except EndpointError:
        return None
    cast = {endpoint.model for endpoint in casting.endpoints if endpoint.url == url}
    absent = sorted(cast - set(offered)) if offered else []
    if not absent:
        return None
    named = OfferedModels(", ".join(offered[:_NAMED]))
    return at_endpoint(url, Reason("not_offered", absent=", ".join(absent), models=named))
