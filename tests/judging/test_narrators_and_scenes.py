"""Narrators and scenes are judged as characters are, beside them, and mix with nothing that is said of characters."""

import asyncio
import re

import pytest
from pandas.testing import assert_frame_equal

from annotations.rubrics.rubric import load_rubric
from characterbox.campaigns.item_selection import subjects
from characterbox.errors import AddressError, RecordMismatch, StoryError
from characterbox.judging.judge import Judge, judge_story, known_judges, registered
from characterbox.judging.protocol import Protocol
from characterbox.judging.provenance import rated
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.request import AGAIN
from characterbox.stage.playback_control import PlaybackControl
from characterbox.stage.runner import perform
from characterbox.store.ratings.scene_ratings import SceneRating, key_of
from tests.fakes.in_process_servers import nearby_mock
from tests.fakes.reasons import a_reason
from tests.fakes.scenes import PLOT, a_scene, secret_of
from tests.fakes.scripted_judge import ScriptedJudge
from tests.fakes.stories import a_story, casting_at

pytestmark = pytest.mark.slow

SCORES = {
    "narrator": {"quality": 2, "quantity": 5, "relevance": 4, "manner": 3},
    "scene": {"creativity": 3, "coherence": 4, "conformity": 2, "detail": 5},
}
BOTH = pytest.mark.parametrize("of", SCORES)


@pytest.fixture
async def play(store, client):
    """Plays a scene to its end, improvised; a character is called as the narrator is."""

    async def play(scene=None, **script):
        story = a_story(store, scene or a_scene("Narrator", "Scene"), rounds=1, **script)
        store.stories.recast(story.id, casting_at(Endpoint.parse("rehearsal"), story.script.scene))
        await perform(store.stories, client, store.stories.story(story.id), PlaybackControl(), on_event=lambda *_: None)
        return store.stories.story(story.id)

    return play


def judge_at(server, model="critic", **changes):
    return Judge(name="GPT-4", endpoint=Endpoint(url=server.url, model=model), **changes)


def scores(ratings):
    return {rating.metric: rating.score for rating in ratings}


@BOTH
@pytest.mark.parametrize("style", ["json", "text"])
async def test_each_metric_is_scored_once_under_the_name_that_campaigns_give_the_item(store, client, play, of, style):
    story, judged = await play(), []
    with nearby_mock(style=style) as server:
        ratings = await judge_story(store, client, story, judge_at(server), of=of, on_verdict=judged.append)
        assert server.tasks() == {f"critique_{of}": 1, f"scores_{of}": 1}
    assert scores(ratings) == SCORES[of]
    assert judged == [f"~{of}"]
    [subject] = subjects([story], load_rubric(of))
    told = {(one.identity, one.model, one.rubric, one.rubric_version, one.story_id) for one in ratings}
    assert told == {(subject.item, subject.model, of, load_rubric(of).version, story.id)}
    replies = store.stories.replies(story.id, "judge/")
    assert set(replies) == {f"judge/gpt-4/~{of}/critique", f"judge/gpt-4/~{of}/scores"}


async def test_a_judge_of_the_narrator_reads_what_it_decided_and_no_plot(store, client, play):
    story = await play()
    with nearby_mock() as server:
        await judge_story(store, client, story, judge_at(server), of="narrator")
        [critique, _] = server.seen
    prompt = critique["messages"][1]["content"]
    assert PLOT not in prompt
    for event in store.stories.events(story.id):
        if event.kind in {"action", "action_influence", "interaction_result"}:
            assert event.text in prompt
        if event.kind == "self_belief":
            assert event.belief not in prompt


async def test_a_judge_of_the_scene_reads_its_cast_and_nothing_of_plot_or_story(store, client, play):
    story = await play()
    with nearby_mock() as server:
        await judge_story(store, client, story, judge_at(server), of="scene")
        prompt = server.seen[0]["messages"][1]["content"]
    assert PLOT not in prompt
    assert all(secret_of(name) in prompt for name in story.script.scene.names)
    assert not any(event.text in prompt for event in store.stories.events(story.id) if event.kind == "action")


