"""Experiments on a judge: what was made to differ is found, nothing is asked twice, and no rating of theirs counts."""

import re

import pytest

from annotations.errors import Undefined, UndefinedStatistic
from annotations.resampling.jackknife import Interval
from annotations.rubrics.rubric import load_rubric
from characterbox.errors import AddressError, EndpointError, StoryError
from characterbox.judging.experiments import (
    as_text,
    experiment,
    findings,
    planned,
    tried_judges,
    usual_variations,
    variations,
)
from characterbox.judging.judge import Judge, judge_story
from characterbox.judging.protocol import Protocol
from characterbox.judging.provenance import rated
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.store.ratings.ratings import item_of
from tests.fakes.campaigns import assigned
from tests.fakes.campaigns import rate as expert_rates
from tests.fakes.scenes import a_scene
from tests.fakes.scripted_judge import ScriptedJudge, chance
from tests.fakes.stories import a_story, casting_at

pytestmark = pytest.mark.slow

KEYS = load_rubric().keys
AT = Endpoint(url="http://127.0.0.1:8000/v1", model="critic")
JUDGE = Judge(name="J", endpoint=AT, protocol=Protocol(manner="direct"))


def ended(store, scenes=6, language="en"):
    """Stories that have ended, one of each of so many scenes with three characters."""
    stories = []
    for place in range(scenes):
        scene = a_scene("Ann", "Bob", "Cai", language=language)
        story = a_story(store, scene.model_copy(update={"id": f"{language}{place}", "title": f"Scene {place}"}))
        store.stories.move(story.id, "ended")
        stories.append(store.stories.story(story.id))
    return stories


def item_in(request):
    """What is judged: scene and character."""
    shown = "\n".join(message.content for message in request.messages)
    return re.search(r"Scene \d+", shown)[0], request.path.split("/")[2]


def haloed(request, key, seed):
    """One reply for all metrics gives nearly the same to each; a reply of its own is about its metric only."""
    item = item_in(request)
    if len(request.form.schema["required"]) == 1:
        return chance(*item, key)
    return min(5, max(1, chance(*item) + chance(*item, key) % 2))


async def tried(store, stories, *names, repeats=0, judge=JUDGE, score=haloed, client=None):
    client = client or ScriptedJudge(score)
    await experiment(store, client, planned(store, stories, judge, variations(judge, names, repeats)))
    return client


async def test_halo_of_one_reply_is_found(store):
    await tried(store, ended(store), "each")
    found = findings(store, "J")
    assert (found.items, found.scenes, list(found.changes)) == (18, 6, ["each"])
    contrast = found.halo.correlation
    assert contrast.first > 0.7 > 0.3 > contrast.second
    assert isinstance(contrast.interval, Interval)
    assert contrast.positive
    assert str(found.halo.verdict).startswith("Halo effect: ")
    assert found.halo.alpha.positive
    assert not found.improvised


async def test_it_is_found_from_the_other_side_too(store):
    judge = JUDGE.model_copy(update={"protocol": Protocol(manner="direct", replies="each")})
    await tried(store, ended(store), "one", judge=judge)
    contrast = findings(store, "J").halo.correlation
    assert contrast.first > 0.7 > 0.3 > contrast.second


async def test_no_rating_of_an_experiment_counts(store):
    stories = ended(store, 2)
    client = ScriptedJudge(haloed)
    for story in stories:
        await judge_story(store, client, story, JUDGE)
    before, newest, exported = store.ratings.frame(), store.newest(), list(store.records.judged())
    items = [item_of(story, name).label for story in stories for name in story.script.scene.names]
    await tried(store, stories, "each", "shuffled", "repeats", repeats=2)
    assert store.ratings.frame().equals(before)
    assert store.newest() == newest
    assert list(store.records.judged()) == exported
    assert store.ratings.judges(items) == {"J"}
    assert set(rated(store)["rater"]) == {"J"}
    assert tried_judges(store) == ["J"]
    assert store.ratings.tried() == [("J", name) for name in ("each", "repeat 1", "repeat 2", "shuffled")]


async def test_the_plan_is_what_is_asked_and_nothing_is_asked_twice(store):
    stories = ended(store, 2)
    judge = JUDGE.model_copy(update={"protocol": Protocol()})
    names = ("each", "direct", "shuffled", "repeats")
    trials = planned(store, stories, judge, variations(judge, names, 2))
    calls = {trial.judge.variation: trial.calls for trial in trials}
    assert calls == {None: 6, "each": 24, "direct": 3, "shuffled": 6, "repeat 1": 6, "repeat 2": 6}
    done = []
    client = ScriptedJudge(haloed)
    await experiment(store, client, trials, on_trial=done.append)
    assert len(client.asked) == sum(trial.calls for trial in trials) == 2 * sum(calls.values())
    assert done == list(range(1, 13))
    again = planned(store, stories, judge, variations(judge, names, 2))
    assert {trial.calls for trial in again} == {0}
    await experiment(store, client, again)
    assert len(client.asked) == 2 * sum(calls.values())
    more = planned(store, stories, judge, variations(judge, ("repeats",), 3))
    assert sum(trial.calls for trial in more) == 12, "only the third repeat is missing"


async def test_what_was_broken_off_goes_on_where_it_stopped(store):
    stories = ended(store, 3)
    client = ScriptedJudge(haloed, fails_at="j~each/bob")
    with pytest.raises(EndpointError):
        await tried(store, stories, "each", "shuffled", client=client)
    asked = len(client.asked)
    assert asked == 3 + 3 + 14, "the others of the first story come to their end, and no other story is begun"
    client.fails_at = None
    await tried(store, stories, "each", "shuffled", client=client)
    assert len(client.asked) == 3 * (3 + 3 + 21)
    assert len({request.path for request in client.asked}) == 27


