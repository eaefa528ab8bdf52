"""What endpoints say of when they want to be asked again."""

from datetime import UTC, datetime

import httpx2
import pytest

from characterbox.llm.calls.retry_policy import RetryPolicy, retry_after

NOON = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"Retry-After": "0"}, 0),
        ({"Retry-After": "-3"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "10000000"}, 86400),
        ({"Retry-After-Ms": "250", "Retry-After": "7"}, 0.25),
        ({"Retry-After-Ms": "x", "Retry-After": "7"}, 7),
        ({"Retry-After": "Sat, 21 Nov 2026 12:01:30 GMT"}, 90),
        ({"Retry-After": "Sat, 21 Nov 2026 11:00:00 GMT"}, 0),
        ({"Retry-After": "Sat, 21 Nov 2026 12:01:30"}, 90),
        ({"Retry-After": "Sat, 99 Nov 2026 12:01:30 GMT"}, None),
    ],
)
def test_when_to_come_back(headers, seconds):
    assert retry_after(httpx2.Headers(headers), NOON) == seconds


def test_pauses_double_up_to_a_bound_and_differ_between_calls():
    patience = RetryPolicy()
    for attempt, middle in enumerate([0.5, 1, 2, 4, 8, 8, 8], start=1):
        pauses = {patience.pause_before(attempt, f"r{number}/ann/action") for number in range(100)}
        assert len(pauses) == 100
        assert 0.75 * middle <= min(pauses) < 0.85 * middle
        assert 1.15 * middle < max(pauses) <= 1.25 * middle


def test_an_address_that_stays_down_is_left_alone_for_longer():
    assert [RetryPolicy().down_for(times) for times in (1, 2, 5, 6, 1000)] == [15, 30, 240, 300, 300]
