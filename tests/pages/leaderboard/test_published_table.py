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
    app.query_params["view"] = "The paper's"
    for name, value in asked.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return "\n".join(element.proto.body for element in app.get("html"))


@pytest.mark.slow
def test_on_a_new_database_it_is_there(store):
    shown = papers()
    assert "The paper, table 1" in shown
    assert all(model in shown for model in MODELS["en"])
    assert "Nothing is scored yet" not in shown
    assert all(model in papers(language="Chinese") for model in MODELS["zh"])


def test_it_is_there_in_a_language_in_which_nothing_is_scored(store):
    judge(store, played(store, ["alpha", "beta"], 1), "GPT-4", 1)
    shown = papers(language="Chinese")
    assert all(model in shown for model in MODELS["zh"])
    assert "none of the choices" not in shown
