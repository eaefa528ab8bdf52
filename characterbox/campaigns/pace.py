"""How long experts take for a trajectory, who is late in a campaign, and a text to remind them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from annotations.errors import Undefined, UndefinedStatistic, or_undefined
from annotations.marking.pace import ItemTime, Late, Pace, Progress, expected_end, late, pace
from characterbox.campaigns.assignments import Row, rows_of
from characterbox.campaigns.blinded_item import without_model
from characterbox.campaigns.rater_statistics import Board, RaterLine
from characterbox.store import Store
from characterbox.store.campaigns.campaign import Campaign
from characterbox.values import Language


@dataclass(frozen=True)
class ExpertPace:
    """The pace of experts, whoever they are and whatever the rubric."""

    pace: Pace
    improvised: int
    """Of its `n` ratings, how many are of stories that were made without a language model, at least in part."""


def expert_pace(store: Store) -> ExpertPace | None:
    """The pace over all ratings that were submitted and not skipped; None as long as there is none with a time.

    Practice, attention checks and hidden repeats are left out: they take another time than an item that is new.
    """
    return _expert_pace(store, store.newest().mark)


@lru_cache(maxsize=2)
def _expert_pace(store: Store, mark: int) -> ExpertPace | None:
    """`mark` is the last one there is: no pace changes without one."""
    rows: list[Row] = []
    improvised = 0
    for campaign in store.campaigns.all():
        assignments = store.campaigns.assignments(campaign=campaign.id)
        first = (one for one in assignments if one.purpose == "rate" and one.take == 0)
        counted = [row for row in rows_of(first, store.marks.sheets(campaign.id)) if row.sheet.counts]
        made = without_model(store, store.campaigns.items(campaign.id)) if counted else ()
        improvised += sum(row.sheet.reading > 0 and row.assignment.item in made for row in counted)
        rows += counted
    times = {row.assignment.id: ItemTime(row.sheet.reading / 1000, row.sheet.idle / 1000) for row in rows}
    try:
        found = pace(times, times.keys())
    except UndefinedStatistic:
        return None
    return ExpertPace(found, improvised)


ABSENCE = 3
"""Days without a mark after which somebody counts as away."""


@dataclass(frozen=True)
class Nudge:
    """Somebody to be reminded."""

    line: RaterLine
    late: Late


@dataclass(frozen=True)
class Occasion:
    """When and where a reminder is written."""

    now: datetime
    zone: ZoneInfo
    """In which days are counted, and moments told."""
    link: str
    """Where the rating goes on."""


def ends(board: Board, now: datetime, zone: ZoneInfo) -> Mapping[str, date | Undefined]:
    """The day on which each rater will have finished at the pace of the past; why it can't be told of others."""
    return {
        line.rater: or_undefined(expected_end, _progress(line), now, zone) for line in board.raters if line.count.left
    }


def _progress(line: RaterLine) -> Progress:
    return Progress(line.rater, line.count.done + line.count.skipped, line.count.left, tuple(line.moments))


def nudges(board: Board, campaign: Campaign, there: Collection[str], occasion: Occasion) -> tuple[Nudge, ...]:
    """Who is late of those who are still `there`, the most urgent first; nobody is in a campaign that does not run."""
    if campaign.status != "running":
        return ()
    lines = {line.rater: line for line in board.raters}
    progress = [_progress(line) for line in board.raters if line.rater in there]
    found = late(progress, occasion.now, campaign.settings.deadline, ABSENCE, occasion.zone)
    return tuple(Nudge(lines[each.rater], each) for each in found)


def letter(nudge: Nudge, name: str, campaign: Campaign, occasion: Occasion, language: Language) -> str:
    """What to write to the one who is called `name`."""
    return (_english if language == "en" else _chinese)(nudge, name, campaign, occasion)


def _english(nudge: Nudge, name: str, campaign: Campaign, occasion: Occasion) -> str:
    count, deadline = nudge.line.count, _moment(campaign.settings.deadline, occasion.zone)
    finished = count.done + count.skipped
    if nudge.late.last_seen is None:
        state = f"You have not begun yet: {count.total} items are waiting for you."
    else:
        seen = _day(nudge.late.last_seen, occasion.zone)
        state = (
            f"{finished} of your {count.total} items are finished, {count.left} are left; you were last here on {seen}."
        )
    lines = [
        f"Dear {name},",
        f"this is a reminder of the ratings in “{campaign.settings.name}”. {state}",
        *([f"The deadline {_was(campaign, occasion, 'was', 'is')} {deadline}."] if deadline else []),
        f"{_going_on(nudge, 'en')}: {occasion.link}",
        "If something keeps you from it, please tell us. Thank you!",
    ]
    return "\n\n".join(lines)


def _chinese(nudge: Nudge, name: str, campaign: Campaign, occasion: Occasion) -> str:
    count, deadline = nudge.line.count, _moment(campaign.settings.deadline, occasion.zone)
    finished = count.done + count.skipped
    if nudge.late.last_seen is None:
        state = f"您尚未开始，共有 {count.total} 项待评。"
    else:
        seen = _day(nudge.late.last_seen, occasion.zone)
        state = f"您的 {count.total} 项中已完成 {finished} 项，还剩 {count.left} 项；上次评分是在 {seen}。"
    lines = [
        f"{name}，您好！",
        f"提醒您完成“{campaign.settings.name}”的评分。{state}",
        *([f"截止时间{_was(campaign, occasion, '已过，为', '为')} {deadline}。"] if deadline else []),
        f"{_going_on(nudge, 'zh')}：{occasion.link}",
        "如有不便，请告知我们。谢谢！",
    ]
    return "\n\n".join(lines)


def _going_on(nudge: Nudge, language: Language) -> str:
    if nudge.late.last_seen is None:
        return "Begin here" if language == "en" else "请从这里开始"
    return (
        "Your scores are kept; go on where you stopped"
        if language == "en"
        else "您的评分均已保存，可从上次停下的地方继续"
    )


def _was(campaign: Campaign, occasion: Occasion, past: str, ahead: str) -> str:
    deadline = campaign.settings.deadline
    return past if deadline is not None and deadline <= occasion.now else ahead


def _day(moment: datetime, zone: ZoneInfo) -> date:
    return moment.astimezone(zone).date()


def _moment(moment: datetime | None, zone: ZoneInfo) -> str | None:
    """To the minute, and in which zone: the expert may live in another one."""
    return None if moment is None else f"{moment.astimezone(zone):%Y-%m-%d %H:%M} ({zone.key})"
