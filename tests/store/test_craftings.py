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


async def test_heads_tell_when_there_is_something_new_and_leave_what_is_wished_for_where_it_is(store):
    older, other, newer = (store.craftings.create({"way": way}, "app") for way in ("answers", "role", "answers"))
    heads = store.craftings.heads(("answers",))
    assert [(one.id, one.status, one.replies, one.last) for one in heads] == [
        (newer, "running", 0, None),
        (older, "running", 0, None),
    ]
    with store.craftings.claimed(older) as journal:
        await journal.answered(a_reply("general-1"))
        await journal.move("ended")
    unchanged, changed = store.craftings.heads(("answers",))
    assert unchanged == heads[0]
    assert (changed.status, changed.replies) == ("ended", 1)
    assert changed.last is not None
    assert {one.id for one in store.craftings.heads(("answers", "role"))} == {older, other, newer}
    assert store.craftings.heads(()) == []
