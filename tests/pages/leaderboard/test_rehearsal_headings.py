"""Whatever judged stands in the head: scores that the rehearsal gave are never headed by the name of a model alone."""

import asyncio
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from characterbox.errors import EndpointError
from characterbox.judging.experiments import planned, variations
from characterbox.judging.judge import Judge, judge_story, registered
from characterbox.llm.calls.client import Client
from characterbox.stage.jobs.model_jobs import Experiment
from tests.fakes.app_stage import app_stage
from tests.fakes.databases import database_in
from tests.fakes.leaderboards import judge, played
from tests.fakes.mock_server import mock_server
from tests.fakes.stories import a_story

PAGE = Path(__file__).parents[3] / "pages" / "leaderboard" / "page.py"
REHEARSED = "Rehearsal judge, GPT-4 protocol"


@pytest.fixture
def store(tmp_path):
    with app_stage(database_in(tmp_path / "rehearsed.db")) as stage:
        yield stage.store


@pytest.fixture
def stories(store):
    """Stories that models played: one judged by the rehearsal as GPT-4, and one by a model that is called Mistral."""
    mine, other = played(store, ["alpha", "beta"], 1)

    async def judged() -> None:
        client = Client()
        try:
            await judge_story(store, client, mine, registered(store, Judge.parse("GPT-4=rehearsal")))
        finally:
            await client.close()

    asyncio.run(judged())
    judge(store, [other], "Mistral", 1)
    return mine, other


@pytest.mark.slow
def test_the_leaderboard_says_that_the_rehearsal_judged(store, stories, monkeypatch):
    files = []
    monkeypatch.setattr("streamlit.download_button", lambda *_, file_name, **__: files.append(file_name))
    app = AppTest.from_file(str(PAGE), default_timeout=60)
    app.query_params["judge"] = "GPT-4"
    app.run()
    assert not app.exception
    shown = "\n".join(element.proto.body for element in app.get("html"))
    assert f"Scores of {REHEARSED}." in shown
    assert "Scores of GPT-4" not in shown
    assert ">Demo</span>" in shown
    assert files
    assert all(name.startswith("leaderboard-Rehearsal-judge-GPT-4-protocol-judge-en") for name in files)
    (box,) = (one for one in app.selectbox if one.label == "Judge")
    assert {*box.options} == {REHEARSED, "Mistral"}


def of_story(id: str) -> None:
    from characterbox.stage.stage import open_stage  # noqa: PLC0415 - the script runs by itself
    from pages.story.judgements import verdicts  # noqa: PLC0415

    stage = open_stage()
    verdicts(stage, stage.store.stories.story(id))


@pytest.mark.parametrize(("place", "head"), [(0, f"**{REHEARSED}** :gray-badge[Demo]"), (1, "**Mistral**")])
def test_the_verdicts_of_a_story_do(store, stories, place, head):
    app = AppTest.from_function(of_story, default_timeout=60, args=(stories[place].id,)).run()
    assert not app.exception
    assert [one.value for one in app.markdown if one.value.startswith("**")] == [head]


def of_experiments() -> None:
    from types import SimpleNamespace  # noqa: PLC0415 - the script runs by itself

    from characterbox.components.figures.background.selection import Selection  # noqa: PLC0415
    from pages.validity.choice import Focus  # noqa: PLC0415
    from pages.validity.judge_experiments import show_experiments  # noqa: PLC0415

    show_experiments(SimpleNamespace(stored=True), Selection(), Focus(None, "overall"))


@pytest.mark.process
def test_the_experiments_on_a_judge_do(tmp_path):
    with app_stage(database_in(tmp_path / "tried.db")) as stage, mock_server() as server:
        story = a_story(stage.store)
        stage.store.stories.move(story.id, "ended")
        story = stage.store.stories.story(story.id)
        mine = registered(stage.store, Judge.parse(f"GPT-4={server.url}#rehearsal"))
        trials = planned(stage.store, [story], mine, variations(mine, ["shuffled"], 0))
        stage.jobs.start(Experiment(trials)).future.result(timeout=120)
        server.always = "401"
        with pytest.raises(EndpointError):
            stage.jobs.start(Experiment(trials, anew=True)).future.result(timeout=120)
        app = AppTest.from_function(of_experiments, default_timeout=60).run()
    assert not app.exception
    shown = "\n".join(element.proto.body for element in app.get("html"))
    assert f"Judges that were tried: {REHEARSED}." in shown
    (box,) = (one for one in app.selectbox if one.label == "Judge to test")
    assert box.options == [REHEARSED]
    (warning,) = app.warning
    assert warning.value.startswith(f"{REHEARSED}&#58; ")
