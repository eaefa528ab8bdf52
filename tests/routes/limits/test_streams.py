"""So many live streams are open at once and no more, and each that ends, in whatever way, makes room for another."""

import asyncio

import pytest

from characterbox.accounts.account import LOCAL, Account
from characterbox.accounts.session_user import Visitor
from characterbox.routes.limits import fair_share
from characterbox.routes.limits.fair_share import MOST_OF_ONE, STREAMS, LiveResponse

ANN = Account(id="0123456789ab", name="Ann", role="viewer")
BOB = Account(id="ba9876543210", name="Bob", role="viewer")


class Watching:
    """A stream that is open until it is let go."""

    def __init__(self, account, fails=None):
        self.status, self.headers, self.ends, self.gone = None, {}, asyncio.Event(), asyncio.Event()
        self.fails = fails
        scope = {"type": "http", "visitor": Visitor(account), "asgi": {"spec_version": "2.3"}}
        self.task = asyncio.create_task(LiveResponse(self.told())(scope, self.receive, self.send))

    async def told(self):
        yield "event: status\n\n"
        await self.ends.wait()
        if self.fails:
            raise self.fails

    async def receive(self):
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message):
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], dict(message["headers"])


async def watching(account, count, **how):
    found = [Watching(account, **how) for _ in range(count)]
    await asyncio.sleep(0.05)
    return found


@pytest.mark.parametrize("way", ["ends", "disconnects", "is cancelled", "fails"])
async def test_an_account_has_twenty_and_each_that_ends_makes_room(way):
    mine = await watching(ANN, MOST_OF_ONE, fails=ValueError("broken") if way == "fails" else None)
    (refused,) = await watching(ANN, 1)
    (other,) = await watching(BOB, 1)
    assert [one.status for one in (*mine, refused, other)] == [200] * MOST_OF_ONE + [429, 200]
    assert refused.headers[b"retry-after"].isdigit()
    for one in (*mine, other):
        {"disconnects": one.gone.set, "is cancelled": one.task.cancel}.get(way, one.ends.set)()
    await asyncio.gather(*(one.task for one in (*mine, refused, other)), return_exceptions=True)
    assert STREAMS.open() == 0


async def test_without_accounts_only_all_together_are_counted(monkeypatch):
    monkeypatch.setattr(fair_share, "MOST_OF_ALL", MOST_OF_ONE + 5)
    mine = await watching(LOCAL, MOST_OF_ONE + 6)
    assert [one.status for one in mine] == [200] * (MOST_OF_ONE + 5) + [429]
    for one in mine:
        one.gone.set()
    await asyncio.gather(*(one.task for one in mine))
    assert STREAMS.open() == 0
