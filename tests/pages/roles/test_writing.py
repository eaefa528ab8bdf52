"""Having a model write for a role, without a browser: what it proposes is shown, and saved part by part if accepted."""

import pytest

from characterbox.llm.endpoint import REHEARSAL, Endpoint
from characterbox.rolebench.profiles.role_making import RoleMaking
from characterbox.rolebench.running import look
from tests.fakes.app_stage import app_stage
from tests.fakes.roles import FERRYMAN
from tests.fakes.scenes_page import texts
from tests.fakes.waiting import until
from tests.pages.roles.test_roles import HOSTILE, page

pytestmark = [pytest.mark.process, pytest.mark.slow]

BARE = FERRYMAN.model_copy(update={"description": None, "catchphrases": ()})


@pytest.fixture
def stage(url):
    with app_stage(url) as stage:
        yield stage


def begun(stage, role, model=REHEARSAL):
    """The id of a run that has come to its end."""
    id = stage.generations.begin(RoleMaking(role=role, language=role.language, model=Endpoint.parse(model)))
    until(lambda: not stage.generations.under_way(id))
    return id


def test_a_run_is_started_from_the_form(stage):
    chain = stage.store.roles.start(BARE, None)
    app = page(role=chain, view="writing")
    app.selectbox(key="role-writer").select(REHEARSAL).run()
    assert "13 calls" in texts(app)
    app.button(key="role-write").click().run()
    assert not app.exception
    [one] = stage.store.craftings.all(["role"])
    assert app.query_params["run"] in (one.id, [one.id])
    until(lambda: not stage.generations.under_way(one.id))
    assert look(stage.store, one.id).status == "ended"
    assert "done" in " ".join(button.label for button in page(role=chain, view="writing").button)


def test_each_part_is_accepted_by_itself_and_verified_by_whoever_reads_it(stage):
    chain = stage.store.roles.start(BARE, None)
    id = begun(stage, BARE)
    proposal = look(stage.store, id).result
    app = page(role=chain, view="writing", run=id)
    told = texts(app)
    assert all(one.question in told and one.answer in told for one in proposal.audit)
    assert (
        "This is Demo output (no language model); do not report." in [one.value for one in app.warning]
        or "do not report" in told
    )
    assert proposal.description.text in told
    assert stage.store.roles.find(chain).content == BARE, "nothing is saved before it is accepted"
    for part in ("description", "phrase-0", "distinctiveness"):
        app.button(key=f"role-accept-{part}").click().run()
        assert not app.exception
    found = stage.store.roles.find(chain)
    assert found.version == 4
    assert found.content.description.text == proposal.description.text
    by = found.content.description.provenance
    assert (by.source, by.model, by.verified) == ("rehearsal", "rehearsal", True)
    assert [one.text for one in found.content.catchphrases] == [proposal.catchphrases[0].phrase.text]
    assert found.content.distinctiveness.level == proposal.judged.level
    assert f"{proposal.judged.level}/4" in texts(page(role=chain))
    left = {button.key for button in page(role=chain, view="writing", run=id).button if "accept" in (button.key or "")}
    assert left == {f"role-accept-phrase-{n}" for n in range(1, len(proposal.catchphrases))}


def test_hostile_text_stays_text_and_runs_of_others_are_refused(stage):
    hostile = BARE.model_copy(update={"name": HOSTILE, "dialogues": ()})
    chain = stage.store.roles.start(hostile, None)
    app = page(role=chain, view="writing", run=begun(stage, hostile))
    assert "<img" not in texts(app).replace("\\<img", "")
    other = begun(stage, FERRYMAN.model_copy(update={"id": "another"}))
    [told] = page(role=chain, view="writing", run=other).error
    assert told.value == "There is no such run for this role."
    assert page(role=chain, view="writing", run="nothing").error
    assert "Bundled roles stay as they are" in texts(page(role="bundled:en-captain-ahab", view="writing"))


def test_characters_of_scenes_and_stories_are_imported(stage):
    app = page(new="import")
    app.segmented_control(key="role-source").set_value("scene").run()
    app.selectbox(key="role-scene").select_index(0).run()
    app.selectbox(key="role-character").select_index(0).run()
    assert not app.exception
    app.button(key="role-store").click().run()
    [heading] = stage.store.roles.headings()
    assert heading.heading.opening
    app = page(new="import")
    app.segmented_control(key="role-source").set_value("story").run()
    assert "No stories found." in texts(app)
