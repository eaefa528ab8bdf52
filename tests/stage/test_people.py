"""People play in a story: they are asked, answer, take over and give back."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from characterbox.errors import PlayedElsewhere, ReplyError, StoryError
from characterbox.llm.calls.client import Client
from characterbox.stage import playback_control
from characterbox.stage.stage import Stage
from characterbox.store.stories.stories import Branch
from tests.fakes.databases import store_in
from tests.fakes.in_process_servers import ToNearby
from tests.fakes.waiting import until
from tests.stage.control import BELIEFS_OF, CALLS, SCRIPT, does, only_counting, place, replies
from tests.stage.test_stage import at_rest

pytestmark = pytest.mark.process


def test_a_person_is_asked_with_what_the_character_knows_and_the_story_goes_on(stage, cued, server):
    story = cued("Ann")
    [question] = stage.questions(story.id)
    assert (question.path, question.agent) == ("r1/ann/action", "Ann")
    told = "\n".join(message.content for message in question.messages)
    scene = story.script.scene
    assert scene.profile("Ann").description in told
    assert scene.profile("Bob").description not in told
    stage.answer(story.id, question.path, does("Ann counts the keys.", "Who was here?"))
    assert at_rest(stage, story) == "cued"
    done, said = [event for event in stage.store.stories.events(story.id) if event.path.startswith("r1/ann")][:2]
    assert (done.kind, done.text, said.kind, said.text) == (
        "action",
        "Ann counts the keys.",
        "dialogue",
        "Who was here?",
    )
    [question] = stage.questions(story.id)
    assert question.path == "r1/bob/reaction/ann"
    assert replies(stage, story)["r1/ann/action"].author == "human"
    influence = next(body for body in server.seen if "influence" in body["messages"][-1]["content"])
    for told in ("Ann counts the keys.", "Who was here?"):
        assert told in influence["messages"][-1]["content"]


def test_whose_action_comes_without_words_is_asked_for_them(stage, cued, server):
    story = cued("Ann")
    before = len(server.seen)
    stage.answer(story.id, "r1/ann/action", "Ann counts the keys.")
    assert at_rest(stage, story) == "cued"
    [question] = stage.questions(story.id)
    assert question.path == "r1/ann/dialogue"
    assert "Ann counts the keys." in question.messages[-1].content
    assert len(server.seen) == before


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
    with pytest.raises(StoryError, match="no answer is needed"):
        stage.answer(story.id, "r1/bob/action", "Bob leaves.")
    assert [one.path for one in stage.questions(story.id)] == [question.path]


def test_what_a_person_writes_names_the_account_and_so_does_a_branch_that_takes_it_over(stage, cued):
    story = cued("Ann")
    stage.answer(story.id, "r1/ann/action", does("Ann counts the keys.", "Who was here?"), person="0123456789ab")
    assert at_rest(stage, story) == "cued"
    journal = replies(stage, story)
    assert journal["r1/ann/action"].person == "0123456789ab"
    assert {path for path, reply in journal.items() if reply.person} == {"r1/ann/action"}, "no other was told of one"
    branch = stage.branch(Branch(parent=story.id, at=place(stage, story, "r1/ann/result"), anew="all"))
    assert at_rest(stage, branch) == "cued"
    taken = replies(stage, branch)["r1/ann/action"]
    assert (taken.origin, taken.author, taken.person) == (story.id, "human", "0123456789ab")


def test_an_agent_can_be_taken_over_and_given_back_at_any_time(stage, casting, server):
    server.answers = 1
    story = stage.launch(SCRIPT, casting)
    stage.take_over(story.id, "Bob")
    server.answers = None
    assert at_rest(stage, story) == "cued"
    assert stage.store.stories.story(story.id).people == ("Bob",)
    assert {question.agent for question in stage.questions(story.id)} == {"Bob"}
    stage.give_back(story.id, "Bob")
    assert at_rest(stage, story) == "ended"
    assert len(server.seen) == CALLS == len(set(server.keys()))
    with pytest.raises(StoryError, match="not found in its cast"):
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


def test_who_gives_back_while_others_are_under_way_is_not_waited_for(stage, cued, server):
    story = cued("Ann")
    before = server.answers = len(server.seen)
    stage.answer(story.id, "r1/ann/action", does("Ann counts the keys."))
    until(lambda: len(server.seen) > before)
    stage.give_back(story.id, "Ann")  # the influence of her action is under way
    server.answers = None
    assert at_rest(stage, story) == "ended"


def test_an_answer_waits_for_what_is_under_way_beside_it(stage, casting, server):
    story = stage.launch(SCRIPT, casting, ["Ann"])
    assert at_rest(stage, story) == "cued"
    server.latency = 0.2
    for step, text in BELIEFS_OF.items():
        stage.answer(story.id, f"r0/ann/{step}", text)
    assert at_rest(stage, story) == "cued"
    assert [one.path for one in stage.questions(story.id)] == ["r1/ann/action"]
    assert stage.store.stories.unanswered(story.id) == 0


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
        pytest.raises(
            StoryError, match=r"this process is already working on it; .*; perhaps r1/ann/action has just been answered"
        ),
    ):
        stage.answer(story.id, "r1/ann/action", "Ann counts the keys.")
    stage.stop(story.id)
    with pytest.raises(StoryError, match="no answer is needed at r1/ann/action now"):
        stage.answer(story.id, "r1/ann/action", "Ann counts the keys.")
    assert stage.store.stories.takes(story.id, "r1/ann/action") == []
