"""The Roles page without a browser: the list, a role, who may change it, and what is told of a dialogue."""

import pytest
from streamlit.testing.v1 import AppTest

from characterbox.llm.endpoint import REHEARSAL, Casting, Endpoint
from characterbox.play.world import Script
from characterbox.roles.dialogue import Conversation, dialogue_scene
from characterbox.roles.library import bundled_roles
from characterbox.roles.role import Description, Provenance
from pages.roles.dialogue import dialogue_data
from tests.fakes.app_stage import app_stage
from tests.fakes.roles import FERRYMAN
from tests.fakes.scenes_page import texts
from tests.fakes.waiting import until

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def stage(url):
    with app_stage(url) as stage:
        yield stage


def draw():
    """Run the page, as its own script."""
    import runpy  # noqa: PLC0415
    from pathlib import Path  # noqa: PLC0415

    import pages  # noqa: PLC0415

    runpy.run_path(str(Path(next(iter(pages.__path__))) / "roles" / "page.py"))


def page(**place):
    """The page at a place of its own, which is drawn without a fault."""
    app = AppTest.from_function(draw, default_timeout=60)
    for name, value in place.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def test_the_list_has_all_roles_and_finds_some(stage):
    told = texts(page())
    assert told.count("<li>") == len(bundled_roles())
    found = texts(page(text="Holmes"))
    assert "Sherlock Holmes" in found
    assert "Captain Ahab" not in found
    assert texts(page(language="zh")).count("<li>") == 4


def test_hostile_text_stays_text(stage):
    hostile = FERRYMAN.model_copy(
        update={
            "work": HOSTILE,
            "description": Description(text=HOSTILE, provenance=Provenance(source=HOSTILE)),
        }
    )
    chain = stage.store.roles.start(hostile, None)
    for told in (texts(page(whose="own")), texts(page(role=chain))):
        assert "&lt;img" in told
        assert "<img" not in told


def test_a_role_is_described_and_verified_by_hand_each_as_a_version(stage):
    chain = stage.store.roles.start(FERRYMAN.model_copy(update={"description": None}), None)
    app = page(role=chain)
    app.text_area(key=f"role-{chain}-description").input("You are a ferryman.")
    app.button(key=f"role-{chain}-description-save").click().run()
    assert not app.exception
    found = stage.store.roles.find(chain)
    assert found.version == 2
    assert found.content.description.text == "You are a ferryman."
    assert found.content.description.provenance.verified
    app.text_area(key=f"role-{chain}-catchphrases").input("All aboard!\n\nAll aboard!")
    app.button(key=f"role-{chain}-catchphrases-save").click().run()
    assert [one.text for one in stage.store.roles.find(chain).content.catchphrases] == ["All aboard!"]
    for number, part in enumerate(FERRYMAN.dialogues):
        if not part.provenance.verified:
            app.button(key=f"role-verify-{number}").click().run()
    assert stage.store.roles.find(chain).content.verified


def test_what_differs_between_versions_is_told_and_an_earlier_one_comes_back(stage):
    chain = stage.store.roles.start(FERRYMAN, None)
    changed = FERRYMAN.model_copy(update={"work": HOSTILE})
    stage.store.roles.save(chain, changed, after=1, made_by=None)
    app = page(role=chain, view="versions")
    told = texts(app)
    assert HOSTILE not in told
    assert "Restore version 1" in [one.label for one in app.button]
    app.button(key="back-1").click().run()
    assert not app.exception
    assert stage.store.roles.find(chain).content == FERRYMAN
    assert stage.store.roles.find(chain).version == 3


def test_an_unknown_role_and_an_unknown_dialogue_are_told(stage):
    assert "there is no role" in page(role="nowhere").error[0].value
    assert "there is no bundled role" in page(role="bundled:nobody").error[0].value
    assert page(dialogue="nowhere").error


@pytest.mark.process
@pytest.mark.slow
def test_a_dialogue_is_told_with_examples_and_whose_turn_it_is(stage):
    role = bundled_roles()[0]
    scene = dialogue_scene([role], "Anna")
    model = Endpoint(url=REHEARSAL, model="rehearsal")
    script = Script(scene=scene, rounds=9, conversation=Conversation(roles=(role,)))
    story = stage.launch(script, Casting(narrator=model, characters=dict.fromkeys(scene.names, model)), ("Anna",))
    until(lambda: stage.store.stories.story(story.id).status == "cued")
    stage.answer(story.id, stage.questions(story.id)[0].path, "Good evening.")
    until(lambda: len(stage.store.stories.events(story.id)) == 2 and not stage.playing(story.id))
    kin = stage.store.families.family(story.id)
    told = dialogue_data(stage, stage.store.stories.story(story.id), kin, directs=True)
    assert [(turn["name"], turn["mine"]) for turn in told["turns"]] == [("Anna", True), (role.name, False)]
    assert told["examples"]
    assert told["asked"]
    assert told["tools"]
    assert not dialogue_data(stage, stage.store.stories.story(story.id), kin, directs=False)["asked"]
