"""A judge is one more rater: it writes a critique, then scores, and is never asked twice for the same."""

import asyncio
import threading
from contextlib import contextmanager

import pytest

from characterbox.errors import AddressError, EndpointError, RecordMismatch, StoryError
from characterbox.judging.judge import Judge, judge_story
from characterbox.judging.protocol import Protocol
from characterbox.llm.endpoint import Endpoint
from characterbox.stage.playback_control import PlaybackControl
from characterbox.stage.runner import perform
from characterbox.store import Store
from characterbox.store.ratings.ratings import item_of
from characterbox.store.stories import stories
from tests.fakes.in_process_servers import nearby_mock
from tests.fakes.scenes import PLOT, a_scene, secret_of
from tests.fakes.stories import a_story, casting_at

pytestmark = pytest.mark.slow

SCORES = {"KA": 4, "BA": 4, "EE": 3, "PT": 5, "IM": 2, "AD": 3, "BC": 4}


@pytest.fixture
async def story(store, client):
    """A story that has ended, improvised."""
    story = a_story(store, a_scene("Ann", "孙 Bob"), rounds=1)
    casting = casting_at(Endpoint.parse("rehearsal"), story.script.scene)
    store.stories.recast(story.id, casting)
    story = store.stories.story(story.id)
    await perform(store.stories, client, story, PlaybackControl(), on_event=lambda *_: None)
    return store.stories.story(story.id)


def judge_at(server, model="critic"):
    return Judge(name="GPT-4", endpoint=Endpoint(url=server.url, model=model))


@pytest.mark.parametrize("style", ["json", "text"])
async def test_every_character_is_judged_on_every_metric(store, client, story, style):
    judged = []
    with nearby_mock(style=style) as server:
        ratings = await judge_story(store, client, story, judge_at(server), on_verdict=judged.append)
    assert sorted(judged) == sorted(story.script.scene.names)
    for name in story.script.scene.names:
        own = [rating for rating in ratings if rating.item == item_of(story, name).label]
        assert {rating.metric: rating.score for rating in own} == SCORES
        assert store.ratings.of_judge(item_of(story, name).label, "GPT-4") == {one.metric: one for one in own}
    assert {(rating.rater, rating.kind, rating.model, rating.reason) for rating in ratings} == {
        ("GPT-4", "judge", "rehearsal", None)
    }


async def test_the_critique_goes_into_the_scoring_prompt(store, client, story):
    with nearby_mock() as server:
        await judge_story(store, client, story, judge_at(server))
        assert server.tasks() == {"critique": 2, "scores": 2}
        for body in server.seen:
            prompt = "\n".join(message["content"] for message in body["messages"])
            assert PLOT not in prompt
            assert sum(secret_of(name) in prompt for name in story.script.scene.names) == 1
    replies = store.stories.replies(story.id)
    critique = replies["judge/gpt-4/ann/critique"]
    asked = replies["judge/gpt-4/ann/scores"].messages
    assert asked[:-2] == critique.messages
    assert (asked[-2].role, asked[-2].content) == ("assistant", critique.text)


async def test_judging_again_asks_nothing_and_adds_nothing(store, client, story):
    with nearby_mock() as server:
        first = await judge_story(store, client, story, judge_at(server))
        assert await judge_story(store, client, story, judge_at(server)) == first
        assert len(server.seen) == 4
    assert len(store.ratings.frame()) == 14


async def test_of_the_journal_only_the_own_replies_are_read(store, client, story, monkeypatch):
    await judge_story(store, client, story, Judge.parse("GPT-4 b=rehearsal"))
    read, paths = stories.read_replies, []

    def noted(*args):
        replies = read(*args)
        paths.extend(reply.path for reply in replies)
        return replies

    monkeypatch.setattr(stories, "read_replies", noted)
    first = await judge_story(store, client, story, Judge.parse("GPT-4=rehearsal"))
    assert paths == []
    assert await judge_story(store, client, story, Judge.parse("GPT-4=rehearsal")) == first
    assert len(paths) == 4
    assert all(path.startswith("judge/gpt-4/") for path in paths)


async def test_what_another_process_was_told_before_it_is_its_turn_is_not_asked_again(store, client, story, url):
    """The other judges the story to its end while this one is about to begin."""
    other = Store(url)
    writing_replies, stories = store.stories.writing_replies, store.stories

    @contextmanager
    def late(id, judge):
        asyncio.run_coroutine_threadsafe(judge_story(other, client, story, judge_at(server)), loop).result(30)
        with writing_replies(id, judge) as journal:
            yield journal

    loop, stories.writing_replies = asyncio.get_running_loop(), late
    with nearby_mock() as server:
        await judge_story(store, client, story, judge_at(server))
        assert len(server.seen) == 4, "two for each character"
    other.close()
    assert len(store.ratings.frame()) == 14


async def test_a_judge_at_work_in_another_process_is_not_disturbed(store, client, story):
    with store.stories.writing_replies(story.id, "gpt-4"), nearby_mock() as server:
        with pytest.raises(StoryError, match="judge/gpt-4: this process is already working on it"):
            await judge_story(store, client, story, judge_at(server))
        assert server.seen == []


