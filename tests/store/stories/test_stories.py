"""Stories, events and the journal come back from the database as they were put in."""

from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from pydantic import ValidationError
from sqlalchemy import update
from sqlalchemy.exc import IntegrityError

from characterbox.errors import StoryError
from characterbox.llm.endpoint import Endpoint
from characterbox.pause_reasons import Reason
from characterbox.play.events import Action, Dialogue, EnvironmentUpdate
from characterbox.play.world import Script
from characterbox.store import Store
from characterbox.store.stories.stories import Branch
from characterbox.store.stories.story import STORY
from tests.fakes.databases import connection_to
from tests.fakes.reasons import a_reason
from tests.fakes.scenes import a_scene
from tests.fakes.stories import AT, a_reply, a_story, casting_at

ACTION = Action(path="r1/ann/action", round=1, turn="Ann", character="Ann", text="Ann grüßt 孙悟空 🙂 {$x} \\ '\"")
SPEECH = Dialogue(
    path="r1/ann/dialogue", round=1, turn="Ann", character="Ann", text="", degraded=True, reason=Reason("no_text")
)
PLACE = EnvironmentUpdate(path="r1/ann/environment", round=1, time="1", location="2", description="3", concluded=True)


@pytest.mark.slow
def test_a_story_comes_back_also_after_the_store_was_closed(url):
    store = Store(url)
    story = a_story(store, a_scene("孙悟空", "Bob", language="zh"), rounds=2, seed=7, may_conclude=True)
    store.close()
    store = Store(url)
    assert store.stories.story(story.id) == story
    assert story.created_at.tzinfo is not None
    assert datetime.now(UTC) - store.stories.story(story.id).created_at < timedelta(minutes=1)
    store.close()


def test_a_story_is_stored_together_with_the_reply_that_it_begins_with_or_not_at_all(store):
    scene = a_scene()
    create = partial(store.stories.create, Script(scene=scene), casting_at(AT, scene), "app")
    story = create(reply=a_reply(author="edit"))
    assert store.stories.journal(story.id) == [a_reply(author="edit")]
    with pytest.raises(IntegrityError):
        create(reply=a_reply(path=None))
    assert [one.id for one in store.stories.stories()] == [story.id]


def test_a_story_that_is_not_there_is_told(store):
    with pytest.raises(StoryError, match="'nosuch'"):
        store.stories.story("nosuch")


def test_stories_come_the_newest_first_and_by_status(store):
    first, second, third = (a_story(store) for _ in range(3))
    store.stories.move(second.id, "failed", a_reason("endpoint out of order"))
    assert [story.id for story in store.stories.stories()] == [third.id, second.id, first.id]
    assert [story.id for story in store.stories.stories("running")] == [third.id, first.id]
    assert store.stories.story(second.id).reason == a_reason("endpoint out of order")
    store.stories.move(second.id, "running")
    assert store.stories.story(second.id).reason is None
    store.stories.move(first.id, "waiting", a_reason("it is down"))
    assert [story.id for story in store.stories.stories("waiting", "running")] == [third.id, second.id, first.id]
    assert [story.id for story in store.stories.stories("waiting", "running", limit=2)] == [third.id, second.id]
    assert store.stories.stories("ended", "cued") == []


def test_stories_can_be_passed_over(store):
    first, second = a_story(store), a_story(store)
    assert store.stories.stories("running", but=[first.id]) == [second]
    assert store.stories.stories(but=[first.id, second.id]) == []


def test_a_story_moves_only_out_of_the_status_that_is_meant(store):
    story = a_story(store)
    store.stories.move(story.id, "ended")
    store.stories.move(story.id, "paused", a_reason("too late"), out_of=("running", "waiting"))
    assert (store.stories.story(story.id).status, store.stories.story(story.id).reason) == ("ended", None)
    store.stories.move(story.id, "paused", a_reason("in time"), out_of=("waiting", "ended"))
    assert (store.stories.story(story.id).status, store.stories.story(story.id).reason) == (
        "paused",
        a_reason("in time"),
    )


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        ({"casting": {"narrator": {"url": "ftp://h/v1", "model": "m"}}}, "casting: narrator: url: .*neither an http"),
        ({"status": "dreaming"}, "status: Input should be 'running'"),
    ],
)
def test_a_story_that_can_not_be_read_is_left_out_and_told_of_once(url, store, caplog, wrong, fault):
    parent = a_story(store)
    branch = partial(
        store.stories.create, parent.script, parent.casting, "app", branch=Branch(parent=parent.id, at=1, anew="all")
    )
    unread, child = branch(), branch()
    with connection_to(url) as connection:
        connection.execute(update(STORY).where(STORY.c.id == unread.id).values(**wrong))
    for _ in range(2):
        assert store.stories.stories() == [child, parent]
        assert store.stories.branches(parent.id) == [child]
    [record] = caplog.records
    assert record.levelname == "WARNING"
    assert f"story {unread.id}: its stored data cannot be read" in record.message
    with pytest.raises(StoryError, match=rf"story {unread.id}: its stored data cannot be read \({fault}"):
        store.stories.story(unread.id)


def test_a_casting_that_can_not_be_read_is_left_out(url, store, caplog):
    unread, story = a_story(store), a_story(store)
    with connection_to(url) as connection:
        connection.execute(update(STORY).where(STORY.c.id == unread.id).values(casting={"characters": {}}))
    assert store.stories.castings([unread.id, story.id]) == {story.id: story.casting}
    assert f"story {unread.id}: its stored data cannot be read (narrator: Field required)" in caplog.text


