"""Records to export, and rubrics to import by."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from hypothesis import strategies as st

from annotations.exchange.record import Record
from annotations.marking.marks import Comment, Entry, Evidence, Flag, Guess, Mark, Score, Skip, Submit, Time, sheet_of
from annotations.rubrics.rubric import Rubric, load_rubric

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
CHARACTER = load_rubric()
NASTY = [
    "=1+1",
    "'=1+1",
    "'",
    "''",
    "-1",
    "+a",
    "@A1",
    "\t",
    "\rx",
    "＝x",
    ' "a","b"\r\n',
    "王\n\n🙂",
    "\x85x",
    "a\u2028b",
]
"""Texts that files, spreadsheets and readers of lines stumble over."""


def texts(**limits: Any) -> st.SearchStrategy[str]:
    """Any text that a database keeps."""
    letters = st.characters(exclude_characters="\x00", exclude_categories=["Cs"])
    return st.one_of(st.sampled_from(NASTY), st.text(letters, **limits))


def entries(*marks: Mark) -> tuple[Entry, ...]:
    """The marks as they stand in the log, a minute apart."""
    return tuple(
        Entry(UUID(int=number), number, NOON + timedelta(minutes=number), mark) for number, mark in enumerate(marks, 1)
    )


def a_record(*marks: Mark, **changes: Any) -> Record:
    """A record of one item, with these marks."""
    fields: dict[str, Any] = {
        "campaign": "c1",
        "rubric": CHARACTER.name,
        "rubric_version": CHARACTER.version,
        "assignment": "0123456789ab",
        "item": "s1:ann",
        "scene": "The Hotel: watch",
        "model": "m-1",
        "language": "en",
        "rater": "Ann",
        "purpose": "rate",
        "take": 0,
    }
    said = entries(*marks)
    return Record(**{**fields, **changes}, sheet=sheet_of(said), entries=said)


def scores(*given: int | None) -> list[Mark]:
    """Scores on the metrics of the paper's rubric, in its order."""
    return [Score(metric=metric, score=score) for metric, score in zip(CHARACTER.keys, given, strict=False)]


def marks() -> st.SearchStrategy[list[Mark]]:
    """Whatever a rater may click, in any order."""
    metrics = st.sampled_from(CHARACTER.keys)
    words = texts(max_size=20)
    said = words.filter(str.strip)
    some: st.SearchStrategy[Mark] = st.one_of(
        st.builds(Score, metric=metrics, score=st.none() | st.integers(1, 5) | st.floats(1, 5)),
        st.builds(Evidence, metric=metrics, steps=st.lists(st.integers(0, 9), max_size=4).map(tuple)),
        st.builds(Comment, text=words),
        st.builds(Flag, unknown_work=st.booleans()),
        st.builds(Skip, reason=st.none() | said),
        st.builds(Guess, model=st.none() | said),
        st.builds(Time, reading=st.integers(0, 90_000), idle=st.integers(0, 90_000)),
        st.just(Submit()),
    )
    return st.lists(some, max_size=12)


def rubric_of(*metrics: str, low: int = 1, high: int = 5, fractions: bool = False) -> Rubric:
    """A rubric with these metrics on this scale."""
    wording = {"en": "word", "zh": "词"}
    anchors = [{"score": low, "text": wording}, {"score": high, "text": wording}]
    return Rubric.model_validate(
        {
            **CHARACTER.model_dump(mode="json", include={"subject", "evidence", "title", "guide"}),
            "name": "own",
            "version": "1",
            "scale": {"low": low, "high": high, "fractions": fractions},
            "dimensions": [{"name": {"en": "All", "zh": "全部"}, "metrics": list(metrics)}],
            "metrics": [
                {"key": key, "name": {"en": f"The {key}", "zh": f"项{key}"}, "question": wording, "anchors": anchors}
                for key in metrics
            ],
        }
    )
