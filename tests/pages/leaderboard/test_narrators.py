"""The view of narrators: by kind of step or as a whole, one rater at a time, with what the paper says beside."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.fakes.app_stage import app_stage
from tests.fakes.databases import database_in
from tests.fakes.leaderboards import judge_narrators, played

PAGE = Path(__file__).parents[3] / "pages" / "leaderboard" / "page.py"
pytestmark = pytest.mark.slow


@pytest.fixture
def store(tmp_path):
    with app_stage(database_in(tmp_path / "new.db")) as stage:
        yield stage.store


def opened(**asked):
    app = AppTest.from_file(str(PAGE), default_timeout=60)
    for name, value in {"view": "Narrators", **asked}.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def shown(app):
    return "\n".join(element.proto.body for element in app.get("html"))


def control(app, label):
    return next(one for one in app.get("button_group") if one.label == label)


def test_as_long_as_nobody_is_scored_it_says_how_that_is_done_and_what_the_paper_says(store):
    body = shown(opened())
    assert "No narrator has been scored this way yet." in body
    assert "with the rubric narrator_steps" in body
    assert "CharacterNR is significantly better than Qwen2.5-7B on all maxims" in body


def test_each_kind_of_step_has_its_rows_and_the_chart_is_of_the_one_that_is_chosen(store):
    judge_narrators(store, played(store, ["p"], 6, narrator="alpha<i>"), "GPT-4", "narrator_steps")
    app = opened(step="Results")
    body = shown(app)
    groups = ("All steps", "Action influences", "Results", "Character updates", "Environment updates")
    assert all(f"<span>{name}</span>" in body for name in groups)
    assert body.count('<th scope="row">alpha&lt;i&gt;</th>') == 5
    assert "6 stories" in body
    assert "1 set of character models" in body
    assert "95 % intervals (jackknife by scenes, Student&#x27;s t); the models that play" in body
    assert control(app, "Steps").value == "Results"
    assert [box.options for box in app.selectbox] == [["GPT-4"]]
    assert len(app.get("plotly_chart")) == 1
    assert {button.label for button in app.get("download_button")} >= {"Narrators (CSV)", "Narrators (LaTeX)"}


def test_whole_stories_are_another_table_and_languages_are_chosen(store):
    judge_narrators(store, played(store, ["p"], 6, narrator="alpha"), "GPT-4", "narrator")
    judge_narrators(store, played(store, ["p"], 6, narrator="beta", language="zh"), "Other", "narrator")
    assert "No narrator has been scored this way yet." in shown(opened())
    app = opened(asked="The whole story", language="Chinese")
    assert "beta" in shown(app)
    assert "alpha" not in shown(app)
    assert [box.options for box in app.selectbox] == [["Other"]]
    assert not [one for one in app.get("button_group") if one.label == "Steps"]


def test_what_is_asked_in_vain_is_told(store):
    judge_narrators(store, played(store, ["p"], 6, narrator="alpha"), "GPT-4", "narrator_steps")
    body = shown(opened(asked="x", step="y", rater="z"))
    assert body.count("not available here") == 3
