"""JSONL: one line per assignment, with the sheet, what it rests on, the consensus if there is one, and every mark.

`history` holds the marks in the order of their revisions, each as it was sent; folded, they give `sheet`.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from annotations.exchange.record import Record, Verdict
from annotations.marks import Entry, Sheet

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
