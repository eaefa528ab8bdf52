"""Whatever judged stands in the head: scores that the rehearsal gave are never headed by the name of a model alone."""

import asyncio
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from characterbox.judging.judge import Judge, judge_story
from characterbox.judging.registry import registered
from characterbox.llm.client import Client
from pages.parts import verdicts
from tests.fakes.boards import judge, played
from tests.fakes.databases import store_in

PAGE = Path(verdicts.__file__).parents[1] / "leaderboard.py"
REHEARSED = "Rehearsal judge, GPT-4 protocol"


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("CHARACTERBOX_DB", str(tmp_path / "rehearsed.db"))
    store = store_in(tmp_path / "rehearsed.db")
    monkeypatch.setattr("characterbox.stage.stage.open_stage", type("Stage", (), {"store": store}))
    yield store
    store.close()


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
def test_the_leaderboard_says_that_the_rehearsal_judged(store, stories):
    app = AppTest.from_file(str(PAGE), default_timeout=60)
    app.query_params["judge"] = "GPT-4"
    app.run()
    assert not app.exception
    shown = "\n".join(element.proto.body for element in app.get("html"))
    assert f"Scores of {REHEARSED}." in shown
    assert "Scores of GPT-4" not in shown
    assert ">Demo</span>" in shown
    (box,) = (one for one in app.selectbox if one.label == "Judge")
    assert {*box.options} == {REHEARSED, "Mistral"}


def of_story(id: str) -> None:
    from characterbox.stage.stage import open_stage  # noqa: PLC0415 - the script runs by itself
    from pages.parts.verdicts import verdicts  # noqa: PLC0415

    stage = open_stage()
    verdicts(stage, stage.store.stories.story(id))


@pytest.mark.parametrize(("place", "head"), [(0, f"**{REHEARSED}** :gray-badge[Demo]"), (1, "**Mistral**")])
def test_the_verdicts_of_a_story_do(store, stories, place, head):
    app = AppTest.from_function(of_story, default_timeout=60, args=(stories[place].id,)).run()
    assert not app.exception
    assert [one.value for one in app.markdown if one.value.startswith("**")] == [head]
