"""The oversight of a campaign in words: times, counts, figures with what they rest on."""

from collections.abc import Mapping
from datetime import datetime, tzinfo
from urllib.parse import urlencode

from annotations.blinding_index import Estimate, Interval
from annotations.clustered import MeanDifference, Pearson
from annotations.pace import Late, Pace, TimeLeft
from annotations.raters import FlatItems, Match, MostUsed, Spread, WithinMetrics
from annotations.repeats import Repeats
from annotations.undefined import Undefined
from characterbox.campaigns.standing import Checks
from characterbox.campaigns.training import Training
from characterbox.components.figures.cells import Notes
from characterbox.components.figures.words import counted, decimal
from pages.parts.oversight_look import data

STATES: Mapping[str, str] = {"open": "not begun", "begun": "begun", "done": "done", "skipped": "skipped"}
"""How far an expert is with an item."""

INTERVALS: Mapping[Interval, str] = {
    "bootstrap of raters": "from experts drawn anew with replacement",
    "variance of independent answers": "takes the answers as independent, and is too narrow if they are not",
    "exact": "Clopper & Pearson's, which takes the answers as independent",
    "no spread": "all answers are alike; it allows for those that a sample of this size misses in 2.5 % of cases",
}
"""How the interval of an index was made."""


def duration(seconds: float) -> str:
    """A time in the two largest units that it has."""
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, rest = divmod(minutes, 60)
    return f"{hours:,} h {rest} min" if rest else f"{hours:,} h"


def moment(at: datetime, zone: tzinfo) -> str:
    """A day and a time in the zone of the one who reads it."""
    return f"{at.astimezone(zone):%d %b %Y, %H:%M}"


def address(place: Mapping[str, str]) -> str:
    """A place of this page, for a link."""
    return data("?" + urlencode(place))


def points(score: float) -> str:
    """A score as it was given."""
    return f"{score:g}"


def training(known: Training | None) -> tuple[str, str]:
    """How far an expert is with the practice set, and by what."""
    if known is None:
        return "no practice", ""
    attempt = f"attempt {known.attempt}" + ("" if known.attempt > known.attempts else f" of {known.attempts}")
    if known.outcome is None:
        return "practising", attempt
    why = [attempt, f"{known.outcome.close:.0%} close to the gold of {known.outcome.threshold:.0%} asked"]
    if known.outcome.misread:
        why.append(f"misread {', '.join(known.outcome.misread)}")
    if known.outcome.unvaried:
        why.append(f"one score throughout on {', '.join(known.outcome.unvaried)}")
    return "qualified" if known.state == "passed" else "not qualified", "; ".join(why)


def why_late(late: Late, zone: tzinfo, deadline: datetime | None) -> str:
    """Why somebody is to be reminded."""
    said = []
    if late.last_seen is None:
        said.append("has not begun")
    elif "away" in late.reasons:
        said.append(f"was last here on {moment(late.last_seen, zone)}")
    if "behind" in late.reasons and deadline is not None:
        end = late.expected_end
        until = f"the deadline is {moment(deadline, zone)}"
        said.append(until if isinstance(end, Undefined) else f"will be done on {end:%d %b %Y} at this pace, {until}")
    return "; ".join([*said, f"{counted(late.left, 'item')} left"])


def undefined(reason: Undefined, notes: Notes) -> str:
    """In place of a figure, with the reason among the notes (HTML)."""
    return f"undefined{notes.mark(reason.reason)}"


def severity(figure: MeanDifference | Undefined, notes: Notes) -> str:
    """How much higher than the others a rater scores (HTML)."""
    if isinstance(figure, Undefined):
        return undefined(figure, notes)
    sign = "+" if figure.estimate > 0 else ""
    return (
        f"<b>{sign}{decimal(figure.estimate)}</b> {_interval(decimal(figure.low), decimal(figure.high))}"
        f"<small>SE {decimal(figure.se)}, n = {figure.n:,} in {counted(figure.items, 'item')}</small>"
    )


def alone(number: int, notes: Notes) -> str:
    """Among the notes, how many of a rater's scores can't be held against anybody's (HTML)."""
    if not number:
        return ""
    return notes.mark(
        f"{counted(number, 'score')} left out of severity, r and same scores: nobody else scored the same metric of the"
        " same item"
    )


def spread(figure: Spread | Undefined, notes: Notes) -> str:
    """How widely a rater's scores lie, and beside the others (HTML)."""
    if isinstance(figure, Undefined):
        return undefined(figure, notes)
    beside = (
        f"ratio {undefined(figure.ratio, notes)}"
        if isinstance(figure.ratio, Undefined)
        else f"{decimal(figure.ratio)} × that of {counted(figure.others, 'other')}"
    )
    return f"<b>{decimal(figure.sd)}</b><small>{beside}, n = {figure.n:,}</small>"


