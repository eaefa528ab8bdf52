"""Answers to the questions of RoleBench against a scripted endpoint: each question asked once, by its strategy."""

import pytest
from pydantic import ValidationError

from characterbox.rolebench.answers.questions import Choice
from characterbox.rolebench.running import begin, look
from characterbox.roles.prompting import Said, messages_of
from tests.fakes.in_process_servers import nearby
from tests.fakes.instructing_model import InstructingModel, last
from tests.fakes.roles import role
from tests.rolebench.answers.asked import ANN, TAM, a_benchmark, wish
from tests.rolebench.generating import generated


@pytest.fixture
def model():
    model = InstructingModel(lambda body, number: f"It is so, {len(last(body))}.")
    with nearby(model.app()) as address:
        model.url = f"{address}/v1"
        yield model


@pytest.fixture
def answered(store, model, tmp_path):
    folder = a_benchmark(tmp_path)

    def run(**more):
        id = begin(store, wish(folder, model.url, **more))
        generated(store, id)
        return look(store, id)

    return run


def test_each_question_is_asked_once_as_rolegpt_answers(answered, model):
    found = answered()
    assert len(model.bodies) == 6
    assert set(model.answered.values()) == {1}
    assert {(one["temperature"], one["top_p"], one["max_completion_tokens"]) for one in model.bodies} == {
        (0.7, 0.95, 200)
    }
    answers = found.result
    assert [question for question, _ in answers.given] == [*found.wish.questions.questions]
    assert (answers.unread, answers.waiting, answers.cut_off) == ({}, 0, 0)
    asked = {last(body) for body in model.bodies}
    assert asked == {
        *("Visitor: Why is water wet?", "Visitor: How?"),
        *("Visitor: Where do you live, Old Tam?", "Visitor: Where do you live, Ann?"),
    }


@pytest.mark.parametrize(("strategy", "messages"), [("zsp", {2}), ("fsp", {2}), ("fsd", {2, 12})])
def test_roles_are_put_on_as_the_strategy_has_it(answered, model, strategy, messages):
    rounds = [[("Merchant", f"Why is water wet, and river {n}?"), ("Old Tam", f"Mud {n}.")] for n in range(6)]
    answered(strategy=strategy, roles=(role("Old Tam", "You ferry.", rounds, "Slow."), ANN))
    assert {len(body["messages"]) for body in model.bodies} == messages, "no round shares a word with the other one"
    shown = [body for body in model.bodies if "Mud" in str(body["messages"])]
    assert bool(shown) == (strategy != "zsp")


def test_what_is_asked_is_what_a_dialogue_would_ask(answered, model):
    answered(strategy="zsp")
    [body] = [one for one in model.bodies if last(one).endswith("live, Ann?")]
    said = [Said("Visitor", "Where do you live, Ann?")]
    assert body["messages"] == [
        {"role": one.role, "content": one.content} for one in messages_of(ANN, "Visitor", said, "zsp")
    ]


def test_what_was_cut_off_counts_as_it_is_and_what_says_nothing_is_counted_apart(answered, model):
    model.finish = lambda body: "length" if "How?" in last(body) else "stop"
    model.says = lambda body, number: "<think>hm</think>" if "wet?" in last(body) else "It is"
    answers = answered().result
    assert [answer for _, answer in answers.given] == [("It is", True), ("It is", True), *[("It is", False)] * 2]
    assert (len(answers.unread), answers.cut_off) == (2, 2)
    assert {str(one.problem) for one in answers.unread.values()} == {"the reply has no text"}
    assert set(model.answered.values()) == {1}, "nothing is asked again"


def test_what_is_still_to_be_asked_is_counted(store, model, tmp_path):
    found = look(store, begin(store, wish(a_benchmark(tmp_path), model.url, choice=Choice(limit=1))))
    assert (found.result.waiting, found.result.given, found.all) == (2, (), 2)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"roles": (TAM, TAM.model_copy(update={"id": "two"}), ANN)}, "two roles are called 'Old Tam'"),
        ({"roles": (TAM,)}, "there are questions to 'Ann', but no such role"),
        ({"language": "zh"}, "all roles must be of one language"),
        ({"roles": (TAM, ANN.model_copy(update={"dialogues": ()}))}, "'ann' has no rounds to be shown; add some"),
        ({"strategy": "fewshot"}, "zsp"),
    ],
)
def test_what_cannot_be_asked_is_told(tmp_path, more, why):
    with pytest.raises(ValidationError, match=why):
        wish(a_benchmark(tmp_path), "http://h/v1", **more)


def test_a_role_without_rounds_can_be_asked_by_its_description(tmp_path):
    silent = ANN.model_copy(update={"dialogues": ()})
    assert wish(a_benchmark(tmp_path), "http://h/v1", roles=(TAM, silent), strategy="zsp").roles[1] == silent
