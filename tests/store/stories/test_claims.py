"""Who writes for a story: one process at a time. One that is gone holds nothing; one that is replaced is refused."""

import asyncio
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing.connection import Pipe

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.exc import IntegrityError

from annotations.i18n.translation import speaking, translate
from characterbox.errors import PlayedElsewhere, StoryError, Superseded
from characterbox.play.events import Action
from characterbox.store import Store
from characterbox.store.engine import open_engine
from characterbox.store.stories.claims import Claims, lock_number
from characterbox.store.stories.stories import StoryStore
from characterbox.store.writer import Writer
from tests.fakes.forked_processes import start
from tests.fakes.reasons import a_reason
from tests.fakes.stories import a_reply, a_story
from tests.fakes.waiting import until

pytestmark = pytest.mark.process

STORY = "0123456789ab"
ACTION = Action(path="r1/ann/action", round=1, turn="Ann", character="Ann", text="Ann bows.")


@pytest.fixture
def other(url, store):
    """A second store on the same database; on SQLite, its locks are those of the same process, and never refused."""
    other = Store(url)
    yield other
    other.close()


def hold(url, key, line):
    """In another process: hold a story until it is told otherwise."""
    with Store(url).stories.claimed(key):
        line.send("held")
        line.recv()


def write_when_told(url, key, line):
    """In another process: hold a story, and write for it when told to."""
    late = Action(path="r1/ann/action", round=1, turn="Ann", character="Ann", text="Late.")

    async def write(claimed):
        await claimed.record(1, late)

    with Store(url).stories.claimed(key) as claimed:
        line.send("held")
        line.recv()
        try:
            asyncio.run(write(claimed))
        except Superseded:
            line.send("refused")
        else:
            line.send("written")


def try_alike(url, key, line):
    """In another process, where all keys share a lock: try to hold one, as often as told."""
    with claims_on(url, lambda key: 7) as (claims, _, _):
        while line.recv():
            try:
                with claims.on(key):
                    line.send("free")
            except PlayedElsewhere:
                line.send("refused")


class Other:
    """Another process, which is told what to do, and answers."""

    def __init__(self, do, url, key, folder):
        self.line, theirs = Pipe()
        self.forked = start(do, (url, key, theirs), folder, os.environ, folder / "other.out", folder / "other.err")
        theirs.close()

    def told(self):
        assert self.line.poll(60), self.forked.log.read_text(encoding="utf-8")
        return self.line.recv()

    def asked(self, what):
        self.line.send(what)
        return self.told()


@pytest.fixture
def started(url, tmp_path):
    """Starts other processes on the database, and ends them."""
    others = []

    def started(do, key):
        others.append(Other(do, url, key, tmp_path))
        return others[-1]

    yield started
    for other in others:
        other.forked.kill()
        other.line.close()


