"""Pace, time left and the nudge list, worked by hand."""

from datetime import UTC, date, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.errors import RatingError, Undefined, UndefinedStatistic
from annotations.marking.pace import ItemTime, Late, Pace, Progress, TimeLeft, expected_end, late, pace, time_left
from tests.fakes.in_english import in_english

SHANGHAI = ZoneInfo("Asia/Shanghai")
NOW = datetime(2025, 3, 10, 12, tzinfo=UTC)
TIMES = {
    "a": ItemTime(reading=90, idle=6.5),
    "b": ItemTime(reading=30, idle=0),
    "c": ItemTime(reading=200, idle=900),
    "d": ItemTime(reading=45, idle=0),
    "open": ItemTime(reading=20, idle=0),
    "unread": ItemTime(reading=0, idle=8),
}


def days_ago(*days: float) -> tuple[datetime, ...]:
    return tuple(NOW - timedelta(days=each) for each in days)


def test_the_pace_is_the_median_of_what_is_finished() -> None:
    # Readings 30 45 90 200: the quartiles lie a quarter of the way from 45 down and up from 90.
    given = pace(TIMES, ["a", "b", "c", "d", "unread", "imported"])
    assert given == Pace(median=67.5, low=41.25, high=117.5, n=4, left_out=2, idle=906.5)


@given(st.randoms(use_true_random=False))
def test_the_order_of_times_does_not_matter(random: Random) -> None:
    finished = ["a", "b", "c", "d"]
    assert pace(dict(random.sample(list(TIMES.items()), len(TIMES))), finished) == pace(TIMES, finished)


@pytest.mark.parametrize("finished", [[], ["imported"], ["unread"]])
def test_nothing_finished_has_no_pace(finished: list[str]) -> None:
    with pytest.raises(UndefinedStatistic, match=f"none of the {len(finished)} finished items has a recorded time"):
        pace(TIMES, finished)


def test_time_left_goes_from_quartile_to_quartile() -> None:
    given = pace(TIMES, "abcd")
    assert time_left(given, 10) == TimeLeft(seconds=675, low=412.5, high=1175, items=10)
    assert time_left(given, 0) == TimeLeft(0, 0, 0, 0)
    with pytest.raises(RatingError, match="-1 items can't be left"):
        time_left(given, -1)


@pytest.mark.parametrize(
    ("finished", "left", "marks", "end"),
    [
        (4, 6, days_ago(1, 2), date(2025, 3, 12)),  # two a day: the 10th, 11th and 12th
        (4, 6, days_ago(0.1, 1), date(2025, 3, 13)),  # the same, and today is used up already
        (4, 5, days_ago(1, 2), date(2025, 3, 12)),  # two and a half days are three
        (10, 1, days_ago(3), date(2025, 3, 10)),
        (1, 3, days_ago(5, 5.1, 5.2), date(2025, 3, 12)),  # one active day, whatever it held
    ],
)
def test_the_expected_end_worked_by_hand(finished: int, left: int, marks: tuple[datetime, ...], end: date) -> None:
    assert expected_end(Progress("ann", finished, left, marks), NOW, UTC) == end


def test_a_day_is_one_where_the_rater_is() -> None:
    # 8 and 20 o'clock in Shanghai are one day there, and two evenings and mornings in UTC.
    marks = (datetime(2025, 3, 7, 23, tzinfo=UTC), datetime(2025, 3, 8, 3, tzinfo=UTC))
    progress = Progress("li", 4, 8, marks)
    assert expected_end(progress, NOW, SHANGHAI) == date(2025, 3, 11)
    assert expected_end(progress, NOW, UTC) == date(2025, 3, 13)


@pytest.mark.parametrize(
    ("progress", "reason"),
    [
        (Progress("ann", 0, 3, days_ago(1)), "no item is finished yet"),
        (Progress("ann", 3, 0, days_ago(1)), "no items are left to rate"),
        (Progress("ann", 3, 1, ()), "no rating activity was recorded"),
    ],
)
def test_an_end_that_cannot_be_foreseen_has_a_reason(progress: Progress, reason: str) -> None:
    with pytest.raises(UndefinedStatistic, match=reason):
        expected_end(progress, NOW, UTC)


def test_the_nudge_list_worked_by_hand() -> None:
    raters = [
        Progress("on time", 8, 2, days_ago(1, 2)),
        Progress("slow", 2, 20, days_ago(1, 2)),
        Progress("slower", 2, 30, days_ago(1, 2)),
        Progress("gone", 9, 1, days_ago(4, 5)),
        Progress("new", 0, 10, ()),
        Progress("opened", 0, 10, days_ago(1)),
        Progress("done", 10, 0, days_ago(9)),
    ]
    found = late(raters, NOW, NOW + timedelta(days=7), 3, UTC)
    assert in_english(found) == (
        Late("new", ("not begun",), 10, None, Undefined("no item is finished yet")),
        Late("slower", ("behind",), 30, NOW - timedelta(days=1), date(2025, 4, 8)),
        Late("slow", ("behind",), 20, NOW - timedelta(days=1), date(2025, 3, 29)),
        Late("gone", ("away",), 1, NOW - timedelta(days=4), date(2025, 3, 10)),
    )


def test_after_the_deadline_everybody_with_something_left_is_behind() -> None:
    raters = [Progress("ann", 9, 1, days_ago(0.1)), Progress("bo", 0, 1, days_ago(8)), Progress("cy", 9, 0, ())]
    assert {each.rater: each.reasons for each in late(raters, NOW, NOW, 7, UTC)} == {
        "ann": ("behind",),
        "bo": ("away", "behind"),
    }


def test_the_deadline_s_day_counts_as_long_as_something_of_it_is_left() -> None:
    # Two items left at one a day: today and tomorrow.
    progress = [Progress("ann", 2, 2, days_ago(1, 2))]
    assert late(progress, NOW, datetime(2025, 3, 11, 9, tzinfo=UTC), 7, UTC) == ()
    assert [each.rater for each in late(progress, NOW, datetime(2025, 3, 11, tzinfo=UTC), 7, UTC)] == ["ann"]


def test_without_a_deadline_nobody_is_behind() -> None:
    raters = [Progress("slow", 1, 900, days_ago(1)), Progress("new", 0, 1, ())]
    assert [(each.rater, each.reasons) for each in late(raters, NOW, None, 7, UTC)] == [("new", ("not begun",))]


def test_away_begins_with_the_nth_day() -> None:
    raters = [Progress("ann", 1, 1, days_ago(3)), Progress("bo", 1, 1, days_ago(2.9))]
    assert [each.rater for each in late(raters, NOW, None, 3, UTC)] == ["ann"]


@pytest.mark.parametrize(
    ("now", "mark", "deadline"),
    [
        (NOW.replace(tzinfo=None), NOW, NOW),
        (NOW, NOW.replace(tzinfo=None), NOW),
        (NOW, NOW, NOW.replace(tzinfo=None)),
    ],
)
def test_a_moment_without_a_time_zone_is_refused(now: datetime, mark: datetime, deadline: datetime) -> None:
    with pytest.raises(RatingError, match="has no time zone"):
        late([Progress("ann", 1, 1, (mark,))], now, deadline, 3, UTC)
