"""Things are done in order, one at each pass of an event loop, also where they come from another thread."""

import asyncio
import threading

import pytest

from characterbox.processes.concurrency import OnEachLoop, OneAtATime

STEPS = 5


async def test_what_the_first_sets_off_is_done_before_the_last_comes():
    queue, steps = OnEachLoop().here(), []

    async def story(number):
        await queue.turn()
        for _ in range(STEPS):
            steps.append(number)
            await asyncio.sleep(0)

    await asyncio.gather(*(story(number) for number in range(50)))
    assert [number for number in steps if number in (0, 49)] == [0] * STEPS + [49] * STEPS
    first_steps = list(dict.fromkeys(steps))
    assert first_steps == list(range(50))
    under_way = max(len(set(steps[at : at + 2 * STEPS])) for at in range(len(steps)))
    assert under_way <= 2 * STEPS


async def test_who_goes_away_holds_nobody_up():
    queue, passed = OnEachLoop().here(), []

    async def story(number):
        await queue.turn()
        passed.append(number)

    tasks = [asyncio.ensure_future(story(number)) for number in range(4)]
    await asyncio.sleep(0)
    tasks[0].cancel()
    tasks[2].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await story(4)
    assert passed == [1, 3, 4]


async def awake():
    """Until the loop has done all."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_what_is_to_be_done_is_done_in_order():
    done_so_far = []
    queue, done = OnEachLoop().here(), asyncio.Event()

    def hand_in():
        for number in range(1000):
            queue.do(lambda number=number: done_so_far.append(number))
        queue.do(done.set)

    thread = threading.Thread(target=hand_in)
    thread.start()
    await done.wait()
    thread.join()
    assert done_so_far == list(range(1000))


async def test_what_comes_before_the_loop_is_awake_wakes_it_once(monkeypatch):
    loop, wakes, done_so_far = asyncio.get_running_loop(), [], []
    wake = loop.call_soon_threadsafe
    monkeypatch.setattr(loop, "call_soon_threadsafe", lambda what: wakes.append(wake(what)))
    queue = OneAtATime(loop)
    for number in range(8):
        queue.do(lambda number=number: done_so_far.append(number))
    await awake()
    assert (done_so_far, len(wakes)) == (list(range(8)), 1)
    queue.do(lambda: done_so_far.append(8))
    await awake()
    assert (done_so_far, len(wakes)) == (list(range(9)), 2)


async def test_one_thing_is_done_at_each_pass_of_the_loop():
    passes, done_so_far = 0, []
    queue = OneAtATime(asyncio.get_running_loop())
    for _ in range(3):
        queue.do(lambda: done_so_far.append(passes))
    for _ in range(6):
        await asyncio.sleep(0)
        passes += 1
    assert len(set(done_so_far)) == 3


async def test_what_fails_does_not_keep_others_from_being_done():
    loop, told, done_so_far = asyncio.get_running_loop(), [], []
    loop.set_exception_handler(lambda loop, context: told.append(context["exception"]))
    queue = OneAtATime(loop)
    queue.do(lambda: 1 / 0)
    queue.do(lambda: done_so_far.append("later"))
    await awake()
    assert done_so_far == ["later"]
    assert [type(error) for error in told] == [ZeroDivisionError]


def test_a_loop_that_is_closed_does_nothing():
    loop = asyncio.new_event_loop()
    queue = OneAtATime(loop)
    loop.close()
    queue.do(lambda: pytest.fail("there is no loop"))


async def test_each_loop_has_one_queue():
    loops = OnEachLoop()
    assert loops.here() is loops.here()
