"""A run as a folder: started, found again, stopped, resumed and refused; the process only pretends to train."""

import json
import os
import shutil
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from characterbox.errors import TrainingError
from characterbox.processes.detached import birth
from characterbox.training import run_folder
from characterbox.training.progress import Progress, read_progress
from characterbox.training.recipe import Recipe, read_recipe
from characterbox.training.run_folder import RunFolder, RunState
from tests.training.conftest import pretender
from tests.training.folders import example, write_dataset, write_recipe

pytestmark = pytest.mark.process
SOON = 60.0


def until(run: RunFolder, wanted: Callable[[RunState], bool]) -> RunState:
    """The first state that is wanted."""
    last = time.monotonic() + SOON
    while not wanted(state := run.state()):
        assert time.monotonic() < last, f"it is still {state}"
        time.sleep(0.01)
    return state


def stepped(state: RunState) -> bool:
    return state.progress.step == 1


@pytest.fixture
def run(recipe: Recipe):
    """A run that was not started; whatever of it goes on at the end is killed."""
    run = RunFolder(recipe.out)
    yield run
    run.stop(0)


def pid_of(run: RunFolder) -> int:
    return json.loads((run.path / "process.json").read_text())["started"]["pid"]


def test_a_run_is_started_found_again_and_done(run, recipe, python):
    assert run.state().name == "not started"
    run.start(recipe, python)
    state = until(run, stepped)
    assert (state.name, state.progress.steps, state.fault, state.result) == ("running", 3, None, None)
    again, pid = RunFolder(run.path), pid_of(run)
    again.start(recipe, python)
    assert pid_of(again) == pid, "a run that is under way is not started twice"
    (run.path / "finish").touch()
    state = until(again, lambda state: state.name != "running")
    assert (state.name, state.result["identity"], state.merged) == ("done", recipe.identity, False)
    again.start(recipe, python)
    assert pid_of(again) == pid, "a run that is done is not started again"
    assert run.recipe() == recipe
    assert run.lines()[0].startswith(f"$ {python} -m characterbox.training.worker {run.path} train")


def test_a_run_that_ends_while_it_is_looked_at_is_not_taken_for_a_failed_one(run, recipe, python, monkeypatch):
    """Its process ends after its progress was read, and before anything else is."""
    run.start(recipe, python)
    until(run, stepped)

    def read_then_end(file: Path) -> Progress:
        progress = read_progress(file)
        (run.path / "finish").touch()
        while birth(pid_of(run)) is not None:
            time.sleep(0.01)
        return progress

    monkeypatch.setattr(run_folder, "read_progress", read_then_end)
    assert run.state().name == "running"
    monkeypatch.undo()
    assert run.state().name == "done"


def test_a_run_is_stopped_and_goes_on(run, recipe, python):
    run.start(recipe, python)
    until(run, stepped)
    run.stop()
    state = run.state()
    assert (state.name, state.progress.saved, state.fault) == ("stopped", 2, None)
    run.start(recipe, python)
    assert run.state().name == "running"
    run.stop()


def test_what_does_not_stop_in_time_is_killed(run, recipe, tmp_path):
    run.start(recipe, pretender(tmp_path / "deaf", stops=False))
    until(run, stepped)
    stopping = threading.Thread(target=run.stop, args=(0.5,))
    stopping.start()
    assert until(run, lambda state: state.name != "running").name == "stopping"
    stopping.join()
    assert run.state().name == "stopped"


def test_a_process_that_is_killed_is_told_of_and_goes_on(run, recipe, python):
    run.start(recipe, python)
    until(run, stepped)
    os.kill(pid_of(run), signal.SIGKILL)
    state = until(run, lambda state: state.name != "running")
    assert state.name == "failed"
    assert "ended without a word" in str(state.fault)
    run.start(recipe, python)
    assert run.state().name == "running"


def test_what_a_killed_process_has_left_behind_is_ended_before_the_next_start(run, recipe, python, tmp_path):
    several = tmp_path / "several"
    several.write_text("#!/bin/sh\nsleep 1000 &\nwait\n", encoding="utf-8")
    several.chmod(0o755)
    run.start(recipe, several)
    started = run._record().started
    while len(started.remains()) < 2:
        time.sleep(0.01)
    os.kill(started.pid, signal.SIGKILL)
    assert until(run, lambda state: state.name != "running").name == "failed"
    assert len(started.remains()) == 1
    run.start(recipe, python)
    assert started.remains() == []


def test_the_error_of_an_earlier_start_is_not_that_of_this_one(run, recipe, python, tmp_path):
    run.start(recipe, python)
    until(run, stepped)
    run.stop()
    with (run.path / "progress.jsonl").open("a") as file:
        file.write(json.dumps({"event": "error", "code": "no_space", "parameters": {}}) + "\n")
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    broken.chmod(0o755)
    run.start(recipe, broken)
    state = until(run, lambda state: state.name != "running")
    assert "ended without a word" in str(state.fault)


