"""The client with which a command asks models."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from characterbox.llm.calls.client import Client
from characterbox.stage.client import open_client
from characterbox.store import Store

T = TypeVar("T")


def with_client(store: Store, do: Callable[[Client], Awaitable[T]]) -> T:
    """What is done with a client that can reach all that this computer can, on an event loop of its own."""

    async def whole() -> T:
        client = open_client(store, for_owner=True)
        try:
            return await do(client)
        finally:
            await client.close()

    return asyncio.run(whole())
