"""What a page sends comes in turn, and what is drawn for it counts for its account."""

import asyncio

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from characterbox.routes.limits.fair_share import (
    A_SECOND,
    BURST,
    DRAWN_A_SECOND,
    DRAWN_AT_ONCE,
    LONGEST_PAGE,
    LONGEST_WAIT,
    RUNS,
)
from characterbox.routes.limits.read_ahead import BEFORE_CLOSING, GRACE, MOST_WAITING
from characterbox.routes.limits.turns import LARGE, LEFT, MOST_BYTES
from tests.fakes.connection_turns import DRAWN, DRAWN_ANEW, RERUN, STOP, Site, connected, known
from tests.fakes.virtual_time import in_no_time


@pytest.mark.parametrize("way", ["is drawn", "is left"])
def test_so_many_pages_of_one_account_are_drawn_at_once(way):
    async def drawn():
        site = Site()
        await known(site, b"ann")
        mine, (other,) = (
            await connected(site, b"ann", RUNS + 1, "websocket"),
            await connected(site, b"bob", 1, "websocket"),
        )
        for one in (*mine, other):
            one.say(RERUN)
        await asyncio.sleep(0.01)
        first, waiting = mine[0], mine[-1]
        assert [len(one.heard) for one in (*mine, other)] == [1] * RUNS + [0, 1]
        first.say(STOP)
        first.say(RERUN)  # of a page that is being drawn: at once, it breaks off what is under way
        await asyncio.sleep(0.01)
        assert first.heard == [RERUN, STOP, RERUN]
        await first.tell(DRAWN_ANEW)
        await first.tell(b"x" * 100_000)
        await asyncio.sleep(0.01)
        assert waiting.heard == []
        if way == "is drawn":
            await first.tell(DRAWN)
        else:
            first.leave()
            await asyncio.sleep(LEFT / 2)
            assert waiting.heard == []
            await asyncio.sleep(LEFT)
        await asyncio.sleep(0.01)
        assert waiting.heard == [RERUN]

    in_no_time(drawn())


def test_a_page_that_is_never_drawn_keeps_no_other_waiting_for_ever():
    async def drawn():
        site = Site()
        mine = await connected(site, b"ann", RUNS + 1, "websocket")
        for one in mine:
            one.say(RERUN)
        await asyncio.sleep(2 * LONGEST_WAIT + 0.1)
        assert [one.heard for one in mine] == [[RERUN]] * (RUNS + 1)

    in_no_time(drawn())


def test_pages_of_one_account_are_drawn_for_so_long_and_then_for_a_part_of_the_time():
    async def drawn():
        site = Site()
        await known(site, b"ann")
        await known(site, b"bob")
        took, drawn = 1.0, 0
        (mine,) = await connected(site, b"ann", 1, "websocket")
        loop = asyncio.get_running_loop()
        begun_at = loop.time()
        while loop.time() - begun_at < 100:
            mine.say(RERUN)
            while len(mine.heard) == drawn:
                await asyncio.sleep(0.01)
            drawn += 1
            await asyncio.sleep(took)
            await mine.tell(DRAWN)
        assert drawn == pytest.approx((DRAWN_AT_ONCE + 100 * DRAWN_A_SECOND) / took, abs=2)
        (other,) = await connected(site, b"bob", 1, "websocket")
        other.say(RERUN)
        await asyncio.sleep(0.01)
        assert other.heard == [RERUN]
        mine.leave()
        await mine.task
        (again,) = await connected(site, b"ann", 1, "websocket")
        again.say(RERUN)
        await asyncio.sleep(0.01)
        assert again.heard == []  # who comes anew has not got more

    in_no_time(drawn())


def test_a_page_that_is_drawn_in_haste_counts_while_it_is_drawn():
    async def drawn():
        site = Site()
        await known(site, b"ann")
        (mine,) = await connected(site, b"ann", 1, "websocket")
        for _ in range(30):
            mine.say(RERUN)
            await asyncio.sleep(1)
        assert len(mine.heard) == pytest.approx(DRAWN_AT_ONCE + 30 * DRAWN_A_SECOND, abs=3)

    in_no_time(drawn())


def test_a_page_that_waits_long_for_something_does_not_keep_the_next_waiting():
    async def drawn():
        site = Site()
        await known(site, b"ann")
        (mine,) = await connected(site, b"ann", 1, "websocket")
        for _ in range(3):
            mine.say(RERUN)
            await asyncio.sleep(100)
            await mine.tell(DRAWN)
        mine.say(RERUN)
        await asyncio.sleep(0.01)
        assert len(mine.heard) == 4

    in_no_time(drawn())


def test_text_is_not_taken_in():
    async def sent():
        site = Site()
        (mine,) = await connected(site, b"ann", 1, "websocket")
        for _ in range(50):
            mine.sent.put_nowait({"type": "websocket.receive", "text": "x" * 1_000})
        await asyncio.sleep(BEFORE_CLOSING + 0.1)
        assert (mine.heard, mine.sent.qsize()) == ([], 49)
        assert mine.told[1:] == [{"type": "websocket.close", "code": 1008}]

    in_no_time(sent())