def end_sessions(url):
    """Ends every session of a PostgreSQL database, as a restart or a broken line does."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "select pg_terminate_backend(pid, 10000) from pg_stat_activity"
            " where datname = current_database() and pid <> pg_backend_pid()"
        )


def lock_holders(url):
    with psycopg.connect(url) as connection:
        return connection.execute("select count(*) from pg_locks where locktype = 'advisory'").fetchone()[0]


def test_another_process_is_refused_until_the_first_is_gone(url, store, started):
    other = started(hold, STORY)
    assert other.told() == "held"
    with pytest.raises(StoryError, match="another process is working on it"), store.stories.claimed(STORY):
        pass
    with store.stories.claimed("0123456789ac"), store.stories.writing_replies(STORY, "gpt-4"):
        pass
    other.forked.kill()
    if url.startswith("postgresql"):  # its server takes a moment to see that the process is gone
        until(lambda: not lock_holders(url))
    with store.stories.claimed(STORY) as claimed:
        assert claimed.claim.fence == 2


@pytest.fixture
def stopped_holder(store, started):
    """A story, and a process that holds it and was stopped; told to go on, it writes, and says what came of it."""
    story = a_story(store)
    holder = started(write_when_told, story.id)
    assert holder.told() == "held"
    holder.forked.signal(signal.SIGSTOP)
    return story, holder


def goes_on(holder):
    holder.forked.signal(signal.SIGCONT)
    return holder.asked("write")


def test_a_process_that_is_stopped_holds_its_story_still(store, stopped_holder):
    story, holder = stopped_holder
    for _ in range(50):
        with pytest.raises(StoryError, match="another process is working on it"), store.stories.claimed(story.id):
            pass
    assert goes_on(holder) == "written"
    assert [event.text for event in store.stories.events(story.id)] == ["Late."]


@pytest.mark.parametrize("kind", ["postgresql"], indirect=True)
async def test_a_process_that_lost_its_session_while_it_was_stopped_is_refused(url, store, stopped_holder):
    story, holder = stopped_holder
    end_sessions(url)
    with store.stories.claimed(story.id) as claimed:
        await claimed.record(1, ACTION)
        assert goes_on(holder) == "refused"
    assert store.stories.events(story.id) == [ACTION]


def test_within_a_process_too_a_story_is_claimed_once(store):
    with (
        store.stories.claimed(STORY),
        pytest.raises(StoryError, match="this process is already working on it"),
        store.stories.claimed(STORY),
    ):
        pass
    with store.stories.claimed(STORY):
        pass


def test_each_judge_is_at_work_once(store):
    with store.stories.writing_replies(STORY, "gpt-4"), store.stories.writing_replies(STORY, "max"):
        with (
            pytest.raises(StoryError, match=f"{STORY}, judge/max: this process is at it"),
            store.stories.writing_replies(STORY, "max"),
        ):
            pass
        with store.stories.claimed(STORY):
            pass


@contextmanager
def claims_on(url, number=lock_number):
    """The claims of a process on a database, without a store around them, and its writer."""
    engine = open_engine(url)
    writer = Writer(engine)
    claims = Claims(engine, writer, number)
    yield claims, writer, engine
    writer.close()
    claims.close()
    engine.dispose()


def test_keys_that_share_a_lock_do_not_get_in_each_others_way(url, started):
    other = started(try_alike, "c")
    with claims_on(url, lambda key: 7) as (claims, _, _):
        with claims.on("a"):
            with claims.on("b"):
                pass
            assert other.asked("try") == "refused"
        assert other.asked("try") == "free"


@given(st.text())
def test_locks_have_numbers_that_fit_and_are_nobody_elses(key):
    assert 2**62 <= lock_number(key) < 2**63


async def every_write(claimed):
    """Tries each kind of write; tells how many were refused, and of how many."""
    writes = [
        claimed.asked("r2/ann/action", 0),
        claimed.answered(a_reply("r2/ann/action")),
        claimed.answered(a_reply("r2/bob/action", author="human")),
        claimed.record(2, ACTION.model_copy(update={"path": "r2/ann/action"})),
        claimed.forget_events(1),
        claimed.move("ended"),
    ]
    outcomes = [await asyncio.gather(write, return_exceptions=True) for write in writes]
    errors = [outcome for [outcome] in outcomes if isinstance(outcome, Exception)]
    assert all(isinstance(error, Superseded) and "another process has taken over" in str(error) for error in errors)
    return len(errors), len(writes)


async def test_whoever_was_replaced_writes_nothing_more(url, store, other):
    story = a_story(store)
    with store.stories.claimed(story.id) as first:
        await first.record(1, ACTION)
        if url.startswith("postgresql"):
            end_sessions(url)
        with other.stories.claimed(story.id) as second:
            assert (first.claim.fence, second.claim.fence) == (1, 2)
            refused, tried = await every_write(first)
            assert refused == tried
            assert other.stories.events(story.id) == [ACTION]
            assert other.stories.journal(story.id) == []
            assert other.stories.unanswered(story.id) == 0
            assert other.stories.story(story.id).status == "running"
            assert (await every_write(second))[0] == 0
        assert (await every_write(first))[0] == tried
    with store.stories.claimed(story.id) as third:
        assert third.claim.fence == 3


async def test_of_those_who_commit_together_only_the_replaced_one_is_refused(store, other, url):
    ids = [a_story(store).id for _ in range(3)]
    begun, go = threading.Event(), threading.Event()
    with claims_on(url) as (claims, writer, engine), ExitStack() as claimed:
        stories = StoryStore(engine, writer, claims)
        mine = [claimed.enter_context(stories.claimed(id)) for id in ids]
        if url.startswith("postgresql"):
            end_sessions(url)
        with other.stories.claimed(ids[1]):
            held = writer.submit(lambda _: (begun.set(), go.wait(60)))
            await asyncio.to_thread(begun.wait, 60)
            writes = [story.answered(a_reply(f"r{take}/ann/action")) for take in (1, 2) for story in mine]
            go.set()
            outcomes = await asyncio.gather(*writes, return_exceptions=True)
            assert held.result(60)[1]
            assert [type(outcome) for outcome in outcomes] == 2 * [type(None), Superseded, type(None)]
    assert [len(store.stories.journal(id)) for id in ids] == [2, 0, 2]


def test_nobody_takes_over_between_check_and_commit(url):
    checked, go = threading.Event(), threading.Event()

    def write(connection):
        checked.set()
        go.wait(10)

    def take_over():
        with other.on(STORY) as claim:
            return claim.fence

    with (
        claims_on(url) as (claims, writer, _),
        claims_on(url) as (other, _, _),
        claims.on(STORY) as first,
        ThreadPoolExecutor(1) as thread,
    ):
        if url.startswith("postgresql"):
            end_sessions(url)
        writing = writer.submit(write, first)
        assert checked.wait(10)
        taking = thread.submit(take_over)
        with pytest.raises(TimeoutError):
            taking.result(0.3)
        go.set()
        writing.result(10)
        assert taking.result(10) == 2
        assert isinstance(writer.submit(write, first).exception(10), Superseded)


SESSIONS = pytest.mark.parametrize("kind", ["postgresql"], indirect=True)
"""SQLite has none."""


@SESSIONS
async def test_a_lost_session_is_noticed_and_its_locks_are_taken_again(url, store, other):
    a, b, c = (a_story(store).id for _ in range(3))
    with store.stories.claimed(a) as claimed:
        with store.stories.claimed(b):
            end_sessions(url)
        assert lock_holders(url) == 0
        with store.stories.claimed(c):
            with pytest.raises(StoryError), other.stories.claimed(a):
                pass
            with other.stories.claimed(b):
                pass
        await claimed.record(1, ACTION)
    assert store.stories.events(a) == [ACTION]
    assert lock_holders(url) == 0


@SESSIONS
def test_a_session_that_holds_locks_is_not_ended_for_idling(url):
    def one_more():
        """A session that idles."""
        with suppress(psycopg.Error), psycopg.connect(url, autocommit=True) as session:
            connected = "select count(*) from pg_stat_activity where pid = %s"
            until(lambda: not connection.execute(connected, [session.info.backend_pid]).fetchone()[0])

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("alter role tester set idle_session_timeout = '2s'")
        try:
            store = Store(url)
            with store.stories.claimed("a"):
                one_more()
                assert lock_holders(url) == 1
            store.close()
        finally:
            connection.execute("alter role tester reset idle_session_timeout")


def test_a_status_is_changed_only_while_nobody_plays(store):
    story = a_story(store)
    with store.stories.claimed(story.id), pytest.raises(StoryError, match="this process is already working on it"):
        store.stories.move(story.id, "stopped")
    store.stories.move(story.id, "stopped", a_reason("enough"))
    assert (store.stories.story(story.id).status, store.stories.story(story.id).reason) == (
        "stopped",
        a_reason("enough"),
    )


async def test_what_nobody_waits_for_is_written_soon_and_in_order(store):
    story, told = a_story(store), []
    with store.stories.claimed(story.id) as claimed:
        claimed.answered(a_reply())
        claimed.record(1, ACTION).then(lambda: told.append(store.stories.events(story.id)))
        assert store.stories.events(story.id) == []
        await claimed.asked("r1/ann/dialogue", 0)
        assert told == [[ACTION]]
        assert store.stories.journal(story.id) == [a_reply()]
        claimed.answered(a_reply("r1/ann/dialogue"))
        end = asyncio.get_running_loop().time() + 10
        while len(store.stories.journal(story.id)) < 2 and asyncio.get_running_loop().time() < end:
            await asyncio.sleep(0.005)
        assert len(store.stories.journal(story.id)) == 2
        claimed.record(2, ACTION.model_copy(update={"path": "r1/bob/action"}))
    assert len(store.stories.events(story.id)) == 2


async def test_what_a_write_failed_with_that_nobody_waited_for_is_raised_by_the_next_one(store):
    story = a_story(store)
    with store.stories.claimed(story.id) as claimed:
        await claimed.record(1, ACTION)
        claimed.record(1, ACTION).then(lambda: pytest.fail("it is not stored"))
        with pytest.raises(IntegrityError):
            await claimed.asked("r1/ann/dialogue", 0)
        await claimed.asked("r1/ann/dialogue", 1)
    with pytest.raises(IntegrityError), store.stories.claimed(story.id) as claimed:
        claimed.record(1, ACTION)
    assert store.stories.events(story.id) == [ACTION]


def test_who_is_at_it_is_told_in_the_language_of_whoever_reads_it(store):
    with store.stories.claimed(STORY), pytest.raises(PlayedElsewhere) as found, store.stories.claimed(STORY):
        raise AssertionError("it was claimed twice")
    with speaking("zh"):
        assert translate(found.value) == f"故事 {STORY}：本进程已在处理；请稍后再试"
    assert str(found.value) == f"story {STORY}: this process is already working on it; try again in a moment"
