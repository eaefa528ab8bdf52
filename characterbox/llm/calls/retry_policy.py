"""What can go wrong with one attempt, and when and how often a call is sent again."""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from characterbox.pause_reasons import Reason, Withheld, said


class TransportError(Exception):
    """An attempt failed, and another one may succeed."""

    def __init__(
        self,
        kind: Reason,
        detail: Reason | Withheld | None = None,
        *,
        after: float | None = None,
        holds: bool = False,
        later: bool = False,
        timed_out: bool = False,
        unreachable: bool = False,
        spent: bool = False,
    ) -> None:
        self.reason = said(kind, detail)
        super().__init__(self.reason)
        self.kind = str(kind)
        """In a few words, without anything that the endpoint said: `HTTP 500`, `connection refused` ..."""
        self.after = after
        """Seconds after which the endpoint wants to be asked again."""
        self.holds = holds
        """Whether that goes for all calls to it."""
        self.later = later
        """Whether the endpoint works, and only asks to come later."""
        self.timed_out = timed_out
        self.unreachable = unreachable
        """Whether nobody answered."""
        self.spent = spent
        """Whether somebody has to pay before it goes on."""

    @property
    def unasked(self) -> bool:
        """Whether the attempt says nothing about what was asked: nobody has looked at it."""
        return self.later or self.unreachable


def timed_out(patience: float) -> TransportError:
    """Nothing came for so many seconds."""
    return TransportError(Reason("timed_out", seconds=f"{patience:g}"), timed_out=True)


class Refusal(Exception):
    """The endpoint answered that it won't do what it was asked, or it can't be asked at all."""

    def __init__(self, reason: Reason, status: int = 0, text: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status
        """0 if it can't be asked."""
        self.text = text
        """The whole body of the answer."""


_MOST = 24 * 3600.0
"""Seconds: no endpoint is believed that asks to be left alone for longer."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Times in seconds."""

    attempts: int = 6
    """How often a call is sent before the address counts as down."""
    timeouts: int = 3
    """How often of these it may time out."""
    hopeful: int = 30
    """How often it is sent when it is told to come later, while other calls to the address get through."""
    pause: float = 0.5
    """The pause before the second attempt; each later one is twice as long."""
    longest_pause: float = 8.0
    longest_wait: float = 60.0
    """An endpoint that asks for a longer pause counts as down for that time."""
    down: float = 15.0
    """How long an address is left alone that has just gone down; twice as long each time that it still is."""
    longest_down: float = 300.0

    def pause_before(self, attempt: int, path: str) -> float:
        """The pause before an attempt, the second being 1: up to a quarter longer or shorter, by the call's path."""
        jitter = 0.75 + 0.5 * zlib.crc32(f"{path}#{attempt}".encode()) / 2**32
        return min(self.pause * 2.0 ** (attempt - 1), self.longest_pause) * jitter

    def down_for(self, times: int) -> float:
        """How long an address is left alone that was found down so many times in a row."""
        return min(self.down * 2.0 ** min(times - 1, 30), self.longest_down)


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """The seconds after which an endpoint wants to be asked again; None if it does not say.

    It says so as `retry-after-ms`, or as `Retry-After` in seconds or by an HTTP date.
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) * unit
        except (KeyError, ValueError):
            continue
        if 0 <= seconds < float("inf"):
            return min(seconds, _MOST)
    try:
        date = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return min(max(0.0, (date - now).total_seconds()), _MOST)
