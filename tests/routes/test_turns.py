"""The connections of one account take turns, and keep nobody else waiting."""

import asyncio

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

import app
from characterbox.accounts.account import Account
from characterbox.accounts.visitor import Visitor
from characterbox.routes.lanes import (
    A_SECOND,
    ASKED_A_SECOND,
    ASKED_AT_ONCE,
    BURST,
    DRAWN_A_SECOND,
    DRAWN_AT_ONCE,
    LONGEST_PAGE,
    LONGEST_WAIT,
    MOST_BEHIND,
    PAGES,
    REQUESTS,
    RUNS,
)
from characterbox.routes.open_page import LARGE, LEFT, MOST_BYTES
from characterbox.routes.read_ahead import BEFORE_CLOSING, GRACE, MOST_WAITING
from characterbox.routes.turns import SWEPT, TurnsMiddleware
from characterbox.settings import settings
from tests.fakes.virtual_time import in_no_time

PEOPLE = {b"ann": "0123456789ab", b"bob": "ba9876543210"}
RERUN = BackMsg(rerun_script={"query_string": ""}).SerializeToString()
STOP = BackMsg(stop_script=True).SerializeToString()
DRAWN = ForwardMsg(script_finished=ForwardMsg.FINISHED_SUCCESSFULLY).SerializeToString()
DRAWN_ANEW = ForwardMsg(script_finished=ForwardMsg.FINISHED_EARLY_FOR_RERUN).SerializeToString()


class Site:
    """What stands behind the turns: it tells who it is, and answers when it is told to."""

    def __init__(self):
        self.turns = TurnsMiddleware(self.app, lambda cookies: cookies.get("", ""))
        self.answers = asyncio.Event()
        self.ended = set()
        """Cookies of sessions that have ended."""

    async def app(self, scope, receive, send):
        (_, cookie), *_ = scope["headers"]
        who = None if cookie in self.ended else PEOPLE.get(cookie[:3])
        scope["visitor"] = who and Visitor(Account(id=who, name="Ann", role="viewer"))

        async def still_may():
            return cookie not in self.ended

        scope["still_may"] = still_may
        connection = scope["connection"]
        connection.begun = True
        if scope["type"] == "http":
            if scope.get("method") == "POST":
                connection.heard.append(await receive())
            await self.answers.wait()
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await connection.ends.wait()
            return
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] != "websocket.disconnect":
            connection.heard.append(message["bytes"])
            connection.send = send


class Connection:
    """Somebody's request, or page."""

    def __init__(self, site, cookie, kind="http", host="198.51.100.1", method="GET"):
        self.begun, self.heard, self.told, self.send = False, [], [], None
        self.ends, self.sent = asyncio.Event(), asyncio.Queue()
        headers = [(b"cookie", cookie)]
        scope = {"type": kind, "method": method, "headers": headers, "client": (host, 1), "connection": self}
        self.task = asyncio.create_task(site.turns(scope, self.sent.get, self.take))

    async def take(self, message):
        self.told.append(message)

    def say(self, message):
        self.sent.put_nowait({"type": "websocket.receive", "bytes": message})

    async def tell(self, message):
        await self.send({"type": "websocket.send", "bytes": message})

    def leave(self):
        self.sent.put_nowait({"type": "websocket.disconnect"})


def begun(connections):
    return sum(one.begun for one in connections)


async def connected(site, cookie, count, kind="http", **more):
    found = [Connection(site, cookie, kind, **more) for _ in range(count)]
    await asyncio.sleep(0)
    await asyncio.sleep(0.01)
    return found


async def known(site, cookie):
    """The site has told once whose the cookie is."""
    site.answers.set()
    (one,) = await connected(site, cookie, 1)
    one.ends.set()
    await one.task
    site.answers.clear()


