"""Pace: how long an item takes a rater, how long the rest will take, and who is late.

Times are in seconds, moments are aware datetimes that the caller gives: nothing here reads a clock. Reading and idle
time are told apart where they are measured; only reading counts towards pace.
"""

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from typing import Literal

import numpy as np

from annotations.errors import RatingError, Undefined, UndefinedStatistic

Reason = Literal["not begun", "away", "behind"]
"""Not begun: there is no mark yet. Away: the last one is too long ago. Behind: the deadline comes before the end that
is to be expected, or has passed."""


@dataclass(frozen=True)
class ItemTime:
    """All time that went into one assignment, in seconds."""

    reading: float
    idle: float
    """For which it was open and nobody was at it."""


@dataclass(frozen=True)
class Pace:
    """Seconds of reading that an item takes."""

    median: float
    low: float
    high: float
    """The quartiles: a quarter of the items took less than `low`, a quarter more than `high`."""
    n: int
    """Finished assignments with a time."""
    left_out: int
    """Finished ones without: nothing is known of how long they took."""
    idle: float
    """Seconds of idle time with the `n`, all together."""


@dataclass(frozen=True)
class TimeLeft:
    """Seconds of reading still to come."""

    seconds: float
    """At the median pace."""
    low: float
    high: float
    """If every item took as long as the lower, or the upper, quartile. A range to plan with, not a probability."""
    items: int


@dataclass(frozen=True)
class Progress:
    """How far a rater is."""

    rater: str
    finished: int
    """Items submitted or skipped."""
    left: int
    marks: tuple[datetime, ...]
    """When the rater marked anything, in any order."""


@dataclass(frozen=True)
class Late:
    """A rater to be reminded."""

    rater: str
    reasons: tuple[Reason, ...]
    left: int
    last_seen: datetime | None
    """The last mark."""
    expected_end: date | Undefined


def pace(times: Mapping[str, ItemTime], finished: Collection[str]) -> Pace:
    """The pace over the `finished` assignments, of one rater or of several together.

    What is begun and not finished is left out, because its time is not complete; so is a finished assignment that was
    never read, as one that came in by import. Raises UndefinedStatistic when nothing is left.
    """
    done = set(finished)
    timed = [times[assignment] for assignment in done if assignment in times and times[assignment].reading > 0]
    if not timed:
        raise UndefinedStatistic("the pace is unknown: none of the {n} finished items has a recorded time", n=len(done))
    low, median, high = np.quantile([each.reading for each in timed], [0.25, 0.5, 0.75])
    idle = math.fsum(each.idle for each in timed)
    return Pace(float(median), float(low), float(high), len(timed), len(done) - len(timed), idle)


def time_left(at: Pace, items: int) -> TimeLeft:
    """What `items` more will take at this pace. Raises RatingError for a negative number."""
    if items < 0:
        raise RatingError(f"{items} items can't be left; give 0 or more")
    return TimeLeft(items * at.median, items * at.low, items * at.high, items)


def expected_end(progress: Progress, now: datetime, zone: tzinfo) -> date:
    """The day on which a rater will have finished, who works every day from now on and at the pace of the past.

    The pace is items per active day, one with a mark, counted in the time zone `zone`; today counts as a day to work
    on unless it was one already. Raises UndefinedStatistic when nothing is finished yet, or nothing is left, and
    RatingError for a moment without a time zone.
    """
    if not progress.left:
        raise UndefinedStatistic("no items are left to rate")
    if not progress.finished:
        raise UndefinedStatistic("no item is finished yet")
    active, today = {_day(mark, zone) for mark in progress.marks}, _day(now, zone)
    if not active:
        raise UndefinedStatistic("it is unknown when the items were finished: no rating activity was recorded")
    days = math.ceil(progress.left * len(active) / progress.finished)
    return today + timedelta(days=days if today in active else days - 1)


def late(
    raters: Iterable[Progress], now: datetime, deadline: datetime | None, absence: int, zone: tzinfo
) -> tuple[Late, ...]:
    """Who is to be reminded, and why: those who have something left and have not begun, have left no mark for
    `absence` days, or will not be done by the `deadline` (see `expected_end`), if there is one.

    Those whose end can't be foreseen come first, then by the expected end, the latest first, and by name.
    Raises RatingError for a moment without a time zone.
    """
    found = [_late(progress, now, deadline, absence, zone) for progress in raters if progress.left]
    return tuple(sorted((each for each in found if each.reasons), key=_urgency))


def _late(progress: Progress, now: datetime, deadline: datetime | None, absence: int, zone: tzinfo) -> Late:
    last_seen = max(map(_aware, progress.marks), default=None)
    try:
        end: date | Undefined = expected_end(progress, now, zone)
    except UndefinedStatistic as undefined:
        end = Undefined(undefined.message)
    applies: dict[Reason, bool] = {
        "not begun": last_seen is None,
        "away": last_seen is not None and _aware(now) - last_seen >= timedelta(days=absence),
        "behind": deadline is not None and behind(end, now, deadline, zone),
    }
    reasons = tuple(reason for reason, is_so in applies.items() if is_so)
    return Late(progress.rater, reasons, progress.left, last_seen, end)


def behind(end: date | Undefined, now: datetime, deadline: datetime, zone: tzinfo) -> bool:
    """Whether a deadline has passed, or comes before the end that is to be expected. One at midnight ends the
    day before.

    Raises RatingError for a moment without a time zone.
    """
    if _aware(now) >= _aware(deadline):
        return True
    last_day = _day(deadline - timedelta(microseconds=1), zone)
    return not isinstance(end, Undefined) and end > last_day


def _urgency(late: Late) -> tuple[bool, int, str]:
    foreseen = not isinstance(late.expected_end, Undefined)
    return foreseen, -late.expected_end.toordinal() if isinstance(late.expected_end, date) else 0, late.rater


def _day(moment: datetime, zone: tzinfo) -> date:
    return _aware(moment).astimezone(zone).date()


def _aware(moment: datetime) -> datetime:
    if moment.utcoffset() is None:
        raise RatingError(f"the moment {moment} has no time zone; give one that has")
    return moment