def test_what_the_worker_says_of_its_end_is_told(run, recipe, python):
    run.start(recipe, python)
    until(run, stepped)
    run.stop()
    error = {"event": "error", "code": "loss_not_finite", "parameters": {"step": 7}}
    with (run.path / "progress.jsonl").open("a") as file:
        file.write(json.dumps(error) + "\n")
    state = run.state()
    assert state.name == "failed"
    assert "not a finite number at step 7; lower learning_rate" in str(state.fault)


def test_only_what_is_done_is_merged(run, recipe, python):
    with pytest.raises(TrainingError, match="only a run that is done can be merged"):
        run.merge(python)
    run.start(recipe, python)
    (run.path / "finish").touch()
    until(run, lambda state: state.name == "done")
    run.merge(python)
    state = until(run, lambda state: state.name == "done" and state.merged)
    assert (state.progress.phase, state.fault) == ("merging", None)
    pid = pid_of(run)
    run.merge(python)
    assert pid_of(run) == pid


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("adapter/adapter_config.json", None),
        ("result.json", None),
        ("result.json", '{"identity": "IDENTITY", "steps": 3}'),
        ("result.json", "[" * 10_000),
    ],
)
def test_a_result_that_is_gone_is_told_and_trained_anew(run, recipe, python, file, content):
    run.start(recipe, python)
    (run.path / "finish").touch()
    until(run, lambda state: state.name == "done")
    if content is None:
        (run.path / file).unlink()
    else:
        (run.path / file).write_text(content.replace("IDENTITY", recipe.identity))
    state = run.state()
    assert (state.name, "gone or damaged; start the run again" in str(state.fault)) == ("failed", True)
    shutil.rmtree(run.path / "adapter")
    run.start(recipe, python)
    until(run, lambda state: state.name == "done")


def test_a_merge_that_was_killed_is_told_and_done_again(run, recipe, python):
    run.start(recipe, python)
    (run.path / "finish").touch()
    until(run, lambda state: state.name == "done")
    run.merge(Path("/bin/false"))
    state = until(run, lambda state: state.name == "done" and state.fault is not None)
    assert (state.merged, "the merging ended without a word" in str(state.fault)) == (False, True)
    run.merge(python)
    assert until(run, lambda state: state.merged).fault is None


def test_a_folder_keeps_its_run(run, recipe, python, tmp_path):
    run.start(recipe, python)
    with pytest.raises(TrainingError, match="holds the run of another recipe; name another folder as out"):
        run.start(read_recipe(write_recipe(tmp_path, "seed = 2\n")), python)
    shutil.rmtree(tmp_path / "data")
    write_dataset(tmp_path / "data", [example(1)])
    with pytest.raises(TrainingError, match="holds the run of another dataset"):
        run.start(read_recipe(write_recipe(tmp_path)), python)
    assert run.recipe() == recipe


def test_several_gpus_are_reached_through_accelerate(run, python, tmp_path):
    (tmp_path / "gpus.yaml").write_text("num_processes: 2\n", encoding="utf-8")
    run.start(read_recipe(write_recipe(tmp_path, 'accelerate = "gpus.yaml"\n')), python)
    until(run, stepped)
    words = json.loads((run.path / "words.json").read_text())
    launch = ["-m", "accelerate.commands.launch", "--config_file", str(tmp_path / "gpus.yaml")]
    assert words == [*launch, "-m", "characterbox.training.worker", str(run.path), "train"]


def test_a_disk_with_too_little_room_is_told_before_anything_starts(run, recipe, python, monkeypatch):
    full = shutil._ntuple_diskusage(10**9, 10**9 - 1000, 1000)
    monkeypatch.setattr("shutil.disk_usage", lambda _: full)
    with pytest.raises(TrainingError, match=r"the run needs about 1 MB on the disk, and 0 MB are free; make room"):
        run.start(recipe, python)
    assert run.state().name == "not started"


def test_a_folder_that_can_t_be_written_is_told(recipe, python, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(TrainingError, match="the folder of the run cannot be written"):
        RunFolder(tmp_path / "file/run").start(recipe, python)


@pytest.mark.parametrize("name", ["run.json", "process.json"])
def test_a_damaged_file_is_named(run, recipe, python, name):
    run.start(recipe, python)
    run.stop(0)
    (run.path / name).write_text("{", encoding="utf-8")
    with pytest.raises(TrainingError, match=f"{name} is damaged"):
        run.state()
    (run.path / name).unlink()


def test_secrets_of_the_app_are_not_handed_on(run, recipe, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-app")
    program = tmp_path / "telling"
    program.write_text("#!/bin/sh\nenv\n", encoding="utf-8")
    program.chmod(0o755)
    run.start(recipe, Path(program))
    until(run, lambda state: state.name == "failed")
    assert "PATH=" in run.log.read_text()
    assert "sk-secret" not in run.log.read_text()