async def test_a_repeat_changes_nothing_but_the_seed(store):
    seeds = {}

    def wavering(request, key, seed):
        seeds.setdefault(request.path, set()).add(seed)
        return chance(*item_in(request), key, seed if key == "KA" else "")

    shuffled = JUDGE.model_copy(update={"protocol": Protocol(manner="direct", order="shuffled")})
    client = await tried(store, ended(store), "repeats", repeats=3, judge=shuffled, score=wavering)
    asked = {}
    for request in client.asked:
        asked.setdefault((item_in(request)), set()).add(request.messages)
    assert all(len(messages) == 1 for messages in asked.values())
    assert {path.split("/")[1]: found for path, found in seeds.items()} == {
        "j": {1}, "j~repeat-1": {1001}, "j~repeat-2": {2001}, "j~repeat-3": {3001},
    }  # fmt: skip
    found = findings(store, "J")
    assert found.steadiness["KA"].times == 4
    assert found.steadiness["KA"].identical.estimate < 0.3
    assert found.steadiness["KA"].sd.estimate > 0.5
    assert found.steadiness["BA"].identical.estimate == 1
    assert found.steadiness["BA"].icc.estimate == pytest.approx(1)
    assert found.halo is None


async def test_english_prompts_are_tried_on_chinese_scenes_only(store):
    english, chinese = ended(store, 2), ended(store, 2, "zh")
    client = await tried(store, [*english, *chinese], "english", score=lambda *_: 3)
    varied = [request for request in client.asked if "~english" in request.path]
    assert len(varied) == 6
    assert {request.language for request in varied} == {"en"}
    change = findings(store, "J").changes["english"]["overall"]
    assert (change.n, change.left_out) == (6, 0), "what was never to be tried is not missing"


async def test_the_stories_can_be_chosen_and_without_an_experiment_there_is_nothing(store):
    stories = ended(store, 3)
    await tried(store, stories, "each")
    assert findings(store, "J", [stories[0].id]).items == 3
    for judge, ids in (("J", ["no story"]), ("K", None)):
        with pytest.raises(UndefinedStatistic, match="there is no judge experiment for"):
            findings(store, judge, ids)


async def test_where_experts_scored_the_same_items_each_variation_has_its_validity(store):
    stories = ended(store, 3)
    for story in stories:
        for one in assigned(store, story, "Ann"):
            scene, name = story.script.scene.title, one.item.partition(":")[2]
            await expert_rates(store, one, *[chance(scene, name, key) for key in KEYS])
    await tried(store, stories, "each")
    found = findings(store, "J").validity["each"]
    assert found.first_r.estimate == pytest.approx(1), "a reply for each metric says what the expert says"
    assert found.second_r.estimate < 1
    assert found.n == 9


async def test_the_rehearsal_is_told(store):
    stories = ended(store, 2)
    client = Client()
    judge = Judge.parse("CharacterRM=rehearsal")
    await experiment(store, client, planned(store, stories, judge, variations(judge, ["each"], 0)))
    await client.close()
    found = findings(store, "CharacterRM")
    assert found.improvised
    assert "Experiments on Rehearsal judge, CharacterRM protocol: " in as_text(found)
    other = ended(store, 1)
    await tried(store, other, "each")
    assert not findings(store, "J").improvised
    story = a_story(store)
    store.stories.recast(story.id, casting_at(Endpoint.parse("rehearsal"), story.script.scene))
    store.stories.move(story.id, "ended")
    await tried(store, [store.stories.story(story.id)], "each", score=lambda *_: 3)
    found = findings(store, "J")
    assert found.improvised
    assert "Experiments on J: " in as_text(found), "the rehearsal played, and did not judge"


def test_what_can_be_tried_depends_on_how_the_judge_judges():
    assert usual_variations(Protocol()) == ["each", "direct", "shuffled", "english", "repeats"]
    assert usual_variations(Protocol(manner="direct", replies="each", order="shuffled", language="en")) == [
        "one", "critique", "repeats",
    ]  # fmt: skip
    tried = variations(JUDGE, ["each", "repeats", "each"], 2)
    assert [one.variation for one in tried] == ["each", "repeat 1", "repeat 2"]
    assert {one.rater for one in tried} == {"J"}
    second = JUDGE.model_copy(update={"version": 2})
    assert [(one.rater, one.variation) for one in variations(second, ["shuffled"], 0)] == [("J v2", "shuffled")]


@pytest.mark.parametrize(("name", "told"), [("direct", "J already judges with direct"), ("upside down", "there is no")])
def test_what_changes_nothing_is_refused(name, told):
    with pytest.raises(AddressError, match=told):
        variations(JUDGE, [name], 2)


def test_only_stories_that_have_ended_are_tried(store):
    with pytest.raises(StoryError, match="has not ended; only ended stories"):
        planned(store, [a_story(store)], JUDGE, [])


def test_no_judge_has_a_name_like_an_experiment():
    with pytest.raises(AddressError, match="which marks judge experiments"):
        Judge.parse("J~each=rehearsal")


async def test_a_repeat_is_undefined_where_there_is_only_one_item(store):
    client = await tried(store, ended(store, 1), "repeats", repeats=1, score=lambda *_: 3)
    assert len(client.asked) == 6
    found = findings(store, "J")
    assert isinstance(found.steadiness["KA"].icc, Undefined)
    assert found.changes["repeat 1"]["KA"].exact.estimate == 1
