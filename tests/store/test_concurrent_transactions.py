"""Two processes on one database: what one has looked at stays as it was until the other has committed."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from uuid import uuid4

import pytest

from annotations.marking.marks import Score
from characterbox.accounts.account import LOCAL
from characterbox.errors import AccountError
from characterbox.store import Store
from characterbox.store.campaigns.marks import MARK, Check
from characterbox.store.ratings.ratings import rating_of
from tests.fakes.campaigns import mark, running
from tests.fakes.databases import connection_to
from tests.fakes.scenes import a_scene

SOON = 0.3
"""Seconds after which what has not waited would be done."""


@pytest.fixture
def other(store, url):
    """The same database, as another process has it."""
    other = Store(url)
    yield other
    other.close()


@contextmanager
def being_marked(store, assignment):
    """A mark of another process that has been looked at, and is not committed before the end."""
    looked, go_on = threading.Event(), threading.Event()

    def look(place, said, sheet):
        looked.set()
        assert go_on.wait(10)
        return said

    def append():
        return asyncio.run(
            store.marks.append(assignment.id, uuid4(), Score(metric="KA", score=1), Check(lambda place: None, look))
        )

    with ThreadPoolExecutor(1) as thread:
        receipt = thread.submit(append)
        assert looked.wait(10)
        try:
            yield receipt
        finally:
            go_on.set()


@pytest.mark.slow
def test_a_campaign_is_closed_when_the_marks_before_it_are_committed(store, other):
    campaign, _, assigned = running(store, a_scene("Ann"), "Cai")
    closing = threading.Thread(target=store.campaigns.move, args=(campaign.id, "closed", LOCAL))
    with being_marked(other, assigned["Cai"][0]):
        closing.start()
        closing.join(SOON)
        assert closing.is_alive()
        assert store.campaigns.campaign(campaign.id).status == "running"
    closing.join(10)
    assert store.campaigns.campaign(campaign.id).status == "closed"
    assert len(store.marks.entries(assigned["Cai"][0].id)) == 1


@pytest.mark.slow
def test_numbers_are_in_the_order_of_commits(url, store, other):
    _, story, assigned = running(store, a_scene("Ann"), "Cai", "Dora")
    before = store.newest()

    def later():
        asyncio.run(mark(store, assigned["Dora"][0], Score(metric="KA", score=2)))
        store.ratings.add([rating_of(story, "Ann", rater="GPT-4", metric="KA", score=3)])

    adding = threading.Thread(target=later)
    with being_marked(other, assigned["Cai"][0]):
        adding.start()
        adding.join(SOON)
        assert store.newest() == before
    adding.join(10)
    with connection_to(url) as connection:
        marked = connection.execute(MARK.select().order_by(MARK.c.id)).all()
    assert [(row.assignment, row.score) for row in marked] == [
        (assigned["Cai"][0].id, 1),
        (assigned["Dora"][0].id, 2),
    ]
    assert store.newest().mark == marked[-1].id


async def test_clicks_on_one_item_from_two_processes_are_numbered_without_gaps(store, other):
    _, _, assigned = running(store, a_scene("Ann"), "Cai")
    said = [(each, Score(metric="KA", score=1 + n % 5)) for n in range(15) for each in (store, other)]
    receipts = await asyncio.gather(*(mark(each, assigned["Cai"][0], score) for each, score in said))
    assert sorted(receipt.revision for receipt in receipts) == list(range(1, 31))


async def test_a_click_that_two_processes_get_is_one(store, other):
    _, _, assigned = running(store, a_scene("Ann"), "Cai")
    click, said = uuid4(), Score(metric="KA", score=4)
    receipts = await asyncio.gather(*(mark(each, assigned["Cai"][0], said, click) for each in (store, other) * 4))
    assert len(set(receipts)) == 1
    assert len(store.marks.entries(assigned["Cai"][0].id)) == 1


def test_two_admins_who_disable_each_other_at_once_leave_one(store, other):
    ann, bob = (store.accounts.add(LOCAL, name, "admin") for name in ("Ann", "Bob"))
    together = threading.Barrier(2)

    def disable(each, actor, whom):
        together.wait(10)
        try:
            each.accounts.disable(actor, whom.id)
        except AccountError as error:
            return str(error)
        return "disabled"

    with ThreadPoolExecutor(2) as threads:
        outcomes = list(threads.map(disable, (store, other), (ann, bob), (bob, ann)))
    assert sorted("last admin" in outcome for outcome in outcomes) == [False, True], outcomes
    assert sorted(account.disabled_at is None for account in store.accounts.all()) == [False, True]
