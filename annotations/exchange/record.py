"""Records of assignments, and the files made of them: long form with a row per score, and JSON lines.

CSV is UTF-8 with a header; an empty cell is a value that there is none of, and `csv_file` tells how texts are guarded.
Parquet has the same columns with types of their own, and texts as they are. Both can be read in again: see `intake`.

`history` holds the marks in the order of their revisions, each as it was sent; folded, they give `sheet`.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from annotations.design.settings import Purpose
from annotations.exchange.csv_file import guarded
from annotations.marking.marks import Entry, Sheet


@dataclass(frozen=True)
class Record:
    """What one expert was given, once, and every mark that this expert has made on it."""

    campaign: str
    rubric: str
    rubric_version: str
    assignment: str
    item: str
    scene: str | None
    """None, as `model`, for what comes from a practice set: nobody played it."""
    model: str | None
    language: str | None
    rater: str
    purpose: Purpose
    take: int
    """0 the first time, 1 for a hidden repeat; for practice, the number of the attempt."""
    sheet: Sheet
    """How things stand after all marks."""
    entries: tuple[Entry, ...] = ()
    """The marks in order, where the whole history was asked for."""


@dataclass(frozen=True)
class Verdict:
    """The consensus on one metric of an item."""

    score: int | float
    reason: str
    adjudicator: str | None
    """None where the names of people are left out."""
    at: datetime


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


_LINE_ENDS = str.maketrans({end: f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"})
"""What JSON lets stand in a text, and some readers of lines take for the end of one."""
Json = dict[str, Any]


def json_line(record: Record, steps: Sequence[str], verdicts: Mapping[str, Verdict]) -> bytes:
    """The line of a record. `steps` are the texts of its item, that evidence refers to by number; `verdicts` the
    consensus on the item, by metric.
    """
    told = {
        "campaign": record.campaign,
        "rubric": record.rubric,
        "rubric_version": record.rubric_version,
        "assignment": record.assignment,
        "item": record.item,
        "scene": record.scene,
        "model": record.model,
        "language": record.language,
        "rater": record.rater,
        "purpose": record.purpose,
        "take": record.take,
        "sheet": _sheet(record.sheet, steps),
        "verdict": {metric: _verdict(verdict) for metric, verdict in verdicts.items()} or None,
        "history": [_entry(entry) for entry in record.entries],
    }
    line = json.dumps(told, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return line.translate(_LINE_ENDS).encode() + b"\n"


def _sheet(sheet: Sheet, steps: Sequence[str]) -> Json:
    return {
        "scores": dict(sheet.scores),
        "evidence": {metric: list(_evidence(numbers, steps)) for metric, numbers in sheet.evidence.items()},
        "comment": sheet.comment,
        "unknown_work": sheet.unknown_work,
        "skipped": sheet.skipped,
        "submitted": None if sheet.submitted is None else _moment(sheet.submitted),
        "guess": None if sheet.guess is None else {"model": sheet.guess.model},
        "reading_ms": sheet.reading,
        "idle_ms": sheet.idle,
        "revision": sheet.revision,
    }


def _evidence(numbers: Sequence[int], steps: Sequence[str]) -> Iterator[Json]:
    """The steps with their texts; null where the item is not there to be read any more."""
    for number in numbers:
        yield {"step": number, "text": steps[number] if number < len(steps) else None}


def _verdict(verdict: Verdict) -> Json:
    told = {"score": verdict.score, "reason": verdict.reason, "adjudicator": verdict.adjudicator}
    return {**told, "at": _moment(verdict.at)}


def _entry(entry: Entry) -> Json:
    told = {"revision": entry.revision, "click": str(entry.click), "at": _moment(entry.at)}
    return {**told, "mark": entry.mark.model_dump(mode="json")}


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat()