def test_the_app_gives_turns_wherever_there_are_accounts_before_it_asks_who_it_is(monkeypatch):
    for auth, there in (("off", False), ("local", True), ("oidc", True)):
        monkeypatch.setenv("CHARACTERBOX_AUTH", auth)
        settings.cache_clear()
        kinds = [one.cls.__name__ for one in app.before()]
        assert ("TurnsMiddleware" in kinds) is there
        if there:  # what is refused for its length has had its turn too: it was long to read
            assert kinds.index("TurnsMiddleware") < kinds.index("BoundsMiddleware") < kinds.index("GuardMiddleware")
    settings.cache_clear()


def test_so_many_requests_of_one_account_are_worked_on_and_others_are_not_kept_waiting():
    async def asked():
        site = Site()
        await known(site, b"ann")
        await known(site, b"bob")
        mine, other = await connected(site, b"ann", 10), await connected(site, b"bob", 1)
        assert (begun(mine), begun(other)) == (REQUESTS, 1)
        site.answers.set()
        await asyncio.sleep(0.01)
        assert begun(mine) == 10  # an answer that has begun counts no more: a stream lasts
        for one in (*mine, *other):
            one.ends.set()
            await one.task

    in_no_time(asked())


def test_strangers_share_the_turns_of_their_address():
    async def asked():
        site = Site()
        await known(site, b"ann")
        strangers = [one for n in range(10) for one in await connected(site, b"made up %d" % n, 1)]
        (elsewhere,) = await connected(site, b"made up", 1, host="198.51.100.2")
        (mine,) = await connected(site, b"ann", 1)
        assert (begun(strangers), elsewhere.begun, mine.begun) == (REQUESTS, True, True)

    in_no_time(asked())


def test_nobody_is_kept_out_by_requests_that_never_end():
    async def asked():
        site = Site()
        stuck = await connected(site, b"nobody", REQUESTS)
        late = await connected(site, b"nobody", 50)
        assert (begun(stuck), begun(late)) == (REQUESTS, 0)
        for number in range(1, 6):
            await asyncio.sleep(LONGEST_WAIT)
            assert begun(late) == max(
                0, number - 1
            )  # one after the other: all at once would be as if there were no turns

    in_no_time(asked())


def test_a_request_that_is_broken_off_while_it_waits_takes_no_turn():
    async def asked():
        site = Site()
        first, waiting = await connected(site, b"nobody", REQUESTS), await connected(site, b"nobody", 3)
        for one in (*waiting, *first):
            one.task.cancel()
        await asyncio.gather(*(one.task for one in (*waiting, *first)), return_exceptions=True)
        assert begun(await connected(site, b"nobody", REQUESTS + 1)) == REQUESTS

    in_no_time(asked())


def test_who_sends_slowly_keeps_nobody_waiting_and_takes_a_turn_again_when_all_is_there():
    async def asked():
        site = Site()
        slow = await connected(site, b"nobody", 3 * REQUESTS, method="POST")
        quick = await connected(site, b"nobody", REQUESTS)
        assert (begun(slow), begun(quick)) == (3 * REQUESTS, REQUESTS)
        for one in slow:
            one.sent.put_nowait({"type": "http.request", "body": b"", "more_body": False})
        await asyncio.sleep(0.01)
        assert sum(len(one.heard) for one in slow) == 0
        site.answers.set()
        await asyncio.sleep(0.01)
        assert sum(len(one.heard) for one in slow) == 3 * REQUESTS

    in_no_time(asked())


def test_an_account_has_so_many_pages_open_and_each_that_is_left_makes_room():
    async def opened():
        site = Site()
        await known(site, b"ann")
        await known(site, b"bob")
        mine = [one for _ in range(PAGES + 1) for one in await connected(site, b"ann", 1, "websocket")]
        (other,) = await connected(site, b"bob", 1, "websocket")
        assert [one.begun for one in mine] == [True] * PAGES + [False]
        assert mine[-1].told == [{"type": "websocket.close", "code": 1000, "reason": ""}]
        assert other.begun
        mine[0].leave()
        await mine[0].task
        (one_more,) = await connected(site, b"ann", 1, "websocket")
        assert one_more.begun

    in_no_time(opened())


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


