"""Whether a story can be played: whether its endpoints are there, and may be asked."""

import asyncio

from annotations.messages import Message
from characterbox.errors import EndpointDown, EndpointError, StoryError
from characterbox.llm.client import Client
from characterbox.llm.endpoint import MODELLESS, Casting
from characterbox.reasons import OfferedModels, Reason, at_endpoint
from characterbox.store import Store
from characterbox.store.stories import Story


def check_addresses(store: Store, story: Story, casting: Casting) -> None:
    """Raises StoryError if a story from a file would be played at addresses that nobody has registered here."""
    registered = {server.url for server in store.servers.all()} | MODELLESS
    if story.launched_from == "file" and (alien := casting.urls - registered):
        raise StoryError(
            Message(
                "story {id}: it was brought in, and its models are at addresses that are not registered here"
                " ({addresses}); register them on the Models page, or branch it with another model",
                id=story.id,
                addresses=", ".join(sorted(alien)),
            )
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
    cast = {endpoint.model for endpoint in (casting.narrator, *casting.characters.values()) if endpoint.url == url}
    absent = sorted(cast - set(offered)) if offered else []
    if not absent:
        return None
    named = OfferedModels(", ".join(offered[:_NAMED]))
    return at_endpoint(url, Reason("not_offered", absent=", ".join(absent), models=named))
