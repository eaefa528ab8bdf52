"""The stage plays stories whoever watches, and stops and goes on in good order."""

import asyncio
import threading

import pytest
from sqlalchemy import update

from characterbox.errors import StoreError, StoryError
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.pause_reasons import Reason
from characterbox.play.world import Script
from characterbox.stage.live.hub import MAX_BACKLOG, Hub, Notice
from characterbox.stage.stage import Stage
from characterbox.store import Store
from characterbox.store.stories.story import STORY
from tests.fakes.databases import connection_to
from tests.fakes.mock_server import mock_server
from tests.fakes.scenes import a_scene
from tests.fakes.stories import casting_at
from tests.fakes.waiting import until
from tests.stage.control import BELIEFS

pytestmark = pytest.mark.process

REHEARSAL = Endpoint.parse("rehearsal")
SCRIPT = Script(scene=a_scene(), rounds=1)


class Stages:
    """Opens stages on one database, and closes them."""

    def __init__(self, url):
        self.url = url
        self.open = []

    def __call__(self, client=None):
        self.open.append(Stage(Store(self.url), client or Client()))
        return self.open[-1]

    def close(self, stage):
        self.open.remove(stage)
        stage.close()


@pytest.fixture
def open_stage(url):
    stages = Stages(url)
    yield stages
    for stage in [*stages.open]:
        stages.close(stage)


def launched(stage, endpoint=REHEARSAL, script=SCRIPT):
    return stage.launch(script, casting_at(endpoint, script.scene))


def status(stage, story):
    return stage.store.stories.story(story.id).status


def at_rest(stage, story):
    until(lambda: not stage.playing(story.id))
    return status(stage, story)


def test_a_launched_story_is_played_to_its_end(open_stage):
    stage = open_stage()
    story = launched(stage)
    assert at_rest(stage, story) == "ended"
    events = stage.store.stories.events(story.id)
    assert events[-1].kind == "story_ended"
    assert story.launched_from == "app"


async def watched(stage, story):
    """The notices until the story has ended."""
    notices = []
    with stage.hub.watching(story.id) as watcher:
        stage.resume(story.id)
        while not notices or notices[-1].content.get("status") != "ended":
            notices.append(await asyncio.wait_for(watcher.next(), 60))
    return notices


async def test_who_watches_is_told_all_that_happens_in_order(open_stage):
    stage = open_stage()
    story = stage.store.stories.create(SCRIPT, casting_at(REHEARSAL, SCRIPT.scene), "app")
    notices = await watched(stage, story)
    events = [notice for notice in notices if notice.kind == "event"]
    stored = stage.store.stories.events(story.id)
    assert [notice.seq for notice in events] == list(range(1, len(stored) + 1))
    assert [notice.content["path"] for notice in events] == [event.path for event in stored]
    assert notices[-1] == Notice("status", {"status": "ended", "reason": None, "people": []})
    assert Notice("asking", {"path": "r1/ann/action", "kind": "action", "character": "Ann"}) in notices
    reaction = next(event for event in stored if event.kind == "reaction")
    told = [notice for notice in notices if notice.content.get("path") == reaction.path]
    assert told[0].kind == "asking"
    assert "".join(one.content["text"] for one in told if one.kind == "token") == reaction.text
    assert told[-1].kind == "event"
    reactions = [n.content for n in notices if n.kind == "asking" and n.content["kind"] == "reaction"]
    assert all(one["character"] != {"ann": "Ann", "bob": "Bob"}[one["path"].split("/")[1]] for one in reactions)


async def test_a_paused_story_rests_when_pause_comes_back_and_can_be_resumed(open_stage):
    with mock_server(answers=BELIEFS) as server:
        stage = open_stage()
        story = stage.store.stories.create(SCRIPT, casting_at(Endpoint(url=server.url, model="m"), SCRIPT.scene), "app")
        with stage.hub.watching(story.id) as watcher:
            stage.resume(story.id)
            while (await asyncio.wait_for(watcher.next(), 60)).kind != "event":
                pass
            stage.rest(story.id)
            server.answers = None
            await asyncio.to_thread(stage.pause, story.id)
            assert status(stage, story) == "paused"
            assert not stage.playing(story.id)
            before = stage.store.stories.events(story.id)
            while (await asyncio.wait_for(watcher.next(), 60)).content.get("status") != "paused":
                pass
        other = await asyncio.to_thread(launched, stage)
        assert await asyncio.to_thread(at_rest, stage, other) == "ended"
        assert stage.store.stories.events(story.id) == before, "though others go on"
        stage.resume(story.id)
        assert await asyncio.to_thread(at_rest, stage, story) == "ended"
        assert stage.store.stories.events(story.id)[: len(before)] == before


