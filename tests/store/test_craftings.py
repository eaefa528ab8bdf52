"""Craftings in the database: calls without a reply are counted, and nothing that was paid is dropped unasked."""

from characterbox.store.ratings.scene_ratings import SceneRating
from tests.fakes.stories import a_reply

ALL = {"source", "crafting", "crafting_call", "crafting_reply", "scene_rating"}
SCORE = SceneRating(scene="key", rater="Cai", rubric_version="1.0", metric="detail", score=3)


async def test_calls_that_have_no_reply_are_counted_however_often_they_left(store):
    id = store.craftings.create({}, "app")
    reply = a_reply("scene-1/1/screenwriter")
    with store.craftings.claimed(id) as journal:
        assert store.craftings.unanswered(id) == 0
        for _ in range(2):
            await journal.asked(reply.path, 0)
        assert store.craftings.unanswered(id) == 2
        await journal.answered(reply)
        await journal.asked("scene-1/judge/direct", 0)
        journal.put(a_reply(reply.path, take=1, author="edit"))
    assert store.craftings.unanswered(id) == 2
    assert store.craftings.unanswered(store.craftings.create({}, "app")) == 0
