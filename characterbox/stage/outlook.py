"""The outlook of a story: how far its record reaches, and what would be asked next. Nothing is asked for it."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from characterbox.errors import Interlude
from characterbox.llm.journal import Record
from characterbox.llm.request import Request
from characterbox.play.events import Event
from characterbox.play.performance import play
from characterbox.play.script import Script


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a story would be if it were played on now."""

    known: int
    """How many replies of the record are used beyond what was played."""
    next: Sequence[Request]
    """What would be asked next, side by side; empty when the story is complete."""


async def outlook(script: Script, record: Record, played: Sequence[Event]) -> Outlook:
    """Play the story on from the events that were played, over its record alone.

    Raises RecordMismatch where a record belongs to another prompt.
    """
    wanted: list[Request] = []
    known = 0

    async def ask(request: Request) -> str:
        nonlocal known
        found = record.find(request)
        if found.reply is None:
            wanted.append(found.request)
            raise Interlude(f"there is no reply at {request.path} yet")
        known += 1
        return found.reply.whole()

    async def emit(event: Event) -> None:
        pass

    with suppress(Interlude):
        await play(script, ask, emit, played)
    return Outlook(known, wanted)
