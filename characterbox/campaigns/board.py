"""The board of a campaign: how far every rater and every item is."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from annotations.campaign import Settings
from annotations.errors import UndefinedStatistic
from annotations.pace import ItemTime, Pace, TimeLeft, pace, time_left
from annotations.rubric import Rubric
from annotations.undefined import Undefined
from characterbox.campaigns.row import Row, State
from characterbox.campaigns.training import Training, training_of
from characterbox.store.campaign import CampaignItem


@dataclass(frozen=True)
class Count:
    """How many assignments are how far."""

    total: int
    done: int
    begun: int
    skipped: int

    @property
    def open(self) -> int:
        """Those that nobody has begun."""
        return self.total - self.done - self.begun - self.skipped

    @property
    def left(self) -> int:
        """Those that are neither done nor skipped."""
        return self.total - self.done - self.skipped


@dataclass(frozen=True)
class RaterLine:
    """How far one rater is. Attention checks and hidden repeats are counted like items, as the rater counts them."""

    rater: str
    """The id of the account."""
    count: Count
    training: Training | None
    """None where the campaign has no practice."""
    seen: datetime | None
    """The last mark of whatever kind, practice included."""
    moments: frozenset[datetime]
    """Marks on every day on which there was one."""
    pace: Pace | Undefined
    time_left: TimeLeft | Undefined
    reading: float
    """Seconds at the items, finished or not; practice is left out."""
    idle: float
    """Seconds for which an item was open and nobody at it."""


@dataclass(frozen=True)
class ItemLine:
    """How far the raters of one item are; hidden repeats are left out."""

    item: CampaignItem
    count: Count


@dataclass(frozen=True)
class Board:
    """How far a campaign is."""

    raters: tuple[RaterLine, ...]
    """By id."""
    items: tuple[ItemLine, ...]
    """By name."""
    all: Count
    """Of the assignments behind `items`."""


def board(rows: Sequence[Row], items: Iterable[CampaignItem], settings: Settings, rubric: Rubric) -> Board:
    """The board of a campaign with these assignments."""
    of_rater: dict[str, list[Row]] = defaultdict(list)
    of_item: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        of_rater[row.assignment.rater].append(row)
        if row.assignment.purpose == "rate" and row.assignment.take == 0:
            of_item[row.assignment.item].append(row)
    return Board(
        raters=tuple(_rater(rater, of_rater[rater], settings, rubric) for rater in sorted(of_rater)),
        items=tuple(ItemLine(item, _count(of_item[item.item], rubric)) for item in items),
        all=_count([row for each in of_item.values() for row in each], rubric),
    )


def _rater(rater: str, rows: Sequence[Row], settings: Settings, rubric: Rubric) -> RaterLine:
    work = [row for row in rows if row.assignment.purpose != "practice"]
    times = {row.assignment.id: ItemTime(row.sheet.reading / 1000, row.sheet.idle / 1000) for row in work}
    count = _count(work, rubric)
    at = _pace(times, [row.assignment.id for row in work if row.state(rubric) == "done"])
    return RaterLine(
        rater=rater,
        count=count,
        training=training_of(rows, settings, rubric),
        seen=max((row.sheet.seen for row in rows if row.sheet.seen is not None), default=None),
        moments=frozenset(moment for row in rows for moment in row.sheet.moments),
        pace=at,
        time_left=at if isinstance(at, Undefined) else time_left(at, count.left),
        reading=sum(time.reading for time in times.values()),
        idle=sum(time.idle for time in times.values()),
    )


def _pace(times: Mapping[str, ItemTime], done: Sequence[str]) -> Pace | Undefined:
    try:
        return pace(times, done)
    except UndefinedStatistic as undefined:
        return Undefined(str(undefined))


def _count(rows: Sequence[Row], rubric: Rubric) -> Count:
    states: Counter[State] = Counter(row.state(rubric) for row in rows)
    return Count(len(rows), states["done"], states["begun"], states["skipped"])
