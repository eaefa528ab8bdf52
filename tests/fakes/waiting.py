"""Waiting for what comes sooner or later, however busy the machine is."""

import time
from collections.abc import Callable
from typing import TypeVar

PATIENCE = 300.0
"""Seconds, however busy the machine is."""
Seen = TypeVar("Seen")


def until(look: Callable[[], Seen], patience: float = PATIENCE) -> Seen:
    """What is seen, as soon as there is something. Raises TimeoutError when nothing is within so many seconds."""
    end = time.monotonic() + patience
    while not (seen := look()):
        if time.monotonic() > end:
            raise TimeoutError(f"it did not come to that within {patience:.0f} s; seen last: {seen!r}")
        time.sleep(0.01)
    return seen
