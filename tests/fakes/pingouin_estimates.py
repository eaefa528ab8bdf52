"""Estimates of pingouin in a test: as in the processes that work out figures."""

import threading

import pytest

from annotations.reliability import pingouin_check
from characterbox.components.figures.background import compute
from characterbox.components.figures.background.process import Cache


def take_from_pingouin_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have one test take its estimates from pingouin: none that was worked out before it, and none kept after it."""
    taken = threading.Event()
    monkeypatch.setattr(pingouin_check, "_taken", taken)
    monkeypatch.setattr(compute, "_tables", Cache(compute.KEPT))
    pingouin_check.take_from_pingouin()