async def test_the_loop_goes_on_while_a_claim_is_entered(store, client, story):
    entering, entered = threading.Event(), threading.Event()
    writing_replies, stories = store.stories.writing_replies, store.stories

    @contextmanager
    def slow(id, judge):
        entering.set()
        assert entered.wait(30), "the loop stood still"
        with writing_replies(id, judge) as journal:
            yield journal

    stories.writing_replies = slow
    judging = asyncio.create_task(judge_story(store, client, story, Judge.parse("GPT-4=rehearsal")))
    while not entering.is_set():
        await asyncio.sleep(0.01)
    judging.cancel()
    await asyncio.sleep(0.01)
    entered.set()
    with pytest.raises(asyncio.CancelledError):
        await judging
    with writing_replies(story.id, "gpt-4"):
        pass  # it was given up


async def test_scores_that_can_not_be_read_are_asked_for_again_then_missing_with_the_reason(store, client, story):
    with nearby_mock(style="prose") as server:
        ratings = await judge_story(store, client, story, judge_at(server))
        assert server.tasks() == {"critique": 2, "scores": 4}
        again = [body["messages"] for body in server.seen if len(body["messages"]) == 6]
        assert len(again) == 2
        assert all("neither a JSON object nor text" in messages[-1]["content"] for messages in again)
    assert [rating.score for rating in ratings] == [None] * 14
    assert all("neither a JSON object" in str(rating.reason) for rating in ratings)
    assert store.ratings.frame()["score"].isna().all()


async def test_a_name_that_judged_with_another_model_judges_anew_only_when_asked_to(store, client, story):
    with nearby_mock() as server:
        await judge_story(store, client, story, judge_at(server))
        with pytest.raises(RecordMismatch, match="came from critic, not from another"):
            await judge_story(store, client, story, judge_at(server, "another"))
        assert len(server.seen) == 4
        await judge_story(store, client, story, judge_at(server, "another"), anew=True)
        assert len(server.seen) == 8
    latest = store.stories.replies(story.id)
    assert {reply.endpoint.model for path, reply in latest.items() if path.startswith("judge/")} == {"another"}
    assert len(store.ratings.frame()) == 14


@pytest.mark.parametrize("name", ["gpt 4", "Gpt-4", "GPT_4!"])
async def test_names_that_share_their_replies_are_refused(store, client, story, name):
    with nearby_mock() as server:
        await judge_story(store, client, story, judge_at(server))
        with pytest.raises(AddressError, match="judged by GPT-4, whose name is too similar"):
            await judge_story(store, client, story, judge_at(server).model_copy(update={"name": name}))
        assert len(server.seen) == 4


async def test_two_judges_do_not_share_replies(store, client, story):
    with nearby_mock() as server:
        await judge_story(store, client, story, judge_at(server))
        other = Judge(name="ChatGLM", endpoint=Endpoint(url=server.url, model="critic"))
        await judge_story(store, client, story, other)
        assert len(server.seen) == 8
    assert len(store.ratings.frame()) == 28


async def test_an_endpoint_that_fails_for_one_leaves_the_ratings_of_the_other_and_judging_goes_on(store, client, story):
    with nearby_mock() as server:
        server.faults.extend(["401"])
        with pytest.raises(EndpointError):
            await judge_story(store, client, story, judge_at(server))
        assert server.tasks() == {"critique": 2, "scores": 1}, "the other one was judged to the end"
        assert len(store.ratings.frame()) == 7
        await judge_story(store, client, story, judge_at(server))
        assert server.tasks() == {"critique": 3, "scores": 2}
    assert len(store.ratings.frame()) == 14


async def test_only_a_story_that_has_ended_is_judged(store, client):
    story = a_story(store)
    with pytest.raises(StoryError, match="has not ended; only ended stories can be judged"):
        await judge_story(store, client, story, Judge.parse("X=rehearsal"))


async def test_the_rehearsal_judges_too(store, client, story):
    ratings = await judge_story(store, client, story, Judge.parse("Rehearsal=rehearsal"))
    assert len(ratings) == 14
    assert all(rating.score in range(1, 6) for rating in ratings)


@pytest.mark.parametrize("text", ["", "GPT-4", "=rehearsal", "!=rehearsal", "GPT-4=", "GPT-4=http://h"])
def test_a_judge_that_is_not_named_or_not_reachable_is_refused(text):
    with pytest.raises(AddressError):
        Judge.parse(text)


@pytest.mark.parametrize("protocol", [Protocol(manner="brief"), Protocol(replies="each", order="shuffled")])
async def test_the_rehearsal_judges_by_every_protocol(store, client, story, protocol):
    judge = Judge(name="J", endpoint=Endpoint.parse("rehearsal"), protocol=protocol)
    ratings = await judge_story(store, client, story, judge)
    assert len(ratings) == 7 * len(story.script.scene.names)
    assert all(rating.score in range(1, 6) for rating in ratings)
    assert list(await judge_story(store, client, story, judge)) == list(ratings)


async def test_each_version_of_a_judge_is_a_rater_of_its_own(store, client, story):
    with nearby_mock() as server:
        first, second = judge_at(server), judge_at(server).model_copy(update={"version": 2})
        await judge_story(store, client, story, first)
        asked = len(server.seen)
        await judge_story(store, client, story, second)
    assert len(server.seen) == 2 * asked
    frame = store.ratings.frame()
    assert set(frame["rater"]) == {"GPT-4", "GPT-4 v2"}
