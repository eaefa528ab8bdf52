"""The oversight of a campaign in words: times, counts, figures with what they rest on."""

from collections.abc import Mapping
from datetime import date, datetime, tzinfo
from urllib.parse import urlencode

from babel.dates import format_date, format_datetime

from annotations.blinding.blinding_index import IndexEstimate
from annotations.design.settings import Status
from annotations.errors import Undefined
from annotations.i18n.messages import Message, to_say
from annotations.i18n.translation import say, say_count, tongue
from annotations.marking.pace import Late, Pace, TimeLeft
from annotations.reliability.agreement import Repeats
from annotations.reliability.raters import FlatItems, Match, MostUsed, Spread, WithinMetrics
from annotations.resampling.clustered import ClusteredEstimate
from characterbox.campaigns.assignments import Training
from characterbox.campaigns.rater_statistics import Checks
from characterbox.components.figures.tables.html import Notes, data, no_figure
from characterbox.components.figures.tables.text import N_PAIRS, decimal

CAMPAIGN_STATES: Mapping[Status, str] = {
    "draft": to_say("draft"),
    "running": to_say("running"),
    "paused": to_say("paused"),
    "closed": to_say("closed"),
}
STATES: Mapping[str, str] = {
    "open": to_say("not started"),
    "begun": to_say("in progress"),
    "done": to_say("done"),
    "skipped": to_say("skipped"),
}
"""How far an expert is with an item."""

INTERVALS: Mapping[str, str] = {
    "bootstrap of raters": to_say("95 % interval: percentile bootstrap over experts"),
    "variance of independent answers": to_say("95 % interval: assumes independent answers and is too narrow otherwise"),
    "exact": to_say("95 % interval: Clopper & Pearson, assumes independent answers"),
    "no spread": to_say(
        "95 % interval: all answers are the same, so the interval allows for different answers that a sample of"
        " this size would miss with a probability of 2.5 %"
    ),
}
"""How the interval of an index was made."""


def duration(seconds: float) -> str:
    """A time in the two largest units that it has."""
    if seconds < 59.5:
        return say("{seconds:.0f} s", seconds=seconds)
    minutes = round(seconds / 60)
    if minutes < 60:
        return say("{minutes} min", minutes=minutes)
    hours, rest = divmod(minutes, 60)
    return say("{hours:,} h {minutes} min", hours=hours, minutes=rest) if rest else say("{hours:,} h", hours=hours)


def moment(at: datetime, zone: tzinfo) -> str:
    """A day and a time in the zone of the one who reads it."""
    return format_datetime(at.astimezone(zone), say("dd MMM y, HH:mm"), locale=tongue())


def item_address(place: Mapping[str, str]) -> str:
    """A place of this page, for a link."""
    return data("?" + urlencode(place))


def points(score: float) -> str:
    """A score as it was given."""
    return f"{score:g}"


def training(known: Training | None) -> tuple[str, str]:
    """How far an expert is with the practice set, and by what."""
    if known is None:
        return say("no practice"), ""
    attempt = (
        say("attempt {attempt}", attempt=known.attempt)
        if known.attempt > known.attempts
        else say("attempt {attempt} of {attempts}", attempt=known.attempt, attempts=known.attempts)
    )
    outcome = known.outcome
    if outcome is None:
        return say("practicing"), attempt
    close = say(
        "{close:.0%} within one point of the gold score; {threshold:.0%} required",
        close=outcome.close,
        threshold=outcome.threshold,
    )
    why = [attempt, close]
    if outcome.misread:
        why.append(say("misread {metrics}", metrics=say(", ").join(outcome.misread)))
    if outcome.unvaried:
        why.append(say("same score throughout on {metrics}", metrics=say(", ").join(outcome.unvaried)))
    return _qualified(known), say("; ").join(why)


def why_late(late: Late, zone: tzinfo, deadline: datetime | None) -> str:
    """Why somebody is to be reminded."""
    said = []
    if late.last_seen is None:
        said.append(say("has not started"))
    elif "away" in late.reasons:
        said.append(say("last active on {moment}", moment=moment(late.last_seen, zone)))
    if "behind" in late.reasons and deadline is not None:
        until, end = moment(deadline, zone), late.expected_end
        said.append(
            say("the deadline is {deadline}", deadline=until)
            if isinstance(end, Undefined)
            else say(
                "at this pace done on {day}; the deadline is {deadline}",
                day=day(end),
                deadline=until,
            )
        )
    said.append(say_count("{count:,} item left", "{count:,} items left", late.left))
    return say("; ").join(said)


