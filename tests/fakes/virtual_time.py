"""An event loop whose time is not that of the clock: where it would wait, its time moves on at once."""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar
from unittest.mock import patch

T = TypeVar("T")


class _Jump(selectors.SelectSelector):
    """Waits for nothing: the loop's time moves on by as long as it would have waited."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        ready = super().select(0)
        if not ready and timeout is None:
            raise AssertionError("nothing is left that could ever happen")
        if not ready and timeout is not None:
            self.now += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """For code that reaches no network and starts no threads."""

    def __init__(self) -> None:
        self._jump = _Jump()
        super().__init__(self._jump)

    def time(self) -> float:
        return self._jump.now


def in_no_time(what: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that is run in a time of its own, from second 0."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner, patch("openai._base_client.asyncify", _here):
        return runner.run(what)


def _here(function: Callable[[], T]) -> Callable[[], Coroutine[Any, Any, T]]:
    """What the openai client asks a thread for, asked here: such a loop can't wait for a thread."""

    async def called() -> T:
        return function()

    return called
