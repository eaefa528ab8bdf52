"""A reply of a judge that nobody could read is asked for again on purpose only: as a new take, and nothing else is."""

import json

import pytest

from annotations.rubrics.rubric import load_rubric
from characterbox.errors import EndpointError, RecordMismatch
from characterbox.judging.judge import Judge, judge_story
from characterbox.judging.protocol import Protocol
from characterbox.llm.endpoint import Endpoint
from characterbox.store.ratings.ratings import item_of
from tests.fakes.scenes import a_scene
from tests.fakes.scripted_judge import ScriptedJudge
from tests.fakes.stories import a_story

KEYS = load_rubric().keys
PROSE = "She plays well, on the whole."
PARTLY = json.dumps({key: 2 for key in KEYS if key not in ("PT", "BC")})
ANN = "judge/max/ann"
SCORES = {"ann/scores": PROSE, "ann/scores/again": PROSE}


@pytest.fixture
def story(store):
    story = a_story(store, a_scene("Ann", "Bob"))
    store.stories.move(story.id, "ended")
    return store.stories.story(story.id)


@pytest.fixture
def model():
    return ScriptedJudge(lambda request, key, seed: 4, unreadable=dict(SCORES))


def max_judges(model="m", **protocol):
    return Judge(name="Max", endpoint=Endpoint(url="http://127.0.0.1:9/v1", model=model), protocol=Protocol(**protocol))


def asked(model):
    """The paths that were asked since this was called last."""
    paths = sorted(request.path for request in model.asked)
    model.asked.clear()
    return paths


def scores(store, story, name="Ann"):
    return {metric: one.score for metric, one in store.ratings.of_judge(item_of(story, name).label, "Max").items()}


@pytest.mark.parametrize("wanted", ["unread", "anew"])
async def test_it_is_a_new_take_with_a_seed_of_its_own_beside_the_first(store, story, model, wanted):
    await judge_story(store, model, story, max_judges())
    assert scores(store, story) == dict.fromkeys(KEYS)
    first = asked(model)
    await judge_story(store, model, story, max_judges())
    assert asked(model) == [], "what was paid for is not asked for again unasked"
    model.unreadable.clear()
    ratings = await judge_story(store, model, story, max_judges(), **{wanted: True})
    assert asked(model) == [f"{ANN}/scores"], "neither its critique nor what was said of Bob"
    assert scores(store, story) == dict.fromkeys(KEYS, 4)
    assert [rating.score for rating in ratings] == [4] * 14
    takes = store.stories.takes(story.id, f"{ANN}/scores")
    assert [(one.take, one.text == PROSE) for one in takes] == [(0, True), (1, False)]
    seeds = [seed for path, seed in model.seeds if path == f"{ANN}/scores"]
    assert seeds == [story.script.seed, story.script.seed + 1]
    assert f"{ANN}/scores/again" in first
    await judge_story(store, model, story, max_judges(), **{wanted: True})
    assert asked(model) == [], "all of it can be read"


async def test_a_critique_that_could_not_be_read_is_asked_anew_and_scored_by(store, story, model):
    model.unreadable = {"ann/critique": "", "ann/critique/again": ""}
    await judge_story(store, model, story, max_judges())
    asked(model)
    model.unreadable.clear()
    await judge_story(store, model, story, max_judges(), unread=True)
    assert asked(model) == [f"{ANN}/critique", f"{ANN}/scores"]
    assert scores(store, story) == dict.fromkeys(KEYS, 4)


async def test_of_metrics_that_are_asked_for_one_by_one_only_those_are_that_have_no_score(store, story, model):
    model.unreadable = {"ann/scores/PT": PROSE, "ann/scores/PT/again": PROSE}
    await judge_story(store, model, story, max_judges(replies="each"))
    asked(model)
    await judge_story(store, model, story, max_judges(replies="each"), unread=True)
    assert asked(model) == [f"{ANN}/scores/PT", f"{ANN}/scores/PT/again"], "once, and no more"
    assert [metric for metric, score in scores(store, story).items() if score is None] == ["PT"]
    assert len(store.stories.takes(story.id, f"{ANN}/scores/PT/again")) == 2


async def test_scores_that_came_stay_where_the_new_take_can_not_be_read(store, story, model):
    model.unreadable = {"ann/scores": PARTLY, "ann/scores/again": PARTLY}
    partly = {key: None if key in ("PT", "BC") else 2 for key in KEYS}
    await judge_story(store, model, story, max_judges())
    assert scores(store, story) == partly
    model.unreadable = dict(SCORES)
    ratings = await judge_story(store, model, story, max_judges(), unread=True)
    assert {one.metric: one.score for one in ratings if one.item == item_of(story, "Ann").label} == partly
    await judge_story(store, model, story, max_judges())
    assert scores(store, story) == partly
    model.unreadable.clear()
    await judge_story(store, model, story, max_judges(), unread=True)
    assert scores(store, story) == dict.fromkeys(KEYS, 4)


async def test_a_new_take_that_was_broken_off_goes_on(store, story, model):
    await judge_story(store, model, story, max_judges())
    model.fails_at, model.unreadable["ann/scores"] = "ann/scores/again", "Well, well."
    with pytest.raises(EndpointError):
        await judge_story(store, model, story, max_judges(), unread=True)
    asked(model)
    model.fails_at = None
    del model.unreadable["ann/scores/again"]
    await judge_story(store, model, story, max_judges())
    assert asked(model) == [f"{ANN}/scores/again"], "about the reply that came last"
    assert "Well, well." in store.stories.takes(story.id, f"{ANN}/scores/again")[-1].messages[-2].content
    assert scores(store, story) == dict.fromkeys(KEYS, 4)


async def test_what_another_model_said_is_not_asked_for_again_with_it(store, story, model):
    await judge_story(store, model, story, max_judges())
    asked(model)
    with pytest.raises(RecordMismatch, match="came from m, not from n"):
        await judge_story(store, model, story, max_judges("n"), unread=True)
    assert asked(model) == []
