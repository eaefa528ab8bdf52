"""The view RoleBench: our scores beside the paper's, and experiments, in one language."""

import asyncio
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import REHEARSAL, Endpoint
from characterbox.rolebench.answers.experiments import begun, conditions_of, run_all, wishes_of
from tests.fakes.app_stage import app_stage
from tests.fakes.databases import database_in
from tests.rolebench.answers.asked import a_benchmark, wish

PAGE = Path(__file__).parents[3] / "pages" / "leaderboard" / "page.py"
pytestmark = [pytest.mark.slow, pytest.mark.process]


@pytest.fixture
def store(tmp_path):
    with app_stage(database_in(tmp_path / "new.db")) as stage:
        yield stage.store


def shown(**asked):
    app = AppTest.from_file(str(PAGE), default_timeout=60)
    for name, value in {"view": "RoleBench", **asked}.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app, "\n".join(element.proto.body for element in app.get("html"))


def test_without_answers_it_says_how_to_get_some_and_shows_the_paper_s_tables(store):
    app, body = shown()
    assert "Have a model answer with characterbox rolebench answer" in body
    assert [f"Table {number}:" in body for number in ("3a", "3b", "5a", "5b", "6", "8", "10a", "11", "4a")] == [
        *[True] * 8,
        False,
    ]
    assert not app.get("download_button")


def test_answers_and_experiments_stand_beside_the_paper_s_tables_each_of_which_is_shown_once(store, tmp_path):
    of = wish(a_benchmark(tmp_path / "river"), "http://h/v1")
    common = {"roles": of.roles, "questions": of.questions, "language": "en"}
    wishes = wishes_of("strategy", conditions_of("strategy", {"it": Endpoint.parse(REHEARSAL)}), common)

    async def run():
        client = Client()
        try:
            assert await run_all(store, client, begun(store, wishes)) == []
        finally:
            await client.close()

    asyncio.run(run())
    app, body = shown()
    assert [one.value for one in app.subheader] == ["Strategies on river", "Published (paper)"]
    assert body.count("rehearsal (") == 3
    assert "Scores of the marked models are demo output" in body
    assert body.count("RoleLLM paper. Table 3a:") == 1
    assert body.count("RoleLLM paper. Table 7:") == 1
    assert "CUS best of 5, RAW best of 1, SPE best of 1" in body
    assert [one.label for one in app.get("download_button")] == ["Scores (CSV)", "Tables (LaTeX)"]
    _, chinese = shown(language="Chinese")
    assert "No answers in this language" in chinese
    assert "RoleLLM paper. Table 4a:" in chinese
