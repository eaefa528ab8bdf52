"""One story that is being played in this process."""

import asyncio
from dataclasses import dataclass

from characterbox.stage.pace import Pace

GRACE = 5.0
"""Seconds that replies under way get to arrive when the app ends, or when a story is paused."""


@dataclass(frozen=True, slots=True)
class Playing:
    """A story that is being played: what plays it, and how far it is let. To be awaited on the loop of its task."""

    task: asyncio.Task[None]
    pace: Pace

    async def begun(self) -> None:
        """Come back once it is marked as running, or is over before that."""
        begun = asyncio.ensure_future(self.pace.begun.wait())
        await asyncio.wait([self.task, begun], return_when=asyncio.FIRST_COMPLETED)
        begun.cancel()

    async def soon_over(self) -> None:
        """Come back once it is over, or after a while."""
        await asyncio.wait([self.task], timeout=GRACE)

    async def cancel(self) -> None:
        """End it at once."""
        await asyncio.sleep(0)  # it begins, if it has not: only what has begun can say that it was stopped
        self.task.cancel()
        await asyncio.wait([self.task])
