"""Control of a story: it goes as far as it is let, branches off, and people may play in it."""

import asyncio
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from characterbox.errors import PlayedElsewhere, ReplyError, StoryError
from characterbox.llm.calls.client import Client
from characterbox.llm.calls.retry_policy import RetryPolicy
from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.llm.journal import Record
from characterbox.play.world import Script
from characterbox.settings import database_url
from characterbox.stage import playback_control
from characterbox.stage.playback_control import PlaybackControl
from characterbox.stage.stage import Stage
from characterbox.store.stories.stories import Branch
from tests.fakes.databases import listening, store_in
from tests.fakes.in_process_servers import ToNearby, nearby_mock
from tests.fakes.reasons import a_reason
from tests.fakes.scenes import a_scene
from tests.fakes.stories import casting_at
from tests.fakes.waiting import until
from tests.stage.test_stage import at_rest

pytestmark = pytest.mark.process

SCRIPT = Script(scene=a_scene(), rounds=1)
CALLS = 2 * 8 + 4
"""Of one round of two characters who touch each other."""


@pytest.fixture
def server():
    with nearby_mock() as server:
        yield server


@pytest.fixture
def casting(server):
    return casting_at(Endpoint(url=server.url, model="m"), SCRIPT.scene)


@pytest.fixture
def stage(tmp_path):
    stage = Stage(store_in(tmp_path / "control.db"), Client(transport=ToNearby()))
    yield stage
    stage.close()


@pytest.fixture
def ended(stage, casting):
    """A story that was played to its end."""
    story = stage.launch(SCRIPT, casting)
    assert at_rest(stage, story) == "ended"
    return story


@pytest.fixture
def cued(stage, casting):
    """Starts a story in which people play, up to their first cue."""

    def start(*people):
        story = stage.launch(SCRIPT, casting, people)
        assert at_rest(stage, story) == "cued"
        return story

    return start


def place(stage, story, path):
    """The number of the event at a path."""
    return next(n for n, event in enumerate(stage.store.stories.events(story.id), 1) if event.path == path)


@pytest.fixture
def looked_up(monkeypatch):
    """The paths of the questions that were put to a record, and so had their whole prompts made."""
    paths = []
    find = Record.find

    def heard(record, request):
        paths.append(request.path)
        return find(record, request)

    monkeypatch.setattr(Record, "find", heard)
    return paths


@contextmanager
def only_counting(tmp_path):
    """What is done within reads neither events nor replies: it counts them."""
    with listening(database_url(tmp_path / "control.db")) as heard:
        yield
    assert heard
    assert [one for one in heard if ("FROM event" in one or "FROM reply" in one) and "count(" not in one] == []


def asked(stage, story):
    """How many calls have left, with a reply or without."""
    return len(stage.store.stories.journal(story.id)) + stage.store.stories.unanswered(story.id)


def replies(stage, story):
    return {reply.path: reply for reply in stage.store.stories.journal(story.id)}


def test_a_story_goes_one_call_one_turn_or_one_round_at_a_time(stage, casting, server):
    story = stage.store.stories.create(SCRIPT, casting, "app")
    for calls in (1, 2, 3):
        stage.step(story.id, "call")
        assert at_rest(stage, story) == "paused"
        assert len(server.seen) == calls
    stage.step(story.id, "turn")
    assert at_rest(stage, story) == "paused"
    assert len(server.seen) == 8
    assert {event.turn for event in stage.store.stories.events(story.id)} == {"Ann"}
    stage.step(story.id, "turn")
    assert at_rest(stage, story) == "paused"
    stage.step(story.id, "turn")
    assert at_rest(stage, story) == "ended"
    assert len(server.seen) == CALLS == len(set(server.keys()))
    other = stage.store.stories.create(SCRIPT.model_copy(update={"rounds": 2, "seed": 2}), casting, "app")
    stage.step(other.id, "round")
    assert at_rest(stage, other) == "paused"
    assert {event.round for event in stage.store.stories.events(other.id)} == {1}


def test_a_pause_loses_no_call_and_a_stop_is_for_good(stage, casting, server):
    server.answers = 1
    story = stage.launch(SCRIPT, casting)
    until(lambda: len(server.seen) == 3)
    stage.rest(story.id)
    server.answers = 3
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


def test_a_branch_takes_over_all_before_it_and_asks_for_the_rest(stage, ended, server):
    at = place(stage, ended, "r1/bob/action")
    branch = Branch(parent=ended.id, at=at, anew="all")
    reuse = stage.reuse(branch)
    assert (reuse.known, reuse.recorded) == (8, CALLS)
    story = stage.branch(branch)
    assert at_rest(stage, story) == "ended"
    assert len(server.seen) == 2 * CALLS - 8
    origins = Counter(reply.origin for reply in stage.store.stories.journal(story.id))
    assert origins == {ended.id: 8, None: CALLS - 8}
    assert stage.store.stories.events(story.id)[: at - 1] == stage.store.stories.events(ended.id)[: at - 1]
    assert stage.store.stories.story(story.id).branch == branch
    costs = stage.store.stories.costs(story.id).replies
    assert (costs.calls, costs.reused) == (CALLS - 8, 8)


