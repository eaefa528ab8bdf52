"""A live stream ends when the one who watches may watch no longer."""

import asyncio
from importlib import import_module

import pytest

live = import_module("characterbox.routes.live")


class Asking:
    """A request whose sender is looked at again: allowed as often as is said."""

    def __init__(self, times):
        self.times = times
        self.scope = {"still_may": self.still_may}

    async def still_may(self):
        self.times -= 1
        return self.times >= 0


async def endless():
    while True:
        yield ": still here\n\n"
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("times", [0, 2])
async def test_it_ends_at_the_next_look(monkeypatch, times):
    monkeypatch.setattr(live, "HEARTBEAT", 0.05)
    asking = Asking(times)
    async with asyncio.timeout(5):
        told = [message async for message in live._while_allowed(asking, endless())]
    assert asking.times == -1
    assert len(told) >= 1


async def test_what_it_reads_from_is_closed():
    closed = []

    async def messages():
        try:
            while True:
                yield "message"
        finally:
            closed.append(True)

    stream = live._while_allowed(Asking(1), messages())
    assert await anext(stream) == "message"
    await stream.aclose()
    assert closed == [True]