def test_requests_of_one_account_come_so_many_at_once_and_then_so_many_a_second():
    async def asked():
        site = Site()
        await known(site, b"ann")
        site.answers.set()
        many = int(ASKED_AT_ONCE + 5 * ASKED_A_SECOND)
        mine = [Connection(site, b"ann") for _ in range(many)]
        strangers = [Connection(site, b"nobody") for _ in range(many)]
        for one in (*mine, *strangers):
            one.ends.set()
        await asyncio.sleep(0.01)
        assert (begun(mine), begun(strangers)) == (pytest.approx(ASKED_AT_ONCE, abs=2), len(strangers))
        await asyncio.sleep(3)
        assert begun(mine) == pytest.approx(ASKED_AT_ONCE + 3 * ASKED_A_SECOND, abs=2)
        await asyncio.gather(*(one.task for one in (*mine, *strangers)))

    in_no_time(asked())


def test_a_request_that_would_wait_long_is_refused_and_counts_for_nothing():
    async def asked():
        site = Site()
        await known(site, b"ann")
        site.answers.set()
        mine = [Connection(site, b"ann") for _ in range(5_000)]
        for one in mine:
            one.ends.set()
        await asyncio.gather(*(one.task for one in mine))
        assert begun(mine) == pytest.approx(ASKED_AT_ONCE + MOST_BEHIND * ASKED_A_SECOND, abs=2)
        refused = mine[-1].told[0]
        assert refused["status"] == 429
        assert dict(refused["headers"])[b"retry-after"] == b"11"
        await asyncio.sleep(MOST_BEHIND)
        (later,) = await connected(site, b"ann", 1)
        assert later.begun

    in_no_time(asked())


def test_a_session_that_has_ended_keeps_nobody_out():
    """With its cookie, somebody else could have the owner wait, who has signed in anew."""

    async def asked():
        site = Site()
        await known(site, b"ann, before")
        await known(site, b"ann, anew")
        site.answers.set()
        site.ended.add(b"ann, before")
        for _ in range(3_000):
            (theft,) = await connected(site, b"ann, before", 1)
            theft.ends.set()
            await theft.task
        (owner,) = await connected(site, b"ann, anew", 1)
        assert owner.begun

    in_no_time(asked())


def test_pages_that_are_opened_at_the_same_moment_are_counted_too():
    async def opened():
        site = Site()
        await known(site, b"ann")
        mine = await connected(site, b"ann", 10 * PAGES, "websocket")
        assert begun(mine) == PAGES

    in_no_time(opened())


def test_pages_whose_owner_was_not_known_yet_count_as_soon_as_it_is():
    async def opened():
        site = Site()
        mine = [one for n in range(2 * PAGES) for one in await connected(site, b"ann %d" % n, 1, "websocket")]
        assert sum({"type": "websocket.accept"} in one.told for one in mine) == PAGES
        (other,) = await connected(site, b"bob", 1, "websocket")  # from the same address
        assert other.told == [{"type": "websocket.accept"}]

    in_no_time(opened())


def test_pages_of_a_session_that_has_ended_make_room():
    async def opened():
        site = Site()
        await known(site, b"ann, anew")
        thefts = await connected(site, b"ann, before", PAGES, "websocket")
        site.ended.add(b"ann, before")
        (owner,) = await connected(site, b"ann, anew", 1, "websocket")
        assert owner.told == [{"type": "websocket.accept"}]
        await asyncio.sleep(SWEPT)
        assert all(one.told[1:] == [{"type": "websocket.close", "code": 1008}] for one in thefts)

    in_no_time(opened())


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


def test_what_is_remembered_of_browsers_is_bounded(monkeypatch):
    monkeypatch.setattr("characterbox.routes.turns.REMEMBERED", 3)

    async def asked():
        site = Site()
        for number in range(10):
            await known(site, b"ann %d" % number)
        assert (len(site.turns._known), len(site.turns._lanes)) == (3, 1)

    in_no_time(asked())
