"""Jobs: one at a time for each key; what ends with the app is waited for where it can be gone on with."""

import asyncio
import threading
from dataclasses import dataclass, field

import pytest

from characterbox.llm.calls.client import Client
from characterbox.stage.jobs.jobs import Job, Jobs


@dataclass(eq=False)
class Errand(Job):
    """Waits until it is let go."""

    name: str
    let: asyncio.Event = field(default_factory=asyncio.Event)
    rests: bool = False
    refused: bool = False
    breaks: bool = False
    told: list = field(default_factory=list)

    @property
    def key(self):
        return self.name, "x"

    def check(self, store, client):
        if self.refused:
            raise ValueError("not now")

    async def work(self, store, client):
        await self.let.wait()
        if self.breaks:
            raise ValueError("it broke")
        return self.name

    def close(self):
        if self.rests:
            self.let.set()
        return self.rests or super().close()

    def failed(self, error):
        self.told.append(str(error))


async def nothing_left():
    """Waits until what was cancelled is over."""
    while len(asyncio.all_tasks()) > 1:
        await asyncio.sleep(0.01)


@pytest.fixture
def loop():
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    yield loop
    asyncio.run_coroutine_threadsafe(nothing_left(), loop).result(20)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)
    loop.close()


@pytest.fixture
def jobs(store, loop):
    return Jobs(store, Client(), loop)


def end(loop, *jobs):
    for job in jobs:
        loop.call_soon_threadsafe(job.let.set)
    return [job.future.exception(20) or job.future.result() for job in jobs]


def test_one_at_a_time_is_under_way_at_a_key(jobs, loop):
    first, other = jobs.start(Errand("a")), jobs.start(Errand("b"))
    assert jobs.start(Errand("a")) is first
    assert jobs.of(Errand) == [first, other]
    assert end(loop, first, other) == ["a", "b"]
    again = jobs.start(Errand("a"))
    assert (jobs.last(Errand, "a", "x"), jobs.last(Errand, "a")) == (again, None)
    assert jobs.of(Errand) == [other, again]
    assert jobs.of(Errand, "b") == [other]
    again.stop()
    assert (again.under_way, again.last_error, again.told) == (False, None, [])


def test_what_is_refused_is_not_there(jobs):
    with pytest.raises(ValueError, match="not now"):
        jobs.start(Errand("a", refused=True))
    assert jobs.of(Errand) == []


def test_what_it_broke_off_with_is_kept_and_told_to_its_kind(jobs, loop):
    job = jobs.start(Errand("a", breaks=True))
    assert job.last_error is None
    end(loop, job)
    asyncio.run_coroutine_threadsafe(asyncio.sleep(0), loop).result(20)
    assert (str(job.last_error), job.told) == ("it broke", ["it broke"])


def test_the_oldest_that_are_over_are_forgotten(jobs, loop, monkeypatch):
    monkeypatch.setattr("characterbox.stage.jobs.jobs._KEPT", 2)
    under_way = jobs.start(Errand("0"))
    for name in "1234":
        end(loop, jobs.start(Errand(name)))
    last = jobs.start(Errand("5"))
    assert [job.name for job in jobs.of(Errand)] == ["0", "3", "4", "5"]
    end(loop, under_way, last)


def test_as_the_app_ends_what_can_rest_is_waited_for_and_what_takes_too_long_is_cancelled(jobs, loop):
    rests, goes_on, late = (jobs.start(Errand(name, rests=name == "a")) for name in "abc")
    late.close = lambda: True
    asyncio.run_coroutine_threadsafe(asyncio.sleep(0), loop).result(20)
    asyncio.run_coroutine_threadsafe(jobs.close(0.2), loop).result(20)
    assert rests.future.result(0) == "a"
    assert late.future.cancelled()
    assert goes_on.under_way
    end(loop, goes_on)
    asyncio.run_coroutine_threadsafe(jobs.close(0.2), loop).result(20)
