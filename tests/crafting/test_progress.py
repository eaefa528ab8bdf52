"""Looking at a crafting again: only what has come since is read, and what is seen is what a first look sees."""

import pytest

from characterbox.accounts.account import LOCAL
from characterbox.crafting import progress
from characterbox.crafting.editing import edit
from characterbox.crafting.progress import Looks, look
from characterbox.crafting.running import begin
from characterbox.errors import StoryError
from tests.crafting.running_craftings import crafted, wish
from tests.fakes.stories import a_reply


def test_a_scene_without_new_replies_is_not_read_again(store, crew):
    crew.scores = [5]
    id = begin(store, wish(crew, count=2))
    crafted(store, id)
    looks = Looks(store)
    before = looks.look(id)
    assert before == look(store, id)
    step = before.scenes[1].steps[1]
    edit(store, id, step.path, step.scene.model_copy(update={"title": "Another title"}), 0)
    after = looks.look(id)
    assert after == look(store, id)
    assert after.scenes[0] is before.scenes[0]
    assert after.scenes[1].steps[1].scene.title == "Another title"
    assert after.scenes[1].open
    assert all(one is same for one, same in zip(after.replies, before.replies, strict=False)), "they are read once"
    crafted(store, id)
    assert looks.look(id) == look(store, id)
    assert not looks.look(id).scenes[1].open


def test_replies_stand_in_the_order_in_which_they_came_whatever_was_known(store, crew):
    id = begin(store, wish(crew))
    paths = [f"scene-{number}/1/screenwriter" for number in (2, 1, 3)]
    with store.craftings.claimed(id) as journal:
        for path in paths:
            journal.put(a_reply(path))
    journal = store.craftings.journal(id)
    assert [reply.path for reply in journal] == paths
    for known in ((), journal[1:], journal[:1], [journal[1]], journal):
        assert store.craftings.journal(id, known) == journal
    assert store.craftings.journal(begin(store, wish(crew)), journal) == []


def test_what_was_deleted_is_not_seen_any_more_and_few_are_kept(store, crew, monkeypatch: pytest.MonkeyPatch) -> None:
    looks, ids = Looks(store), [begin(store, wish(crew)) for _ in range(3)]
    monkeypatch.setattr(progress, "_KEPT", 2)
    seen = [looks.look(id) for id in ids]
    assert looks.look(ids[2]).scenes[0] is seen[2].scenes[0]
    assert looks.look(ids[0]).scenes[0] is not seen[0].scenes[0], "it had to go"
    store.craftings.delete(LOCAL, ids[2])
    with pytest.raises(StoryError, match="no scene generation"):
        looks.look(ids[2])