def test_a_story_paused_at_once_is_paused(open_stage):
    stage = open_stage()
    for _ in range(10):
        story = launched(stage)
        stage.pause(story.id)
        assert status(stage, story) == "paused"


def test_whoever_pauses_and_resumes_at_the_same_time_no_story_is_left_running_that_nobody_plays(open_stage):
    stage = open_stage()
    story = launched(stage)
    stage.pause(story.id)

    for number in range(10):
        both = [threading.Thread(target=act, args=[story.id]) for act in (stage.resume, stage.pause)]
        for thread in both if number % 2 else reversed(both):
            thread.start()
        for thread in both:
            thread.join(10)
        assert at_rest(stage, story) in ("paused", "ended")


def test_pausing_and_resuming_at_any_pace_ends_in_the_same_story(open_stage):
    stage = open_stage()
    story = launched(stage)
    for number in range(12):
        until(lambda number=number: len(stage.store.stories.events(story.id)) >= number)
        stage.pause(story.id)
        stage.resume(story.id)
    assert at_rest(stage, story) == "ended"
    undisturbed = launched(stage)
    assert at_rest(stage, undisturbed) == "ended"
    assert stage.store.stories.events(story.id) == stage.store.stories.events(undisturbed.id)


def test_resuming_what_is_being_played_starts_nothing_more(open_stage):
    with mock_server(answers=1) as server:
        stage = open_stage()
        story = launched(stage, Endpoint(url=server.url, model="m"))
        for _ in range(5):
            stage.resume(story.id)
        server.answers = None
        assert at_rest(stage, story) == "ended"
        keys = server.keys()
    assert len(keys) == len(set(keys))


def test_resuming_what_has_ended_or_is_not_there_changes_nothing(open_stage):
    stage = open_stage()
    story = launched(stage)
    at_rest(stage, story)
    stage.resume(story.id)
    assert not stage.playing(story.id)
    with pytest.raises(StoryError, match="nosuch"):
        stage.resume("nosuch")
    with pytest.raises(StoryError, match="nosuch"):
        stage.pause("nosuch")


def test_a_story_whose_endpoint_fails_is_kept_with_the_reason_and_can_go_on(open_stage):
    with mock_server(always="401") as server:
        stage = open_stage()
        story = launched(stage, Endpoint(url=server.url, model="m"))
        assert at_rest(stage, story) == "failed"
        assert "HTTP 401" in str(stage.store.stories.story(story.id).reason)
        server.always = None
        stage.resume(story.id)
        assert at_rest(stage, story) == "ended"
        assert stage.store.stories.story(story.id).reason is None


def test_an_error_nobody_foresaw_does_not_leave_the_story_running(open_stage, monkeypatch, caplog):
    def broken(*_, **__):
        raise ZeroDivisionError("foreseen by nobody")

    monkeypatch.setattr("characterbox.play.algorithm.StoryEnded.model_validate", broken)
    stage = open_stage()
    story = launched(stage)
    assert at_rest(stage, story) == "failed"
    assert stage.store.stories.story(story.id).reason == Reason("unexpected", error="ZeroDivisionError")
    assert "foreseen by nobody" in caplog.text


def test_closing_in_the_middle_goes_on_at_the_next_opening(open_stage):
    with mock_server(answers=0) as server:
        first = open_stage()
        endpoint = Endpoint(url=server.url, model="m")
        played, paused = (launched(first, endpoint) for _ in range(2))
        ended = launched(first)
        at_rest(first, ended)
        until(lambda: len(server.seen) == 2 * BELIEFS)
        first.rest(paused.id)
        server.answers = 2 * BELIEFS + 1  # theirs, and one more of the story that goes on
        until(lambda: first.store.stories.events(played.id) and not first.playing(paused.id))
        server.answers = 2 * BELIEFS + 3  # what is under way comes as it closes, and not much more
        by_hand = first.store.stories.create(SCRIPT, casting_at(REHEARSAL, SCRIPT.scene), "command line")
        open_stage.close(first)
        server.answers = None
        second = open_stage()
        assert [status(second, story) for story in (played, paused, ended)] == ["running", "paused", "ended"]
        second.resume_all()
        assert not second.playing(by_hand.id), "another process may be playing it"
        assert at_rest(second, played) == "ended"
        assert status(second, paused) == "paused"