def undefined(reason: Undefined, notes: Notes) -> str:
    """What stands in place of a figure (HTML)."""
    return no_figure(reason.reason, notes)


def severity(figure: ClusteredEstimate | Undefined, notes: Notes) -> str:
    """How much higher than the others a rater scores (HTML)."""
    if isinstance(figure, Undefined):
        return undefined(figure, notes)
    sign = "+" if figure.estimate > 0 else ""
    return f"<b>{sign}{decimal(figure.estimate)}</b> {_limits(figure, notes)}<small>{_rests_on(figure)}</small>"


def alone(number: int, notes: Notes) -> str:
    """Among the notes, how many of a rater's scores can't be held against anybody's (HTML)."""
    if not number:
        return ""
    return notes.mark(
        say_count(
            "{count:,} score left out of severity, r and exact agreement: nobody else scored the same metric of"
            " the same item",
            "{count:,} scores left out of severity, r and exact agreement: nobody else scored the same metric"
            " of the same item",
            number,
        )
    )


def spread(figure: Spread | Undefined, notes: Notes) -> str:
    """How widely a rater's scores lie, and beside the others (HTML)."""
    if isinstance(figure, Undefined):
        return undefined(figure, notes)
    rests_on = (
        say("ratio {undefined}, n = {n:,}", undefined=undefined(figure.ratio, notes), n=figure.n)
        if isinstance(figure.ratio, Undefined)
        else say_count(
            "{ratio} times that of {count:,} other expert, n = {n:,}",
            "{ratio} times that of {count:,} other experts, n = {n:,}",
            figure.others,
            ratio=decimal(figure.ratio),
            n=figure.n,
        )
    )
    return f"<b>{decimal(figure.sd)}</b><small>{rests_on}</small>"


def correlation(figure: ClusteredEstimate | Undefined, notes: Notes) -> str:
    """How a rater's scores go with the others' (HTML)."""
    if isinstance(figure, Undefined):
        return undefined(figure, notes)
    return f"<b>{decimal(figure.estimate)}</b> {_limits(figure, notes)}<small>{_rests_on(figure)}</small>"


def within_metrics(figure: WithinMetrics | Undefined, notes: Notes) -> str:
    """The mean of the correlations within metrics (HTML)."""
    if isinstance(figure, Undefined):
        told = say("within metrics {r}", r=undefined(figure, notes))
        return f"<small>{told}</small>"
    told = say_count(
        "within metrics {r}, {count:,} metric",
        "within metrics {r}, {count:,} metrics",
        figure.metrics,
        r=decimal(figure.mean),
    )
    return f"<small>{_but_for(told, len(figure.by_metric) - figure.metrics)}</small>"


def agreement(figure: Match | Undefined, notes: Notes) -> str:
    """How often a rater's scores are the others', and close to them (HTML)."""
    if isinstance(figure, Undefined):
        return undefined(figure, notes)
    n = say(N_PAIRS, n=figure.n)
    return f"{_same(figure.exact, figure.within_one)}<small>{n}</small>"


def stability(figure: Repeats | Undefined, notes: Notes) -> str:
    """How close the second scores on hidden repeats are to the first (HTML)."""
    if isinstance(figure, Undefined):
        return undefined(figure, notes)
    same = figure.overall
    n = _but_for(say(N_PAIRS, n=same.n), same.left_out)
    moved = say("second minus first {change}", change=_drift(figure.drift, notes))
    return f"{_same(same.exact, same.within_one)}<small>{n}</small><small>{moved}</small>"


def checks(figure: Checks | Undefined, notes: Notes) -> str:
    """How many attention checks a rater has passed (HTML)."""
    if isinstance(figure, Undefined):
        return undefined(figure, notes)
    return say("{passed} passed, n = {n}", passed=f"<b>{figure.passed}</b>", n=figure.n)


