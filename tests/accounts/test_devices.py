"""Browsers that know an account."""

import time

from characterbox.accounts.session_user import LASTS_SECONDS, device_cookie, device_of, new_device
from tests.fakes.in_english import in_english

ANN, BOB = "0123456789ab", "ba9876543210"


def test_a_browser_knows_the_account_whose_cookie_it_has():
    device = new_device()
    value = device_cookie(device, ANN, "hash", "key")
    assert device_of(value, ANN, "hash", "key") == device
    assert device not in (new_device(), value)


def test_the_cookie_is_for_one_account_one_password_and_one_installation():
    value = device_cookie("a browser", ANN, "hash", "key")
    assert device_of(value, BOB, "hash", "key") is None
    assert device_of(value, ANN, "another hash", "key") is None
    assert device_of(value, ANN, "", "key") is None
    assert device_of(value, ANN, "hash", "another key") is None


def test_what_is_no_cookie_of_ours_names_no_browser():
    value = device_cookie("a browser", ANN, "hash", "key")
    # not its last letter, of which some bits don't count
    changed = value[:-9] + ("A" if value[-9] != "A" else "B") + value[-8:]
    for wrong in ("", "a browser", "\u00e9", changed, value.partition(".")[0]):
        assert in_english(device_of(wrong, ANN, "hash", "key")) is None


def test_it_ends_after_its_time(monkeypatch):
    value = device_cookie("a browser", ANN, "hash", "key")
    then = time.time() + LASTS_SECONDS
    monkeypatch.setattr(time, "time", lambda: then - 10)
    assert device_of(value, ANN, "hash", "key") == "a browser"
    monkeypatch.setattr(time, "time", lambda: then + 10)
    assert device_of(value, ANN, "hash", "key") is None