def test_how_much_a_branch_takes_over_is_found_out_without_the_prompts_before_it_and_once(
    stage, ended, casting, server, looked_up, tmp_path
):
    at, rest = place(stage, ended, "r1/bob/self-belief"), ["r1/bob/self-belief", "r1/bob/environment-belief"]
    other = Endpoint(url=server.url, model="other")
    recast = Casting(narrator=casting.narrator, characters={**casting.characters, "Bob": other})
    text = '{"belief": "B", "desire": "D", "intention": "I"}'
    for anew, playing, edit in (
        *(("all", casting, None), ("this", casting, None), ("this", casting, text)),
        *(("changed", casting, None), ("changed", recast, None)),
    ):
        branch = Branch(parent=ended.id, at=at, anew=anew)
        looked_up.clear()
        first = stage.reuse(branch, playing, edit)
        assert looked_up == rest, (anew, edit)
        with only_counting(tmp_path):
            assert stage.reuse(branch, playing, edit) == first, (anew, edit)
        assert looked_up == rest, (anew, edit)


def test_how_much_a_branch_takes_over_is_found_out_anew_when_the_story_has_grown(stage, casting):
    story = stage.store.stories.create(SCRIPT, casting, "app")
    stage.step(story.id, "turn")
    assert at_rest(stage, story) == "paused"
    branch = Branch(parent=story.id, at=1, anew="changed")
    assert (stage.reuse(branch).known, stage.reuse(branch).recorded) == (8, 8)
    stage.resume(story.id)
    assert at_rest(stage, story) == "ended"
    assert (stage.reuse(branch).known, stage.reuse(branch).recorded) == (CALLS, CALLS)


def test_a_branch_in_which_nothing_changes_asks_for_nothing(stage, ended, server):
    branch = Branch(parent=ended.id, at=1, anew="changed")
    assert stage.reuse(branch).known == CALLS
    assert at_rest(stage, stage.branch(branch)) == "ended"
    assert len(server.seen) == CALLS


def test_a_branch_of_a_branch_still_tells_where_its_replies_are_from(stage, ended):
    child = stage.branch(Branch(parent=ended.id, at=9, anew="all"))
    assert at_rest(stage, child) == "ended"
    grandchild = stage.branch(Branch(parent=child.id, at=12, anew="all"))
    assert at_rest(stage, grandchild) == "ended"
    assert {reply.origin for reply in stage.store.stories.journal(grandchild.id)} == {ended.id, child.id, None}


def test_another_model_for_one_character_asks_only_what_that_changes(stage, ended, casting, server):
    other = Endpoint(url=server.url, model="other")
    recast = Casting(narrator=casting.narrator, characters={**casting.characters, "Bob": other})
    at = place(stage, ended, "r1/bob/self-belief")
    branch = Branch(parent=ended.id, at=at, anew="changed")
    reuse = stage.reuse(branch, recast)
    assert reuse.known == CALLS - 2
    story = stage.branch(branch, recast)
    assert at_rest(stage, story) == "ended"
    assert [body["model"] for body in server.seen[CALLS:]] == ["other", "other"]
    assert stage.store.stories.story(story.id).casting == recast


def test_one_reply_is_regenerated_as_a_new_take(stage, ended, server):
    path = "r1/bob/environment-belief"
    story = stage.branch(Branch(parent=ended.id, at=place(stage, ended, path), anew="this"))
    assert at_rest(stage, story) == "ended"
    assert len(server.seen) == CALLS + 1
    assert replies(stage, story)[path].take == 1
    assert replies(stage, story)[path].origin is None


def test_an_edit_stands_in_the_branch_and_what_it_changes_is_asked(stage, ended, server):
    at = place(stage, ended, "r1/ann/action")
    branch = Branch(parent=ended.id, at=at, anew="this")
    assert stage.reuse(branch, text="Ann locks the door.").known == 0
    story = stage.branch(branch, text="Ann locks the door.")
    assert at_rest(stage, story) == "ended"
    assert stage.store.stories.events(story.id)[0].text == "Ann locks the door."
    reply = replies(stage, story)["r1/ann/action"]
    assert (reply.author, reply.take, reply.usage.price, reply.usage.attempts) == ("edit", 1, None, 0)
    assert len(server.seen) == 2 * CALLS - 1
    assert stage.store.stories.events(ended.id)[0].text != "Ann locks the door."