def practice(known: Training | None, notes: Notes) -> str:
    """The share of practice scores close to the gold (HTML)."""
    if known is None:
        return undefined(Undefined(Message("the campaign has no practice set")), notes)
    if known.outcome is None:
        unfinished = Message("attempt {attempt} of the practice set is not finished", attempt=known.attempt)
        return undefined(Undefined(unfinished), notes)
    rests_on = say("n = {n}, attempt {attempt}", n=known.outcome.n, attempt=known.attempt)
    return f"<b>{known.outcome.close:.0%}</b> {_qualified(known)}<small>{rests_on}</small>"


def reading_time(figure: Pace | Undefined, notes: Notes) -> str:
    """How long an item takes a rater (HTML)."""
    if isinstance(figure, Undefined):
        return undefined(figure, notes)
    quartiles = _interval(duration(figure.low), duration(figure.high))
    n = _but_for(f"n = {_items(figure.n)}", figure.left_out)
    return f"<b>{duration(figure.median)}</b> {quartiles}<small>{n}</small>"


def time_to_go(figure: TimeLeft | Undefined, notes: Notes) -> str:
    """How long the rest will take a rater (HTML)."""
    if isinstance(figure, Undefined):
        return undefined(figure, notes)
    if not figure.items:
        return say("nothing left")
    return f"<b>{duration(figure.seconds)}</b> {_interval(duration(figure.low), duration(figure.high))}"


def most_used(figure: MostUsed) -> str:
    """The score that a rater gives most often (HTML)."""
    scores = say(" and ").join(map(points, figure.scores))
    most = say("{scores} ({share})", share=f"<b>{figure.share:.0%}</b>", scores=scores)
    return f"{most}<small>n = {figure.n:,}</small>"


def estimated(figure: IndexEstimate | Undefined, notes: Notes) -> str:
    """An index with its interval; how that was made is among the notes (HTML)."""
    if isinstance(figure, Undefined):
        return undefined(figure, notes)
    made = notes.mark(say(INTERVALS[figure.interval.way]))
    interval = _interval(decimal(figure.interval.low), decimal(figure.interval.high))
    return f"<b>{decimal(figure.estimate)}</b> {interval}{made}<small>n = {figure.n:,}</small>"


def flat_items(figure: FlatItems | Undefined, notes: Notes) -> str:
    """How many items got the same score on all metrics (HTML)."""
    if isinstance(figure, Undefined):
        told = say("items with the same score throughout: {share}", share=undefined(figure, notes))
        return f"<small>{told}</small>"
    told = say("same score throughout on {share:.0%} of {items}", share=figure.share, items=_items(figure.items))
    return f"<small>{_but_for(told, figure.left_out)}</small>"


def _drift(figure: ClusteredEstimate | Undefined, notes: Notes) -> str:
    if isinstance(figure, Undefined):
        return undefined(figure, notes)
    sign = "+" if figure.estimate > 0 else ""
    return f"{sign}{decimal(figure.estimate)} {_limits(figure, notes)}"


def _limits(figure: ClusteredEstimate, notes: Notes) -> str:
    if isinstance(figure.interval, Undefined):
        why = notes.mark(say("no interval: {reason}", reason=figure.interval.reason))
        told = say("no interval")
        return f'<span class="ov-int">{told}{why}</span>'
    return _interval(decimal(figure.interval.low), decimal(figure.interval.high))


def _rests_on(figure: ClusteredEstimate) -> str:
    scenes = say_count("{count:,} scene", "{count:,} scenes", figure.clusters)
    return say("n = {n:,} in {scenes}", n=figure.n, scenes=scenes)


def day(day: date) -> str:
    """A day as it is written."""
    return format_date(day, say("dd MMM y"), locale=tongue())


def _qualified(known: Training) -> str:
    return say("qualified") if known.state == "passed" else say("not qualified")


def _items(number: int) -> str:
    return say_count("{count:,} item", "{count:,} items", number)


def _same(exact: float, within_one: float) -> str:
    """How many scores are the same, and how many close to that (HTML)."""
    return say("{exact}, within one point {within_one:.0%}", exact=f"<b>{exact:.0%}</b>", within_one=within_one)


def _but_for(told: str, number: int) -> str:
    """What a figure rests on, and how much it does not, for want of a value."""
    return say("{what}, {number:,} left out", what=told, number=number) if number else told


def _interval(low: str, high: str) -> str:
    return f'<span class="ov-int">[{low}, {high}]</span>'
