"""The sheet is the fold of the marks; what may not be marked is refused."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from pydantic import ValidationError

from annotations.errors import RatingError
from annotations.marking.marks import (
    LONGEST,
    MOST_READING,
    MOST_TEXT,
    Comment,
    Entry,
    Evidence,
    Flag,
    Guess,
    Score,
    Sheet,
    Skip,
    Submit,
    Time,
    checked,
    mark_adapter,
    sheet_of,
)
from annotations.rubrics.rubric import load_rubric
from tests.fakes.examples import examples

RUBRIC = load_rubric()
STRICT = RUBRIC.model_copy(update={"evidence": "required"})
START = datetime(2026, 5, 1, tzinfo=UTC)

marks = some.one_of(
    some.builds(Score, metric=some.sampled_from(RUBRIC.keys), score=some.none() | some.integers(1, 5)),
    some.builds(
        Evidence, metric=some.sampled_from(RUBRIC.keys), steps=some.lists(some.integers(0, 9), max_size=4).map(tuple)
    ),
    some.builds(Comment, text=some.text(some.characters(exclude_characters="\0", codec="utf-8"), max_size=20)),
    some.builds(Flag, unknown_work=some.booleans()),
    some.builds(Skip, reason=some.none() | some.just("no time")),
    some.just(Submit()),
    some.builds(Guess, model=some.none() | some.just("Zephyr-9B")),
    some.builds(Time, reading=some.integers(0, 9999), idle=some.integers(0, 9999)),
)


def entries(*said):
    return [Entry(UUID(int=n), n, START + timedelta(seconds=n), one) for n, one in enumerate(said, 1)]


def fold(*said):
    return sheet_of(entries(*said))


def all_scored(score=3):
    return [Score(metric=key, score=score) for key in RUBRIC.keys]


@given(some.lists(marks, max_size=30))
def test_the_last_word_on_each_thing_counts(said):
    sheet = fold(*said)
    for key in RUBRIC.keys:
        given = [one.score for one in said if isinstance(one, Score) and one.metric == key]
        assert sheet.scores.get(key) == (given[-1] if given else None)
        places = [one.steps for one in said if isinstance(one, Evidence) and one.metric == key]
        assert sheet.evidence.get(key, ()) == (tuple(sorted(set(places[-1]))) if places else ())
    comments = [one.text for one in said if isinstance(one, Comment)]
    assert sheet.comment == (comments[-1] if comments else "")
    assert sheet.reading == sum(one.reading for one in said if isinstance(one, Time))
    assert sheet.idle == sum(one.idle for one in said if isinstance(one, Time))
    assert sheet.revision == len(said)


@settings(max_examples=examples(40, 100))
@given(some.lists(marks, max_size=30), some.integers(0, 30))
def test_the_fold_can_be_taken_up_anywhere(said, at):
    whole = entries(*said)
    sheet = sheet_of(whole[:at])
    for entry in whole[at:]:
        sheet = sheet.after(entry)
    assert sheet == sheet_of(whole)


@given(marks)
def test_a_mark_is_read_as_it_was_written(mark):
    assert mark_adapter.validate_json(mark_adapter.dump_json(mark)) == mark


def test_an_item_is_done_when_it_is_submitted_and_complete():
    assert not fold(*all_scored()).done(RUBRIC)
    done = [*all_scored(), Submit()]
    assert fold(*done).done(RUBRIC)
    assert fold(*done).submitted == START + timedelta(seconds=8)
    assert not fold(*done, Score(metric="KA", score=None)).done(RUBRIC)
    assert fold(*done, Score(metric="KA", score=None), Score(metric="KA", score=1)).done(RUBRIC)
    assert not fold(*done, Skip(reason="x")).done(RUBRIC)


@settings(max_examples=examples(25, 100))
@given(some.lists(marks, max_size=40), some.sampled_from([RUBRIC, STRICT]))
def test_what_is_submitted_stays_complete(said, rubric):
    places = [Evidence(metric=key, steps=(0,)) for key in rubric.keys]
    entered: list[Entry] = []
    for one in (*all_scored(), *places, Submit(), *said):
        sheet = sheet_of(entered)
        with suppress(RatingError):
            entered = [*entered, *entries(checked(one, rubric, sheet))]
        sheet = sheet_of(entered)
        assert sheet.submitted is None or not sheet.missing(rubric)
    assert sheet_of(entered).submitted is not None


def test_who_scores_a_skipped_item_takes_it_in_again():
    assert fold(Skip(reason="x")).skipped == "x"
    assert fold(Skip(reason="x"), Score(metric="KA", score=1)).skipped is None
    assert fold(Skip(reason="x"), Comment(text="later")).skipped == "x"
    assert fold(Skip(reason="x"), Skip(reason=None)).skipped is None


def test_required_evidence_is_missing_until_it_is_there():
    sheet = fold(*all_scored(), *[Evidence(metric=key, steps=(1,)) for key in RUBRIC.keys[1:]])
    assert sheet.missing(RUBRIC) == ()
    assert sheet.missing(STRICT) == RUBRIC.keys[:1]
    with pytest.raises(RatingError, match="no score or evidence yet for KA"):
        checked(Submit(), STRICT, sheet)


@pytest.mark.parametrize(
    ("mark", "fault"),
    [
        (Score(metric="KA", score=9), "KA"),
        (Score(metric="KA", score=0), "KA"),
        (Score(metric="KA", score=2.5), "not a whole number"),
        (Score(metric="XX", score=2), "no metric 'XX'"),
        (Score(metric="XX", score=None), "no metric 'XX'"),
        (Evidence(metric="XX", steps=(1,)), "no metric 'XX'"),
        (Submit(), "no score yet for KA, BA, EE, PT, IM, AD, BC"),
        (Guess(model="Zephyr-9B"), "submit the item before guessing"),
    ],
)
def test_what_may_not_be_marked_is_refused(mark, fault):
    with pytest.raises(RatingError, match=fault):
        checked(mark, RUBRIC, Sheet())


def test_more_reading_at_once_than_there_is_can_be_read_where_it_is_stored_and_is_not_taken_any_more():
    said = mark_adapter.validate_python({"kind": "time", "reading": MOST_READING + 1, "idle": 0})
    assert fold(said).reading == MOST_READING + 1
    with pytest.raises(RatingError, match="600001 ms in one entry is too long"):
        checked(said, RUBRIC, Sheet())
    most = Time(reading=MOST_READING, idle=LONGEST)
    assert checked(most, RUBRIC, Sheet()) == most


def test_a_whole_number_is_taken_as_one():
    assert checked(Score(metric="KA", score=4.0), RUBRIC, Sheet()) == Score(metric="KA", score=4)


@pytest.mark.slow
@pytest.mark.parametrize(
    "said",
    [
        {"kind": "score", "metric": "KA", "score": "4"},
        {"kind": "score", "metric": "KA", "score": True},
        {"kind": "score", "metric": "KA"},
        {"kind": "score", "metric": "KA", "score": float("nan")},
        {"kind": "evidence", "metric": "KA", "steps": [-1]},
        {"kind": "evidence", "metric": "KA", "steps": list(range(501))},
        {"kind": "comment", "text": "x" * (MOST_TEXT + 1)},
        {"kind": "comment", "text": "a\0b"},
        {"kind": "flag", "unknown_work": "yes"},
        {"kind": "skip"},
        {"kind": "skip", "reason": " "},
        {"kind": "guess"},
        {"kind": "time", "reading": -1, "idle": 0},
        {"kind": "time", "reading": LONGEST + 1, "idle": 0},
        {"kind": "submit", "score": 5},
        {"kind": "other"},
    ],
)
def test_what_is_no_mark_is_refused(said):
    with pytest.raises(ValidationError):
        mark_adapter.validate_python(said)