@BOTH
async def test_judging_again_asks_nothing_and_adds_nothing(store, client, play, of):
    story = await play()
    with nearby_mock() as server:
        first = await judge_story(store, client, story, judge_at(server), of=of)
        assert await judge_story(store, client, story, judge_at(server), of=of) == first
        assert len(server.seen) == 2
    assert len(store.ratings.frame(rubric=of)) == 4


@BOTH
async def test_what_characters_were_given_stays_as_it_is(store, client, play, of):
    story = await play()
    with nearby_mock() as server:
        await judge_story(store, client, story, judge_at(server))
        before = store.ratings.frame(), rated(store), list(store.records.judged())
        await judge_story(store, client, story, judge_at(server), of=of)
        assert_frame_equal(store.ratings.frame(), before[0])
        assert_frame_equal(rated(store), before[1])
        rows = list(store.records.judged())
        assert rows[: len(before[2])] == before[2]
        assert {(row.rubric, row.metric) for row in rows[len(before[2]) :]} == {(of, key) for key in SCORES[of]}
        asked = len(server.seen)
        await judge_story(store, client, story, judge_at(server))
        assert len(server.seen) == asked


async def test_a_scene_that_is_being_judged_for_one_story_is_not_asked_about_for_another(store, client, play):
    first, second = await play(), await play(seed=7)
    with nearby_mock() as server:
        both = [judge_story(store, client, story, judge_at(server), of="scene") for story in (first, second)]
        one, other = await asyncio.gather(*both, return_exceptions=True)
        given, refused = (other, one) if isinstance(one, StoryError) else (one, other)
        assert re.match(r"scene .*, GPT-4: this process is already working on it", str(refused))
        assert len(server.seen) == 2
        for story in (first, second):
            assert await judge_story(store, client, story, judge_at(server), of="scene") == given
        assert len(server.seen) == 2


async def test_a_scene_is_judged_once_whatever_stories_were_played_from_it(store, client, play):
    first, second = await play(), await play(seed=7)
    changed = await play(a_scene("Narrator", "Scene").model_copy(update={"title": "A watch is found"}))
    with nearby_mock() as server:
        given = await judge_story(store, client, first, judge_at(server), of="scene")
        assert await judge_story(store, client, second, judge_at(server), of="scene") == given
        assert len(server.seen) == 2
        assert store.stories.replies(second.id, "judge/") == {}
        other = judge_at(server, "stronger", version=2)
        [rating, *_] = await judge_story(store, client, second, other, of="scene")
        assert (rating.rater, rating.story_id) == ("GPT-4 v2", second.id)
        assert len(server.seen) == 4, "another version is another judge"
        await judge_story(store, client, changed, judge_at(server), of="scene")
        assert len(server.seen) == 6, "what reads otherwise is another scene"
    frame = store.ratings.frame(rubric="scene")
    assert frame.groupby(["item", "rater"]).size().tolist() == [4, 4, 4], "what the earlier text got stays with it"


async def test_a_scene_that_was_changed_since_takes_nothing_from_what_it_was(store, client, play):
    before = a_scene("Narrator", "Scene")
    first, then = await play(before), await play(before.model_copy(update={"title": "A watch is found"}))
    with nearby_mock() as server:
        given = await judge_story(store, client, first, judge_at(server), of="scene")
        await judge_story(store, client, then, judge_at(server), of="scene")
    [old], [new] = (subjects([story], load_rubric("scene")) for story in (first, then))
    assert old.item != new.item
    assert [*store.ratings.of_judge(old.item.label, "GPT-4").values()] == given
    frame = store.ratings.frame([old.item.label], rubric="scene")
    assert frame["score"].tolist() == [rating.score for rating in given]


