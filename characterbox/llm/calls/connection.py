"""The connection to an address: who may use it when, whether it is known to be down, and what was learned of it."""

import asyncio
import math
import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING

from characterbox.errors import EndpointDown
from characterbox.llm.calls.retry_policy import RetryPolicy
from characterbox.llm.server import Server
from characterbox.pause_reasons import Reason

if TYPE_CHECKING:
    from characterbox.llm.calls.http import Wire

_WINDOW = re.compile(
    r"(?:context|model|sequence) (?:length|len|window|size)\D{0,30}?(\d[\d,]{2,8})"
    r"|(?:maximum|limit of|limit:) ?(\d{3,8})",
    re.IGNORECASE,
)


class CircuitBreaker:
    """Whether an address is known to be down, and who tries whether it still is. It belongs to one event loop."""

    def __init__(self, patience: RetryPolicy) -> None:
        self._patience = patience
        self._times = 0
        self._until = 0.0
        self._trial: asyncio.Event | None = None
        """Set when the call that tries the address has come to its end."""
        self.reason: Reason | None = None
        """Why the address counts as down; None while it does not."""
        self.unreachable = False
        """Whether it is down as nobody answers there, so that any answer is a sign that it is back."""
        self.successes = 0
        """How often it has answered."""

    async def admit(self) -> bool:
        """Let a call go on; True if it is the one that tries an address which may still be down.

        That one must end in `passed`, `failed` or `released`; the others wait meanwhile. Raises EndpointDown at once
        while the address is left alone.
        """
        while self.reason is not None:
            if self._trial is not None:
                await self._trial.wait()
            elif self.left_alone:
                raise EndpointDown(self.reason)
            else:
                self._trial = asyncio.Event()
                return True
        return False

    @property
    def left_alone(self) -> bool:
        """Whether the address is down, and not to be tried yet."""
        return self.reason is not None and asyncio.get_running_loop().time() < self._until

    def passed(self) -> None:
        """It has answered."""
        self.successes += 1
        self._times, self.reason = 0, None
        self.released()

    def failed(self, reason: Reason, *, unreachable: bool, seconds: float | None) -> None:
        """It is down; it is left alone for so many seconds, or for longer each time."""
        self._times += 1
        self.reason, self.unreachable = reason, unreachable
        wait = self._patience.down_for(self._times) if seconds is None else seconds
        self._until = asyncio.get_running_loop().time() + wait
        self.released()

    def try_again(self) -> None:
        """Let the next call try it, however soon."""
        self._until = 0.0

    def released(self) -> None:
        """The call that was to try it has ended, whatever came of it."""
        if self._trial is not None:
            self._trial.set()
            self._trial = None


Urgent = Callable[[], bool]
"""Whether somebody waits for a call, so that it goes before others. Asked again each time a place gets free."""

MINUTE = 60.0
_LATE = 0.001
"""Seconds that a timer is set behind the time it is for, so that it is never early."""


def never() -> bool:
    """Nobody waits for it."""
    return False


@dataclass(slots=True, eq=False)
class Place:
    """The right to one request."""

    since: float
    tokens: int
    counted: bool
    """Whether it is among what left within the last minute."""


@dataclass(slots=True, eq=False)
class _Waiting:
    ticket: int
    tokens: int
    turn: "asyncio.Future[Place | None]"

    def __lt__(self, other: "_Waiting") -> bool:
        return self.ticket < other.ticket


