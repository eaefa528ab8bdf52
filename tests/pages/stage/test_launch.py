"""The form that launches a story: what its address asks for is chosen, and told where it is not there."""

import pytest
from streamlit.testing.v1 import AppTest

from characterbox.llm.sampling import Sampling
from characterbox.play.settings import MemorySettings, Settings
from pages.shared.form import UNUSABLE
from tests.fakes.app_stage import app_stage
from tests.fakes.databases import database_in
from tests.fakes.reasons import a_reason


@pytest.fixture
def opened(tmp_path):
    """Opens the form at an address."""

    def open_at(**address):
        app = AppTest.from_function(draw, default_timeout=60)
        app.query_params.update(address)
        app.run()
        assert not app.exception
        return app

    with app_stage(database_in(tmp_path / "page.db")):
        yield open_at


def draw():
    from characterbox.stage.stage import open_stage  # noqa: PLC0415 - the script is run by itself
    from pages.stage.launch import launch_form  # noqa: PLC0415

    launch_form(open_stage())


def test_what_a_server_offers_instead_is_not_for_all(opened, monkeypatch):
    fault = a_reason("endpoint http://h/v1: it does not offer m; it offers SECRET<b>*")
    monkeypatch.setattr("characterbox.stage.stage.Stage.missing", lambda stage, casting: [fault])
    app = opened().button(key="launch").click().run()
    assert told(app) == [
        "endpoint http&#58;//h/v1&#58; the server does not offer m; it offers other models, visible to admins only"
    ]
    monkeypatch.setattr("characterbox.pause_reasons._asked", [lambda: True])
    assert r"SECRET\<b\>\*" in told(app.run())[0]


def told(app):
    return [one.value for one in app.warning]


def scene_of(app):
    return next(box.value for box in app.selectbox if box.label == "Scene")


def test_an_address_that_can_be_followed_is_followed_without_a_word(opened):
    app = opened(language="zh", scene="shuihu-xuedian")
    assert (scene_of(app), told(app)) == ("shuihu-xuedian", [])


def test_a_language_and_a_scene_that_are_not_there_are_told_with_what_is_shown_instead(opened):
    app = opened(language="xx", scene="no*pe")
    language, scene = told(app)
    assert language == (
        "The link asks for scenes in xx, which is not available here. Scenes in English are shown instead."
    )
    assert scene.startswith(r"The link asks for the scene no\*pe, which is not available in English. “")
    assert dict(app.query_params) == {}
    app.run()
    assert told(app) == []


def test_a_scene_of_the_other_language_is_told(opened):
    (only,) = told(opened(language="en", scene="shuihu-xuedian"))
    assert "the scene shuihu-xuedian, which is not available in English" in only.replace("\\", "")


def numbers(app):
    return {one.label: one for one in app.number_input}


def launched(app):
    from characterbox.stage.stage import open_stage  # noqa: PLC0415 - the app's own

    app.button(key="launch").click().run()
    assert not app.exception
    return open_stage().store.stories.story(app.query_params["story"]).script


def test_settings_are_the_usual_ones_and_those_of_the_last_launch_afterwards(opened):
    app = opened()
    assert launched(app).settings == Settings()
    app = opened()
    numbers(app)["Narrator's temperature"].set_value(0.2)
    numbers(app)["Top-p"].set_value(None)
    numbers(app)["Memories recalled"].set_value(3)
    app.toggle(key="launch-last-beliefs").set_value(False).run()
    chosen = Settings(
        narrator=Sampling(temperature=0.2, top_p=None),
        characters=Sampling(top_p=None),
        memory=MemorySettings(recalled=3),
        last_beliefs=False,
    )
    assert launched(app).settings == chosen
    assert launched(opened()).settings == chosen, "begins with what was launched last, what is left empty too"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("label", "number", "told_of"),
    [
        ("Narrator's temperature", 3.0, "Enter a number from 0 to 2."),
        ("Top-p", 0.0, "Enter a number from 0.01 to 1."),
        ("Memories recalled", 2.5, "Enter a whole number from 0 to 100."),
        ("Weight of importance", -0.1, "Enter a number from 0 to 10."),
        ("Rounds", 0, "Enter a whole number from 1 to 20."),
        ("Seed", 2**31, "Enter a whole number from 0 to 2,147,483,647."),
    ],
)
def test_a_number_out_of_its_range_is_told_and_nothing_starts(opened, label, number, told_of):
    app = opened()
    numbers(app)[label].set_value(number).run()
    assert not app.exception
    told = [one.proto.body for one in app.get("html")]
    assert [one for one in told if "cb-fault" in one] == [f'<p class="cb-fault" role="alert">{told_of}</p>']
    assert any(UNUSABLE[:20] in one.replace("&#x27;", "'") for one in told)
    assert app.button(key="launch").disabled
    numbers(app)[label].set_value(1).run()
    assert launched(app).rounds == (1 if label == "Rounds" else 3)
