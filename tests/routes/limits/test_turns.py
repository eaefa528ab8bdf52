"""The connections of one account take turns, and keep nobody else waiting."""

import asyncio

import pytest

import app
from characterbox.routes.limits.fair_share import (
    ASKED_A_SECOND,
    ASKED_AT_ONCE,
    LONGEST_WAIT,
    MOST_BEHIND,
    PAGES,
    REQUESTS,
)
from characterbox.routes.limits.turns import SWEPT
from characterbox.settings import settings
from tests.fakes.connection_turns import Connection, Site, begun, connected, known
from tests.fakes.virtual_time import in_no_time


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


def test_what_is_remembered_of_browsers_is_bounded(monkeypatch):
    monkeypatch.setattr("characterbox.routes.limits.turns.REMEMBERED", 3)

    async def asked():
        site = Site()
        for number in range(10):
            await known(site, b"ann %d" % number)
        assert (len(site.turns._known), len(site.turns._lanes)) == (3, 1)

    in_no_time(asked())
