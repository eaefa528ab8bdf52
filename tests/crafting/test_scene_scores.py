"""Judges score crafted scenes once, and the table tells by whom they were crafted."""

import asyncio
import itertools

import pytest

from characterbox.crafting.editing import edit
from characterbox.crafting.progress import look
from characterbox.crafting.running import begin
from characterbox.crafting.scene_scores import crafting_table, judge_crafting, raters_of, scores_behind
from characterbox.judging.judge import Judge
from characterbox.judging.protocol import Protocol
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint, crafter_of, is_improvised, models_in
from characterbox.scenes.scene import Crafted
from characterbox.store.ratings.ratings import rating_of
from characterbox.store.ratings.scene_ratings import key_of
from tests.crafting.running_craftings import BETTER, GOOD, crafted, wish
from tests.fakes.crafting_models import METRICS
from tests.fakes.in_process_servers import ToNearby
from tests.fakes.reasons import a_reason
from tests.fakes.stories import a_story


def test_a_judge_scores_each_accepted_scene_once_and_the_table_has_the_means(store, crew):
    crew.scores = [5, 2]
    crew.drafts = [GOOD, BETTER]
    id = begin(store, wish(crew, count=2, returns=0))
    crafted(store, id)
    (scene,) = store.scenes.all()
    judge = Judge(name="GPT-4", endpoint=Endpoint(url=crew.url, model="judge"), protocol=Protocol(manner="direct"))

    async def judged():
        client = Client(transport=ToNearby())
        try:
            return await judge_crafting(store, client, id, judge)
        finally:
            await client.close()

    ratings = asyncio.run(judged())
    assert {one.metric: one.score for one in ratings} == dict.fromkeys(METRICS, 5)
    asked = len(crew.bodies)
    assert asyncio.run(judged()) == ratings
    assert len(crew.bodies) == asked, "judged once"
    assert len(store.scene_ratings.of([key_of(scene)])) == len(METRICS)
    assert raters_of(store, store.scenes.all()) == {"GPT-4": False}
    cells = crafting_table(scores_behind(store, store.scenes.all(), "GPT-4"))
    assert {one.metric: one.mean for one in cells} == dict.fromkeys(METRICS, 5.0)
    assert {(one.crafter, one.origin) for one in cells} == {
        ("three-stage · screenwriter / director / evaluator", "generated")
    }


def test_what_a_judge_has_said_of_a_scene_that_was_played_is_not_asked_where_it_was_crafted(store, crew):
    crew.drafts, crew.scores = [GOOD, BETTER], [5]
    id = begin(store, wish(crew, count=2))
    crafted(store, id)
    first, second = (one.scene for one in look(store, id).scenes)
    judge = Judge(name="GPT-4", endpoint=Endpoint(url=crew.url, model="judge"), protocol=Protocol(manner="direct"))
    story = a_story(store, first)
    given = [rating_of(story, None, "scene", rater="GPT-4", metric=key, score=2) for key in METRICS[1:]]
    given.append(
        rating_of(story, None, "scene", rater="GPT-4", metric=METRICS[0], score=None, reason=a_reason("no number"))
    )
    store.ratings.add(given)

    async def judged(id):
        client = Client(transport=ToNearby())
        try:
            return await judge_crafting(store, client, id, judge)
        finally:
            await client.close()

    asyncio.run(judged(id))
    assert len(crew.asked("judge")) == 1, "of the other scene alone"
    kept = {(one.scene, one.metric): one.score for one in store.scene_ratings.of(map(key_of, (first, second)))}
    assert {metric: kept[key_of(first), metric] for metric in METRICS} == {
        **dict.fromkeys(METRICS, 2),
        METRICS[0]: None,
    }
    assert {kept[key_of(second), metric] for metric in METRICS} == {5}
    crew.drafts = [BETTER]
    again = begin(store, wish(crew, count=2))
    crafted(store, again)
    assert {one.score for one in asyncio.run(judged(again))} == {5}
    assert len(crew.asked("judge")) == 1, "the same text in another crafting, twice"


def test_a_judge_judges_again_what_was_edited(store, crew):
    crew.scores = [5]
    id = begin(store, wish(crew))
    crafted(store, id)
    judge = Judge(name="GPT-4", endpoint=Endpoint(url=crew.url, model="judge"), protocol=Protocol(manner="direct"))

    async def judged():
        client = Client(transport=ToNearby())
        try:
            return await judge_crafting(store, client, id, judge)
        finally:
            await client.close()

    asyncio.run(judged())
    step = look(store, id).scenes[0].steps[1]
    edit(store, id, step.path, step.scene.model_copy(update={"title": "Another title"}), 0)
    crafted(store, id)
    assert len(asyncio.run(judged())) == len(METRICS)
    assert len(crew.asked("judge")) == 2


@pytest.mark.parametrize("model", ["rehearsal", "rehearsal-plain", "http://h/v1#rehearsal", "handwritten"])
def test_one_role_without_a_language_model_is_enough_to_be_no_result(model):
    for role in ("director", "evaluator"):
        assert is_improvised(crafter_of(Crafted(method="three-stage", screenwriter="gpt-4o", **{role: model})))
    assert is_improvised(crafter_of(Crafted(method="direct", screenwriter=model)))
    assert not is_improvised(crafter_of(Crafted(method="direct", screenwriter="http://h/v1#gpt-4o")))


def test_a_name_tells_which_model_had_which_role():
    def name(*models, **changes):
        roles = dict(zip(("screenwriter", "director", "evaluator"), models, strict=True))
        return crafter_of(Crafted(method="three-stage", **roles, **changes))

    assert name("g", "g", "g") == "three-stage · g"
    names = [name(*models) for models in itertools.product("gl", repeat=3)]
    assert len({*names}) == 8
    assert names[1] == "three-stage · g / g / l"
    assert models_in(names[1]) == models_in(name("g", "g", "l", by_hand=True)) == ["g", "l"]
    assert name("g", "g", "l", by_hand=True) == f"{names[1]}, changed by hand"
    assert is_improvised(name("rehearsal", "rehearsal", "rehearsal", by_hand=True))
