"""Two processes on one database never play the same story, whatever happens to one of them."""

import os
import signal
import time

import psycopg
import pytest

from bench.kills import STORIES, Ordeal, end_worker
from bench.workers import EAGER, new_event, start_worker
from characterbox.errors import StoryError
from characterbox.play.world import Script
from characterbox.store import Store
from tests.fakes.scenes import a_scene

pytestmark = pytest.mark.process

SEVERAL = 20 * EAGER.every
"""Seconds in which a worker looks for stories many times."""


@pytest.fixture
def store(database):
    store = Store(database)
    yield store
    store.close()


@pytest.fixture
def ordeal(store, server):
    return Ordeal(store, server, Script(scene=a_scene(), rounds=2))


@pytest.fixture
def begin(database):
    """Starts a worker, which is killed at the end, also while it is stopped."""
    workers = []

    def begin(started=None):
        workers.append(start_worker(database, started))
        return workers[-1]

    yield begin
    for worker in workers:
        if worker.is_alive():
            end_worker(worker)


def check(ordeal, *, repeated, late=0):
    """The stories are those of an undisturbed play, and no more calls than so many were sent twice.

    `late` of them may have been sent when their replies had been recorded by another: by who was about to send them.
    """
    ordeal.wait_for_the_end()
    ordeal.judge()
    found = ordeal.found
    assert (found.lost, found.misplaced) == (0, 0)
    assert found.asked_again <= late
    assert found.repeated <= found.unanswered <= repeated


def refused(store, id):
    try:
        with store.stories.claimed(id):
            return False
    except StoryError:
        return True


def test_of_many_workers_one_plays_each_story(begin, ordeal, store):
    ordeal.launch()
    for _ in range(4):
        begin()
    ordeal.wait_for_calls(5)
    playing = ordeal.unfinished
    refusals = 0
    for _ in range(20):
        refusals += sum(refused(store, id) for id in playing)
        ordeal.wait_for_calls(2)
    assert refusals > 0
    check(ordeal, repeated=0)
    assert ordeal.found.stories >= STORIES


def test_who_is_stopped_keeps_its_stories_and_who_is_killed_leaves_them(begin, ordeal, store, server):
    ordeal.launch()
    first = begin()
    while not all(refused(store, id) for id in ordeal.unfinished):
        assert first.is_alive()
        time.sleep(0.01)
    os.kill(first.pid, signal.SIGSTOP)
    second = begin()
    quiet(server)
    os.kill(first.pid, signal.SIGCONT)
    ordeal.wait_for_calls(5)
    os.kill(first.pid, signal.SIGSTOP)
    quiet(server)
    ordeal.look()
    end_worker(first)
    ordeal.wait_for_calls(1)
    ordeal.look()
    assert second.is_alive()
    check(ordeal, repeated=4 * STORIES)


def quiet(server):
    """Nobody asks anything for a while, though there is a worker that looks for what it can play."""
    server.catch_up()
    seen = len(server.seen)
    time.sleep(SEVERAL)
    assert len(server.seen) == seen


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_who_has_lost_its_session_is_replaced_and_writes_nothing_more(begin, ordeal, database, store):
    ordeal.launch()
    started = new_event()
    first = begin(started)
    assert started.wait(60)  # while it starts, it would end with its session
    while not all(refused(store, id) for id in ordeal.unfinished):
        assert first.is_alive()
        time.sleep(0.01)
    os.kill(first.pid, signal.SIGSTOP)
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where datname = current_database() and pid <> pg_backend_pid()"
        )
    second = begin()
    ordeal.wait_for_calls(5)
    ordeal.look()
    os.kill(first.pid, signal.SIGCONT)
    ordeal.wait_for_calls(5)
    assert first.is_alive()
    assert second.is_alive()
    under_way = 4 * STORIES
    check(ordeal, repeated=under_way, late=under_way)
