"""Ratings in long form, one row per score that stands: the columns of `annotations.rating`, then where each comes from.

CSV is UTF-8 with a header; an empty cell is a value that there is none of, and `cells` tells how texts are guarded.
Parquet has the same columns with types of their own, and texts as they are. Both can be read in again: see `intake`.
"""

import csv
import io
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from annotations.exchange.cells import guarded
from annotations.exchange.record import Record

CANNOT_TELL = "?"
"""In place of a model, where the rater was asked for it and could not tell."""
_TYPES = {
    "score": "Float64",
    "take": "Int64",
    "submitted": "boolean",
    "skipped": "boolean",
    "unknown_work": "boolean",
    "reading_seconds": "Float64",
    "at": "datetime64[us, UTC]",
}
"""Of the columns in Parquet; the others hold text."""


class LongRow(NamedTuple):
    """One score. A judge's has nothing between `language` and `at` but its rubric."""

    item: str
    scene: str
    model: str
    metric: str
    rater: str
    kind: str
    score: int | float | None
    """None only for a judge, whose reply held no score."""
    language: str
    campaign: str | None
    rubric: str
    rubric_version: str
    take: int | None
    """0 for the first time, 1 for a hidden repeat."""
    submitted: bool | None
    """Whether the item was submitted; statistics count only scores of items that were, and are not skipped."""
    skipped: bool | None
    unknown_work: bool | None
    guess: str | None
    """The model that the rater believed it was, or `CANNOT_TELL`; None where the rater has not said anything of it."""
    reading_seconds: float | None
    """Spent at the item; the same for all of its scores."""
    at: datetime
    """When the score was given, UTC."""
    reason: str | None
    """Why the item is skipped, or why a judge's score is missing."""
    improvised: str = ""
    """What was made without a language model: `story`, `judge` or `story and judge`; else empty."""


def rows_of(record: Record) -> Iterator[LongRow]:
    """The scores that stand in a record of something that was played, submitted or not."""
    if record.scene is None or record.model is None or record.language is None:
        return
    sheet = record.sheet
    for metric, score in sheet.scores.items():
        yield LongRow(
            item=record.item,
            scene=record.scene,
            model=record.model,
            metric=metric,
            rater=record.rater,
            kind="expert",
            score=score,
            language=record.language,
            campaign=record.campaign,
            rubric=record.rubric,
            rubric_version=record.rubric_version,
            take=record.take,
            submitted=sheet.submitted is not None,
            skipped=sheet.skipped is not None,
            unknown_work=sheet.unknown_work,
            guess=None if sheet.guess is None else sheet.guess.model or CANNOT_TELL,
            reading_seconds=sheet.reading / 1000,
            at=sheet.scored[metric],
            reason=sheet.skipped,
        )


def csv_of(rows: Iterable[LongRow]) -> Iterator[bytes]:
    """The file, line by line."""
    yield _line(LongRow._fields)
    for row in rows:
        yield _line(map(_cell, row))


def parquet_of(rows: Iterable[LongRow]) -> bytes:
    """The file."""
    import pandas as pd  # noqa: PLC0415 - half a second, of which most commands need nothing

    frame = pd.DataFrame(list(rows), columns=list(LongRow._fields), dtype=object)
    types = {column: _TYPES.get(column, "string") for column in frame.columns}
    buffer = io.BytesIO()
    frame.astype(types).to_parquet(buffer, index=False)
    return buffer.getvalue()


def _line(cells: Iterable[str]) -> bytes:
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(cells)
    return line.getvalue().encode()


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case datetime():
            return value.astimezone(UTC).isoformat()
        case str():
            return guarded(value)
        case _:
            return repr(value)
