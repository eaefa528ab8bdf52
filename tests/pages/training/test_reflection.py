"""The page of a story's rewritten parts: begun, stopped, gone on with, looked at, edited and judged."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from characterbox.accounts.account import Account
from characterbox.llm.endpoint import Endpoint
from characterbox.stage.jobs.reflection_jobs import Reflecting, ReflectionJudging
from characterbox.training.reflection.running import place_of_reflection, reflection_of
from tests.fakes.mock_server import mock_server
from tests.fakes.waiting import until
from tests.pages.training.conftest import REHEARSAL

pytestmark = pytest.mark.process

VERA = Account(id="0123456789ab", name="Vera", role="viewer")
PLACE = place_of_reflection(REHEARSAL, "Ann")


def draw(id):
    from characterbox.stage.stage import open_stage  # noqa: PLC0415 - the script is run by itself
    from pages.training.reflection import show_reflections  # noqa: PLC0415

    show_reflections(open_stage(), id)


def draw_list():
    from characterbox.stage.stage import open_stage  # noqa: PLC0415 - the script is run by itself
    from pages.training.list import training_list  # noqa: PLC0415

    training_list(open_stage())


def page_of(story):
    return AppTest.from_function(draw, args=(story.id,), default_timeout=60)


def bodies(app):
    assert not app.exception
    return "\n".join([*(one.proto.body for one in app.get("html")), *(one.value for one in app.text)])


def keys(app):
    return {one.key for one in app.button}


def rewritten(stage, story, *names):
    for name in names:
        stage.jobs.start(Reflecting(story, name, story.casting.characters[name])).future.result(60)


def test_all_parts_are_rewritten_and_each_is_shown(stage, ended):
    story = ended()
    app = page_of(story).run()
    assert app.selectbox(key="reflection-character").options == ["All characters", "Ann", "Bob"]
    app.button(key="reflection-start").click().run()
    jobs = stage.jobs.of(Reflecting, story.id)
    assert [one.name for one in jobs] == ["Ann", "Bob"]
    assert all(one.future.result(60).complete for one in jobs)
    app.run()
    assert not {"reflection-start", "reflection-on", "reflection-stop"} & keys(app), "there is nothing left to do"
    assert [one.value for one in app.subheader] == ["Ann", "Judges"]
    app.selectbox(key="reflection-part").select(1).run()
    assert [one.value for one in app.subheader] == ["Bob", "Judges"]
    before = reflection_of(stage.store, story, "Bob").steps[0].before
    assert before.splitlines()[0] in bodies(app).replace("&quot;", '"').replace("&#x27;", "'")


def test_a_part_is_stopped_and_gone_on_with(stage, ended):
    with mock_server() as server:
        story = ended(endpoint=Endpoint(url=server.url, model="m"))
        server.answers = len(server.seen) + 2
        app = page_of(story).run()
        app.selectbox(key="reflection-character").select("Ann").run()
        app.button(key="reflection-start").click().run()
        [first] = stage.jobs.of(Reflecting, story.id)
        until(lambda: len(server.seen) > server.answers)
        app.run()
        assert "reflection-on" not in keys(app), "what runs is not begun once more"
        app.button(key="reflection-stop").click().run()
        assert first.future.cancelled()
        server.answers = None
        until(lambda: not first.task or first.task.done())
        app.run()
        assert not reflection_of(stage.store, story, "Ann").complete
        assert app.selectbox(key="reflection-character").options == ["All characters", "Bob"]
        app.button(key="reflection-on").click().run()
        assert stage.jobs.of(Reflecting, story.id)[-1].future.result(60).complete


def test_a_reply_is_looked_at_edited_and_what_rests_on_it_asked_anew(stage, ended):
    story = ended()
    rewritten(stage, story, "Ann")
    first = reflection_of(stage.store, story, "Ann").steps[0]
    path = f"rewrite/{first.path}"
    app = page_of(story).run()
    [step] = [one for one in app.selectbox if one.label == "Step"]
    assert step.options[:3] == ["Inconsistencies", f"Rewriting of 1. {first.path}", f"Check of 1. {first.path}"]
    step.select(path).run()
    assert "&lt;original&gt;" not in bodies(app), "the prompt is set as reading"
    assert "<h4>Original</h4>" in bodies(app)
    key = f"reflection-edit-{story.id}-{PLACE}{path}"
    app.button(key=f"{key}-open").click().run()
    app.text_area(key=key).set_value("Nothing.").run()
    app.button(key=f"{key}-save").click().run()
    assert "cb-fault" in bodies(app)
    assert app.text_area(key=key).value == "Nothing.", "what was written stays"
    mine = json.dumps({**json.loads(first.before), "belief": "I believe that the clocks are right."})
    app.text_area(key=key).set_value(mine).run()
    app.button(key=f"{key}-save").click().run()
    assert [one.author for one in stage.store.stories.takes(story.id, PLACE + path)] == ["model", "edit"]
    assert "I believe that the clocks are right." in bodies(app)
    [version] = [one for one in app.selectbox if one.label == "Version"]
    assert version.options == ["2 · edited by a person", "1 · by the model"]
    version.select(0).run()
    assert "I believe that the clocks are right." not in next(one.value for one in app.text)
    app.button(key="reflection-on").click().run()
    until(lambda: not any(one.under_way for one in stage.jobs.of(Reflecting, story.id)))
    assert reflection_of(stage.store, story, "Ann").complete


def test_a_judge_scores_both_and_the_scores_stand_side_by_side(stage, ended):
    story = ended()
    app = page_of(story).run()
    assert "judge-story" not in keys(app), "there is nothing to judge"
    rewritten(stage, story, "Ann")
    app.run()
    app.text_input(key="judge-endpoint").set_value("rehearsal").run()
    app.button(key="judge-story").click().run()
    [job] = stage.jobs.of(ReflectionJudging, story.id)
    [judged] = job.future.result(60)
    told = bodies(app.run())
    assert "Rehearsal judge" in told
    scores = f"<td>{judged.before['KA'].score}</td><td>{judged.after['KA'].score}</td>"
    assert scores in told
    assert f"<td>{judged.differences['KA']:+d}</td>" in told


def test_whoever_may_not_direct_is_refused_by_the_buttons_too(stage, ended, visiting):
    story = ended()
    app = page_of(story).run()
    visiting(VERA)
    app.button(key="reflection-start").click().run()
    assert stage.jobs.of(Reflecting, story.id) == []
    assert ["researcher role" in one.value for one in app.error] == [True]


def test_a_story_that_is_not_there_leads_back(stage):
    app = AppTest.from_function(draw, args=("nowhere",), default_timeout=60).run()
    assert not app.exception
    assert [one.value for one in app.title] == ["Training"]
    assert len(app.error) == 1


def test_the_list_leads_to_stories_of_which_parts_are_rewritten(stage, ended):
    story = ended()
    app = AppTest.from_function(draw_list, default_timeout=60).run()
    assert not app.exception
    assert app.subheader.len == 0
    rewritten(stage, story, "Ann")
    app.run()
    assert [one.value for one in app.subheader] == ["Rewritten parts"]
    app.button(key=f"way-reflections={story.id}").click().run()
    assert app.query_params["reflections"] == story.id