def test_what_was_left_running_by_a_crash_is_played_on(open_stage, url):
    store = Store(url)
    story = store.stories.create(SCRIPT, casting_at(REHEARSAL, SCRIPT.scene), "app")
    store.close()
    stage = open_stage()
    stage.resume_all()
    assert at_rest(stage, story) == "ended"


def test_closing_leaves_no_thread_behind(open_stage):
    before = set(threading.enumerate())
    stage = open_stage()
    launched(stage)
    open_stage.close(stage)
    assert [thread.name for thread in set(threading.enumerate()) - before] == []


def test_a_story_that_can_not_be_read_keeps_no_other_from_going_on(open_stage, url, caplog):
    store = Store(url)
    unread, story = (store.stories.create(SCRIPT, casting_at(REHEARSAL, SCRIPT.scene), "app") for _ in range(2))
    casting = casting_at(REHEARSAL, SCRIPT.scene).model_dump()
    with connection_to(url) as connection:
        casting["narrator"]["url"] = "ftp://127.0.0.1/v1"
        connection.execute(update(STORY).where(STORY.c.id == unread.id).values(casting=casting))
    store.close()
    stage = open_stage()
    stage.resume_all()
    assert at_rest(stage, story) == "ended"
    assert f"story {unread.id}: its stored data cannot be read (casting: narrator: url: " in caplog.text
    with pytest.raises(StoryError, match=r"cannot be read \(casting: narrator: url: .*neither an http\(s\) URL"):
        stage.resume(unread.id)


def test_everything_is_closed_though_the_playing_does_not_end_well(open_stage):
    class Broken(Client):
        async def close(self):
            await super().close()
            raise ZeroDivisionError

    before = set(threading.enumerate())
    stage = open_stage(Broken())
    launched(stage)
    with pytest.raises(ZeroDivisionError):
        open_stage.close(stage)
    until(lambda: not set(threading.enumerate()) - before)
    with pytest.raises(StoreError, match="closed"):
        launched(stage)


async def test_watchers_are_told_off_the_loop_and_let_go_where_the_status_can_not_be_read(
    open_stage, monkeypatch, caplog
):
    """Off the loop: while one status takes long to read, all stories are played."""
    begun, read_on = threading.Event(), threading.Event()

    def broken(stories, id):
        begun.set()
        assert read_on.wait(60)
        raise StoreError("the database is away")

    monkeypatch.setattr("characterbox.stage.stage.status_notice", broken)
    stage = open_stage()
    story = stage.store.stories.create(SCRIPT, casting_at(REHEARSAL, SCRIPT.scene), "app")
    with stage.hub.watching(story.id) as watcher:
        stage.resume(story.id)
        assert await asyncio.to_thread(begun.wait, 60)
        assert await asyncio.to_thread(at_rest, stage, story) == "ended"
        read_on.set()
        while await asyncio.wait_for(watcher.next(), 60) is not None:
            pass
    assert "the database is away" in caplog.text


async def test_a_watcher_that_is_too_slow_is_let_go():
    hub = Hub()
    with hub.watching("story") as watcher:
        for number in range(MAX_BACKLOG + 10):
            hub.tell("story", Notice("event", {}, number))
        await asyncio.sleep(0)
        received = [await watcher.next() for _ in range(MAX_BACKLOG + 1)]
        assert [one.seq for one in received[:-1]] == list(range(MAX_BACKLOG))
        assert received[-1] is None


async def test_notices_go_to_the_watchers_of_their_story_only():
    hub = Hub()
    with hub.watching("one") as one, hub.watching("one") as too, hub.watching("two") as other:
        await asyncio.to_thread(hub.tell, "one", Notice("status", {"status": "ended"}))
        assert (await one.next()) == (await too.next()) == Notice("status", {"status": "ended"})
        hub.tell("two", Notice("status", {"status": "paused"}))
        assert (await other.next()).content == {"status": "paused"}
    hub.tell("one", Notice("status", {}))


async def test_a_hub_that_closes_lets_everybody_go():
    hub = Hub()
    with hub.watching("one") as first, hub.watching("two") as second:
        hub.close()
        assert [await asyncio.wait_for(watcher.next(), 5) for watcher in (first, second)] == [None, None]
