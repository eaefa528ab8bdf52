"""Experiments: conditions on the same questions, within one budget, found again by what is asked."""

import asyncio

import pytest

from characterbox.errors import RoleError, StoryError
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.usage import Price, Prices
from characterbox.rolebench.answers.experiments import (
    begun,
    conditions_of,
    found_in,
    models_by_name,
    plan,
    resumed,
    run_all,
    wishes_of,
)
from characterbox.rolebench.running import begin
from tests.fakes.in_process_servers import ToNearby, nearby
from tests.fakes.instructing_model import InstructingModel
from tests.fakes.roles import role
from tests.rolebench.answers.asked import a_benchmark, wish

PRICED = {"prices": Prices({"writer": Price(input=1000.0, output=0.0)})}
"""A tenth of a US dollar for each call of the scripted model."""


@pytest.fixture
def model():
    model = InstructingModel(lambda body, number: f"It is answer {number}.")
    with nearby(model.app()) as address:
        model.url = f"{address}/v1"
        yield model


@pytest.fixture
def wishes(tmp_path, model):
    folder = a_benchmark(tmp_path / "river")
    of = wish(folder, model.url)
    heard = "Why is water wet? How? Where do you live?"
    roles = [role(one.name, "You ferry.", [[("Merchant", heard), (one.name, "So.")]], "Slow.") for one in of.roles]
    common = {"roles": roles, "questions": of.questions, "language": "en"}

    def made(experiment="strategy", models=None, **more):
        models = models or {"writer": Endpoint(url=model.url, model="writer")}
        return wishes_of(experiment, conditions_of(experiment, models), common | more)

    return made


def ran(store, ids, **client):
    async def run():
        asks = Client(transport=ToNearby(), **client)
        try:
            return await run_all(store, asks, ids)
        finally:
            await asks.close()

    return asyncio.run(run())


def planned(store, wishes, **client):
    return plan(store, Client(transport=ToNearby(), **client), wishes)


def test_each_condition_asks_all_questions_once_and_the_same_experiment_is_found_again(store, model, wishes):
    ids = begun(store, wishes())
    assert [*ids] == ["zsp", "fsp", "fsd"]
    assert ran(store, ids) == []
    assert len(model.bodies) == 18
    assert begun(store, wishes()) == ids == begun(store, resumed(store, wishes()[0].batch))
    assert ran(store, ids) == []
    assert len(model.bodies) == 18
    assert [one.result.waiting for one in found_in(store, ids).values()] == [0, 0, 0]
    assert begun(store, wishes(seed=1)) != ids, "another experiment"


def test_the_plan_tells_calls_tokens_and_price_and_what_is_left(store, model, wishes):
    rows = planned(store, wishes(), **PRICED)
    assert [(row.condition, row.questions, row.calls, row.completion_tokens) for row in rows] == [
        (name, 6, 6, 6 * 120) for name in ("zsp", "fsp", "fsd")
    ]
    assert [row.price for row in rows] == pytest.approx([row.prompt_tokens / 1000 for row in rows])
    ran(store, {"zsp": begun(store, wishes())["zsp"]})
    assert [row.calls for row in planned(store, wishes())] == [0, 6, 6]
    assert [row.price for row in planned(store, wishes())][1:] == [None, None], "of no known price"


def test_all_conditions_share_one_budget_and_a_higher_one_goes_on(store, model, wishes):
    ids = begun(store, wishes(budget=1.05))
    failures = ran(store, ids, **PRICED)
    assert {name for name, _ in failures} == {"fsp", "fsd"}
    assert "budget is used up" in str(failures[0][1])
    spent = sum(one.price for one in found_in(store, ids).values())
    assert 0.6 < spent <= 1.05
    count = len(model.bodies)
    assert count == round(10 * spent)
    ran(store, ids, **PRICED)
    assert len(model.bodies) == count
    assert begun(store, wishes(budget=9.0)) == ids
    assert ran(store, ids, **PRICED) == []
    assert (len(model.bodies), {*model.answered.values()}) == (18, {1})


def test_what_fails_in_one_condition_stops_no_other(store, model, wishes):
    model.refuses = lambda body: "<examples>" in str(body["messages"])
    ids = begun(store, wishes())
    assert [name for name, _ in ran(store, ids)] == ["fsp"]
    assert [one.result.waiting for one in found_in(store, ids).values()] == [0, 6, 0]


def test_customisation_and_mix(store, wishes, model):
    two = {name: Endpoint(url=model.url, model=name) for name in ("sys", "reaug")}
    found = wishes("customisation", two)
    assert [(one.trial.condition, one.model.model, one.strategy) for one in found] == [
        ("sys, system", "sys", "zsp"),
        ("sys, retrieval", "sys", "fsd"),
        ("reaug, system", "reaug", "zsp"),
        ("reaug, retrieval", "reaug", "fsd"),
    ]
    three = {name: Endpoint(url=model.url, model=name) for name in ("both", "general", "specific")}
    found = wishes("mix", three)
    assert [(one.trial.condition, one.strategy) for one in found] == [
        (name, "zsp") for name in ("general", "specific", "both")
    ]
    assert len({one.batch for one in found}) == 1
    assert {one.trial.conditions for one in found} == {("general", "specific", "both")}


@pytest.mark.parametrize(
    ("of", "names", "why"),
    [
        ("strategy", "ab", "it needs one model"),
        ("customisation", "abc", "one or two models"),
        ("mix", ("general", "both"), "it needs three models"),
    ],
)
def test_models_that_do_not_suit_an_experiment_are_told(of, names, why):
    with pytest.raises(RoleError, match=why):
        conditions_of(of, {name: Endpoint(url="http://h/v1", model=name) for name in names})


def test_models_have_the_names_that_people_give_them_or_their_own():
    found = models_by_name(["a=http://h/v1#m", "http://h/v1#a=n", "http://h/v1#roles-0a1b2c3d"])
    assert {name: str(model) for name, model in found.items()} == {
        "a": "http://h/v1#m",
        "a=n": "http://h/v1#a=n",
        "roles-0a1b2c3d": "http://h/v1#roles-0a1b2c3d",
    }
    for texts, why in ((["http://h/v1#m", "m=http://g/v1#m"], "two models have it"), (["=http://h/v1#m"], "blank")):
        with pytest.raises(RoleError, match=why):
            models_by_name(texts)


def test_one_of_which_not_all_was_stored_is_to_be_given_again(store, wishes):
    first, *_ = wishes()
    with pytest.raises(StoryError, match="there is no experiment"):
        resumed(store, first.batch)
    id = begin(store, first)
    with pytest.raises(StoryError, match=r"fsp, fsd is missing\); give the whole command again"):
        resumed(store, first.batch)
    assert begun(store, wishes())["zsp"] == id
    assert len(resumed(store, first.batch)) == 3
