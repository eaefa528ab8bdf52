"""What models write over a journal of its own: gone on with after any end, and asked for once."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field

from characterbox.errors import CharacterBoxError, Interlude
from characterbox.llm.asking import Asker, Doorkeeper, JournaledAsk, OpenDoor
from characterbox.llm.journal import OnMismatch, Record, Reply
from characterbox.pause_reasons import Reason
from characterbox.processes.concurrency import held
from characterbox.store import Store
from characterbox.store.craftings import CraftingStatus


@dataclass(frozen=True)
class Resuming:
    """How it is gone on with."""

    on_mismatch: OnMismatch = "stop"
    """What to do with recorded replies that belong to other prompts than are asked now."""
    door: Doorkeeper = field(default_factory=OpenDoor)
    rests_as: Callable[[], CraftingStatus] = lambda: "paused"
    """The status in which it rests where no more calls may leave."""
    rests_because: Callable[[], Reason | None] = lambda: None
    """Why it rests there, where no person wanted that."""


async def go_on(
    store: Store,
    client: Asker,
    id: str,
    how: Resuming,
    *,
    known: Callable[[list[Reply]], Awaitable[Record]],
    work: Callable[[JournaledAsk], Awaitable[Iterable[BaseException]]],
) -> None:
    """Do what is left, with the claim on the journal held, and leave the status in which that ended.

    `known` gives the record of the replies there are; `work` does all it can, and gives what failed. Raises StoryError
    if there is no such journal or another process is at it, and what failed first: faults before Interlude.
    """
    async with held(store.craftings.claimed(id)) as journal:
        replies = await asyncio.to_thread(store.craftings.journal, id)
        await journal.move("running")
        record = await known(replies)
        try:
            failures = [*await work(JournaledAsk(journal, record, client, how.door))]
        except asyncio.CancelledError:
            await asyncio.shield(journal.move(how.rests_as()))
            raise
        faults = [one for one in failures if not isinstance(one, Interlude)]
        resting: CraftingStatus = "paused" if faults else how.rests_as()
        reason = Reason.of(faults[0]) if faults else how.rests_because() if failures else None
        await journal.move(resting if failures else "ended", reason)
    if failures:
        raise next((one for one in faults if not isinstance(one, CharacterBoxError)), (faults or failures)[0])


def price_of(replies: Iterable[Reply]) -> float | None:
    """US dollars of all replies that models gave; None where the price of one is not known."""
    prices = [reply.usage.price for reply in replies if reply.author == "model"]
    return None if None in prices else sum(price for price in prices if price is not None)
