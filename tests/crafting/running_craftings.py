"""What a crafting is asked for in tests, and how it is run to its end."""

import asyncio

from characterbox.crafting.request import Roles, Wish
from characterbox.crafting.running import How, run
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from tests.fakes.crafting_models import written
from tests.fakes.in_process_servers import ToNearby

GOOD = written("A watch is missing", "Ann", "Bea")
BETTER = written("A watch is missing, and the door is locked", "Ann", "Bea")


def wish(crew, **changes):
    roles = Roles(**{role: Endpoint(url=crew.url, model=role) for role in ("screenwriter", "director", "evaluator")})
    return Wish(**{"way": "generate", "language": "en", "work": "The Hotel", "roles": roles, **changes})


def crafted(store, id, **how):
    steps = []

    async def craft():
        client = Client(transport=ToNearby())
        try:
            await run(store, client, id, How(on_step=lambda number, step: steps.append((number, step)), **how))
        finally:
            await client.close()

    asyncio.run(craft())
    return steps
