"""How generations are run in tests, to their end or to where they stop."""

import asyncio

from characterbox.llm.calls.client import Client
from characterbox.rolebench.running import How, budgeted, run
from tests.fakes.in_process_servers import ToNearby
from tests.fakes.roles import role


def generated(store, id, how=None, **client):
    async def generate():
        asks = Client(transport=ToNearby(), **client)
        try:
            await run(store, budgeted(store, asks, id), id, how or How())
        finally:
            await asks.close()

    asyncio.run(generate())


def talkative(name="Old Tam", rounds=10, words=60, id=None):
    """A role with so many rounds, of which each has two turns of so many words."""
    said = " ".join(f"water{n}" for n in range(words))
    told = [[("Merchant", f"{said} one{n}"), (name, f"{said} two{n}")] for n in range(rounds)]
    return role(name, "You ferry people over a river and distrust bridges.", told, "Slow water.", id=id)
