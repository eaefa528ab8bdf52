"""The group-commit writer: what fails hurts nobody else, and nothing is lost or stuck."""

import threading
from concurrent.futures import wait

import pytest
from sqlalchemy import Column, Integer, MetaData, Table, insert, select
from sqlalchemy.exc import IntegrityError, OperationalError

from characterbox.errors import StoreError
from characterbox.store.engine import open_engine
from characterbox.store.writer import MAX_GROUP, Writer

NUMBERS = Table("numbers", MetaData(), Column("n", Integer, primary_key=True))


@pytest.fixture
def engine(url):
    engine = open_engine(url)
    NUMBERS.create(engine)
    yield engine
    engine.dispose()


@pytest.fixture
def writer(engine):
    writer = Writer(engine)
    yield writer
    writer.close()


def put(number):
    return lambda connection: connection.execute(insert(NUMBERS).values(n=number))


def stored(engine):
    with engine.connect() as connection:
        return sorted(connection.scalars(select(NUMBERS.c.n)))


class HeldUp:
    """Keeps the writer busy until it is let go, so that what comes in meanwhile makes one group."""

    def __init__(self, writer):
        self._go, begun = threading.Event(), threading.Event()
        self.first = writer.submit(lambda _: (begun.set(), self._go.wait(10)))
        assert begun.wait(10)

    def let_go(self):
        self._go.set()
        self.first.result(10)


@pytest.mark.slow
def test_what_fails_does_not_hurt_its_neighbours(engine, writer):
    held = HeldUp(writer)
    futures = [writer.submit(put(number)) for number in (1, 2, 1, 3)]
    held.let_go()
    wait(futures, 10)
    assert [future.exception() is None for future in futures] == [True, True, False, True]
    assert isinstance(futures[2].exception(), IntegrityError)
    assert stored(engine) == [1, 2, 3]


def test_an_error_of_another_kind_goes_to_the_one_who_wrote_too(engine, writer):
    def faulty(_):
        raise ZeroDivisionError

    held = HeldUp(writer)
    futures = [writer.submit(put(1)), writer.submit(faulty), writer.submit(put(2))]
    held.let_go()
    assert isinstance(futures[1].exception(10), ZeroDivisionError)
    wait(futures, 10)
    assert [future.exception() is None for future in futures] == [True, False, True]
    assert stored(engine) == [1, 2]


@pytest.mark.parametrize("alone", [True, False])
def test_a_write_that_nobody_waits_for_any_more_does_not_stop_the_writer(engine, writer, alone):
    held = HeldUp(writer)
    given_up = [writer.submit(put(1)), writer.submit(put(1))]
    for future in given_up:
        assert future.cancel()
    beside = [] if alone else [writer.submit(put(2))]
    held.let_go()
    for future in beside:
        future.result(10)
    writer.submit(put(3)).result(10)
    assert stored(engine) == [1, *([] if alone else [2]), 3]


def test_many_writers_at_once_lose_nothing(engine, writer):
    futures = []

    def work(start):
        futures.extend(writer.submit(put(number)) for number in range(start, start + 100))

    threads = [threading.Thread(target=work, args=(start,)) for start in range(0, 400, 100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for future in futures:
        future.result(10)
    assert stored(engine) == list(range(400))


def test_what_came_in_together_is_committed_together(engine, writer):
    seen = []
    held = HeldUp(writer)
    futures = [writer.submit(lambda connection: seen.append(id(connection))) for _ in range(MAX_GROUP)]
    held.let_go()
    wait(futures, 10)
    assert len(set(seen)) == 1


class Numbers:
    """A sink of numbers."""

    def write(self, connection, many):
        connection.execute(insert(NUMBERS), [{"n": number} for number in many])

    def committed(self):
        """Nothing is remembered."""


@pytest.mark.slow
def test_what_lingers_is_committed_with_the_next_write_that_does_not(engine, writer):
    sink = Numbers()
    lingering = [writer.put(sink, number, lingers=True) for number in (1, 2)]
    assert wait(lingering, timeout=0.2).done == set()
    writer.put(sink, 3).result(timeout=120)
    assert all(future.done() for future in lingering)
    assert stored(engine) == [1, 2, 3]


def test_what_lingers_is_committed_when_there_is_some_hurry_and_at_the_end(engine):
    writer, sink = Writer(engine), Numbers()
    first = writer.put(sink, 1, lingers=True)
    writer.hurry()
    first.result(timeout=120)
    assert stored(engine) == [1]
    writer.hurry()  # for nothing
    last = [writer.put(sink, number, lingers=True) for number in range(2, MAX_GROUP + 9)]
    writer.close()
    assert all(future.done() for future in last)
    assert len(stored(engine)) == MAX_GROUP + 8


def test_closing_finishes_what_was_submitted(engine):
    writer = Writer(engine)
    futures = [writer.submit(put(number)) for number in range(50)]
    writer.close()
    assert all(future.done() for future in futures)
    assert stored(engine) == list(range(50))


def test_a_closed_writer_refuses_instead_of_waiting_forever(engine):
    writer = Writer(engine)
    writer.close()
    with pytest.raises(StoreError, match="closed"):
        writer.submit(put(1))


class Refusal(Exception):
    """What a driver raises, with PostgreSQL's code for what went wrong."""

    def __init__(self, text, sqlstate):
        super().__init__(text)
        self.sqlstate = sqlstate


def test_a_database_that_cannot_be_written_to_is_told_to_all_at_once(engine, writer):
    def on_a_full_disk(_):
        raise OperationalError("insert", None, Refusal("disk full\nand more", "53100"))

    held = HeldUp(writer)
    futures = [writer.submit(put(1)), writer.submit(on_a_full_disk), writer.submit(put(2))]
    held.let_go()
    for future in futures:
        with pytest.raises(StoreError, match=r"^the database cannot be written to: disk full$"):
            future.result(10)
    assert stored(engine) == []


def test_a_group_that_others_got_in_the_way_of_is_written_again(engine, writer):
    tries = []

    def in_a_deadlock_once(_):
        tries.append(1)
        if len(tries) == 1:
            raise OperationalError("insert", None, Refusal("deadlock detected", "40P01"))

    held = HeldUp(writer)
    futures = [writer.submit(put(1)), writer.submit(in_a_deadlock_once), writer.submit(put(2))]
    held.let_go()
    wait(futures, 10)
    assert [future.exception() for future in futures] == [None, None, None]
    assert stored(engine) == [1, 2]
