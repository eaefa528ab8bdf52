"""A journal in memory."""

import asyncio
from collections.abc import Awaitable

from characterbox.llm.journal import Reply


class MemoryJournal:
    """Keeps marks and replies in lists; both may be looked at."""

    def __init__(self) -> None:
        self.marks: list[tuple[str, int]] = []
        self.kept: list[Reply] = []

    def replies(self) -> dict[str, Reply]:
        """The last take of every recorded reply, by path."""
        return {reply.path: reply for reply in self.kept}

    async def asked(self, path: str, take: int) -> None:
        """Mark that a call is about to leave."""
        self.marks.append((path, take))

    def answered(self, reply: Reply) -> Awaitable[None]:
        """Record a reply."""
        self.kept.append(reply)
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        done.set_result(None)
        return done