@pytest.mark.parametrize("path", ["r1/ann/action", "r1/ann/influence"])
def test_an_edit_that_can_not_be_read_is_refused_before_anything_is_stored(stage, ended, path):
    branch = Branch(parent=ended.id, at=place(stage, ended, path), anew="this")
    with pytest.raises(ReplyError):
        stage.branch(branch, text="  ")
    assert stage.store.stories.branches(ended.id) == []


@pytest.mark.parametrize("at", [99, 21])
def test_there_is_no_branch_where_there_is_no_reply(stage, ended, at):
    events = len(stage.store.stories.events(ended.id))
    assert events == 21
    with pytest.raises(StoryError, match=r"no event 99|no reply behind it"):
        stage.branch(Branch(parent=ended.id, at=at, anew="all"))


def test_a_person_is_asked_with_what_the_character_knows_and_the_story_goes_on(stage, cued, server):
    story = cued("Ann")
    [question] = stage.questions(story.id)
    assert (question.path, question.agent) == ("r1/ann/action", "Ann")
    told = "\n".join(message.content for message in question.messages)
    scene = story.script.scene
    assert scene.profile("Ann").description in told
    assert scene.profile("Bob").description not in told
    stage.answer(story.id, question.path, "Ann counts the keys.")
    assert at_rest(stage, story) == "cued"
    [question] = stage.questions(story.id)
    assert question.path == "r1/ann/dialogue"
    assert "Ann counts the keys." in question.messages[-1].content
    assert replies(stage, story)["r1/ann/action"].author == "human"
    asked = [body["messages"][-1]["content"] for body in server.seen]
    assert len(asked) == 1
    assert "influence" in asked[0]


def test_what_a_person_is_asked_is_found_out_without_the_prompts_before_it_and_once(stage, cued, looked_up, tmp_path):
    story = cued("Bob")
    looked_up.clear()
    first = stage.questions(story.id)
    assert [one.path for one in first] == looked_up == ["r1/ann/reaction/bob"]
    with only_counting(tmp_path):
        assert stage.questions(story.id) == first
    assert looked_up == ["r1/ann/reaction/bob"]


def test_what_a_person_answers_has_to_be_readable_and_asked_for(stage, cued):
    story = cued(None)
    [question] = stage.questions(story.id)
    assert question.agent is None
    with pytest.raises(ReplyError, match="neither a JSON object"):
        stage.answer(story.id, question.path, "Nobody knows.")
    with pytest.raises(StoryError, match="nobody is asked"):
        stage.answer(story.id, "r1/bob/action", "Bob leaves.")
    assert [one.path for one in stage.questions(story.id)] == [question.path]


def test_an_agent_can_be_taken_over_and_given_back_at_any_time(stage, casting, server):
    server.answers = 1
    story = stage.launch(SCRIPT, casting)
    stage.take_over(story.id, "Bob")
    server.answers = None
    assert at_rest(stage, story) == "cued"
    assert stage.store.stories.story(story.id).people == ("Bob",)
    [question] = stage.questions(story.id)
    assert question.agent == "Bob"
    stage.give_back(story.id, "Bob")
    assert at_rest(stage, story) == "ended"
    assert len(server.seen) == CALLS == len(set(server.keys()))
    with pytest.raises(StoryError, match="not in its cast"):
        stage.take_over(story.id, "Zed")


def test_a_person_who_goes_away_loses_nothing(stage, cued, tmp_path):
    story = cued("Ann")
    stage.answer(story.id, "r1/ann/action", "Ann counts the keys.")
    assert at_rest(stage, story) == "cued"
    stage.store.drafts.save(story.id, "r1/ann/dialogue", "Who was")
    later = Stage(store_in(tmp_path / "control.db"), Client(transport=ToNearby()))
    try:
        later.resume_all()
        [question] = later.questions(story.id)
        assert later.store.drafts.find(story.id, question.path) == "Who was"
        later.answer(story.id, question.path, "Who was here?")
        assert later.store.drafts.find(story.id, question.path) is None
        assert at_rest(later, story) == "cued"
    finally:
        later.close()


@pytest.fixture
def recast(stage, ended, casting, server):
    """A branch at Bob's turn in which Ann has another model, its first call made and not more."""
    other = Endpoint(url=server.url, model="other")
    changed = Casting(narrator=casting.narrator, characters={**casting.characters, "Ann": other})
    server.answers = len(server.seen)
    story = stage.branch(Branch(parent=ended.id, at=place(stage, ended, "r1/bob/action"), anew="all"), changed)
    until(lambda: len(server.seen) > server.answers)
    stage.rest(story.id)
    server.answers = None
    return story


def test_a_branch_with_another_model_can_be_paused_and_resumed(stage, recast, server):
    assert at_rest(stage, recast) == "paused"
    stage.resume(recast.id)
    assert at_rest(stage, recast) == "ended"
    paths = [reply.path for reply in stage.store.stories.journal(recast.id)]
    assert len(paths) == len(set(paths)) == CALLS


