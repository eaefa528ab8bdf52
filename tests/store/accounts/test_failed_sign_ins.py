"""Failures to sign in are logged, and a flood of them makes few entries."""

from datetime import timedelta

import pytest

from characterbox.accounts.account import LOCAL
from characterbox.accounts.login_throttle import coming_from
from characterbox.store.accounts import failed_sign_ins
from characterbox.store.accounts.failed_sign_ins import EVERY, MOST_COUNTED
from characterbox.store.tables.columns import now


@pytest.fixture
def clock(monkeypatch):
    """What time it is for failures; a list of one moment."""
    time = [now()]
    monkeypatch.setattr(failed_sign_ins, "now", lambda: time[0])
    return time


def told(store):
    entries = [entry for entry in reversed(store.audit.read(1000)) if entry.action == "sign-in.failed"]
    return [(entry.address, entry.subject, entry.detail) for entry in entries]


def test_of_many_in_a_minute_the_first_is_told_and_then_how_many_there_were(store, clock):
    ann = store.accounts.add(LOCAL, "Ann", "expert")
    with coming_from("192.0.2.1"):
        for _ in range(50):
            store.failed_sign_ins.failed(ann)
        assert told(store) == [("192.0.2.1", ann.id, {"name": "Ann", "tries": 1})]
        clock[0] += EVERY
        store.failed_sign_ins.failed(ann)
    assert told(store)[1:] == [("192.0.2.1", ann.id, {"name": "Ann", "tries": 50})]


def test_who_does_not_go_on_is_told_of_with_the_failures_of_others(store, clock):
    for _ in range(3):
        with coming_from("192.0.2.1"):
            store.failed_sign_ins.failed(None)
    clock[0] += EVERY
    with coming_from("192.0.2.2"):
        store.failed_sign_ins.failed(None)
    assert told(store)[1:] == [("192.0.2.1", "", {"tries": 2}), ("192.0.2.2", "", {"tries": 1})]


def test_a_flood_from_many_addresses_makes_a_bounded_number_of_entries(store, clock):
    for number in range(MOST_COUNTED * 5):
        clock[0] += timedelta(milliseconds=10)
        with coming_from(f"2001:db8::{number:x}"):
            store.failed_sign_ins.failed(None)
    assert len(told(store)) == MOST_COUNTED + 1
    store.failed_sign_ins.flush()
    assert sum(detail["tries"] for _, _, detail in told(store)) == MOST_COUNTED * 5
