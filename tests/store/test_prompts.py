"""Prompts come back byte for byte, every line of them is stored once, and what was not committed is not remembered."""

import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select

from characterbox.llm.request import Message
from characterbox.store import prompts
from characterbox.store.engine import open_engine
from characterbox.store.prompts import PromptSink, read_prompts
from characterbox.store.tables import PartRow, table_of
from tests.fakes.databases import database_in
from tests.fakes.examples import examples
from tests.fakes.stories import a_reply, a_story

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=80) | st.text("ab\n\r 演")
MESSAGES = st.lists(st.builds(Message, st.sampled_from(["system", "user", "assistant"]), TEXTS), max_size=4).map(tuple)
HOLMES = (Message("system", "Be Holmes.\n\nSpeak English."), Message("user", "\nIt rains.\nWatson enters.\n\n"))


@pytest.fixture
def engine(url):
    engine = open_engine(url)
    yield engine
    engine.dispose()


def count(engine):
    with engine.connect() as connection:
        return connection.scalar(select(func.count()).select_from(table_of(PartRow)))


def stored(engine, sink, prompts):
    with engine.begin() as connection:
        packed = sink.store(connection, prompts)
    sink.committed()
    return packed


def read(engine, packed):
    with engine.connect() as connection:
        return read_prompts(connection, packed)


@contextmanager
def new_engine():
    with tempfile.TemporaryDirectory() as folder:
        engine = open_engine(database_in(Path(folder) / "x.db"))
        yield engine
        engine.dispose()


@settings(max_examples=examples(15, 30), deadline=None)
@given(st.lists(st.lists(MESSAGES, max_size=4), min_size=1, max_size=4))
def test_what_is_read_is_what_was_stored(groups):
    with new_engine() as engine:
        sink = PromptSink("sqlite")
        packed = [packed for group in groups for packed in stored(engine, sink, group)]
        assert read(engine, packed) == [messages for group in groups for messages in group]


def test_a_line_is_stored_once_whoever_stores_it(engine):
    first, second = PromptSink(engine.dialect.name), PromptSink(engine.dialect.name)
    packed = stored(engine, first, [HOLMES, HOLMES])
    assert count(engine) == 5
    more = (*HOLMES, Message("assistant", "Speak English."), Message("user", "Be Holmes."))
    packed += stored(engine, second, [more]) + stored(engine, first, [more])
    assert count(engine) == 6
    assert read(engine, packed) == [HOLMES, HOLMES, more, more]


def test_what_was_not_committed_is_not_remembered(engine):
    sink = PromptSink(engine.dialect.name)
    with engine.connect() as connection:
        sink.store(connection, [HOLMES])
        connection.rollback()
    assert count(engine) == 0
    assert read(engine, stored(engine, sink, [HOLMES])) == [HOLMES]
    assert count(engine) == 5


async def test_a_group_that_failed_leaves_its_neighbours_their_prompts(store):
    story = a_story(store)
    with store.stories.claimed(story.id) as claimed:
        await claimed.answered(a_reply())
        replies = [a_reply(), *(a_reply(f"r{n}/ann/action", messages=HOLMES) for n in (2, 3))]
        futures = [store._writer.put(claimed._sinks.replies, (story.id, reply), claimed.claim) for reply in replies]
        assert [future.exception(10) is None for future in futures] == [False, True, True]
        await claimed.answered(a_reply("r4/ann/action", messages=HOLMES))
    assert [reply.messages for reply in store.stories.journal(story.id)][1:] == [HOLMES] * 3


def test_memory_is_bounded_and_what_is_forgotten_is_found_again(engine, monkeypatch):
    monkeypatch.setattr(prompts, "_REMEMBERED", 10)
    sink = PromptSink(engine.dialect.name)
    long = [(Message("user", "".join(f"line {n}\n" for n in range(start, start + 20))),) for start in (0, 10, 0)]
    packed = [stored(engine, sink, [messages])[0] for messages in long]
    assert len(sink._known) == 10
    assert read(engine, packed) == long
    assert count(engine) == 32  # 30 lines; `line 0` and `line 10` begin a prompt, the latter also stands within one


def test_a_prompt_of_very_many_lines_is_stored(engine):
    huge = (Message("user", "\n".join(map(str, range(5000)))),)
    assert read(engine, stored(engine, PromptSink(engine.dialect.name), [huge])) == [huge]


@pytest.mark.parametrize("kind", ["postgresql"], indirect=True)
def test_two_who_store_the_same_lines_in_different_orders_do_not_lock_each_other_up(engine):
    x, y = (Message("user", "x"),), (Message("user", "y"),)

    def store_in_turn(*prompts, pause=0.0):
        sink = PromptSink("postgresql")
        with engine.begin() as connection:
            packed = sink.store(connection, prompts[:1])
            begun.set()
            time.sleep(pause)
            return packed + sink.store(connection, prompts[1:])

    begun = threading.Event()
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(store_in_turn, x, y, pause=0.5)
        assert begun.wait(10)
        second = threads.submit(store_in_turn, y, x)
        assert read(engine, first.result(10) + second.result(10)) == [x, y, y, x]
