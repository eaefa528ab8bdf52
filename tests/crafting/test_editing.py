"""What a person changes in a crafting: drafts are edited, scenes sent back or put away."""

import pytest

from characterbox.accounts.account import LOCAL
from characterbox.crafting.editing import edit, send_back
from characterbox.crafting.progress import Looks, look
from characterbox.crafting.running import begin
from characterbox.errors import EndpointError, StoryError
from tests.crafting.running_craftings import crafted, wish


def test_a_draft_that_a_person_edited_is_what_goes_on(store, crew):
    crew.scores = [2, 2, 5]
    id = begin(store, wish(crew, returns=1))
    crafted(store, id)
    first = look(store, id).scenes[0].steps[1]
    mended = first.scene.model_copy(update={"title": "A watch, and who has it"})
    edit(store, id, first.path, mended, 0, person="0123456789ab")
    now = look(store, id)
    assert now.scenes[0].steps[1].scene == mended
    assert now.scenes[0].open, "its evaluation is to be asked"
    assert (now.replies[-1].author, now.replies[-1].person) == ("edit", "0123456789ab")
    crafted(store, id)
    (scene,) = look(store, id).scenes
    assert (scene.scene.title, scene.scene.cast) == (mended.title, mended.cast)
    assert scene.scene.crafted.by_hand, "it is no model's alone"
    assert "A watch, and who has it" in crew.asked("evaluator")[-1]
    with pytest.raises(StoryError, match="there is no draft"):
        edit(store, id, "scene-1/9/director", mended, 0)


def test_an_edit_after_acceptance_is_the_next_version_of_the_same_scene(store, crew):
    crew.scores = [5]
    id = begin(store, wish(crew))
    crafted(store, id)
    step = look(store, id).scenes[0].steps[1]
    edit(store, id, step.path, step.scene.model_copy(update={"title": "Another title"}), 0)
    crafted(store, id)
    (heading,) = store.scenes.headings()
    assert (heading.title, heading.version) == ("Another title", 2)


def test_a_second_edit_from_what_was_seen_before_the_first_is_refused(store, crew):
    id = begin(store, wish(crew))
    crafted(store, id)
    step = look(store, id).scenes[0].steps[0]
    edit(store, id, step.path, step.scene.model_copy(update={"title": "Mine"}), 0)
    with pytest.raises(StoryError, match="changed in the meantime"):
        edit(store, id, step.path, step.scene.model_copy(update={"title": "Yours"}), 0)
    assert look(store, id).scenes[0].steps[0].scene.title == "Mine"


def test_a_scene_that_was_put_away_stays_away(store, crew):
    crew.scores = [5]
    id = begin(store, wish(crew))
    crafted(store, id)
    (heading,) = store.scenes.headings()
    store.scenes.put_away(LOCAL, heading.place)
    crafted(store, id)
    assert store.scenes.all() == []


@pytest.mark.slow
@pytest.mark.parametrize("calls", range(3))
def test_a_rejected_scene_is_sent_back_above_the_limit_and_paid_once_wherever_it_breaks_off(store, crew, calls):
    crew.scores = [1, 1, 1, 5]
    id = begin(store, wish(crew, count=2, returns=0))
    crafted(store, id)
    looks = Looks(store)
    assert [one.rejected for one in looks.look(id).scenes] == [True, True]
    before = looks.look(id).scenes
    send_back(store, id, 2)
    standing = looks.look(id)
    assert (standing.status, standing.scenes[1].open) == ("paused", True)
    assert (standing.scenes[0], standing.scenes[1].steps) == (before[0], before[1].steps)
    with pytest.raises(StoryError, match="scene 2 is not rejected at the moment"):
        send_back(store, id, 2)
    asked = len(crew.bodies)
    crew.silent_from = asked + calls
    with pytest.raises(EndpointError):
        crafted(store, id)
    crew.silent_from = None
    del crew.bodies[asked + calls :]
    crafted(store, id)
    assert len(crew.bodies) == asked + 3
    assert crew.reasons in crew.asked("screenwriter")[2]
    assert [one.rejected for one in looks.look(id).scenes] == [True, True]
    send_back(store, id, 2)
    crafted(store, id)
    first, second = looks.look(id).scenes
    assert first == before[0]
    assert [step.attempt for step in second.steps] == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert second.scene in store.scenes.all()
    assert sum(crew.answered.values()) == 6 + 3 + 3
    with pytest.raises(StoryError, match="not rejected"):
        send_back(store, id, 2)


def test_what_was_written_directly_cannot_be_sent_back(store, crew):
    crew.drafts = ["I would rather not."]
    id = begin(store, wish(crew, method="direct"))
    crafted(store, id)
    assert look(store, id).scenes[0].rejected
    with pytest.raises(StoryError, match="not rejected"):
        send_back(store, id, 1)