async def test_what_a_judge_said_of_a_scene_where_it_was_crafted_is_not_asked_again(store, client, play):
    story = await play()
    key, version = key_of(story.script.scene), load_rubric("scene").version
    about = {"scene": key, "rater": "GPT-4", "rubric_version": version}
    said = [SceneRating(metric=metric, score=score, **about) for metric, score in SCORES["scene"].items()]
    said[0] = said[0].model_copy(update={"score": None, "reason": a_reason("no number")})
    store.scene_ratings.add([one.model_copy(update={"score": 1, "rubric_version": "0.1"}) for one in said])
    with nearby_mock() as server:
        first = await judge_story(store, client, story, judge_at(server), of="scene")
        assert len(server.seen) == 2, "scores by another rubric are others"
        store.scene_ratings.add(said)
        assert await judge_story(store, client, story, judge_at(server), of="scene") == first
        again = await play(a_scene("Eve"))
        of_it = [one.model_copy(update={"scene": key_of(again.script.scene)}) for one in said]
        store.scene_ratings.add(of_it)
        ratings = await judge_story(store, client, again, judge_at(server), of="scene")
        assert await judge_story(store, client, again, judge_at(server), of="scene") == ratings
        assert len(server.seen) == 2
        assert [(one.metric, one.score, one.reason) for one in ratings] == [
            (one.metric, one.score, one.reason) for one in said
        ]
        assert [*store.ratings.of_judge(ratings[0].item, "GPT-4").values()] == ratings
        await judge_story(store, client, again, judge_at(server), of="scene", anew=True)
        assert len(server.seen) == 4, "on purpose"


async def test_a_narrator_is_judged_in_every_story(store, client, play):
    stories = [await play(), await play(seed=7)]
    with nearby_mock() as server:
        for story in stories:
            await judge_story(store, client, story, judge_at(server), of="narrator")
        assert len(server.seen) == 4


@BOTH
async def test_a_reply_that_can_not_be_read_leaves_the_scores_missing_with_the_reason(store, client, play, of):
    story = await play()
    with nearby_mock(style="prose") as server:
        ratings = await judge_story(store, client, story, judge_at(server), of=of)
        assert server.tasks() == {f"critique_{of}": 1, f"scores_{of}": 2}
    assert scores(ratings) == dict.fromkeys(SCORES[of])
    assert all("neither a JSON object" in str(rating.reason) for rating in ratings)


@BOTH
async def test_another_model_of_the_same_name_and_a_name_too_alike_are_refused(store, client, play, of):
    story = await play()
    with nearby_mock() as server:
        await judge_story(store, client, story, judge_at(server), of=of)
        with pytest.raises(RecordMismatch, match="came from critic"):
            await judge_story(store, client, story, judge_at(server, "another"), of=of)
        alike = judge_at(server).model_copy(update={"name": "gpt 4"})
        with pytest.raises(AddressError, match="too similar"):
            await judge_story(store, client, story, alike, of=of)
        assert len(server.seen) == 2


async def test_only_a_story_that_has_ended_has_a_narrator_to_judge(store, client):
    with pytest.raises(StoryError, match="has not ended; only ended stories can be judged"):
        await judge_story(store, client, a_story(store), Judge.parse("X=rehearsal"), of="narrator")


@BOTH
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("protocol", [Protocol(), Protocol(manner="brief", replies="each"), Protocol(order="shuffled")])
async def test_the_rehearsal_judges_them_by_every_protocol_in_both_languages(
    store, client, play, of, language, protocol
):
    story = await play(a_scene(language=language))
    judge = Judge(name="J", endpoint=Endpoint.parse("rehearsal"), protocol=protocol)
    ratings = await judge_story(store, client, story, judge, of=of)
    assert sorted(scores(ratings)) == sorted(SCORES[of])
    assert all(rating.score in range(1, 6) for rating in ratings)
    [critique] = [one.text for path, one in (store.stories.replies(story.id, "judge/")).items()
                  if path.endswith("critique")] or [""]  # fmt: skip
    names = [metric.name.text(language) for metric in load_rubric(of).metrics]
    assert not critique or all(name in critique for name in names)


STEPS = load_rubric("narrator_steps")


