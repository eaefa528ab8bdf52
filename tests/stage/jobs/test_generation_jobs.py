"""Generations in the app: stopped, closed and gone on with; nothing is asked twice."""

import asyncio
import threading

import pytest

from characterbox.errors import StoryError
from characterbox.llm.endpoint import Endpoint
from characterbox.rolebench.context_instruct import ContextInstruct
from characterbox.rolebench.kinds import KINDS
from characterbox.rolebench.running import begin, look
from characterbox.stage.client import open_client
from characterbox.stage.jobs.generation_jobs import Generations
from characterbox.stage.jobs.jobs import Jobs
from tests.fakes.instructing_model import InstructingModel
from tests.fakes.mock_server import serving
from tests.fakes.waiting import until
from tests.rolebench.generating import talkative
from tests.rolebench.test_context_instruct import only_distinct

pytestmark = pytest.mark.process

CALLS = 42
"""Two segments, 20 runs, and 20 more as so many candidates are missing."""


@pytest.fixture
def model():
    model = InstructingModel(only_distinct)
    with serving(model.app()) as address:
        model.url = f"{address}/v1"
        yield model


@pytest.fixture
def loop():
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    yield loop
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)
    loop.close()


@pytest.fixture
def opened(store, loop):
    """Gives the generations of an app that has just started, each time it is called."""
    client = open_client(store)
    apps = []

    def start():
        jobs = Jobs(store, client, loop)
        apps.append(jobs)
        return Generations(store, client, loop, jobs)

    def close():
        asyncio.run_coroutine_threadsafe(apps[-1].close(0.2), loop).result(20)

    start.close = close
    yield start
    close()
    asyncio.run_coroutine_threadsafe(client.close(), loop).result(20)


def wish(model, **more):
    return ContextInstruct(roles=(talkative(),), language="en", model=Endpoint(url=model.url, model="writer"), **more)


def test_it_is_generated_to_its_end_and_how_far_it_is_is_told(store, model, opened):
    generations = opened()
    id = generations.begin(wish(model))
    until(lambda: not generations.under_way(id))
    assert (look(store, id).status, generations.fault(id)) == ("ended", None)
    assert (generations.of(id).done, generations.of(id).whole) == (CALLS, CALLS)
    generations.start(id)
    until(lambda: not generations.under_way(id))
    assert len(model.bodies) == CALLS, "nothing is left to ask"


def test_closed_in_the_middle_it_is_gone_on_with_at_the_next_start_and_nothing_is_asked_twice(store, model, opened):
    model.hangs_from = 7
    id = opened().begin(wish(model))
    until(lambda: sum(model.answered.values()) == 7 == len(look(store, id).replies))
    opened.close()
    assert (look(store, id).status, look(store, id).reason) == ("running", None)
    model.hangs_from = None
    again = opened()
    again.resume_all()
    until(lambda: not again.under_way(id))
    assert look(store, id).status == "ended"
    assert set(model.answered.values()) == {1}
    assert sum(model.answered.values()) == CALLS


def test_what_a_person_stopped_and_what_a_command_began_is_not_gone_on_with(store, model, opened):
    model.hangs_from = 2
    generations = opened()
    id = generations.begin(wish(model))
    until(lambda: len(model.bodies) > 2)
    generations.rest(id)
    until(lambda: generations.of(id).resting)
    with pytest.raises(StoryError, match="it is running"):
        generations.start(id)
    opened.close()
    assert look(store, id).status == "paused"
    commanded = begin(store, wish(model))
    again = opened()
    again.resume_all()
    assert not again.under_way(id)
    assert not again.under_way(commanded)


def test_why_it_broke_off_is_told(store, model, opened):
    model.refuses = lambda body: True
    generations = opened()
    id = generations.begin(wish(model))
    until(lambda: not generations.under_way(id))
    assert "not this one" in str(generations.fault(id))
    assert "not this one" in str(look(store, id).reason)


def test_with_a_budget_and_no_price_nothing_is_stored(store, model, opened):
    with pytest.raises(StoryError, match="a budget needs prices"):
        opened().begin(wish(model, budget=1.0))
    assert store.craftings.all(KINDS) == []
    assert model.bodies == []


def test_one_that_can_no_longer_be_read_keeps_no_other_from_going_on(store, model, opened, caplog):
    store.craftings.create({"way": "instruct", "roles": []}, "app")
    id = begin(store, wish(model), "app")
    generations = opened()
    generations.resume_all()
    until(lambda: not generations.under_way(id))
    assert look(store, id).status == "ended"
    assert "it can no longer be read" in caplog.text
