"""A journal in memory."""

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

    async def answered(self, reply: Reply) -> None:
        """Record a reply."""
        self.kept.append(reply)
