"""Stories, events and the journal come back from the database as they were put in."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy.exc import IntegrityError

from characterbox.errors import StoryError
from characterbox.llm.endpoint import Endpoint
from characterbox.play.events import Action, Dialogue, EnvironmentUpdate
from characterbox.store import Store
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_reply, a_story, casting_at

ACTION = Action(path="r1/ann/action", round=1, turn="Ann", character="Ann", text="Ann grüßt 孙悟空 🙂 {$x} \\ '\"")
SPEECH = Dialogue(path="r1/ann/dialogue", round=1, turn="Ann", character="Ann", text="", degraded=True, reason="none")
PLACE = EnvironmentUpdate(path="r1/ann/environment", round=1, time="1", location="2", description="3", concluded=True)


def test_a_story_comes_back_also_after_the_store_was_closed(url):
    store = Store(url)
    story = a_story(store, a_scene("孙悟空", "Bob", language="zh"), rounds=2, seed=7, may_conclude=True)
    store.close()
    store = Store(url)
    assert store.stories.story(story.id) == story
    assert story.created_at.tzinfo is not None
    assert datetime.now(UTC) - store.stories.story(story.id).created_at < timedelta(minutes=1)
    store.close()


def test_a_story_that_is_not_there_is_told(store):
    with pytest.raises(StoryError, match="'nosuch'"):
        store.stories.story("nosuch")


def test_stories_come_the_newest_first_and_by_status(store):
    first, second, third = (a_story(store) for _ in range(3))
    store.stories.move(second.id, "failed", "endpoint out of order")
    assert [story.id for story in store.stories.stories()] == [third.id, second.id, first.id]
    assert [story.id for story in store.stories.stories("running")] == [third.id, first.id]
    assert store.stories.story(second.id).reason == "endpoint out of order"
    store.stories.move(second.id, "running")
    assert store.stories.story(second.id).reason is None


def test_a_story_can_be_recast(store):
    story = a_story(store)
    casting = casting_at(Endpoint(url="rehearsal", model="rehearsal"), story.script.scene)
    store.stories.recast(story.id, casting)
    assert store.stories.story(story.id).casting == casting


async def test_events_come_back_in_order_from_any_number_on(store):
    story, other = a_story(store), a_story(store)
    for seq, event in enumerate([ACTION, SPEECH, PLACE], 1):
        await store.stories.record(story.id, seq, event)
    assert store.stories.events(story.id) == [ACTION, SPEECH, PLACE]
    assert store.stories.events(story.id, after=2) == [PLACE]
    assert store.stories.events(story.id, after=3) == []
    assert store.stories.events(other.id) == []
    assert store.stories.count_events() == {story.id: 3}


async def test_an_event_stands_once(store):
    story = a_story(store)
    await store.stories.record(story.id, 1, ACTION)
    with pytest.raises(IntegrityError):
        await store.stories.record(story.id, 1, SPEECH)
    with pytest.raises(IntegrityError):
        await store.stories.record(story.id, 2, ACTION)
    assert store.stories.events(story.id) == [ACTION]


async def test_events_that_were_asked_for_anew_can_be_dropped(store):
    story = a_story(store)
    for seq, event in enumerate([ACTION, SPEECH, PLACE], 1):
        await store.stories.record(story.id, seq, event)
    store.stories.forget_events(story.id, 2)
    assert store.stories.events(story.id) == [ACTION]
    await store.stories.record(story.id, 2, SPEECH)
    assert store.stories.events(story.id) == [ACTION, SPEECH]


async def test_the_journal_gives_the_last_take_of_every_path(store):
    story = a_story(store)
    first, second, other = a_reply(), a_reply(take=1, text="Ann nods."), a_reply("r1/bob/action", cached_tokens=4)
    for reply in (first, other, second):
        await store.stories.answered(story.id, reply)
    assert await store.stories.replies(story.id) == {"r1/ann/action": second, "r1/bob/action": other}
    assert sorted(store.stories.journal(story.id), key=lambda reply: (reply.path, reply.take)) == [first, second, other]
    assert await store.stories.replies(a_story(store).id) == {}


async def test_a_take_is_never_written_over(store):
    story = a_story(store)
    await store.stories.answered(story.id, a_reply())
    with pytest.raises(IntegrityError):
        await store.stories.answered(story.id, a_reply(text="another"))
    assert [reply.text for reply in store.stories.journal(story.id)] == ["Ann bows."]


async def test_calls_without_a_reply_are_counted(store):
    story = a_story(store)
    assert store.stories.unanswered(story.id) == 0
    for path in ("r1/ann/action", "r1/ann/dialogue", "r1/ann/dialogue"):
        await store.stories.asked(story.id, path, 0)
    await store.stories.answered(story.id, a_reply())
    assert store.stories.unanswered(story.id) == 2


async def test_nothing_is_stored_for_a_story_that_is_not_there(store):
    with pytest.raises(IntegrityError):
        await store.stories.record("nosuch", 1, ACTION)
