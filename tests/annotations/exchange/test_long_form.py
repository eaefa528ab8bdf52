"""Scores in long form come back from CSV and Parquet as they went out, whatever stands in names and texts."""

import csv
import io
from datetime import UTC, timedelta

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.exchange.intake import TAKEN, dry_run
from annotations.exchange.record import CANNOT_TELL, LongRow, Record, csv_of, parquet_of, rows_of
from annotations.marking.marks import Flag, Guess, Score, Skip, Submit, Time
from annotations.marking.rating import COLUMNS, read_ratings
from annotations.rubrics.rubric import Rubric
from tests.annotations.exchange.records import CHARACTER, NASTY, NOON, a_record, marks, rubric_of, scores, texts
from tests.fakes.examples import examples

ANY = rubric_of(*CHARACTER.keys, fractions=True)
JUDGED = LongRow(
    "i", "s", "m", "KA", "GPT-4", "judge", None, "zh", None, "character", "1.0", *([None] * 6), NOON, "none"
)


def table(content: bytes) -> list[list[str]]:
    """The cells of a CSV file."""
    return list(csv.reader(io.StringIO(content.decode(), newline="")))


def taken(content: bytes, rubric: Rubric = ANY) -> list[tuple[object, ...]]:
    """What is taken of a file of which nothing is refused."""
    trial = dry_run(content, rubric)
    assert trial.refused == ()
    frame = trial.taken.astype(object).where(trial.taken.notna(), None)
    return list(frame.itertuples(index=False, name=None))


def test_the_columns_of_ratings_come_first() -> None:
    assert LongRow._fields[:7] == COLUMNS
    assert LongRow._fields[7:] == (
        "language", "campaign", "rubric", "rubric_version", "take", "submitted", "skipped", "unknown_work", "guess",
        "reading_seconds", "at", "reason", "improvised",
    )  # fmt: skip


def test_a_score_that_stands_is_a_row_with_all_that_is_known_of_it() -> None:
    said = [*scores(4, 2), Score(metric="KA", score=5), Score(metric="BA", score=None)]
    record = a_record(*said, Flag(unknown_work=True), Time(reading=61_500, idle=9), Submit(), Guess(model="m-2"))
    assert list(rows_of(record)) == [
        LongRow(
            item="s1:ann",
            scene="The Hotel: watch",
            model="m-1",
            metric="KA",
            rater="Ann",
            kind="expert",
            score=5,
            language="en",
            campaign="c1",
            rubric="character",
            rubric_version=CHARACTER.version,
            take=0,
            submitted=True,
            skipped=False,
            unknown_work=True,
            guess="m-2",
            reading_seconds=61.5,
            at=NOON + timedelta(minutes=3),
            reason=None,
        )
    ]


def test_what_is_open_or_skipped_is_in_it_and_says_so() -> None:
    [begun] = rows_of(a_record(*scores(3)))
    assert (begun.submitted, begun.skipped, begun.guess, begun.reason) == (False, False, None, None)
    [skipped] = rows_of(a_record(*scores(3), Skip(reason="too long")))
    assert (skipped.submitted, skipped.skipped, skipped.reason) == (False, True, "too long")
    [unsure] = rows_of(a_record(*scores(3), Submit(), Guess(model=None)))
    assert unsure.guess == CANNOT_TELL


def test_what_nobody_played_has_no_rows() -> None:
    assert list(rows_of(a_record(*scores(3), item="practice/x", scene=None, model=None, purpose="practice"))) == []


def test_csv_as_it_is_written() -> None:
    rows = [*rows_of(a_record(*scores(4), Time(reading=1500, idle=0), rater="=Ann")), JUDGED]
    content = b"".join(csv_of(rows)).decode()
    assert content.splitlines() == [
        ",".join(LongRow._fields),
        "s1:ann,The Hotel: watch,m-1,KA,'=Ann,expert,4,en,c1,character,"
        f"{CHARACTER.version},0,false,false,false,,1.5,2026-03-01T12:01:00+00:00,,",
        "i,s,m,KA,GPT-4,judge,,zh,,character,1.0,,,,,,,2026-03-01T12:00:00+00:00,none,",
    ]


def test_parquet_has_types() -> None:
    record = a_record(*scores(4), Time(reading=1500, idle=0), Submit(), rater="=Ann")
    frame = pd.read_parquet(io.BytesIO(parquet_of([*rows_of(record), JUDGED])))
    assert tuple(frame.columns) == LongRow._fields
    first, judged = frame.to_dict("records")
    assert (first["rater"], first["score"], first["take"], first["submitted"]) == ("=Ann", 4, 0, True)
    assert first["reading_seconds"] == 1.5
    assert first["at"] == NOON.astimezone(UTC) + timedelta(minutes=1)
    assert pd.isna([judged["score"], judged["take"], judged["submitted"], judged["campaign"]]).all()


def test_nothing_was_rated() -> None:
    assert table(b"".join(csv_of([]))) == [list(LongRow._fields)]
    assert list(pd.read_parquet(io.BytesIO(parquet_of([]))).columns) == list(LongRow._fields)


def named() -> st.SearchStrategy[Record]:
    """Records of an item and a rater with any names, and any marks."""
    name = texts(min_size=1, max_size=20).filter(str.strip)
    return st.builds(
        lambda said, item, scene, model, rater: a_record(*said, item=item, scene=scene, model=model, rater=rater),
        *(marks(), name, name, name, name),
    )


@settings(max_examples=examples(15, 40))
@given(named())
def test_scores_come_back_as_they_were(record: Record) -> None:
    rows = [row for row in rows_of(record) if row.submitted and not row.skipped]
    if not rows:
        return
    expected = [(*(getattr(row, name) for name in TAKEN[:-1]), row.improvised or None) for row in rows]
    assert taken(b"".join(csv_of(rows))) == expected
    assert taken(parquet_of(rows)) == expected


@settings(max_examples=examples(25, 100))
@given(named())
def test_what_reads_ratings_reads_them(record: Record) -> None:
    rows = list(rows_of(record))
    if not rows:
        return
    frame = read_ratings(b"".join(csv_of(rows)))
    assert frame["score"].tolist() == [row.score for row in rows]
    assert frame["metric"].tolist() == [row.metric for row in rows]


def test_nasty_texts_are_kept_apart_and_harmless() -> None:
    rows = [row for name in NASTY for row in rows_of(a_record(*scores(4), Submit(), rater=f"{name}x", item="i"))]
    content = b"".join(csv_of(rows))
    assert [row[5] for row in taken(content)] == [f"{name}x" for name in NASTY]
    for cells in table(content)[1:]:
        assert not cells[4].startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
