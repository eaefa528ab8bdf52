"""News from another thread is heard in order, and many pieces cost one ring."""

import asyncio
import threading

import pytest

from characterbox.store.bell import Bell, Bells


async def awake():
    """Until the loop has heard the bell, and all that it was told."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_news_is_heard_in_the_order_in_which_it_is_told():
    heard = []
    bell, done = Bells().here(), asyncio.Event()

    def tell():
        for number in range(1000):
            bell.tell(lambda number=number: heard.append(number))
        bell.tell(done.set)

    thread = threading.Thread(target=tell)
    thread.start()
    await done.wait()
    thread.join()
    assert heard == list(range(1000))


async def test_what_is_told_before_the_loop_is_awake_costs_one_ring(monkeypatch):
    loop, rings, heard = asyncio.get_running_loop(), [], []
    ring = loop.call_soon_threadsafe
    monkeypatch.setattr(loop, "call_soon_threadsafe", lambda what: rings.append(ring(what)))
    bell = Bell(loop)
    for number in range(8):
        bell.tell(lambda number=number: heard.append(number))
    await awake()
    assert (heard, len(rings)) == (list(range(8)), 1)
    bell.tell(lambda: heard.append(8))
    await awake()
    assert (heard, len(rings)) == (list(range(9)), 2)


async def test_one_piece_of_news_is_heard_at_each_pass_of_the_loop():
    passes, heard = 0, []
    bell = Bell(asyncio.get_running_loop())
    for _ in range(3):
        bell.tell(lambda: heard.append(passes))
    for _ in range(6):
        await asyncio.sleep(0)
        passes += 1
    assert len(set(heard)) == 3


async def test_news_that_fails_does_not_keep_others_from_being_heard():
    loop, told, heard = asyncio.get_running_loop(), [], []
    loop.set_exception_handler(lambda loop, context: told.append(context["exception"]))
    bell = Bell(loop)
    bell.tell(lambda: 1 / 0)
    bell.tell(lambda: heard.append("later"))
    await awake()
    assert heard == ["later"]
    assert [type(error) for error in told] == [ZeroDivisionError]


def test_a_loop_that_is_closed_hears_nothing():
    loop = asyncio.new_event_loop()
    bell = Bell(loop)
    loop.close()
    bell.tell(lambda: pytest.fail("there is no loop"))


async def test_each_loop_has_one_bell():
    bells = Bells()
    assert bells.here() is bells.here()
