"""Drafts of people who play are kept until their answer is recorded."""

import pytest
from sqlalchemy.exc import IntegrityError

from characterbox.store import Store
from tests.fakes.stories import a_reply, a_story

PATH = "r1/ann/action"


def test_the_last_draft_counts_also_after_the_app_was_stopped(url):
    store = Store(url)
    story = a_story(store)
    assert store.drafts.find(story.id, PATH) is None
    store.drafts.save(story.id, PATH, "I b")
    store.drafts.save(story.id, PATH, "I bow to 孙悟空.\n")
    store.drafts.save(story.id, "r1/ann/dialogue", "")
    store.close()
    store = Store(url)
    assert store.drafts.find(story.id, PATH) == "I bow to 孙悟空.\n"
    assert store.drafts.find(story.id, "r1/ann/dialogue") == ""
    store.drafts.drop(story.id, PATH)
    assert store.drafts.find(story.id, PATH) is None
    store.close()


@pytest.mark.parametrize(("author", "kept"), [("human", None), ("edit", None), ("model", "I bow.")])
async def test_an_answer_by_a_person_takes_the_place_of_its_draft(store, author, kept):
    story, other = a_story(store), a_story(store)
    for id in (story.id, other.id):
        store.drafts.save(id, PATH, "I bow.")
    with store.stories.claimed(story.id) as claimed:
        await claimed.answered(a_reply(PATH, author=author))
    assert store.drafts.find(story.id, PATH) == kept
    assert store.drafts.find(other.id, PATH) == "I bow."


WRITTEN = "I\0 bow\r\nto \ud800Bob 🙂\x1b"
KEPT = "I\ufffd bow\nto \ufffdBob 🙂\ufffd"


def test_what_no_database_stores_of_a_draft_is_made_visible(store):
    story = a_story(store)
    store.drafts.save(story.id, PATH, WRITTEN)
    assert store.drafts.find(story.id, PATH) == KEPT


@pytest.mark.parametrize("author", ["human", "edit", "model"])
async def test_what_no_database_stores_of_an_answer_is_made_visible(store, author):
    story = a_story(store)
    with store.stories.claimed(story.id) as claimed:
        await claimed.answered(a_reply(PATH, author=author, text=WRITTEN))
    [reply] = store.stories.journal(story.id)
    assert reply == a_reply(PATH, author=author, text=KEPT)


async def test_a_draft_stays_when_the_answer_was_refused(store):
    story = a_story(store)
    with store.stories.claimed(story.id) as claimed:
        await claimed.answered(a_reply(PATH))
        store.drafts.save(story.id, PATH, "I bow.")
        with pytest.raises(IntegrityError):
            await claimed.answered(a_reply(PATH, author="human"))
    assert store.drafts.find(story.id, PATH) == "I bow."
