"""Lines of JSON hold everything: what stands, what it rests on, and how it came to be."""

import json
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.exchange.record import Verdict, json_line
from annotations.marking.marks import (
    Comment,
    Entry,
    Evidence,
    Flag,
    Guess,
    Mark,
    Score,
    Sheet,
    Skip,
    Submit,
    Time,
    mark_adapter,
    sheet_of,
)
from tests.annotations.exchange.records import CHARACTER, NOON, a_record, marks, texts
from tests.fakes.examples import examples


def told(*said: Mark, steps: tuple[str, ...] = (), verdicts: dict[str, Verdict] | None = None) -> Any:
    """What the line of a record says."""
    return json.loads(json_line(a_record(*said), steps, verdicts or {}))


def history_of(line: Any) -> list[Entry]:
    """The marks that a line tells of."""
    return [
        Entry(
            UUID(entry["click"]),
            entry["revision"],
            datetime.fromisoformat(entry["at"]),
            mark_adapter.validate_python(entry["mark"]),
        )
        for entry in line["history"]
    ]


def as_sheet(sheet: Any) -> Sheet:
    """The sheet that a line tells of."""
    return Sheet(
        scores=sheet["scores"],
        evidence={metric: tuple(step["step"] for step in steps) for metric, steps in sheet["evidence"].items()},
        comment=sheet["comment"],
        unknown_work=sheet["unknown_work"],
        skipped=sheet["skipped"],
        submitted=None if sheet["submitted"] is None else datetime.fromisoformat(sheet["submitted"]),
        guess=None if sheet["guess"] is None else Guess(model=sheet["guess"]["model"]),
        reading=sheet["reading_ms"],
        idle=sheet["idle_ms"],
        revision=sheet["revision"],
    )


def test_a_line_says_where_it_comes_from() -> None:
    line = told()
    told_of = {name: line[name] for name in line if name not in ("sheet", "history")}
    assert told_of == {
        "campaign": "c1",
        "rubric": "character",
        "rubric_version": CHARACTER.version,
        "assignment": "0123456789ab",
        "item": "s1:ann",
        "scene": "The Hotel: watch",
        "model": "m-1",
        "language": "en",
        "rater": "Ann",
        "purpose": "rate",
        "take": 0,
        "verdict": None,
    }
    assert line["history"] == []
    assert as_sheet(line["sheet"]) == Sheet()


def test_the_sheet_is_told_with_the_steps_that_it_rests_on() -> None:
    said = [Score(metric="KA", score=4), Evidence(metric="KA", steps=(2, 0, 7)), Comment(text="hm"), Submit()]
    line = told(*said, Time(reading=1500, idle=20), Guess(model=None), steps=("She enters.", "", "走了。"))
    assert line["sheet"] == {
        "scores": {"KA": 4},
        "evidence": {
            "KA": [{"step": 0, "text": "She enters."}, {"step": 2, "text": "走了。"}, {"step": 7, "text": None}]
        },
        "comment": "hm",
        "unknown_work": False,
        "skipped": None,
        "submitted": "2026-03-01T12:04:00+00:00",
        "guess": {"model": None},
        "reading_ms": 1500,
        "idle_ms": 20,
        "revision": 6,
    }


def test_the_history_has_every_mark_also_those_that_were_taken_back() -> None:
    line = told(Score(metric="KA", score=4), Score(metric="KA", score=None), Flag(unknown_work=True), Skip(reason="no"))
    assert line["sheet"]["scores"] == {}
    assert line["history"][:2] == [
        {
            "revision": 1,
            "click": "00000000-0000-0000-0000-000000000001",
            "at": "2026-03-01T12:01:00+00:00",
            "mark": {"kind": "score", "metric": "KA", "score": 4},
        },
        {
            "revision": 2,
            "click": "00000000-0000-0000-0000-000000000002",
            "at": "2026-03-01T12:02:00+00:00",
            "mark": {"kind": "score", "metric": "KA", "score": None},
        },
    ]


def test_the_consensus_is_told_beside_it() -> None:
    line = told(Score(metric="KA", score=4), verdicts={"KA": Verdict(3, "she errs", "Eve", NOON)})
    assert line["verdict"] == {
        "KA": {"score": 3, "reason": "she errs", "adjudicator": "Eve", "at": "2026-03-01T12:00:00+00:00"}
    }
    assert line["sheet"]["scores"] == {"KA": 4}


@settings(max_examples=examples(30, 100))
@given(marks())
def test_the_history_folds_to_the_sheet(said: list[Mark]) -> None:
    record = a_record(*said)
    line = json.loads(json_line(record, (), {}))
    assert history_of(line) == list(record.entries)
    assert sheet_of(history_of(line)) == record.sheet
    assert as_sheet(line["sheet"]) == replace(record.sheet, scored={}, seen=None, quarters=()), (
        "the rest is in the history"
    )


@settings(deadline=None)
@given(texts(), texts(min_size=1).filter(str.strip), st.lists(texts(), max_size=3))
def test_a_line_is_one_line_whatever_is_in_it(comment: str, rater: str, steps: list[str]) -> None:
    said = [Comment(text=comment[:100]), Evidence(metric="KA", steps=tuple(range(len(steps))))]
    line = json_line(a_record(*said, rater=rater), steps, {})
    assert line.endswith(b"\n")
    assert line.decode().splitlines() == [line.decode()[:-1]]
    read = json.loads(line)
    assert read["rater"] == rater
    assert [step["text"] for step in read["sheet"]["evidence"].get("KA", [])] == steps
