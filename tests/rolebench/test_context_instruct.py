"""Context-Instruct against a scripted endpoint: what is asked, how often, what is kept, and why all else is not."""

import json

import pytest
from pydantic import ValidationError

from characterbox.llm.endpoint import Endpoint
from characterbox.rolebench.context_instruct import CANDIDATES, MOST_RUNS, RUNS, TEST_QUESTIONS, ContextInstruct
from characterbox.rolebench.running import begin, look
from tests.fakes.in_process_servers import nearby
from tests.fakes.instructing_model import InstructingModel, distinct, last, triplet, triplets
from tests.fakes.roles import MONKEY
from tests.fakes.roles import role as a_role
from tests.rolebench.generating import generated, talkative


def count_in(body):
    return int(last(body).rpartition(": ")[2])


def only_distinct(body, number):
    return triplets(*(triplet(distinct(100 * number + n)) for n in range(count_in(body))))


@pytest.fixture
def model():
    model = InstructingModel(only_distinct)
    with nearby(model.app()) as address:
        model.url = f"{address}/v1"
        yield model


def wish(model, *roles, **more):
    endpoint = Endpoint(url=model.url, model="writer")
    return ContextInstruct(roles=roles or (talkative(),), language="en", model=endpoint, **more)


def done(store, model, *roles, **more):
    id = begin(store, wish(model, *roles, **more))
    generated(store, id)
    return look(store, id)


@pytest.mark.slow
def test_three_of_each_segment_ten_of_each_run_and_runs_until_there_are_400(store, model):
    found = done(store, model)
    [one] = found.result
    assert len(one.segments.chosen) == 2
    assert {count_in(body) for body in model.bodies} == {3, 10}
    assert sum(count_in(body) == 3 for body in model.bodies) == 2
    assert one.candidates == 2 * 3 + one.runs * 10
    assert one.runs == 40, "394 are missing after the segments: 20 runs, then as many as are still missing"
    assert one.candidates >= CANDIDATES
    assert (len(one.kept), one.rejected, one.test) == (one.candidates, (), ())
    assert {each.type for each in one.kept[:6]} == {"script_based"}
    assert {each.type for each in one.kept[6:]} == {"script_agnostic"}
    assert (found.status, found.open, found.unread) == ("ended", (), {})


def test_what_is_asked_is_drawn_as_in_the_paper_each_time_with_a_seed_of_its_own(store, model):
    done(store, model, seed=5)
    told = {(body["temperature"], body["top_p"], body["max_completion_tokens"]) for body in model.bodies}
    assert told == {(0.7, 0.95, 2000)}
    runs = [body for body in model.bodies if count_in(body) == 10]
    assert len({json.dumps(body["messages"]) for body in runs}) == 1
    assert len({body["seed"] for body in runs}) == len(runs)
    assert set(model.answered.values()) == {1}


@pytest.mark.slow
def test_a_segment_is_shown_with_who_the_role_is_and_a_run_without_dialogues(store, model):
    done(store, model)
    segment = next(last(body) for body in model.bodies if count_in(body) == 3)
    run = next(last(body) for body in model.bodies if count_in(body) == 10)
    for shown in (segment, run):
        assert "You ferry people" in shown
        assert "Slow water." in shown
    assert "Merchant: water0" in segment
    assert "water0" not in run


@pytest.mark.slow
def test_every_rejected_candidate_is_there_with_its_reason(store, model):
    odd = [
        triplet("unsure1 unsure2?", "low"),
        triplet("unended1 unended2?", answer="So it"),
        triplet("model1 model2?", answer="As an AI language model, I can't say."),
        triplet("named1 named2?", answer="Old Tam: So."),
        triplet("declined1 declined2?", answer="I'm sorry, but I can't answer that."),
        {**triplet("unread1?"), "confidence": "perhaps"},
        triplet("fine1 fine2 fine3 fine4?"),
        triplet("fine1 fine2 fine3 other?"),
    ]

    def says(body, number):
        return only_distinct(body, number) if count_in(body) == 10 or odd_done else odd_once()

    odd_done: list[bool] = []

    def odd_once():
        odd_done.append(True)
        return triplets(*odd)

    model.says = says
    [one] = done(store, model).result
    told = {each.text.split()[0]: each for each in one.rejected if each.reason != "unreadable"}
    assert {text: each.reason for text, each in told.items()} == {
        "unsure1": "unsure",
        "unended1": "unfinished",
        "model1": "reveals_model",
        "named1": "begins_with_name",
        "declined1": "declines",
        "fine1": "duplicate",
    }
    assert told["fine1"].like == "fine1 fine2 fine3 fine4?"
    assert 0.5 <= told["fine1"].similarity < 1
    [unread] = [each for each in one.rejected if each.reason == "unreadable"]
    assert "high or low" in str(unread.why)
    assert "unread1?" in unread.text
    assert sum(one.reasons.values()) == len(one.rejected) == 7
    assert one.candidates == len(one.kept) + len(one.rejected) - 1
    assert [each.triplet.question for each in one.test] == ["fine1 fine2 fine3 other?"], "removed ones are the tests"