class RateLimit:
    """Lets requests to one address pass: in order of their tickets, those that are urgent first.

    In any minute no more requests leave than are allowed, nor more tokens; a request that alone has more than the
    tokens of a minute leaves when no other has left for a minute. It belongs to one event loop and goes by its time.
    """

    def __init__(self) -> None:
        self._parallel: float = math.inf
        self._requests: int | None = None
        self._tokens: int | None = None
        self._tickets = count()
        self._under_way = 0
        self._left: deque[Place] = deque()
        """Those that left within the last minute, as long as something is allowed by the minute."""
        self._spent = 0
        """The tokens of all in `_left`."""
        self._held_until = -math.inf
        self._waiting: dict[Urgent, list[_Waiting]] = {}
        """Heaps of those that wait, by what tells whether they are urgent."""
        self._timer: asyncio.TimerHandle | None = None

    @property
    def under_way(self) -> int:
        """How many requests have a place."""
        return self._under_way

    @property
    def waiting(self) -> int:
        """How many requests wait for a place."""
        return sum(not one.turn.done() for heap in self._waiting.values() for one in heap)

    @property
    def by_tokens(self) -> bool:
        """Whether it matters how many tokens a request has."""
        return self._tokens is not None

    def allow(self, server: Server) -> None:
        """Take over what a server may be asked from now on."""
        allowed = (server.parallel, server.requests_per_minute, server.tokens_per_minute)
        if allowed != (self._parallel, self._requests, self._tokens):
            self._parallel, self._requests, self._tokens = allowed
            self._advance()

    def hold(self, seconds: float) -> None:
        """Let nobody pass for so long."""
        self._held_until = max(self._held_until, self._now() + seconds)

    def ticket(self) -> int:
        """A place in the order of arrival; a call that is asked again keeps it."""
        return next(self._tickets)

    async def enter(self, ticket: int, tokens: int = 0, urgent: Urgent = never) -> Place | None:
        """Wait for a place, to be given back with `leave`; None if all that wait are turned away."""
        if not self._waiting and self._opens(tokens) <= self._now():
            return self._let_in(tokens)
        waiting = _Waiting(ticket, tokens, asyncio.get_running_loop().create_future())
        heappush(self._waiting.setdefault(urgent, []), waiting)
        self._advance()
        try:
            return await waiting.turn
        except asyncio.CancelledError:
            if waiting.turn.done() and not waiting.turn.cancelled() and (place := waiting.turn.result()):
                self._take_back(place)
            raise

    def leave(self, place: Place, tokens: int | None = None) -> None:
        """Give a place back, with the number of tokens that were really used, where it is known."""
        if tokens is not None and place.counted:
            self._spent += tokens - place.tokens
            place.tokens = tokens
        self._under_way -= 1
        self._advance()

    def turn_away(self) -> None:
        """Send all away that wait."""
        heaps, self._waiting = self._waiting, {}
        for waiting in (one for heap in heaps.values() for one in heap if not one.turn.done()):
            waiting.turn.set_result(None)

    def _take_back(self, place: Place) -> None:
        """Undo that somebody was let in who is gone before anything was sent."""
        if place.counted:
            self._left.remove(place)
            self._spent -= place.tokens
        self._under_way -= 1
        self._advance()

    def _let_in(self, tokens: int) -> Place:
        place = Place(self._now(), tokens, counted=self._requests is not None or self._tokens is not None)
        self._under_way += 1
        if place.counted:
            self._left.append(place)
            self._spent += tokens
        return place

    def _advance(self) -> None:
        """Let in who may pass now, and come back when the next one may."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._waiting:
            opens, first = self._opens(0), None
            if opens <= self._now():
                if (first := self._first()) is None:
                    return
                opens = self._opens(self._waiting[first][0].tokens)
            if first is None or opens > self._now():
                if opens < math.inf:
                    self._timer = asyncio.get_running_loop().call_at(opens + _LATE, self._advance)
                return
            waiting = heappop(self._waiting[first])
            waiting.turn.set_result(self._let_in(waiting.tokens))

    def _first(self) -> Urgent | None:
        """The group of who is next; those at its head that are gone are left out, and groups that are empty."""
        best: tuple[bool, int] | None = None
        first = None
        for urgent, heap in list(self._waiting.items()):
            while heap and heap[0].turn.done():
                heappop(heap)
            if not heap:
                del self._waiting[urgent]
                continue
            rank = (not urgent(), heap[0].ticket)
            if best is None or rank < best:
                best, first = rank, urgent
        return first

    def _opens(self, tokens: int) -> float:
        """The time from which a request of so many tokens may leave, as far as it can be told now."""
        if self._under_way >= self._parallel:
            return math.inf
        opens, long_ago = self._held_until, self._now() - MINUTE
        while self._left and self._left[0].since <= long_ago:
            gone = self._left.popleft()
            gone.counted = False
            self._spent -= gone.tokens
        if self._requests is not None and len(self._left) >= self._requests:
            opens = max(opens, self._left[len(self._left) - self._requests].since + MINUTE)
        if self._tokens is not None and self._spent + tokens > self._tokens:
            spent = self._spent
            for place in self._left:
                spent -= place.tokens
                opens = max(opens, place.since + MINUTE)
                if spent + tokens <= self._tokens:
                    break
        return opens

    def _now(self) -> float:
        return asyncio.get_running_loop().time()


def window_told(text: str) -> int | None:
    """The length of the context window in tokens, if an error tells it."""
    found = _WINDOW.search(text)
    tokens = int((found[1] or found[2]).replace(",", "")) if found else 0
    return tokens if tokens >= 256 else None


@dataclass(slots=True)
class Connection:
    """The wire to an address, who may use it when, and what was learned of the models behind it."""

    wire: "Wire"
    circuit: CircuitBreaker
    gate: RateLimit = field(default_factory=RateLimit)
    refused: dict[str, frozenset[str]] = field(default_factory=dict)
    """The options and formats that each model was found to refuse."""
    windows: dict[str, int] = field(default_factory=dict)
    """The context windows, in tokens, that were told when a prompt did not fit."""

    def as_told(self, server: Server, model: str) -> Server:
        """The server, with the context window that it told itself where that is smaller."""
        window = self.windows.get(model)
        if window is None or (server.context is not None and server.context <= window):
            return server
        return server.model_copy(update={"context": window})

    def learn_window(self, model: str, text: str) -> None:
        """Take a context window from an error, if it tells it."""
        if (window := window_told(text)) is not None:
            self.windows[model] = window

    def fail(self, reason: Reason, *, unreachable: bool, seconds: float | None) -> None:
        """Take it as down: all that wait are turned away, and what comes back may be another server."""
        self.circuit.failed(reason, unreachable=unreachable, seconds=seconds)
        self.gate.turn_away()
        self.refused.clear()
        self.windows.clear()
