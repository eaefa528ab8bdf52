"""Experts are added by name where nobody signs in: by Enter or the button; what is wrong stands at the field."""

from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from characterbox.accounts.account import LOCAL
from characterbox.campaigns import lifecycle
from characterbox.store import Store

pytestmark = pytest.mark.slow


def script(store, id):
    from types import SimpleNamespace  # noqa: PLC0415 - the script is run by itself

    from pages.campaigns import editing  # noqa: PLC0415
    from pages.campaigns.experts import expert_picker  # noqa: PLC0415
    from pages.story.actions import show_error  # noqa: PLC0415

    stage = SimpleNamespace(store=store)
    editing.open_stage = lambda: stage
    show_error()
    expert_picker(editing.edit_draft(stage, store.campaigns.campaign(id)), None)


@pytest.fixture
def app(tmp_path, monkeypatch):
    monkeypatch.setattr("pages.campaigns.editing.open_stage", lambda: SimpleNamespace(store=store))
    store = Store(f"sqlite:///{tmp_path}/experts.db")
    app = AppTest.from_function(
        script, args=(store, lifecycle.make(store, LOCAL, "Pilot").id), default_timeout=60
    ).run()
    yield app
    store.close()


def add(app, name):
    app.text_input[0].input(name)
    press(app)


def press(app):
    next(button for button in app.button if button.label == "Add expert").click().run()
    assert not app.exception


def names(app):
    return [one.value for one in app.markdown]


def told(app):
    """What is told above all parts, and beside the field."""
    beside = [one.proto.body for one in app.get("html") if "cb-fault" in one.proto.body]
    return [one.value for one in app.error], beside


def test_a_click_after_enter_has_added_the_expert_is_no_mistake(app):
    add(app, "Ann")
    press(app)
    assert (names(app), told(app)) == (["Ann"], ([], []))
    add(app, "Bob")
    press(app)
    assert (names(app), told(app)) == (["Ann", "Bob"], ([], []))


def test_a_name_that_is_missing_or_refused_is_told_beside_the_field_alone(app):
    press(app)
    above, [beside] = told(app)
    assert (above, "the name is missing" in beside) == ([], True)
    add(app, "Ann\u202eLee")
    above, [beside] = told(app)
    assert (above, "control character" in beside, app.text_input[0].value) == ([], True, "Ann\u202eLee")
    add(app, "Ann Lee")
    assert (names(app), told(app)) == (["Ann Lee"], ([], []))


def test_an_expert_who_is_there_already_is_told_and_not_added_twice(app):
    add(app, "Ann")
    add(app, " ann ")
    above, [beside] = told(app)
    assert (above, "Ann is already in the list of experts." in beside) == ([], True)
    assert names(app) == ["Ann"]
    add(app, "Bob")
    assert (names(app), told(app)) == (["Ann", "Bob"], ([], []))


def test_what_was_wrong_does_not_follow_to_another_part(app):
    press(app)
    app.query_params["part"] = "plan"
    app.run()
    assert told(app) == ([], [])
