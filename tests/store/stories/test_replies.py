"""Prompts come back byte for byte, every line of them is stored once, and what was not committed is not remembered."""

import asyncio
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select, text
from sqlalchemy.exc import IntegrityError

from characterbox.llm.request import ChatMessage
from characterbox.store.engine import open_engine
from characterbox.store.stories.replies import PromptSink, read_prompts
from characterbox.store.tables.columns import table_of
from characterbox.store.tables.stories import PartRow
from tests.fakes.databases import database_in, listening
from tests.fakes.examples import examples
from tests.fakes.stories import a_reply, a_story
from tests.fakes.waiting import until

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=80) | st.text("ab\n\r 演")
MESSAGES = st.lists(st.builds(ChatMessage, st.sampled_from(["system", "user", "assistant"]), TEXTS), max_size=4).map(
    tuple
)
HOLMES = (ChatMessage("system", "Be Holmes.\n\nSpeak English."), ChatMessage("user", "\nIt rains.\nWatson enters.\n\n"))


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
    more = (*HOLMES, ChatMessage("assistant", "Speak English."), ChatMessage("user", "Be Holmes."))
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
        outcomes = await asyncio.gather(*map(claimed.answered, replies), return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [IntegrityError, type(None), type(None)]
        await claimed.answered(a_reply("r4/ann/action", messages=HOLMES))
    assert [reply.messages for reply in store.stories.journal(story.id)][1:] == [HOLMES] * 3


def test_the_last_lines_are_remembered_and_the_database_is_asked_for_older_ones(url, engine):
    sink = PromptSink(engine.dialect.name, remembered=10)
    prompts = [(ChatMessage("user", f"line {number}"),) for number in range(12)]
    for prompt in prompts:
        stored(engine, sink, [prompt])
    asked = []
    for prompt in (*prompts[2:], prompts[0]):
        with listening(url) as statements:
            stored(engine, sink, [prompt])
        asked.append(bool(statements))
    assert asked == [False] * 10 + [True]


def test_what_is_forgotten_is_found_again(engine):
    sink = PromptSink(engine.dialect.name, remembered=10)
    long = [(ChatMessage("user", "".join(f"line {n}\n" for n in range(start, start + 20))),) for start in (0, 10, 0)]
    packed = [stored(engine, sink, [messages])[0] for messages in long]
    assert read(engine, packed) == long
    assert count(engine) == 32  # 30 lines; `line 0` and `line 10` begin a prompt, the latter also stands within one


def test_a_prompt_of_very_many_lines_is_stored(engine):
    huge = (ChatMessage("user", "\n".join(map(str, range(5000)))),)
    assert read(engine, stored(engine, PromptSink(engine.dialect.name), [huge])) == [huge]


@pytest.mark.parametrize("kind", ["postgresql"], indirect=True)
def test_two_who_store_the_same_lines_in_different_orders_do_not_lock_each_other_up(engine):
    x, y = (ChatMessage("user", "x"),), (ChatMessage("user", "y"),)
    begun = threading.Event()

    def store_in_turn(*prompts, then=lambda: None):
        sink = PromptSink("postgresql")
        with engine.begin() as connection:
            packed = sink.store(connection, prompts[:1])
            begun.set()
            then()
            return packed + sink.store(connection, prompts[1:])

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(store_in_turn, x, y, then=lambda: until(lambda: somebody_waits(engine)))
        assert begun.wait(10)
        second = threads.submit(store_in_turn, y, x)
        assert read(engine, first.result(30) + second.result(30)) == [x, y, y, x]


def somebody_waits(engine):
    """Whether a session waits for a lock."""
    with engine.connect() as connection:
        return bool(connection.scalar(text("SELECT count(*) FROM pg_locks WHERE NOT granted")))


@pytest.mark.parametrize("dropped", [(), ("Ann came.", "It rained.")])
@pytest.mark.parametrize("refused", [(), ("seed", "temperature")])
async def test_what_was_left_out_of_a_request_comes_back(store, dropped, refused):
    story, reply = a_story(store), a_reply(dropped=dropped, refused=refused)
    with store.stories.claimed(story.id) as claimed:
        await claimed.answered(reply)
    (back,) = store.stories.journal(story.id)
    assert (back.dropped, back.usage.refused) == (dropped, refused)
    assert store.stories.refused(story.id, under="r") == ({"m": refused} if refused else {})
    assert store.stories.refused(story.id, under="judges/") == {}
