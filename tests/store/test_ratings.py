"""Ratings are only ever added; the last of a rater on a metric of an item counts."""

import pytest

from annotations.errors import RatingError
from characterbox.store.ratings import FRAME_COLUMNS, item_of, rating_of
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_story


@pytest.fixture
def story(store):
    return a_story(store, a_scene("Ann Lee", "Bob"))


def rating(story, metric="KA", score=4, rater="expert-1", kind="expert", **more):
    return rating_of(story, "Ann Lee", rater=rater, kind=kind, metric=metric, score=score, **more)


def test_the_last_one_counts(store, story):
    store.ratings.add([rating(story, score=2), rating(story, "BA", 5)])
    store.ratings.add([rating(story, score=4)])
    store.ratings.add([rating(story, score=1, rater="expert-2")])
    assert store.ratings.of_rater(item_of(story, "Ann Lee"), "expert-1", "expert") == {
        "KA": rating(story, score=4),
        "BA": rating(story, "BA", 5),
    }
    frame = store.ratings.frame()
    assert tuple(frame.columns) == FRAME_COLUMNS
    assert frame[["metric", "rater", "score"]].values.tolist() == [
        ["BA", "expert-1", 5], ["KA", "expert-1", 4], ["KA", "expert-2", 1]
    ]  # fmt: skip
    assert frame["scene"].unique().tolist() == ["The Hotel: watch"]


def test_an_expert_and_a_judge_of_one_name_are_two(store, story):
    store.ratings.add([rating(story, score=2, rater="Max"), rating(story, score=5, rater="Max", kind="judge")])
    item = item_of(story, "Ann Lee")
    assert store.ratings.of_rater(item, "Max", "expert")["KA"].score == 2
    assert store.ratings.of_rater(item, "Max", "judge")["KA"].score == 5
    assert len(store.ratings.frame()) == 2


def test_a_missing_score_keeps_its_reason_and_is_not_counted(store, story):
    missing = rating(story, score=None, reason="KA: the score is missing")
    store.ratings.add([missing, rating(story, "BA", 3)])
    assert store.ratings.of_rater(missing.item, "expert-1", "expert")["KA"] == missing
    assert store.ratings.items_of_rater("expert-1") == {missing.item: 1}


def test_adding_nothing_adds_nothing(store, story):
    store.ratings.add([])
    store.ratings.add(iter(()))
    assert store.ratings.frame().empty


@pytest.mark.parametrize(("metric", "score"), [("KA", 6), ("KA", 0), ("XX", 3)])
def test_what_is_not_of_the_rubric_is_refused(store, story, metric, score):
    with pytest.raises(RatingError, match=metric):
        rating(story, metric, score)
    assert store.ratings.frame().empty
