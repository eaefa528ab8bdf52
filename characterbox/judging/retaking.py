"""What a judge replied and nobody could read, asked again on purpose: as a new take of the same request."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol, TypeVar

from characterbox.errors import ReplyError
from characterbox.llm.journal import Record, Reply
from characterbox.llm.request import AGAIN, Ask, Request, answer

T = TypeVar("T")


class Answering(Protocol):
    """Has an answer that can be read, or raises ReplyError, as `answer` does."""

    def __call__(self, ask: Ask, request: Request, read: Callable[[str], T]) -> Awaitable[T]:
        """The answer to a request."""


class Retaking:
    """Answers from a record; what can't be read in it is asked anew, once."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._recorded = dict(record.replies)

    async def __call__(self, ask: Ask, request: Request, read: Callable[[str], T]) -> T:
        """The answer. Raises ReplyError if a reply that came just now can't be read either."""
        try:
            return await answer(ask, request, read)
        except ReplyError:
            paths = {request.path, f"{request.path}{AGAIN}"}
            replies = self._record.replies
            if any(replies.get(path) is not self._recorded.get(path) for path in paths):
                raise
            self._record.anew |= paths
        return await answer(ask, request, read)


def superseded(replies: Mapping[str, Reply]) -> set[str]:
    """The paths at which it was asked once more what was wrong with a reply that has a later take since."""
    found = set()
    for path, reply in replies.items():
        first = replies.get(path.removesuffix(AGAIN)) if path.endswith(AGAIN) else None
        if first is not None and first.came_at and reply.came_at and first.came_at > reply.came_at:
            found.add(path)
    return found
