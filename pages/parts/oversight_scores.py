"""What every expert gave for an item, metric by metric, with the range below, and the consensus."""

from collections.abc import Mapping, Sequence

from annotations.rubric import Rubric
from annotations.wording import say
from characterbox.campaigns.oversight import Oversight
from characterbox.campaigns.row import Row
from characterbox.components.figures.words import decimal
from pages.parts.oversight_look import data, table
from pages.parts.oversight_words import STATES, points


def called(row: Row, names: Mapping[str, str]) -> str:
    """Whose row it is; of a hidden repeat that it is one."""
    name = names.get(row.assignment.rater, row.assignment.rater)
    return say("{name}, again", name=name) if row.assignment.take else name


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
        lines.append([say("Range"), *(_range(known, rows[0].assignment.item, key) for key in keys), ""])
    lines.append([say("Consensus"), *(_consensus(verdicts.get(key)) for key in keys), ""])
    return table((say("Expert"), *keys, say("State")), lines, fold=False)


def _score(row: Row, key: str, lit: str) -> str:
    score = row.sheet.scores.get(key)
    if score is None:
        return _none()
    return f'<span class="ov-lit">{points(score)}</span>' if key == lit else points(score)


def _state(row: Row, rubric: Rubric) -> str:
    state = row.state(rubric)
    if state == "begun" and row.sheet.counts:  # in logs of the time when a score could be taken back after submitting
        return say(STATES[state]) + _small(say("a score is missing since"))
    if state == "begun":
        return say(STATES[state]) + _small(say("not counted yet"))
    return f'<span class="ov-int">{say(STATES[state])}</span>'


def _range(known: Oversight, item: str, metric: str) -> str:
    cell = known.dispute(item, metric)
    if cell is None:
        return _small(say("fewer than two scores"))
    apart = say("distance {distance}", distance=decimal(cell.mean_difference))
    return points(cell.range) + _small(apart) + _small(f"n = {len(cell.scores)}")


def _consensus(score: int | float | None) -> str:
    return _none() if score is None else f"<b>{points(score)}</b>"


def _none() -> str:
    none = say("none")
    return f'<span class="ov-quiet">{none}</span>'


def _small(text: str) -> str:
    return f"<small>{text}</small>"
