"""Threads of their own for what must not wait behind other work."""

import asyncio
import threading
from contextvars import ContextVar

from characterbox.processes.concurrency import Threads

ASKED = ContextVar("asked", default="nothing")


def test_what_is_run_has_the_context_of_the_one_who_asks_and_a_thread_of_its_own():
    async def run():
        ASKED.set("something")
        return await Threads("mine", 1).run(lambda more: (ASKED.get(), threading.current_thread().name, more), more=2)

    assert asyncio.run(run()) == ("something", "mine_0", 2)


def test_it_waits_for_none_of_the_threads_that_all_share():
    async def run():
        go_on = threading.Event()
        others = [asyncio.create_task(asyncio.to_thread(go_on.wait, 30)) for _ in range(100)]
        await asyncio.sleep(0)
        assert await asyncio.wait_for(Threads("mine", 1).run(lambda: "done"), 10) == "done"
        go_on.set()
        await asyncio.gather(*others)

    asyncio.run(run())


def test_a_fault_comes_out_as_it_is():
    async def run():
        try:
            await Threads("mine", 1).run(int, "x")
        except ValueError as fault:
            return str(fault)
        return ""

    assert "invalid literal" in asyncio.run(run())
