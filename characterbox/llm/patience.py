"""Patience: how often a call that failed is sent again, when, and how long an address counts as down."""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_MOST = 24 * 3600.0
"""Seconds: no endpoint is believed that asks to be left alone for longer."""


@dataclass(frozen=True, slots=True)
class Patience:
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
