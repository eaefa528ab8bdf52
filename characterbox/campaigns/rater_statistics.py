"""What the marks of a campaign say: how far each rater and item is, how each rater rates, and the blinding."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import pandas as pd

from annotations.blinding.guesses import GUESS_COLUMNS, Blinding, blinding
from annotations.design.practice import passed_check
from annotations.design.settings import Settings
from annotations.errors import AnnotationError, Undefined, UndefinedStatistic
from annotations.i18n.messages import Message
from annotations.marking.pace import ItemTime, Pace, TimeLeft, pace, time_left
from annotations.reliability.agreement import REPEAT_COLUMNS, Repeats, repeats_of_rater
from annotations.reliability.raters import RaterFigures, rater_figures
from annotations.rubrics.rubric import Rubric
from characterbox.campaigns.assignments import Row, State, Training, check_item, training_of
from characterbox.errors import CampaignError
from characterbox.store.campaigns.campaign import CampaignItem


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
        return Undefined(undefined.message)


def _count(rows: Sequence[Row], rubric: Rubric) -> Count:
    states: Counter[State] = Counter(row.state(rubric) for row in rows)
    return Count(len(rows), states["done"], states["begun"], states["skipped"])


@dataclass(frozen=True)
class Checks:
    """How many attention checks a rater has passed."""

    passed: int
    n: int
    """Those that are done."""


@dataclass(frozen=True)
class Standing:
    """All that is known of one rater."""

    line: RaterLine
    figures: RaterFigures | Undefined
    repeats: Repeats | Undefined
    checks: Checks | Undefined


def standings(
    lines: Iterable[RaterLine], rows: Iterable[Row], ratings: pd.DataFrame, rubric: Rubric
) -> tuple[Standing, ...]:
    """The standing of each rater; `ratings` are those that count, with the ids of accounts as raters."""
    figures = _figures(ratings)
    of_rater: dict[str, list[Row]] = {}
    for row in rows:
        of_rater.setdefault(row.assignment.rater, []).append(row)
    nothing = Undefined(Message("this rater has not completed any item yet"))
    return tuple(
        Standing(
            line=line,
            figures=figures.get(line.rater, nothing),
            repeats=_repeats(of_rater[line.rater], rubric),
            checks=_checks(of_rater[line.rater], rubric),
        )
        for line in lines
    )


def _figures(ratings: pd.DataFrame) -> Mapping[str, RaterFigures]:
    return {} if ratings.empty else rater_figures(ratings).figures


def repeated_scores(rows: Sequence[Row], rubric: Rubric) -> pd.DataFrame:
    """What one rater gave the items that came back unannounced, first and then, as `repeats_of_rater` takes it; empty
    where none did."""
    rated = {(row.assignment.item, row.assignment.take): row for row in rows if row.assignment.purpose == "rate"}
    pairs = [
        (item, metric, *(_score(rated.get((item, take)), metric) for take in (0, 1)))
        for item, take in rated
        if take == 1
        for metric in rubric.keys
    ]
    return pd.DataFrame(pairs, columns=list(REPEAT_COLUMNS)).astype({"first": float, "second": float})


def _repeats(rows: Sequence[Row], rubric: Rubric) -> Repeats | Undefined:
    pairs = repeated_scores(rows, rubric)
    if pairs.empty:
        return Undefined(Message("this rater has no hidden repeats"))
    try:
        return repeats_of_rater(pairs)
    except AnnotationError as error:
        return Undefined(error.message)


def _score(row: Row | None, metric: str) -> float:
    if row is None or not row.sheet.counts:
        return float("nan")
    return float(row.sheet.scores.get(metric, "nan"))


def _checks(rows: Sequence[Row], rubric: Rubric) -> Checks | Undefined:
    given = [row for row in rows if row.assignment.purpose == "check"]
    if not given:
        return Undefined(Message("this rater has no attention checks"))
    done = [row for row in given if row.sheet.counts and not row.sheet.missing(rubric)]
    if not done:
        return Undefined(Message("this rater has not completed any attention check yet"))
    try:
        passed = [passed_check(check_item(row.assignment, rubric), row.sheet.scores) for row in done]
    except (CampaignError, AnnotationError) as error:
        return Undefined(error.message)
    return Checks(sum(passed), len(passed))


@dataclass(frozen=True)
class Blinded:
    """How well the models of a campaign were hidden."""

    blinding: Blinding | Undefined
    unasked: int
    """Items that are done, and about which nothing was answered."""
    strange: int
    """Answers that name no model of the campaign; they are left out."""


def blinded(rows: Iterable[Row], items: Mapping[str, CampaignItem]) -> Blinded:
    """The answers about the items that are done, each rater's first time at an item; practice and checks are left out.

    The models to choose from are those of the campaign's items, as the raters were offered them.
    """
    models = sorted({item.model for item in items.values()})
    done = [row for row in rows if row.assignment.purpose == "rate" and row.assignment.take == 0 and row.sheet.counts]
    answered = [(row.assignment, row.sheet.guess.model) for row in done if row.sheet.guess is not None]
    known = [(one, guess) for one, guess in answered if guess is None or guess in models]
    answers = [(one.rater, items[one.item].model, guess) for one, guess in known]
    table = pd.DataFrame(answers, columns=list(GUESS_COLUMNS), dtype=object)
    return Blinded(_blinding(table, models), len(done) - len(answered), len(answered) - len(known))


def _blinding(answers: pd.DataFrame, models: list[str]) -> Blinding | Undefined:
    try:
        return blinding(answers, models)
    except AnnotationError as error:
        return Undefined(error.message)
