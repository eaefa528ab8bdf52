"""The network address of whoever asks: known in the thread and task that asks, and in no other."""

import threading

import pytest

from characterbox.accounts import login_throttle
from characterbox.accounts.account import LOCAL
from characterbox.accounts.login_throttle import ask_origin, coming_from, origin_address


@pytest.fixture(autouse=True)
def nobody_asked(monkeypatch):
    monkeypatch.setattr(login_throttle, "_asked", [])


def test_it_lasts_as_long_as_what_comes_from_there():
    assert origin_address() is None
    with coming_from("192.0.2.1"):
        with coming_from("2001:db8::1"):
            assert origin_address() == "2001:db8::1"
        assert origin_address() == "192.0.2.1"
    assert origin_address() is None


def test_who_can_know_is_asked_where_nothing_is_said():
    ask_origin(lambda: None)
    ask_origin(lambda: "192.0.2.7")
    assert origin_address() == "192.0.2.7"
    with coming_from("192.0.2.1"):
        assert origin_address() == "192.0.2.1"


def test_an_entry_of_the_log_has_the_address_of_the_one_who_had_it_written(store):
    """Others write through the same writer thread at the same moment, each from elsewhere."""
    here = threading.local()
    ask_origin(lambda: getattr(here, "address", None))

    def invite(number):
        here.address = f"192.0.2.{number}"
        store.accounts.add(LOCAL, f"Ann {number}", "expert")

    threads = [threading.Thread(target=invite, args=[number]) for number in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store.accounts.add(LOCAL, "Bob", "expert")
    found = {entry.detail["name"]: entry.address for entry in store.audit.read(20)}
    assert found == {**{f"Ann {number}": f"192.0.2.{number}" for number in range(1, 9)}, "Bob": None}