def test_bytes_that_wait_are_bounded_for_all_pages_of_an_account():
    async def sent():
        site = Site()
        await known(site, b"ann")
        pages = await connected(site, b"ann", 10, "websocket")
        large = BackMsg(app_heartbeat=True).SerializeToString() + b"x" * 4_000_000
        for one in pages:
            for _ in range(5):
                one.say(large)
        await asyncio.sleep(0.1)
        (lane,) = site.turns._known.values()
        assert 0 < lane.waiting <= MOST_BYTES
        await asyncio.sleep(BEFORE_CLOSING)
        assert any({"type": "websocket.close", "code": 1008} in one.told for one in pages)
        for one in pages:
            one.leave()
        await asyncio.gather(*(one.task for one in pages))
        assert lane.waiting == 0

    in_no_time(sent())


@pytest.mark.parametrize("seconds", [0.1, 0.5])
def test_what_pages_ask_for_by_themselves_keeps_no_click_waiting(seconds):
    """Eight pages for a quarter of an hour, each of which has a part drawn anew each second."""

    async def followed():
        site = Site()
        await known(site, b"ann")
        pages = await connected(site, b"ann", 8, "websocket")
        by_itself = BackMsg(rerun_script={"fragment_id": "f", "is_auto_rerun": True}).SerializeToString()

        async def draw(one):
            heard = 0
            while True:
                await asyncio.sleep(0.01)
                if len(one.heard) > heard:
                    heard = len(one.heard)
                    await asyncio.sleep(seconds)
                    await one.tell(DRAWN)

        async def follow(one):
            while True:
                one.say(by_itself)
                await asyncio.sleep(1)

        working = [asyncio.create_task(do(one)) for one in pages for do in (draw, follow)]
        for clicks in range(1, 91):
            await asyncio.sleep(10)
            pages[0].say(RERUN)
            await asyncio.sleep(1 + 8 * seconds)  # where they take long, it is behind those that are drawn already
            assert pages[0].heard.count(RERUN) == clicks
        assert sum(len(one.heard) for one in pages) > 100  # and they are drawn
        for one in working:
            one.cancel()
        await asyncio.gather(*working, return_exceptions=True)

    in_no_time(followed())


def test_messages_come_so_many_at_once_and_then_so_many_a_second():
    async def heard():
        site = Site()
        (mine,) = await connected(site, b"ann", 1, "websocket")
        for _ in range(int(BURST) + MOST_WAITING - 5):
            mine.say(STOP)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        await asyncio.sleep(0.01)
        assert len(mine.heard) == pytest.approx(BURST, abs=2)
        await asyncio.sleep(4)
        assert len(mine.heard) == pytest.approx(BURST + 4 * A_SECOND, abs=2)

    in_no_time(heard())


def test_large_messages_count_for_more():
    async def heard():
        site = Site()
        (mine,) = await connected(site, b"ann", 1, "websocket")
        large = BackMsg(app_heartbeat=True).SerializeToString() + b"x" * (4 * LARGE)
        for _ in range(25):
            mine.say(large)
            await asyncio.sleep(0.001)
        assert len(mine.heard) == pytest.approx(BURST / 5, abs=1)

    in_no_time(heard())


def test_a_page_that_sends_without_a_pause_is_closed_after_a_while():
    async def closed():
        site = Site()
        (mine,) = await connected(site, b"ann", 1, "websocket")
        for _ in range(1_000):
            mine.say(STOP)
        await asyncio.sleep(BEFORE_CLOSING - 0.1)
        assert mine.told == [{"type": "websocket.accept"}]
        await asyncio.sleep(GRACE + 1)
        assert mine.told[1:] == [{"type": "websocket.close", "code": 1008}]
        assert mine.task.done()

    in_no_time(closed())


def test_a_page_that_is_left_while_it_waits_is_soon_forgotten():
    async def left():
        site = Site()
        await known(site, b"ann")
        pages = await connected(site, b"ann", 10, "websocket")
        for one in pages[: int(DRAWN_AT_ONCE / LONGEST_PAGE)]:
            one.say(RERUN)
            await asyncio.sleep(LONGEST_PAGE)
            await one.tell(DRAWN)
        heard = sum(len(one.heard) for one in pages)
        for one in pages:
            for _ in range(50):
                one.say(RERUN)
            one.leave()
        await asyncio.sleep(GRACE + 0.1)
        assert all(one.task.done() for one in pages)
        assert sum(len(one.heard) for one in pages) - heard < 100  # of 500

    in_no_time(left())


def test_what_was_said_before_a_page_was_left_is_heard_where_nothing_has_to_wait():
    async def left():
        site = Site()
        (mine,) = await connected(site, b"ann", 1, "websocket")
        mine.say(STOP)
        mine.say(RERUN)
        mine.leave()
        await mine.task
        assert mine.heard == [STOP, RERUN]

    in_no_time(left())


def test_what_was_waiting_when_a_page_was_left_counts_once():
    """Counted off twice, it would have made room for more than may wait, each time."""

    async def left():
        site = Site()
        await known(site, b"ann")
        (lane,) = site.turns._known.values()
        lane.drawing.spend(1_000)
        pages = await connected(site, b"ann", 3, "websocket")
        for one in pages:
            one.say(RERUN)
            one.say(RERUN)
            one.leave()
        await asyncio.sleep(0.1)
        assert lane.waiting == 6 * len(RERUN)
        await asyncio.gather(*(one.task for one in pages))
        await asyncio.sleep(1)
        assert (lane.waiting, lane.pages) == (0, 0)

    in_no_time(left())