def correlation(figure: Pearson | Undefined, notes: Notes) -> str:
    """How a rater's scores go with the others' (HTML)."""
    if isinstance(figure, Undefined):
        return undefined(figure, notes)
    interval = _interval(decimal(figure.low), decimal(figure.high))
    return f"<b>{decimal(figure.r)}</b> {interval}<small>n = {figure.n:,} in {counted(figure.items, 'item')}</small>"


def within_metrics(figure: WithinMetrics | Undefined, notes: Notes) -> str:
    """The mean of the correlations within metrics (HTML)."""
    if isinstance(figure, Undefined):
        return f"<small>within metrics {undefined(figure, notes)}</small>"
    left_out = _left_out(len(figure.by_metric) - figure.metrics)
    return f"<small>within metrics {decimal(figure.mean)}, {counted(figure.metrics, 'metric')}{left_out}</small>"


def agreement(figure: Match | Undefined, notes: Notes) -> str:
    """How often a rater's scores are the others', and close to them (HTML)."""
    if isinstance(figure, Undefined):
        return undefined(figure, notes)
    return f"<b>{figure.exact:.0%}</b>, within one {figure.within_one:.0%}<small>n = {figure.n:,} pairs</small>"


def stability(figure: Repeats | Undefined, notes: Notes) -> str:
    """How close the second scores on hidden repeats are to the first (HTML)."""
    if isinstance(figure, Undefined):
        return undefined(figure, notes)
    same = figure.overall
    n = f"n = {same.n:,} pairs{_left_out(same.left_out)}"
    moved = f"second minus first {_drift(figure.drift, notes)}"
    return f"<b>{same.exact:.0%}</b>, within one {same.within_one:.0%}<small>{n}</small><small>{moved}</small>"


def checks(figure: Checks | Undefined, notes: Notes) -> str:
    """How many attention checks a rater has passed (HTML)."""
    if isinstance(figure, Undefined):
        return undefined(figure, notes)
    return f"<b>{figure.passed}</b> of n = {figure.n}"


def practice(known: Training | None, notes: Notes) -> str:
    """The share of practice scores close to the gold (HTML)."""
    if known is None:
        return undefined(Undefined("the campaign has no practice"), notes)
    if known.outcome is None:
        return undefined(Undefined(f"attempt {known.attempt} of the practice set is not finished"), notes)
    verdict = "qualified" if known.state == "passed" else "not qualified"
    return f"<b>{known.outcome.close:.0%}</b> {verdict}<small>n = {known.outcome.n}, attempt {known.attempt}</small>"


def reading_time(figure: Pace | Undefined, notes: Notes) -> str:
    """How long an item takes a rater (HTML)."""
    if isinstance(figure, Undefined):
        return undefined(figure, notes)
    quartiles = _interval(duration(figure.low), duration(figure.high))
    n = f"n = {counted(figure.n, 'item')}{_left_out(figure.left_out)}"
    return f"<b>{duration(figure.median)}</b> {quartiles}<small>{n}</small>"


def time_to_go(figure: TimeLeft | Undefined, notes: Notes) -> str:
    """How long the rest will take a rater (HTML)."""
    if isinstance(figure, Undefined):
        return undefined(figure, notes)
    if not figure.items:
        return "nothing left"
    return f"<b>{duration(figure.seconds)}</b> {_interval(duration(figure.low), duration(figure.high))}"


def most_used(figure: MostUsed) -> str:
    """The score that a rater gives most often (HTML)."""
    scores = " and ".join(map(points, figure.scores))
    return f"<b>{figure.share:.0%}</b> are {scores}<small>n = {figure.n:,}</small>"


def estimated(figure: Estimate | Undefined, notes: Notes) -> str:
    """An index with its interval; how that was made is among the notes (HTML)."""
    if isinstance(figure, Undefined):
        return undefined(figure, notes)
    made = notes.mark(f"95 % interval: {INTERVALS[figure.interval]}")
    interval = _interval(decimal(figure.low), decimal(figure.high))
    return f"<b>{decimal(figure.estimate)}</b> {interval}{made}<small>n = {figure.n:,}</small>"


def flat_items(figure: FlatItems | Undefined, notes: Notes) -> str:
    """How many items got the same score on all metrics (HTML)."""
    if isinstance(figure, Undefined):
        return f"<small>items with one score throughout {undefined(figure, notes)}</small>"
    n = f"{counted(figure.items, 'item')}{_left_out(figure.left_out)}"
    return f"<small>one score throughout on {figure.share:.0%} of {n}</small>"


def _drift(figure: MeanDifference | Undefined, notes: Notes) -> str:
    if isinstance(figure, Undefined):
        return undefined(figure, notes)
    sign = "+" if figure.estimate > 0 else ""
    return f"{sign}{decimal(figure.estimate)} {_interval(decimal(figure.low), decimal(figure.high))}"


def _left_out(number: int) -> str:
    """How much a figure does not rest on, for want of a value."""
    return f", {number:,} left out" if number else ""


def _interval(low: str, high: str) -> str:
    return f'<span class="ov-int">[{low}, {high}]</span>'
