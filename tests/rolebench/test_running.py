"""Generations over a journal: nothing is asked twice, money ends where it should, and failures stop nothing else."""

import pytest

from characterbox.crafting.progress import WAYS
from characterbox.errors import EndpointError, Interlude, RecordMismatch, StoryError
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.usage import Price, Prices
from characterbox.rolebench.answers.answering import Answering
from characterbox.rolebench.answers.questions import Question, QuestionSet
from characterbox.rolebench.benchmark import Building
from characterbox.rolebench.context_instruct import ContextInstruct
from characterbox.rolebench.kinds import KINDS
from characterbox.rolebench.running import How, begin, look, wish_of
from tests.fakes.in_process_servers import nearby
from tests.fakes.instructing_model import InstructingModel, asked_key, is_form, last
from tests.rolebench.generating import generated, talkative
from tests.rolebench.test_context_instruct import only_distinct


def says(body, number):
    return only_distinct(body, number) if is_form(body) else "So it was."


@pytest.fixture
def model():
    model = InstructingModel(says)
    with nearby(model.app()) as address:
        model.url = f"{address}/v1"
        yield model


def wish(model, kind=ContextInstruct, **more):
    return kind(roles=(talkative(),), language="en", model=Endpoint(url=model.url, model="writer"), **more)


PRICED = {"prices": Prices({"writer": Price(input=1000.0, output=0.0)})}
"""A tenth of a US dollar for each call of the scripted model."""


def test_each_kind_is_read_again_by_its_way_and_craftings_are_listed_apart(store, model):
    building = wish(model, Building, instructions=("Name three fruits.",))
    question = Question(kind="specific", role="Old Tam", text="Who?", spe=("I.",))
    asked = QuestionSet(benchmark="river", questions=(question,), available=1, place=None)
    for one in (wish(model), building, wish(model, Answering, questions=asked)):
        id = begin(store, one)
        assert wish_of(store, id) == one
    assert {kind.model_fields["way"].default for kind in KINDS.values()} == {*KINDS}
    assert {one.content["way"] for one in store.craftings.all(KINDS)} == {"instruct", "rolebench", "answers"}
    assert store.craftings.all(WAYS) == []
    crafting = store.craftings.create({"way": "extract"}, "app")
    assert [one.id for one in store.craftings.all(WAYS)] == [crafting]
    for unknown in (crafting, "nothing"):
        with pytest.raises(StoryError, match="there is no"):
            look(store, unknown)


@pytest.mark.slow
def test_one_that_failed_goes_on_and_asks_nothing_twice(store, model):
    id = begin(store, wish(model))
    refused = []

    def refuses(body):
        refused.append(asked_key(body))
        return len(refused) % 5 == 0

    model.refuses = refuses
    told = []
    with pytest.raises(EndpointError, match="not this one"):
        generated(store, id, How(on_done=lambda done, all: told.append((done, all))))
    before = look(store, id)
    assert before.status == "paused"
    assert "not this one" in str(before.reason)
    assert (before.all, len(before.open)) == (22, 4), "all others came to their end"
    assert told[-1] == (18, 22)
    assert before.unanswered == 4
    model.refuses = lambda _: False
    generated(store, id)
    after = look(store, id)
    assert (after.status, after.open) == ("ended", ())
    assert set(model.answered.values()) == {1}
    count = len(model.bodies)
    generated(store, id)
    assert len(model.bodies) == count, "nothing is left to ask"


@pytest.mark.slow
def test_it_stops_before_its_budget_and_what_was_spent_before_counts(store, model):
    id = begin(store, wish(model, budget=3.0))
    counts = []
    for _ in range(2):
        with pytest.raises(Interlude, match="budget is used up"):
            generated(store, id, **PRICED)
        found = look(store, id)
        assert (found.status, str(found.reason)) == ("paused", "the budget is used up")
        assert 0.5 < found.price <= 3.0
        counts.append(len(model.bodies))
    assert counts[0] == counts[1] == len(found.replies), "the second run paid for nothing"
    assert found.open


def test_a_budget_needs_a_price(store, model):
    id = begin(store, wish(model, budget=1.0))
    with pytest.raises(StoryError, match="a budget needs prices"):
        generated(store, id)
    assert model.bodies == []


@pytest.mark.slow
def test_what_was_answered_to_another_prompt_stops_it_or_is_kept_or_asked_anew(store, model, monkeypatch):
    id = begin(store, wish(model))
    generated(store, id)
    count = len(model.bodies)
    monkeypatch.setattr("characterbox.rolebench.context_instruct.profile_of", lambda role: "You are somebody else.")
    found = look(store, id)
    assert (len(found.changed), found.open) == (len(found.known), ())
    with pytest.raises(RecordMismatch):
        generated(store, id)
    generated(store, id, How(on_mismatch="keep"))
    assert len(model.bodies) == count
    generated(store, id, How(on_mismatch="ask"))
    assert len(model.bodies) == 2 * count
    assert "somebody else" in last(model.bodies[-1])


def test_one_that_is_under_way_elsewhere_is_not_run(store, model):
    id = begin(store, wish(model))
    with store.craftings.claimed(id), pytest.raises(StoryError):
        generated(store, id)
    assert model.bodies == []
