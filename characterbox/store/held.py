"""Holding on an event loop what is taken and given up by blocking calls."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, asynccontextmanager, suppress
from typing import TypeVar

from characterbox.errors import CharacterBoxError

T = TypeVar("T")


@asynccontextmanager
async def held(context: AbstractContextManager[T]) -> AsyncIterator[T]:
    """What a context manager gives, entered and left in a thread. Who is cancelled meanwhile leaves nothing held."""
    entering = asyncio.ensure_future(asyncio.to_thread(context.__enter__))
    try:
        value = await asyncio.shield(entering)
    except asyncio.CancelledError:
        with suppress(CharacterBoxError):
            await entering
            await asyncio.to_thread(context.__exit__, None, None, None)
        raise
    try:
        yield value
    finally:
        await asyncio.shield(asyncio.to_thread(context.__exit__, None, None, None))