async def test_a_narrator_is_scored_for_each_kind_of_step_in_one_reply_beside_what_all_of_it_got(store, client, play):
    story, script = await play(), ScriptedJudge(lambda request, key, seed: 1 + len(key) % 5)
    judge = Judge.parse("GPT-4=http://a/v1#m")
    whole = await judge_story(store, script, story, judge, of="narrator")
    ratings = await judge_story(store, script, story, judge, of="narrator_steps")
    place = "judge/gpt-4/~narrator"
    assert [request.path for request in script.asked] == [
        f"{place}/critique", f"{place}/scores", f"{place}/steps/critique", f"{place}/steps/scores"
    ]  # fmt: skip
    assert scores(ratings) == {key: 1 + len(key) % 5 for key in STEPS.keys}
    assert {one.identity for one in ratings} == {one.identity for one in whole}, "both are of one narrator"
    assert {(one.rubric, one.rubric_version) for one in ratings} == {("narrator_steps", STEPS.version)}
    assert await judge_story(store, script, story, judge, of="narrator") == whole
    assert await judge_story(store, script, story, judge, of="narrator_steps") == ratings
    assert len(script.asked) == 4, "nothing is asked twice"
    assert [len(store.ratings.frame(rubric=name)) for name in ("narrator", "narrator_steps")] == [4, 16]


@pytest.mark.parametrize("replies", ["one", "each"])
async def test_of_a_kind_of_step_that_a_story_has_not_nothing_is_asked(store, client, play, replies):
    alone = await play(a_scene("Ann"))  # nobody is there to react: no result
    assert "interaction_result" not in {event.kind for event in store.stories.events(alone.id)}
    script = ScriptedJudge(lambda *_: 3)
    judge = Judge(name="J", endpoint=Endpoint.parse("http://a/v1#m"), protocol=Protocol(replies=replies))
    ratings = await judge_story(store, script, alone, judge, of="narrator_steps")
    wanted = {one.key for one in STEPS.metrics if one.of.step != "interaction_result"}
    assert {*scores(ratings)} == wanted
    questions = [one.question.text("en") for one in STEPS.metrics if one.key not in wanted]
    told = "".join(message.content for request in script.asked for message in request.messages)
    assert questions
    assert not any(question in told for question in questions)
    silent = ScriptedJudge(lambda *_: 3, unreadable={"critique": "", f"critique{AGAIN}": ""})
    other = judge.model_copy(update={"name": "K"})
    missing = await judge_story(store, silent, alone, other, of="narrator_steps")
    assert scores(missing) == dict.fromkeys(wanted)


async def test_the_rehearsal_scores_each_kind_of_step(store, client, play):
    story = await play()
    kinds = {event.kind for event in store.stories.events(story.id)}
    ratings = await judge_story(store, client, story, Judge.parse("J=rehearsal"), of="narrator_steps")
    assert {one.metric for one in ratings if one.score} == {one.key for one in STEPS.metrics if one.of.step in kinds}


def test_versions_are_counted_for_each_subject_by_itself(store):
    judge, colder = Judge.parse("GPT-4=http://a/v1#m"), Judge.parse("GPT-4=http://a/v1#other")
    assert registered(store, judge, "narrator").rater == "GPT-4"
    assert registered(store, colder, "narrator").rater == "GPT-4 v2"
    assert registered(store, colder).rater == "GPT-4"
    assert registered(store, judge, "narrator").rater == "GPT-4"
    assert [one.endpoint.model for one in known_judges(store, "narrator")] == ["other"]
    assert [one.endpoint.model for one in known_judges(store)] == ["other"]
    assert known_judges(store, "scene") == []


def test_the_fingerprints_of_judges_of_characters_are_those_of_the_guide_that_experts_read():
    """Else all judges would get a new version. Who changes prompts, guide or rubric on purpose changes them here."""
    digests = [Protocol(manner=manner).prompts_digest(load_rubric()) for manner in ("critique", "direct", "brief")]
    assert digests == ["3182b86ccdc9", "3dfb4da6f770", "a18dbeb568ef"]


def test_each_subject_and_manner_has_a_fingerprint_of_its_own():
    manners, subjects = ("critique", "direct", "brief"), ("character", "narrator", "scene")
    found = {Protocol(manner=manner).prompts_digest(load_rubric(of)) for manner in manners for of in subjects}
    assert len(found) == 9
