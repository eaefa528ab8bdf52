"""Roles on the pages of training: their datasets, and runs that are trained as a model of RoleLLM was."""

import pytest
from streamlit.testing.v1 import AppTest

from characterbox.accounts.account import LOCAL
from characterbox.training import runs as module
from characterbox.training.datasets.collection import DatasetCollection
from characterbox.training.hyperparameters import PRESETS, usual
from characterbox.training.recipe import WrittenRecipe, resolve
from characterbox.training.runs import Runs
from tests.fakes.waiting import until
from tests.pages.training.test_dataset import bodies, page_at
from tests.training.conftest import pretender
from tests.training.folders import write_base
from tests.training.role_datasets import write_roles

pytestmark = pytest.mark.process


def draw_run(name):
    from characterbox.stage.stage import open_stage  # noqa: PLC0415 - the script is run by itself
    from pages.training.run import show_run  # noqa: PLC0415

    show_run(open_stage(), name)


@pytest.fixture
def dataset(stage):
    folder = DatasetCollection.of_user().folder("roles")
    folder.parent.mkdir(parents=True)
    write_roles(folder)
    return folder


@pytest.fixture
def base(tmp_path, monkeypatch):
    """A base, and a program that pretends to train it."""
    monkeypatch.setattr(module, "find_training_python", lambda _: pretender(tmp_path / "python"))
    return write_base(tmp_path / "base")


def test_a_dataset_of_roles_says_whose_questions_they_are_and_what_is_not_learnt(dataset):
    shown = bodies(page_at(dataset="roles"))
    assert "3 examples of 2 roles" in shown
    assert "<th>Roles</th>" in shown
    for told in ("a sample of tests", "holmes", "sample · line 0", "answer: gpt-4"):
        assert told in shown
    assert [one.split("<")[0] for one in shown.split("<h4>")[1:]] == [
        "system",
        "user",
        "assistant, not learnt",
        "user",
        "assistant",
    ]
    assert "3 examples of 2 roles" in bodies(page_at())


def numbers(app):
    """What the fields of the form hold, by their names without the end that tells them apart."""
    return {one.key.removeprefix("training-").split("-")[0]: one.value for one in app.number_input}


@pytest.mark.parametrize("preset", PRESETS)
def test_a_run_of_roles_begins_with_the_values_of_a_preset(stage, dataset, base, preset):
    app = page_at(new="run")
    app.selectbox(key="training-preset").set_value(preset).run()
    training, lora = usual("role", preset)
    found = numbers(app)
    assert found["rate"] == training.learning_rate
    assert (found["epochs"], found["accumulation"]) == (training.epochs, training.accumulation)
    assert (found["input_cutoff"], found["output_cutoff"]) == (training.input_cutoff, training.output_cutoff)
    assert (found["rank"], found["alpha"]) == (lora.rank, lora.alpha)
    assert "From RoleLLM (appendix E)" in bodies(app)
    app.text_input(key="training-name").set_value("played").run()
    app.text_input(key="training-base").set_value(str(base)).run()
    app.button(key="training-start").click().run()
    runs = Runs.of_user(stage.store.audit)
    try:
        as_written = WrittenRecipe(name="played", dataset=str(dataset), base=str(base), preset=preset)
        assert runs.recipe("played").identity == resolve(as_written, dataset).identity, "the form changes no value"
    finally:
        runs._of("played").stop(0)


def test_without_a_preset_a_run_of_roles_is_as_in_table_7(stage, dataset, base):
    app = page_at(new="run")
    app.selectbox(key="training-preset").set_value("table-7").run()
    found = numbers(app)
    assert (found["warmup"], found["cutoff"], found["accumulation"], found["rank"]) == (20, 8192, 8, 16)
    assert "input_cutoff" not in found
    assert "From the paper (table 7):" in bodies(app)


def test_a_run_that_is_done_tells_its_preset_and_is_evaluated_by_no_stories(stage, dataset, base):
    runs = Runs.of_user(stage.store.audit)
    written = WrittenRecipe(name="played", dataset=str(dataset), base=str(base), preset="RoleGLM")
    runs.start(LOCAL, resolve(written, dataset))
    try:
        (runs.folder("played") / "finish").touch()
        until(lambda: runs.state("played").name == "done")
        app = AppTest.from_function(draw_run, args=("played",), default_timeout=60).run()
        shown = bodies(app)
        for told in ("RoleGLM (RoleLLM)", "Lion", "0.0002, cosine with restarts", "1,024", "100"):
            assert told in shown
        assert [one.value for one in app.subheader] == []
    finally:
        runs._of("played").stop(0)
