"""The editor of scenes: what is written is kept until it is saved, and never written over what others saved."""

import pytest
from streamlit.testing.v1 import AppTest

from characterbox.crafting.scene_scores import is_written
from characterbox.scenes.scene import Crafted
from characterbox.store.ratings.ratings import maker_of
from pages.scenes import editor
from pages.scenes.drafts import values_of
from pages.scenes.scene import about_scene
from tests.fakes.app_stage import app_stage
from tests.fakes.in_english import in_english
from tests.fakes.scene_form import FakeForm
from tests.fakes.scenes import a_scene
from tests.fakes.scenes_page import draw, texts


@pytest.fixture
def chain(store):
    return store.scenes.start(a_scene(), None)


class Window:
    """A window of a browser with the editor in it, and the form in that."""

    def __init__(self, place):
        self.form = FakeForm()
        self.app = AppTest.from_function(draw, default_timeout=60)
        for name, value in place.items():
            self.app.query_params[name] = value
        self.run(self.app)

    def run(self, what):
        editor.show_scene_form = self.form
        what.run()
        assert not self.app.exception

    def write(self, **changes):
        self.form.written = {**self.form.data["values"], **changes}
        self.press("type")

    def press(self, label):
        self.run(next(one for one in self.app.button if one.label == label).click())

    @property
    def texts(self):
        return "\n".join([texts(self.app), *(one.value for one in self.app.warning)])

    @property
    def labels(self):
        return [one.label for one in self.app.button]


@pytest.fixture
def window(url, monkeypatch):
    monkeypatch.setattr("pages.shared.links.allowed", lambda _: False)  # there is no other page to lead to
    monkeypatch.setattr(editor, "show_scene_form", None)
    with app_stage(url):
        yield lambda **place: Window(place)


def test_a_save_is_a_version_and_is_seen_at_once(window, store, chain):
    one = window(scene=chain, edit="yes")
    assert one.form.data["values"] == values_of(a_scene())
    assert (one.form.data["faults"], one.form.data["state"]) == ({}, "")
    one.write(title="The watch is found")
    assert one.form.data["state"] == "Draft kept; not saved"
    one.press("save")
    assert "edit" not in one.app.query_params
    assert "Version 2 saved." in one.texts
    assert store.scenes.find(chain).content == a_scene().model_copy(update={"title": "The watch is found"})
    assert window(scene=chain, edit="yes").form.data["state"] == ""


def test_what_models_wrote_is_theirs_until_a_person_changes_it(window, store):
    crafted = Crafted(method="direct", screenwriter="gpt-4")
    chain = store.scenes.start(a_scene().model_copy(update={"crafted": crafted}), None)
    window(scene=chain, edit="yes").press("save")
    assert store.scenes.find(chain).content.crafted == crafted
    one = window(scene=chain, edit="yes")
    one.write(title="The watch is found")
    one.press("save")
    changed = store.scenes.find(chain).content
    assert changed.crafted == crafted.model_copy(update={"by_hand": True})
    assert not is_written(changed)
    assert maker_of(changed) == "direct · gpt-4, changed by hand"
    assert "edited by a person" in about_scene(store, changed, None, [])


def test_what_was_written_is_there_again_after_the_window_is_gone_and_can_be_dropped(window, store, chain):
    window(scene=chain, edit="yes").write(title="Half a ti")
    again = window(scene=chain, edit="yes")
    assert again.form.data["values"]["title"] == "Half a ti"
    assert "Your unsaved draft has been restored." in again.texts
    assert store.scenes.find(chain).version == 1
    before = again.form.data["id"]
    again.form.written = None
    again.press("Discard draft")
    assert again.form.data["values"] == values_of(a_scene())
    assert again.form.data["id"] != before  # so that the browser begins anew, too
    assert "Discard draft" not in window(scene=chain, edit="yes").labels


def test_what_is_the_scene_again_is_no_draft(window, chain):
    one = window(scene=chain, edit="yes")
    one.write(title="x")
    one.write(title=a_scene().title)
    assert one.form.data["state"] == ""
    assert "Discard draft" not in one.labels
    one.press("save")
    assert "No changes. Version 1 is still the newest." in one.texts


def test_faults_stand_at_their_fields_while_one_writes_and_keep_it_from_being_saved(window, store, chain):
    one = window(scene=chain, edit="yes")
    cast = values_of(a_scene())["cast"]
    one.write(title=" ", cast=[cast[0], {**cast[1], "name": "ANN"}])
    assert set(one.form.data["faults"]) == {"title", "cast[1].name"}
    assert one.form.data["problem"] is None
    one.press("save")
    assert one.form.data["tried"] == 1
    assert one.form.data["problem"] == "Not saved. Correct the marked fields."
    assert store.scenes.find(chain).version == 1
    assert "not filled in yet" in one.texts


def test_of_two_windows_the_second_is_refused_and_loses_nothing(window, store, chain):
    hers, his = window(scene=chain, edit="yes"), window(scene=chain, edit="yes")
    hers.write(title="Hers")
    hers.press("save")
    his.write(title="His")
    assert "Version 2 was saved in the meantime" in his.texts
    his.press("save")
    assert his.form.data["problem"] == "version 2 was saved in the meantime; your changes are based on version 1"
    assert his.form.data["values"]["title"] == "His"
    assert [one.content.title for one in store.scenes.versions(chain)] == ["Hers", a_scene().title]
    later = window(scene=chain, edit="yes")
    assert later.form.data["values"]["title"] == "His"
    assert "Version 2 was saved in the meantime" in later.texts
    before = his.form.data["id"]
    his.press("Continue with my draft")
    assert his.form.data["id"] == before  # so that a press of Save that comes at once is heard
    assert "Version 2 was saved in the meantime" not in his.texts
    his.press("save")
    assert [one.content.title for one in store.scenes.versions(chain)] == ["His", "Hers", a_scene().title]


def test_a_new_scene_is_written_from_nothing(window, store):
    one = window(new="scene")
    assert one.form.data["values"]["language"] == "en"
    assert in_english(one.form.data["faults"]["title"]) == {"text": "Required", "caution": False}
    one.write(**{**values_of(a_scene()), "title": "A New: Scene!"})
    one.press("save")
    [heading] = store.scenes.headings()
    assert one.app.query_params["scene"] == heading.place
    assert store.scenes.find(heading.place).content == a_scene().model_copy(
        update={"title": "A New: Scene!", "id": "a-new-scene"}
    )
    assert window(new="scene").form.data["values"]["title"] == ""


def test_who_starts_over_in_one_window_leaves_what_another_has_written_since(window, chain):
    one, other = window(scene=chain, edit="yes"), window(scene=chain, edit="yes")
    one.write(title="Hers")
    other.write(title="His")
    one.press("Discard draft")
    assert window(scene=chain, edit="yes").form.data["values"]["title"] == "His"
    other.press("Discard draft")
    assert window(scene=chain, edit="yes").form.data["values"]["title"] == a_scene().title
