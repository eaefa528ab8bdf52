"""Threads of their own for what must not wait behind other work: those of `asyncio.to_thread` are few, and for all."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Threads:
    """So many threads, for one kind of work."""

    def __init__(self, name: str, most: int) -> None:
        self._pool = ThreadPoolExecutor(most, thread_name_prefix=name)

    async def run(self, function: Callable[P, T], *args: P.args, **more: P.kwargs) -> T:
        """What `asyncio.to_thread` does, in one of these threads."""
        context = copy_context()
        return await asyncio.get_running_loop().run_in_executor(
            self._pool, lambda: context.run(function, *args, **more)
        )