def test_a_regenerated_reply_is_another_one_where_seeds_are_honoured(stage):
    rehearsal = casting_at(Endpoint.parse("rehearsal"), SCRIPT.scene)
    story = stage.launch(SCRIPT, rehearsal)
    assert at_rest(stage, story) == "ended"
    texts = {stage.store.stories.events(story.id)[0].text}
    for _ in range(3):
        branch = stage.branch(Branch(parent=story.id, at=1, anew="this"))
        assert at_rest(stage, branch) == "ended"
        texts.add(stage.store.stories.events(branch.id)[0].text)
        story = branch
    assert len(texts) > 1


def test_who_continues_while_a_story_comes_to_rest_takes_the_pause_back(stage, casting, server):
    server.answers = 1
    story = stage.launch(SCRIPT, casting)
    for _ in range(5):
        stage.rest(story.id)
        stage.resume(story.id)
    server.answers = None
    assert at_rest(stage, story) == "ended"
    assert len(server.seen) == CALLS == len(set(server.keys()))


def test_who_gives_back_while_others_are_under_way_is_not_waited_for(stage, casting, server):
    server.answers = 0
    story = stage.launch(SCRIPT, casting, ["Ann"])
    assert at_rest(stage, story) == "cued"
    stage.answer(story.id, "r1/ann/action", "Ann counts the keys.")
    until(lambda: server.seen)
    stage.give_back(story.id, "Ann")  # the influence of her action is under way
    server.answers = None
    assert at_rest(stage, story) == "ended"


def test_an_answer_waits_for_what_is_under_way_beside_it(stage, casting, server):
    story = stage.launch(SCRIPT, casting, ["Ann"])
    assert at_rest(stage, story) == "cued"
    server.latency = 0.2
    stage.answer(story.id, "r1/ann/action", "Ann counts the keys.")
    stage.answer(story.id, "r1/ann/dialogue", "Who was here?")
    assert at_rest(stage, story) == "cued"
    assert stage.store.stories.unanswered(story.id) == 0


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


def test_replies_that_others_branch_off_are_not_asked_again(stage, ended):
    child = stage.branch(Branch(parent=ended.id, at=9, anew="all"))
    assert at_rest(stage, child) == "ended"
    stage.store.stories.move(ended.id, "mismatched", a_reason("the prompts have changed"))
    with pytest.raises(StoryError, match="branch off it"):
        stage.resume(ended.id, "ask")
    assert stage.store.stories.story(ended.id).status == "mismatched"


def test_the_end_of_the_app_keeps_what_people_wanted(tmp_path, casting, server):
    first = Stage(store_in(tmp_path / "ended.db"), Client(transport=ToNearby()))
    server.answers = 0
    played, paused = (first.launch(SCRIPT, casting) for _ in range(2))
    stepped = first.store.stories.create(SCRIPT, casting, "app")
    first.step(stepped.id, "call")
    until(lambda: len(server.seen) == 3)
    first.rest(paused.id)
    server.answers = 5  # what is under way comes as it closes, and not much more
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


def test_of_two_who_answer_the_same_at_once_the_second_is_told(stage, cued, monkeypatch):
    story = cued("Ann")
    answered, both = playback_control.answered, threading.Barrier(2)

    def slowly(*args):
        reply = answered(*args)
        threading.Event().wait(0.2)
        return reply

    def answer(text):
        both.wait(10)
        try:
            stage.answer(story.id, "r1/ann/action", text)
        except StoryError as error:
            return error

    monkeypatch.setattr(playback_control, "answered", slowly)
    with ThreadPoolExecutor(2) as threads:
        refusals = [one for one in threads.map(answer, ["Ann counts the keys.", "Ann sits."]) if one is not None]
    assert len(refusals) == 1
    assert not isinstance(refusals[0], PlayedElsewhere)
    assert "answered" in str(refusals[0])
    assert at_rest(stage, story) == "cued"
    assert [reply.take for reply in stage.store.stories.takes(story.id, "r1/ann/action")] == [0]


def test_an_answer_while_others_are_at_it_says_so(stage, cued):
    story = cued("Ann")
    with (
        stage.store.stories.claimed(story.id),
        pytest.raises(StoryError, match=r"this process is at it already; .*; perhaps r1/ann/action was just answered"),
    ):
        stage.answer(story.id, "r1/ann/action", "Ann counts the keys.")
    stage.stop(story.id)
    with pytest.raises(StoryError, match="nobody is asked for r1/ann/action now"):
        stage.answer(story.id, "r1/ann/action", "Ann counts the keys.")
    assert stage.store.stories.takes(story.id, "r1/ann/action") == []


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
