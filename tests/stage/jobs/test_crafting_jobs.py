"""Craftings in the app: stopped, closed and gone on with."""

import asyncio
import threading
from dataclasses import dataclass

import pytest

from characterbox.crafting.progress import look
from characterbox.crafting.request import Roles, Wish
from characterbox.errors import StoryError
from characterbox.llm.endpoint import Endpoint
from characterbox.stage.client import open_client
from characterbox.stage.jobs.jobs import Jobs
from characterbox.stage.jobs.model_jobs import Craftings
from tests.fakes.crafting_models import Crew, written
from tests.fakes.mock_server import serving
from tests.fakes.waiting import until

pytestmark = pytest.mark.process

DRAFTS = [written("A watch is missing", "Ann", "Bea"), written("A watch is missing, and it rains", "Ann", "Bea")]


@pytest.fixture
def crew():
    crew = Crew(drafts=DRAFTS, scores=[2, 5])
    with serving(crew.app()) as address:
        crew.url = f"{address}/v1"
        yield crew


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
def client(store, loop):
    client = open_client(store)
    yield client
    asyncio.run_coroutine_threadsafe(client.close(), loop).result(20)


def wish(crew):
    roles = Roles(**{role: Endpoint(url=crew.url, model=role) for role in ("screenwriter", "director", "evaluator")})
    return Wish(way="generate", language="en", work="The Hotel", roles=roles)


def opened(store, client, loop):
    """The craftings of an app that has just started."""
    jobs = Jobs(store, client, loop)
    craftings = Craftings(store, client, loop, jobs)
    craftings.close = lambda: asyncio.run_coroutine_threadsafe(jobs.close(0.2), loop).result(20)
    return craftings


def test_it_is_crafted_to_its_end(store, client, loop, crew):
    craftings = opened(store, client, loop)
    id = craftings.begin(wish(crew))
    until(lambda: not craftings.under_way(id))
    assert (look(store, id).status, craftings.fault(id)) == ("ended", None)
    craftings.close()


def test_closed_in_the_middle_of_a_long_call_it_is_gone_on_with_at_the_next_start(store, client, loop, crew):
    crew.hangs_from = 1
    craftings = opened(store, client, loop)
    id = craftings.begin(wish(crew))
    until(lambda: len(crew.bodies) > 1)
    craftings.close()
    assert (look(store, id).status, look(store, id).reason) == ("running", None)
    crew.hangs_from = None
    again = opened(store, client, loop)
    again.resume_all()
    until(lambda: not again.under_way(id))
    assert look(store, id).status == "ended"
    again.close()


def test_what_a_person_stopped_is_not_gone_on_with(store, client, loop, crew):
    crew.hangs_from = 1
    craftings = opened(store, client, loop)
    id = craftings.begin(wish(crew))
    until(lambda: len(crew.bodies) > 1)
    craftings.rest(id)
    until(lambda: craftings.of(id).resting)
    with pytest.raises(StoryError, match="it is running"):
        craftings.go_on(id)
    craftings.close()
    assert look(store, id).status == "paused"
    again = opened(store, client, loop)
    again.resume_all()
    assert not again.under_way(id)
    again.close()


@dataclass
class HalfUnread(Crew):
    """Says nothing that can be read of the first scene, and does not refine the other one as long as it is `slow`."""

    slow: bool = True

    async def _chat(self, request):
        body = await request.json()
        if self.slow and body["model"] == "director" and "and it rains" in str(body):
            await asyncio.sleep(60)
        return await super()._chat(request)

    def _text(self, body):
        unread = body["model"] == "evaluator" and "and it rains" not in str(body)
        return "No comment." if unread else super()._text(body)


def test_an_evaluation_that_could_not_be_read_is_asked_anew_by_a_person_alone(store, client, loop):
    crew = HalfUnread(drafts=DRAFTS, scores=[5])
    with serving(crew.app()) as address:
        crew.url = f"{address}/v1"
        craftings = opened(store, client, loop)
        id = craftings.begin(wish(crew).model_copy(update={"count": 2}))
        until(lambda: len(crew.asked("evaluator")) == 2 and any(one.undecided for one in look(store, id).scenes))
        craftings.close()
        assert look(store, id).status == "running"
        crew.slow = False
        again = opened(store, client, loop)
        again.resume_all()
        until(lambda: not again.under_way(id))
        standing = look(store, id)
        assert (standing.status, standing.reason) == ("ended", None)
        assert sorted([one.undecided, one.scene is not None] for one in standing.scenes) == [
            [False, True],
            [True, False],
        ]
        assert len(crew.asked("evaluator")) == 3, "the other scene was evaluated, and nothing else"
        again.go_on(id, unread_anew=True)
        until(lambda: not again.under_way(id))
        assert len(crew.asked("evaluator")) == 5
        again.close()


def test_why_it_broke_off_is_told(store, client, loop, crew):
    crew.silent_from = 0
    craftings = opened(store, client, loop)
    id = craftings.begin(wish(crew))
    until(lambda: not craftings.under_way(id))
    assert "overloaded" in str(craftings.fault(id))
    assert "overloaded" in str(look(store, id).reason)
    craftings.close()
