"""A training run on its page: its curves, how it is stopped and resumed, and who may do that."""

from concurrent.futures import Future
from dataclasses import replace
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from characterbox.accounts.account import LOCAL, Account
from characterbox.accounts.permissions import pages_of
from characterbox.errors import EndpointError
from characterbox.llm.vllm.servers import State
from characterbox.stage.jobs.vllm_jobs import Errand
from characterbox.training import runs as module
from characterbox.training.recipe import read_recipe
from characterbox.training.runs import Runs
from characterbox.training.serving import adapter_name
from tests.fakes.waiting import until
from tests.training.conftest import pretender
from tests.training.folders import write_base, write_dataset, write_recipe

pytestmark = pytest.mark.process

RITA = Account(id="0123456789ab", name="Rita", role="researcher")


def draw(name):
    from characterbox.stage.stage import open_stage  # noqa: PLC0415 - the script is run by itself
    from pages.training.run import show_run  # noqa: PLC0415

    show_run(open_stage(), name)


def draw_list():
    from characterbox.stage.stage import open_stage  # noqa: PLC0415 - the script is run by itself
    from pages.training.list import training_list  # noqa: PLC0415

    training_list(open_stage())


def page_of(name="first"):
    return AppTest.from_function(draw, args=(name,), default_timeout=60)


def bodies(app):
    assert not app.exception
    return "\n".join(one.proto.body for one in app.get("html"))


def buttons(app):
    return {one.label for one in app.button} - {"All training"}


@pytest.fixture
def runs(stage, tmp_path, monkeypatch):
    """Those of the user, with a run that a program pretends to do."""
    monkeypatch.setattr(module, "find_training_python", lambda _: pretender(tmp_path / "python"))
    write_dataset(tmp_path / "data-of-run")
    write_base(tmp_path / "base")
    write_recipe(tmp_path)
    file = tmp_path / "run.toml"
    file.write_text(file.read_text("utf-8").replace('"data"', '"data-of-run"'), "utf-8")
    runs = Runs.of_user(stage.store.audit)
    runs.start(LOCAL, read_recipe(file))
    until(lambda: runs.state("first").progress.step == 1)
    yield runs
    runs._of("first").stop(0)


def test_it_is_stopped_and_resumed_and_done(runs):
    app = page_of().run()
    assert buttons(app) == {"Stop"}
    assert "10 tokens per second · about 1 minute left" in bodies(app)
    assert len(app.get("plotly_chart")) == 1
    app.button(key="training-stop").click().run()
    until(lambda: runs.state("first").name == "stopped")
    app.run()
    assert [one.value for one in app.markdown] == ["Stopped · step 1 of 3"]
    assert buttons(app) == {"Resume"}
    app.button(key="training-resume").click().run()
    assert runs.state("first").name == "running"
    (runs.folder("first") / "finish").touch()
    until(lambda: runs.state("first").name == "done")
    app.run()
    assert buttons(app) >= {"Serve with vLLM", "Merge into the base"}
    assert [one.value for one in app.subheader] == ["Evaluation"]
    app.button(key="training-merge").click().run()
    until(lambda: runs.state("first").merged and runs.state("first").name == "done")
    assert "Merged weights" in bodies(app.run())


def test_a_researcher_sees_it_and_may_evaluate_but_neither_stops_nor_serves(runs, visiting):
    app = page_of().run()
    visiting(RITA)
    app.button(key="training-stop").click().run()
    assert ["admin" in one.value for one in app.error] == [True]
    assert runs.state("first").name == "running"
    assert buttons(app.run()) == set()
    visiting(LOCAL)
    (runs.folder("first") / "finish").touch()
    until(lambda: runs.state("first").name == "done")
    app.run()
    visiting(RITA)
    app.button(key="training-serve").click().run()
    assert ["admin" in one.value for one in app.error] == [True]
    app.run()
    assert not {"Serve with vLLM", "Merge into the base"} & buttons(app)
    assert [one.value for one in app.subheader] == ["Evaluation"]


RESTART, SERVE = "Restart the server with the adapter", "Serve with vLLM"


@pytest.mark.parametrize(
    ("state", "errand", "button", "told"),
    [
        (State("stopped"), None, SERVE, ""),
        (State("starting", phase="weights"), None, None, "Server of the base: starting: loading the weights"),
        (State("ready", models=("base",)), None, RESTART, "Restarting it breaks off pending replies."),
        (State("ready", models=("base", "TUNED")), None, None, "The adapter is served at http://127.0.0.1:"),
        (State("failed", faults=("CUDA out of memory",)), None, SERVE, "CUDA out of memory"),
        (State("stopped"), EndpointError("no vLLM was found"), SERVE, "could not be started: no vLLM was found"),
    ],
)
def test_it_is_served_as_far_as_it_is_not_and_nobody_is_broken_off_unasked(
    runs, monkeypatch, state, errand, button, told
):
    (runs.folder("first") / "finish").touch()
    until(lambda: runs.state("first").name == "done")
    tuned = adapter_name("first", runs.recipe("first").identity)
    found = replace(state, models=tuple(one.replace("TUNED", tuned) for one in state.models))
    asked, failed = [], Future()
    failed.set_exception(errand)

    class Starting:
        servers = SimpleNamespace(state=lambda _: found)

        def errand(self, _):
            return None if errand is None else Errand("start", failed)

        def restart(self, actor, server, note):
            asked.append(server.launch.adapters)

    monkeypatch.setattr("pages.training.serving.open_starter", Starting)
    app = page_of().run()
    assert told in "\n".join([bodies(app), *(one.value for one in (*app.markdown, *app.error))])
    assert {SERVE, RESTART} & buttons(app) == ({button} - {None})
    if button:
        app.button(key="training-serve").click().run()
        assert asked == [{tuned: str(runs.folder("first") / "adapter")}]


@pytest.mark.parametrize("file", ["run.json", "progress.jsonl", "result.json"])
@pytest.mark.parametrize("content", ["", "{", "[]", "\x00", '{"identity": 1}'])
def test_damaged_files_are_told_and_hide_nothing(runs, file, content):
    runs._of("first").stop(0)
    (runs.folder("first") / file).write_text(content, "utf-8")
    app = page_of().run()
    assert not app.exception
    listed = AppTest.from_function(draw_list, default_timeout=60).run()
    assert not listed.exception
    assert [one.value for one in listed.subheader] == ["Training runs"]


@pytest.mark.parametrize("name", ["nowhere", "../first", "."])
def test_a_name_of_none_leads_back(stage, name):
    app = page_of(name).run()
    assert not app.exception
    assert [one.value for one in app.title] == ["Training"]
    assert len(app.error) == 1


@pytest.mark.parametrize(("role", "led"), [("viewer", False), ("expert", False), ("researcher", True), ("admin", True)])
def test_the_page_is_there_for_those_who_may_direct(role, led):
    assert ("training" in pages_of(Account(id="0123456789ab", name="Ada", role=role))) is led
