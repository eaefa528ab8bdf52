"""How long one waits, worked by hand."""

from datetime import UTC, datetime, timedelta

import pytest

from characterbox.accounts.login_throttle import FREE_FOR_ADDRESS, key_of_address, key_of_device, key_of_name, wait_for

NOW = datetime(2025, 5, 1, 12, tzinfo=UTC)
NAME, ADDRESS = key_of_name("Ann"), key_of_address("10.0.0.1")


def wait(failures, ago=0.0, key=NAME):
    return wait_for(key, failures, NOW - timedelta(seconds=ago), NOW).total_seconds()


@pytest.mark.parametrize(
    ("failures", "seconds"),
    [(0, 0), (1, 0), (4, 0), (5, 1), (6, 2), (7, 4), (10, 32), (14, 512), (15, 900), (16, 900), (10_000, 900)],
)
def test_a_name_waits_twice_as_long_each_time(failures, seconds):
    assert wait(failures) == seconds


def test_an_address_may_fail_more_often():
    assert wait(FREE_FOR_ADDRESS - 1, key=ADDRESS) == 0
    assert wait(FREE_FOR_ADDRESS, key=ADDRESS) == 1
    assert wait(FREE_FOR_ADDRESS + 2, key=ADDRESS) == 4


def test_an_address_waits_for_five_seconds_at_most():
    assert wait(FREE_FOR_ADDRESS + 3, key=ADDRESS) == 5
    assert wait(10_000, key=ADDRESS) == 5
    assert wait(10_000, ago=6, key=ADDRESS) == 0


def test_a_browser_that_knows_the_account_waits_like_a_name():
    device = key_of_device("0123456789ab", "one")
    assert [wait(failures, key=device) for failures in (4, 5, 6, 10_000)] == [0, 1, 2, 900]
    assert device != key_of_device("0123456789ab", "another")
    assert "one" not in device.split(":")


def test_time_goes_by():
    assert wait(10, ago=30) == 2
    assert wait(10, ago=32) == 0
    assert wait(10, ago=1000) == 0


def test_after_a_day_it_is_forgotten():
    assert wait(100, ago=24 * 3600 + 1) == 0


def test_one_key_for_one_name():
    assert key_of_name(" ANN ") == NAME
    assert key_of_name("Bob") != NAME
    assert len(key_of_name("A" * 10_000)) < 100


def test_one_key_for_one_household():
    assert key_of_address("2001:db8:1:2:3:4:5:6") == key_of_address("2001:db8:1:2::9")
    assert key_of_address("2001:db8:1:3::1") != key_of_address("2001:db8:1:2::1")
    assert key_of_address("10.0.0.1") != key_of_address("10.0.0.2")
    assert len(key_of_address("x" * 10_000)) < 100
