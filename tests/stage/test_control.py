"""Control of a story: it goes as far as it is let, pauses, goes on and stops."""

import asyncio

import pytest

from characterbox.llm.calls.client import Client
from characterbox.llm.calls.retry_policy import RetryPolicy
from characterbox.stage.playback_control import PlaybackControl
from characterbox.stage.stage import Stage
from tests.fakes.databases import store_in
from tests.fakes.in_process_servers import ToNearby
from tests.fakes.reasons import a_reason
from tests.fakes.waiting import until
from tests.stage.control import BELIEFS, CALLS, SCRIPT, TURN, asked
from tests.stage.test_stage import at_rest

pytestmark = pytest.mark.process


def test_a_story_goes_one_call_one_turn_or_one_round_at_a_time(stage, casting, server):
    story = stage.store.stories.create(SCRIPT, casting, "app")
    for calls in range(1, BELIEFS + 2):
        stage.step(story.id, "call")
        assert at_rest(stage, story) == "paused"
        assert len(server.seen) == calls
    told = [event.kind for event in stage.store.stories.events(story.id)][BELIEFS:]
    assert told == ["action", "dialogue"]  # one call tells both
    for calls in (BELIEFS + TURN, BELIEFS + 2 * TURN):
        stage.step(story.id, "turn")
        assert at_rest(stage, story) == "paused"
        assert len(server.seen) == calls
    stage.step(story.id, "turn")
    assert at_rest(stage, story) == "ended"
    assert len(server.seen) == CALLS == len(set(server.keys()))
    other = stage.store.stories.create(SCRIPT.model_copy(update={"rounds": 2, "seed": 2}), casting, "app")
    for rounds in ({0}, {0, 1}):
        stage.step(other.id, "round")
        assert at_rest(stage, other) == "paused"
        assert {event.round for event in stage.store.stories.events(other.id)} == rounds


def test_a_pause_loses_no_call_and_a_stop_is_for_good(stage, casting, server):
    server.answers = 1
    story = stage.launch(SCRIPT, casting)
    until(lambda: len(server.seen) == BELIEFS)
    stage.rest(story.id)
    server.answers = BELIEFS
    assert at_rest(stage, story) == "paused"
    assert stage.store.stories.unanswered(story.id) == 0
    stage.resume(story.id)
    stage.stop(story.id)
    assert at_rest(stage, story) == "stopped"
    before = asked(stage, story)
    for again in (stage.resume, stage.stop):
        again(story.id)
    assert at_rest(stage, story) == "stopped"
    assert len(server.seen) <= asked(stage, story) == before


def test_a_story_that_rests_can_be_stopped(stage, cued):
    story = cued("Ann")
    stage.stop(story.id)
    assert stage.store.stories.story(story.id).status == "stopped"


def test_who_continues_while_a_story_comes_to_rest_takes_the_pause_back(stage, casting, server):
    server.answers = 1
    story = stage.launch(SCRIPT, casting)
    for _ in range(5):
        stage.rest(story.id)
        stage.resume(story.id)
    server.answers = None
    assert at_rest(stage, story) == "ended"
    assert len(server.seen) == CALLS == len(set(server.keys()))


@pytest.mark.parametrize("act", ["step", "rest"])
def test_a_story_that_is_to_rest_does_not_wait_for_an_endpoint(tmp_path, casting, server, act):
    quick = RetryPolicy(pause=0.3, longest_pause=0.3, attempts=3)
    stage = Stage(store_in(tmp_path / "resting.db"), Client(patience=quick, transport=ToNearby()))
    try:
        server.always = "500 bare"
        story = stage.store.stories.create(SCRIPT, casting, "app")
        if act == "step":
            stage.step(story.id, "call")
        else:
            stage.resume(story.id)
            until(lambda: server.seen)
            stage.rest(story.id)
        assert at_rest(stage, story) == "paused"
        assert "HTTP 500" in str(stage.store.stories.story(story.id).reason)
        server.always = None
        stage.step(story.id, "call")
        assert at_rest(stage, story) == "paused"
        assert len(stage.store.stories.journal(story.id)) == 1
    finally:
        stage.close()


def test_what_went_one_step_only_is_paused_after_a_crash(tmp_path, stage, casting):
    story = stage.store.stories.create(SCRIPT, casting, "app")
    with stage.store.stories.claimed(story.id) as claimed:
        asyncio.run(claimed.move("running", PlaybackControl(stride="turn").step))
    stage.resume_all()
    assert stage.store.stories.story(story.id).status == "paused"
    assert not stage.playing(story.id)


def test_the_end_of_the_app_keeps_what_people_wanted(tmp_path, casting, server):
    first = Stage(store_in(tmp_path / "ended.db"), Client(transport=ToNearby()))
    server.answers = 0
    played, paused = (first.launch(SCRIPT, casting) for _ in range(2))
    stepped = first.store.stories.create(SCRIPT, casting, "app")
    first.step(stepped.id, "call")
    under_way = 2 * BELIEFS + 1
    until(lambda: len(server.seen) == under_way)
    first.rest(paused.id)
    server.answers = under_way + 2  # what is under way comes as it closes, and not much more
    first.close()
    server.answers = None
    stories = [played, paused, stepped]
    second = Stage(store_in(tmp_path / "ended.db"), Client(transport=ToNearby()))
    try:
        assert [second.store.stories.story(story.id).status for story in stories] == ["running", "paused", "paused"]
        second.resume_all()
        assert [second.playing(story.id) for story in stories] == [True, False, False]
    finally:
        second.close()


@pytest.mark.parametrize("act", ["rest", "stop", "resume_all"])
def test_what_ended_elsewhere_in_the_same_moment_stays_ended(stage, casting, act):
    stories = stage.store.stories
    story = stories.create(SCRIPT, casting, "app")
    stories.move(story.id, "running", a_reason("one call only"))
    read, read_all = stories.story, stories.stories

    def and_end(found):
        stories.move(story.id, "ended")
        return found

    stories.story, stories.stories = lambda id: and_end(read(id)), lambda *statuses: and_end(read_all(*statuses))
    getattr(stage, act)(*(() if act == "resume_all" else (story.id,)))
    assert read(story.id).status == "ended"
