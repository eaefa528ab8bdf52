"""Estimates of pingouin in a test: as in the processes that work out figures."""

import threading

import pytest

from annotations import confirmed


def take_from_pingouin_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have one test take its estimates from pingouin."""
    taken = threading.Event()
    monkeypatch.setattr(confirmed, "_taken", taken)
    confirmed.take_from_pingouin()
