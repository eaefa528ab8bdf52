"""Ratings are only ever added; the last of a rater on a metric of an item counts."""

import pytest

from annotations.errors import RatingError
from characterbox.pause_reasons import Reason
from characterbox.store.ratings.ratings import FRAME_COLUMNS, item_of, rating_of
from tests.fakes.campaigns import rate, running
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_story


@pytest.fixture
def story(store):
    return a_story(store, a_scene("Ann Lee", "Bob"))


def rating(story, metric="KA", score=4, rater="GPT-4", **more):
    return rating_of(story, "Ann Lee", rater=rater, metric=metric, score=score, **more)


def test_the_last_one_counts(store, story):
    store.ratings.add([rating(story, score=2), rating(story, "BA", 5)])
    store.ratings.add([rating(story, score=4)])
    store.ratings.add([rating(story, score=1, rater="CharacterRM")])
    assert store.ratings.of_judge(item_of(story, "Ann Lee").label, "GPT-4") == {
        "KA": rating(story, score=4),
        "BA": rating(story, "BA", 5),
    }
    frame = store.ratings.frame()
    assert tuple(frame.columns) == FRAME_COLUMNS
    assert frame[["metric", "rater", "score"]].values.tolist() == [
        ["BA", "GPT-4", 5], ["KA", "GPT-4", 4], ["KA", "CharacterRM", 1]
    ]  # fmt: skip
    assert frame["scene"].unique().tolist() == ["The Hotel: watch"]


async def test_an_expert_and_a_judge_of_one_name_are_two(store):
    _, story, assigned = running(store, a_scene("Ann Lee", "Bob"), "Max")
    await rate(store, assigned["Max"][0], 2, 2, 2, 2, 2, 2, 2)
    store.ratings.add([rating(story, score=5, rater="Max")])
    frame = store.ratings.frame()
    assert sorted(zip(frame["kind"], frame["score"], strict=True)) == [("expert", 2)] * 7 + [("judge", 5)]


def test_a_missing_score_keeps_its_reason_and_is_not_counted(store, story):
    missing = rating(story, score=None, reason=Reason("score_missing", metric="KA"))
    store.ratings.add([missing, rating(story, "BA", 3)])
    assert store.ratings.of_judge(missing.item, "GPT-4")["KA"] == missing
    assert store.ratings.judges([missing.item]) == {"GPT-4"}


def test_adding_nothing_adds_nothing(store, story):
    store.ratings.add([])
    store.ratings.add(iter(()))
    assert store.ratings.frame().empty


@pytest.mark.parametrize(("metric", "score"), [("KA", 6), ("KA", 0), ("XX", 3)])
def test_what_is_not_of_the_rubric_is_refused(store, story, metric, score):
    with pytest.raises(RatingError, match=metric):
        rating(story, metric, score)
    assert store.ratings.frame().empty


def test_one_rubric_does_not_hide_what_was_scored_by_another(store, story):
    store.ratings.add([rating(story, score=2)])
    store.ratings.add([rating(story, score=5).model_copy(update={"rubric": "another"})])
    assert store.ratings.frame()["score"].tolist() == [2]
    assert store.ratings.frame([item_of(story, "Ann Lee").label], rubric="another")["score"].tolist() == [5]
