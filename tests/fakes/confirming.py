"""Estimates of pingouin in a test: as in the processes that work out figures."""

import threading

import pytest

from annotations.reliability import pingouin_check as confirmed
from characterbox.components.figures.background import compute as reckoning
from characterbox.components.figures.background.process import Cache


def take_from_pingouin_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have one test take its estimates from pingouin: none that was worked out before it, and none kept after it."""
    taken = threading.Event()
    monkeypatch.setattr(confirmed, "_taken", taken)
    monkeypatch.setattr(reckoning, "_tables", Cache(reckoning.KEPT))
    confirmed.take_from_pingouin()
