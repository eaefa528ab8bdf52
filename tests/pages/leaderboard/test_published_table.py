"""The paper's table stands on the leaderboard whatever is scored here: it is in each language that the paper has."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from annotations.report.published import TABLE_1
from tests.fakes.app_stage import app_stage
from tests.fakes.databases import database_in
from tests.fakes.leaderboards import judge, played

PAGE = Path(__file__).parents[3] / "pages" / "leaderboard" / "page.py"
MODELS = {language: [one.model for one in TABLE_1 if one.language == language] for language in ("en", "zh")}


@pytest.fixture
def store(tmp_path):
    with app_stage(database_in(tmp_path / "new.db")) as stage:
        yield stage.store


def papers(**asked):
    app = AppTest.from_file(str(PAGE), default_timeout=60)
    app.query_params["view"] = "Published (paper)"
    for name, value in asked.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return "\n".join(element.proto.body for element in app.get("html"))


@pytest.mark.slow
def test_on_a_new_database_it_is_there(store):
    shown = papers()
    assert "Paper, table 1" in shown
    assert all(model in shown for model in MODELS["en"])
    assert "Nothing is scored yet" not in shown
    assert all(model in papers(language="Chinese") for model in MODELS["zh"])


def test_it_is_there_in_a_language_in_which_nothing_is_scored(store):
    judge(store, played(store, ["alpha", "beta"], 1), "GPT-4", 1)
    shown = papers(language="Chinese")
    assert all(model in shown for model in MODELS["zh"])
    assert "none of the choices" not in shown


def body(app):
    assert not app.exception
    return "\n".join(element.proto.body for element in app.get("html"))


@pytest.mark.slow
def test_a_name_that_is_added_stands_with_its_published_row_until_it_is_undone(store):
    app = AppTest.from_file(str(PAGE), default_timeout=60)
    app.query_params["view"] = "Published (paper)"
    app.run()
    assert "have the same eight deviations" in body(app)
    assert "Undo the last change" not in [button.label for button in app.button]
    app.text_input[0].set_value("Qwen2.5-7B-sft")
    next(box for box in app.selectbox if box.label == "Name in the paper").set_value("Qwen2.5-7B")
    next(button for button in app.button if button.label == "Add name").click().run()
    assert "qwen2.5-7b-instruct, qwen2.5-7b-sft" in body(app)
    assert store.published_names.names().row("org/Qwen2.5-7B-sft") == "Qwen2.5-7B"
    next(button for button in app.button if button.label == "Undo the last change").click().run()
    assert "qwen2.5-7b-sft" not in body(app)
    assert store.published_names.names().row("org/Qwen2.5-7B-sft") is None


@pytest.mark.slow
def test_a_name_without_visible_characters_is_refused_beside_the_form(store):
    app = AppTest.from_file(str(PAGE), default_timeout=60)
    app.query_params["view"] = "Published (paper)"
    app.run()
    next(button for button in app.button if button.label == "Add name").click().run()
    assert "visible characters only" in app.error[0].value