def test_a_story_can_be_recast(store):
    story = a_story(store)
    casting = casting_at(Endpoint(url="rehearsal", model="rehearsal"), story.script.scene)
    store.stories.recast(story.id, casting)
    assert store.stories.story(story.id).casting == casting


def test_people_come_and_go(store):
    scene = a_scene("Ann", "Bob")
    story = store.stories.create(Script(scene=scene), casting_at(AT, scene), "app", people=["Bob", None])
    assert store.stories.story(story.id) == story
    assert story.people == ("Bob", None)
    store.stories.set_people(story.id, ["Ann"])
    assert store.stories.story(story.id).people == ("Ann",)
    store.stories.set_people(story.id, ())
    assert store.stories.story(story.id).people == ()


def test_branches_are_found_by_what_they_were_branched_from(store):
    parent, stranger = a_story(store), a_story(store)
    script, casting = parent.script, parent.casting
    branches = [
        store.stories.create(script, casting, "app", branch=Branch(parent=parent.id, at=at, anew=anew))
        for at, anew in ((1, "all"), (7, "this"), (9, "changed"))
    ]
    of_branch = store.stories.create(script, casting, "app", branch=Branch(parent=branches[0].id, at=2, anew="changed"))
    assert store.stories.branches(parent.id) == branches
    assert store.stories.branches(branches[0].id) == [of_branch]
    assert store.stories.branches(stranger.id) == []
    assert store.stories.story(branches[1].id).branch == Branch(parent=parent.id, at=7, anew="this")
    assert parent.branch is None
    with pytest.raises(ValidationError):
        Branch(parent=parent.id, at=0, anew="all")


@pytest.fixture
def story(store):
    return a_story(store)


@pytest.fixture
def claimed(store, story):
    with store.stories.claimed(story.id) as claimed:
        yield claimed


async def test_events_come_back_in_order_from_any_number_on(store, story, claimed):
    other = a_story(store)
    for seq, event in enumerate([ACTION, SPEECH, PLACE], 1):
        await claimed.record(seq, event)
    assert store.stories.events(story.id) == [ACTION, SPEECH, PLACE]
    assert store.stories.events(story.id, after=2) == [PLACE]
    assert store.stories.events(story.id, after=3) == []
    assert store.stories.events(other.id) == []


async def test_an_event_stands_once(store, story, claimed):
    await claimed.record(1, ACTION)
    with pytest.raises(IntegrityError):
        await claimed.record(1, SPEECH)
    with pytest.raises(IntegrityError):
        await claimed.record(2, ACTION)
    assert store.stories.events(story.id) == [ACTION]


async def test_events_that_were_asked_for_anew_can_be_dropped(store, story, claimed):
    for seq, event in enumerate([ACTION, SPEECH, PLACE], 1):
        await claimed.record(seq, event)
    await claimed.forget_events(2)
    assert store.stories.events(story.id) == [ACTION]
    await claimed.record(2, SPEECH)
    assert store.stories.events(story.id) == [ACTION, SPEECH]


async def test_the_journal_gives_the_last_take_of_every_path(store, story, claimed):
    first, second = a_reply(), a_reply(take=1, text="Ann nods.", troubles=(), dropped=("At the inn,\n孙悟空 slept.",))
    other = a_reply("r1/bob/action", cached_tokens=4, price=None, origin="0123456789ab")
    for reply in (first, other, second):
        await claimed.answered(reply)
    assert store.stories.replies(story.id) == {"r1/ann/action": second, "r1/bob/action": other}
    assert sorted(store.stories.journal(story.id), key=lambda reply: (reply.path, reply.take)) == [first, second, other]
    assert store.stories.journal(story.id, under="r1/bob") == [other]
    assert store.stories.takes(story.id, "r1/ann/action") == [first, second]
    assert store.stories.takes(story.id, "r1/ann") == []
    assert store.stories.replies(a_story(store).id) == {}


async def test_a_take_is_never_written_over(store, story, claimed):
    await claimed.answered(a_reply())
    with pytest.raises(IntegrityError):
        await claimed.answered(a_reply(text="another"))
    assert [reply.text for reply in store.stories.journal(story.id)] == ["Ann bows."]


async def test_calls_without_a_reply_are_counted(store, story, claimed):
    assert store.stories.unanswered(story.id) == 0
    for path in ("r1/ann/action", "r1/ann/dialogue", "r1/ann/dialogue"):
        await claimed.asked(path, 0)
    await claimed.answered(a_reply())
    await claimed.answered(a_reply("r1/bob/action", origin="0123456789ab"))
    await claimed.answered(a_reply("r1/bob/dialogue", author="human"))
    assert store.stories.unanswered(story.id) == 2


async def test_nothing_is_stored_for_a_story_that_is_not_there(store):
    with store.stories.claimed("nosuch") as claimed:
        with pytest.raises(IntegrityError):
            await claimed.record(1, ACTION)
        with pytest.raises(IntegrityError):
            await claimed.answered(a_reply())


async def test_what_a_judge_is_told_is_in_the_journal_of_the_story(store, story):
    reply = a_reply("judge/max/ann/scores")
    with store.stories.writing_replies(story.id, "max") as journal:
        await journal.asked(reply.path, 0)
        await journal.answered(reply)
    assert store.stories.journal(story.id, under="judge/max/") == [reply]
