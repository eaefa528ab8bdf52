"""The runs of the app: who may start and stop them, and what the log tells of it."""

import pytest

from characterbox.accounts.account import LOCAL, Account
from characterbox.errors import NotAllowed, TrainingError
from characterbox.training import runs as module
from characterbox.training.recipe import read_recipe
from characterbox.training.runs import Runs
from tests.training.folders import sign, write_recipe
from tests.training.test_run_folder import until

pytestmark = pytest.mark.process
RESEARCHER = Account(id=None, name="Rita", role="researcher")


@pytest.fixture
def runs(store, tmp_path, python, monkeypatch):
    monkeypatch.setattr(module, "find_training_python", lambda _: python)
    runs = Runs(tmp_path / "app", store.audit, patience=30)
    yield runs
    for name in runs.all():
        runs._of(name).stop(0)


def test_a_run_of_the_app_is_started_stopped_and_merged(runs, store, recipe):
    assert runs.all() == {}
    assert runs.start(LOCAL, recipe).name == "running"
    run = runs._of("first")
    until(run, lambda state: state.progress.step == 1)
    assert list(runs.all()) == ["first"]
    assert runs.recipe("first").identity == recipe.identity
    assert "characterbox.training.worker" in runs.log("first")
    runs.stop(LOCAL, "first")
    until(run, lambda state: state.name == "stopped")
    assert runs.start(LOCAL, recipe).name == "running"
    (runs.folder("first") / "finish").touch()
    until(run, lambda state: state.name == "done")
    runs.merge(LOCAL, "first")
    until(run, lambda state: state.merged)
    told = [(entry.action, entry.subject) for entry in reversed(store.audit.read(10))]
    verbs = ("started", "stopped", "started", "merged")
    assert told == [(f"training.{verb}", "first") for verb in verbs]


def test_what_is_done_stays_so_and_is_merged_with_its_own_base_alone(runs, recipe, tmp_path):
    runs.start(LOCAL, recipe)
    (runs.folder("first") / "finish").touch()
    until(runs._of("first"), lambda state: state.name == "done")
    config = tmp_path / "base/config.json"
    before = config.read_text(encoding="utf-8")
    config.write_text("{}", encoding="utf-8")
    assert runs.start(LOCAL, recipe).name == "done"
    with pytest.raises(TrainingError, match=r"base has changed since the run was begun"):
        runs.merge(LOCAL, "first")
    config.write_text(before, encoding="utf-8")
    runs.merge(LOCAL, "first")
    until(runs._of("first"), lambda state: state.merged)


@pytest.mark.parametrize("changed", ["data/train.jsonl", "base/config.json"])
def test_a_run_goes_on_only_with_what_it_was_begun_with(runs, recipe, tmp_path, changed):
    runs.start(LOCAL, recipe)
    runs._of("first").stop(0)
    file = tmp_path / changed
    file.write_text(file.read_text(encoding="utf-8").replace("64", "65").replace("Holmes", "Watson"), encoding="utf-8")
    if changed.startswith("data"):
        sign(tmp_path / "data")
    with pytest.raises(TrainingError, match=f"{file.parent} has changed since the run was begun"):
        runs.start(LOCAL, runs.recipe("first"))
    assert runs.state("first").name != "running"


def test_only_admins_act(runs, recipe, store):
    for act in (
        lambda: runs.start(RESEARCHER, recipe),
        lambda: runs.stop(RESEARCHER, "first"),
        lambda: runs.merge(RESEARCHER, "first"),
    ):
        with pytest.raises(NotAllowed):
            act()
    assert (runs.all(), store.audit.read(10)) == ({}, [])


def test_the_run_that_was_started_last_comes_first(runs, recipe, tmp_path):
    runs.start(LOCAL, recipe)
    runs.start(LOCAL, recipe.model_copy(update={"name": "second"}))
    assert list(runs.all()) == ["second", "first"]


def test_a_run_that_can_t_be_read_hides_no_others(runs, recipe):
    runs.start(LOCAL, recipe)
    runs.start(LOCAL, recipe.model_copy(update={"name": "second"}))
    file = runs.folder("second") / "run.json"
    whole = file.read_text(encoding="utf-8")
    file.write_text("{", encoding="utf-8")
    found = runs.all()
    assert (found["first"].name, found["second"].name) == ("running", "failed")
    assert "run.json is damaged" in str(found["second"].fault)
    file.write_text(whole, encoding="utf-8")


@pytest.mark.parametrize("name", ["../first", "first/..", ""])
def test_a_name_leads_to_no_other_folder(runs, name):
    with pytest.raises(TrainingError, match="there is no run"):
        runs.recipe(name)


def test_a_name_that_is_taken_by_another_recipe_is_refused(runs, recipe, tmp_path):
    runs.start(LOCAL, recipe)
    other = read_recipe(write_recipe(tmp_path, "seed = 2\n"))
    with pytest.raises(TrainingError, match="holds the run of another recipe"):
        runs.start(LOCAL, other)