@pytest.mark.slow
def test_at_most_50_of_the_duplicates_test_the_least_alike_ones_and_none_in_the_same_words(store, model):
    def says(body, number):
        """The same ten questions each time, but for a word or two at their ends; some are the very same."""
        ten = [
            f"{distinct(n)[:-1]} {'x' if number % 3 else f'y{number}'} z{number if n % 2 else 0}?" for n in range(10)
        ]
        return triplets(*map(triplet, ten[: count_in(body)]))

    model.says = says
    [one] = done(store, model).result
    duplicates = [each for each in one.rejected if each.reason == "duplicate"]
    assert len(one.test) == TEST_QUESTIONS < len(duplicates)
    assert len({each.triplet.question for each in (*one.test, *one.kept)}) == len(one.test) + len(one.kept)
    tests = {id(each) for each in one.test}
    chosen = [each.similarity for each in duplicates if id(each.candidate) in tests]
    others = {each.text: each.similarity for each in duplicates if id(each.candidate) not in tests}
    new = {text: near for text, near in others.items() if text not in {each.triplet.question for each in one.test}}
    new = {text: near for text, near in new.items() if text not in {each.triplet.question for each in one.kept}}
    assert max(chosen) <= min(new.values())


@pytest.mark.slow
def test_a_model_that_refuses_or_answers_in_another_form_is_asked_once_more_and_then_told(store, model):
    def says(body, number):
        return only_distinct(body, number) if count_in_first(body) == 10 else "I cannot assist with that request."

    def count_in_first(body):
        return int(body["messages"][1]["content"].rpartition(": ")[2])

    model.says = says
    found = done(store, model)
    [one] = found.result
    assert sorted(one.unread) == ["role-1/segment-1", "role-1/segment-2"] == sorted(found.unread)
    assert "refuses" in str(one.unread["role-1/segment-1"].problem)
    assert found.status == "ended"
    assert sum(count_in_first(body) == 3 for body in model.bodies) == 4, "each is asked twice"
    assert one.candidates == CANDIDATES == 10 * one.runs


def test_where_nothing_can_be_read_no_further_runs_are_paid(store, model):
    model.says = lambda body, number: "Well, well."
    [one] = done(store, model).result
    assert (one.candidates, one.runs) == (0, RUNS)


@pytest.mark.slow
def test_runs_come_to_an_end_however_little_they_give(store, model):
    model.says = lambda body, number: triplets(triplet(distinct(number)))
    [one] = done(store, model).result
    assert one.runs == MOST_RUNS
    assert one.candidates == MOST_RUNS + 2


@pytest.mark.slow
def test_roles_do_not_mix(store, model):
    found = done(store, model, talkative(), talkative("Ann", rounds=5))
    one, other = found.result
    assert (len(one.segments.chosen), len(other.segments.chosen)) == (2, 1)
    assert one.candidates >= CANDIDATES <= other.candidates
    assert {each.task.split("/")[0] for each in other.kept} == {"role-2"}


@pytest.mark.slow
def test_what_comes_of_it_does_not_depend_on_who_was_first(store, model):
    same = {}

    def says(body, number):
        key = (json.dumps(body["messages"]), body["seed"])
        return triplets(*(triplet(f"w{n} {hash(key) % 997} {n % 4} q?") for n in range(count_in(body))))

    model.says = says
    wanted = wish(model)
    for parallel in range(2):
        id = begin(store, wanted)
        generated(store, id)
        [one] = look(store, id).result
        same[parallel] = ([each.triplet.question for each in one.kept], one.reasons)
    assert same[0] == same[1]


@pytest.mark.parametrize(
    ("roles", "why"),
    [
        ((talkative().model_copy(update={"dialogues": ()}),), "has no dialogues; add some from a script"),
        ((talkative().model_copy(update={"description": None}),), "has no description; write one"),
        ((talkative(), talkative(id="other")), "two roles are called 'Old Tam'"),
        ((talkative(), MONKEY), "must be of one language; 'monkey' is of another"),
    ],
)
def test_roles_that_questions_cannot_rest_on_are_refused(model, roles, why):
    with pytest.raises(ValidationError, match=why):
        wish(model, *roles)


def test_a_role_with_too_few_words_for_a_segment_has_runs_alone_and_that_is_told(store, model):
    quiet = a_role("Tam", "You row.", [[("Ann", "Well?"), ("Tam", "Well.")]], "Ho.")
    [one] = done(store, model, quiet).result
    assert (one.segments.chosen, one.segments.left) == ((), 2)
    assert one.candidates == CANDIDATES
