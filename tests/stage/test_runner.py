"""Playing a stored story: what was told stays as it was told, or the story stops and says so."""

import asyncio
from itertools import pairwise

import pytest

from characterbox.errors import RecordMismatch
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.play.paths import reply_path
from characterbox.stage.branching import outlook
from characterbox.stage.playback_control import PlaybackControl, record_of
from characterbox.stage.runner import perform
from tests.fakes.databases import store_in
from tests.fakes.reasons import a_reason
from tests.fakes.stories import a_story, casting_at

pytestmark = pytest.mark.slow


@pytest.fixture
def stories(tmp_path):
    store = store_in(tmp_path / "performed.db")
    yield store.stories
    store.close()


@pytest.fixture
async def performed(stories):
    """Plays a story, and gives the events that it told with their numbers."""
    client = Client()

    async def play(story, **more):
        told = []
        await perform(
            stories, client, story, PlaybackControl(), on_event=lambda seq, event: told.append((seq, event)), **more
        )
        return told

    yield play
    await client.close()


@pytest.fixture
def story(tmp_path, stories):
    store = store_in(tmp_path / "performed.db")
    story = a_story(store, rounds=1)
    store.close()
    casting = casting_at(Endpoint.parse("rehearsal"), story.script.scene)
    stories.recast(story.id, casting)
    return stories.story(story.id)


async def test_events_are_told_when_they_are_stored_and_the_same_each_time(stories, story, performed):
    told = await performed(story)
    assert [event for _, event in told] == stories.events(story.id)
    assert [seq for seq, _ in told] == list(range(1, len(told) + 1))
    assert await performed(story) == told
    assert stories.story(story.id).status == "ended"
    assert stories.unanswered(story.id) == 0


@pytest.mark.parametrize("choice", ["keep", "ask"])
@pytest.mark.parametrize("path", ["r1/ann/action", "r1/ann/dialogue", "r1/bob/self-belief", "end"])
async def test_an_event_that_its_reply_does_not_give_any_more_waits_for_a_choice(
    stories, story, performed, path, choice
):
    told = await performed(story)
    stories.move(story.id, "failed", a_reason("cut short"))
    story = stories.story(story.id)
    number = next(seq for seq, event in told if event.path == path)
    changed = told[number - 1][1].model_copy(update={"reason": a_reason("it was read differently once")})
    with stories.claimed(story.id) as claimed:
        await claimed.forget_events(number)
        await claimed.record(number, changed)
    with pytest.raises(RecordMismatch, match=f"{path} differs from what its replies now give"):
        await performed(story)
    assert stories.story(story.id).status == "mismatched"
    assert "the way replies are read has changed" in str(stories.story(story.id).reason)
    assert stories.events(story.id)[number - 1] == changed
    assert await performed(story, on_mismatch=choice) == told
    assert stories.events(story.id) == [event for _, event in told]
    assert stories.story(story.id).status == "ended"


async def test_a_story_that_was_cut_short_between_two_events_of_one_reply_goes_on_with_the_same(
    stories, story, performed
):
    told = await performed(story)
    journal = stories.journal(story.id)
    behind = [reply_path(event.path, {reply.path for reply in journal}) for _, event in told[:-1]]
    between = [seq for seq, (one, other) in enumerate(pairwise(behind), 2) if one == other]
    assert {told[seq - 1][1].kind for seq in between} == {"dialogue", "character_update", "environment_update"}
    for number in between:
        stories.move(story.id, "failed", a_reason("cut short"))
        cut = stories.story(story.id)
        with stories.claimed(story.id) as claimed:
            await claimed.forget_events(number)
        record = await asyncio.to_thread(record_of, stories, cut)
        seen = await outlook(cut.script, record, stories.events(cut.id))
        assert (seen.known, seen.next) == (len({*behind[number - 1 :]} - {*behind[: number - 1]}), [])
        assert await performed(cut) == told
        assert stories.journal(story.id) == journal


@pytest.mark.parametrize("choice", ["stop", "keep", "ask"])
async def test_an_ended_story_is_only_told_again(stories, story, performed, choice):
    told = await performed(story)
    with stories.claimed(story.id) as claimed:
        await claimed.forget_events(3)
    ended = stories.story(story.id)
    assert await performed(ended, on_mismatch=choice) == told[:2]
    assert stories.story(story.id) == ended
    assert stories.events(story.id) == [event for _, event in told[:2]]
