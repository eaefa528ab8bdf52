"""What every expert gave for an item, metric by metric, with the range below, and the consensus."""

from collections.abc import Mapping, Sequence

from annotations.rubric import Rubric
from characterbox.campaigns.board import counts
from characterbox.campaigns.oversight import Oversight
from characterbox.campaigns.row import Row
from characterbox.components.figures.words import decimal
from pages.parts.oversight_look import data, table
from pages.parts.oversight_words import STATES, points

NONE = '<span class="ov-quiet">none</span>'


def called(row: Row, names: Mapping[str, str]) -> str:
    """Whose row it is; of a hidden repeat that it is one."""
    name = names.get(row.assignment.rater, row.assignment.rater)
    return f"{name}, again" if row.assignment.take else name


def score_table(
    known: Oversight,
    rows: Sequence[Row],
    names: Mapping[str, str],
    verdicts: Mapping[str, int | float | None],
    metric: str,
) -> str:
    """The rows of an item as HTML; `metric` is lit, and `verdicts` are the last ones by metric, None if taken back."""
    keys = known.rubric.keys
    lines = [
        [data(called(row, names)), *(_score(row, key, metric) for key in keys), _state(row, known.rubric)]
        for row in rows
    ]
    if rows:
        lines.append(["Range", *(_range(known, rows[0].assignment.item, key) for key in keys), ""])
    lines.append(["Consensus", *(_consensus(verdicts.get(key)) for key in keys), ""])
    return table(("Expert", *keys, "State"), lines, fold=False)


def _score(row: Row, key: str, lit: str) -> str:
    score = row.sheet.scores.get(key)
    if score is None:
        return NONE
    return f'<span class="ov-lit">{points(score)}</span>' if key == lit else points(score)


def _state(row: Row, rubric: Rubric) -> str:
    state = row.state(rubric)
    if state == "begun" and counts(row):  # in logs of the time when a score could be taken back after submitting
        return "begun<small>a score is missing since</small>"
    if state == "begun":
        return "begun<small>not counted yet</small>"
    return f'<span class="ov-int">{STATES[state]}</span>'


def _range(known: Oversight, item: str, metric: str) -> str:
    cell = known.dispute(item, metric)
    if cell is None:
        return "<small>fewer than two scores</small>"
    apart = f"<small>distance {decimal(cell.mean_difference)}</small>"
    return f"{points(cell.range)}{apart}<small>n = {len(cell.scores)}</small>"


def _consensus(score: int | float | None) -> str:
    return NONE if score is None else f"<b>{points(score)}</b>"
