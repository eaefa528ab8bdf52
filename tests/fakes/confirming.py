"""Estimates of pingouin in a test: as in the processes that work out figures."""

import threading

import pytest

from annotations import confirmed
from characterbox.components.figures import reckoning
from characterbox.components.figures.kept import Kept


def take_from_pingouin_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have one test take its estimates from pingouin: none that was worked out before it, and none kept after it."""
    taken = threading.Event()
    monkeypatch.setattr(confirmed, "_taken", taken)
    monkeypatch.setattr(reckoning, "_tables", Kept(reckoning.KEPT))
    confirmed.take_from_pingouin()
