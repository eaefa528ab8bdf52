"""A judge scores a part before and after it was rewritten: the first counts as ever, the second is nobody's rating."""

import asyncio
import json

import pytest

from annotations.errors import Undefined, UndefinedStatistic
from annotations.rubrics.rubric import load_rubric
from annotations.validity.judge_expert_correlation import OVERALL
from characterbox.accounts.account import LOCAL
from characterbox.errors import StoryError
from characterbox.judging.experiments import experiment, findings, planned, tried_judges, variations
from characterbox.judging.judge import Judge, judge_story, registered
from characterbox.judging.protocol import Protocol
from characterbox.llm.endpoint import Endpoint
from characterbox.play.paths import JUDGES
from characterbox.training.reflection.judging import differences, judge_reflection, judgings_of
from characterbox.training.reflection.running import edit, reflect_on
from tests.fakes.reflecting_model import ReflectingModel, played
from tests.fakes.scenes import a_scene
from tests.fakes.stories import AT

pytestmark = pytest.mark.slow

KEYS = load_rubric().keys
JUDGE = Judge(name="J", endpoint=Endpoint(url=AT.url, model="critic"), protocol=Protocol(manner="direct"))


@pytest.fixture
def model():
    return ReflectingModel(a_scene("Ann", "Bob"))


@pytest.fixture
async def story(store, model):
    return await played(store, model)


def judged_calls(model):
    return [one for one in model.asked if one.path.startswith(JUDGES)]


async def test_both_are_scored_and_only_the_first_counts(store, model, story):
    judge = registered(store, JUDGE)
    reflection = await reflect_on(store, model, story, "Ann")
    judged = await judge_reflection(store, model, story, reflection, judge)
    assert {metric: one.score for metric, one in judged.before.items()} == dict.fromkeys(KEYS, 2)
    assert {metric: one.score for metric, one in judged.after.items()} == dict.fromkeys(KEYS, 4)
    assert judged.differences == dict.fromkeys(KEYS, 2)
    frame = store.ratings.frame()
    assert set(frame["score"]) == {2}
    assert set(frame["slug"]) == {"ann"}, "nobody else of the story was judged"
    assert len(judged_calls(model)) == 2
    assert await judge_reflection(store, model, story, reflection, judge) == judged
    assert len(judged_calls(model)) == 2
    ratings = await judge_story(store, model, story, judge)
    assert len(ratings) == 2 * len(KEYS)
    assert len(judged_calls(model)) == 3, "the part that was judged before is not judged again"


async def test_what_judges_have_said_is_found_again_for_the_part_as_it_is_rewritten_now(store, model, story):
    judges = [registered(store, JUDGE.model_copy(update={"name": name})) for name in ("K", "J")]
    shown = await reflect_on(store, model, story, "Ann")
    assert judgings_of(store, story, shown) == []
    judged = {one.rater: await judge_reflection(store, model, story, shown, one) for one in judges}
    assert judgings_of(store, story, shown) == [judged["J"], judged["K"]]
    unfit = json.dumps({"fits": False, "reason": "No."})
    await asyncio.to_thread(edit, store, LOCAL, shown, "check/r1/ann/action", unfit, seen=0)
    assert judgings_of(store, story, await reflect_on(store, model, story, "Ann")) == []


async def test_another_rewriting_is_scored_by_itself(store, model, story):
    judge = registered(store, JUDGE)
    shown = await reflect_on(store, model, story, "Ann")
    first = await judge_reflection(store, model, story, shown, judge)
    unfit = json.dumps({"fits": False, "reason": "No."})
    await asyncio.to_thread(edit, store, LOCAL, shown, "check/r1/ann/action", unfit, seen=0)
    second = await judge_reflection(store, model, story, await reflect_on(store, model, story, "Ann"), judge)
    assert second.before == first.before
    assert next(iter(second.after.values())).variation != next(iter(first.after.values())).variation
    assert set(second.differences.values()) == {2}, "what is left of it is still gentle"
    assert len(judged_calls(model)) == 3


async def test_the_experiments_on_a_judge_know_nothing_of_it(store, model, story):
    judge = registered(store, JUDGE)
    reflection = await reflect_on(store, model, story, "Ann")
    await judge_reflection(store, model, story, reflection, judge)
    assert tried_judges(store) == []
    with pytest.raises(UndefinedStatistic, match="there is no judge experiment for J"):
        findings(store, "J")
    await experiment(store, model, planned(store, [story], judge, variations(judge, ["shuffled"], 0)))
    assert tried_judges(store) == ["J"]
    assert [*findings(store, "J").changes] == ["shuffled"]


async def test_where_nothing_was_accepted_there_is_nothing_to_compare(store, model, story):
    model.check = lambda *_: '{"fits": false}'
    reflection = await reflect_on(store, model, story, "Ann")
    with pytest.raises(StoryError, match=r"no rewriting of Ann by .*#m is accepted"):
        await judge_reflection(store, model, story, reflection, registered(store, JUDGE))
    assert judged_calls(model) == []


async def test_the_differences_of_many_parts_are_put_together(store, model):
    judge, judged = registered(store, JUDGE), []
    for place in range(3):
        model.scene = a_scene("Ann", "Bob").model_copy(update={"id": f"s{place}", "title": f"Scene {place}"})
        story = await played(store, model)
        for name in story.script.scene.names:
            reflection = await reflect_on(store, model, story, name)
            judged.append(await judge_reflection(store, model, story, reflection, judge))
    found = differences(judged)
    assert set(found) == {*KEYS, OVERALL}
    assert found[OVERALL].difference.estimate == 2
    assert found[OVERALL].n == 6
    assert found["KA"].exact.estimate == 0
    assert isinstance(differences(judged[:1])[OVERALL].difference.interval, Undefined)
