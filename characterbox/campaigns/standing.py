"""What the marks of a campaign say about each of its raters."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from annotations.errors import AnnotationError
from annotations.practice import passed_check
from annotations.raters import RaterFigures, rater_figures
from annotations.repeats import COLUMNS, Repeats, repeats_of_rater
from annotations.rubric import Rubric
from annotations.undefined import Undefined
from annotations.wording import say
from characterbox.campaigns.board import RaterLine
from characterbox.campaigns.row import Row
from characterbox.campaigns.training import check_item
from characterbox.errors import CampaignError


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
    nothing = Undefined(say("no item of this rater is done yet"))
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
    return pd.DataFrame(pairs, columns=list(COLUMNS)).astype({"first": float, "second": float})


def _repeats(rows: Sequence[Row], rubric: Rubric) -> Repeats | Undefined:
    pairs = repeated_scores(rows, rubric)
    if pairs.empty:
        return Undefined(say("this rater has no hidden repeat"))
    try:
        return repeats_of_rater(pairs)
    except AnnotationError as error:
        return Undefined(str(error))


def _score(row: Row | None, metric: str) -> float:
    if row is None or not row.sheet.counts:
        return float("nan")
    return float(row.sheet.scores.get(metric, "nan"))


def _checks(rows: Sequence[Row], rubric: Rubric) -> Checks | Undefined:
    given = [row for row in rows if row.assignment.purpose == "check"]
    if not given:
        return Undefined(say("this rater has no attention check"))
    done = [row for row in given if row.sheet.counts and not row.sheet.missing(rubric)]
    if not done:
        return Undefined(say("no attention check of this rater is done yet"))
    try:
        passed = [passed_check(check_item(row.assignment, rubric), row.sheet.scores) for row in done]
    except (CampaignError, AnnotationError) as error:
        return Undefined(str(error))
    return Checks(sum(passed), len(passed))
