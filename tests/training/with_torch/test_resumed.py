"""A run that is killed, stopped and gone on with ends with the weights of one that nothing disturbs."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from characterbox.training.recipe import read_recipe
from characterbox.training.run_folder import RunFolder, RunState
from tests.training.test_run_folder import pid_of
from tests.training.with_torch.conftest import ROOT

pytestmark = [pytest.mark.process, pytest.mark.slow]
SOON = 300.0


def until(run: RunFolder, wanted: Callable[[RunState], bool]) -> RunState:
    """The first state that is wanted."""
    last = time.monotonic() + SOON
    while not wanted(state := run.state()):
        assert time.monotonic() < last, run.lines()
        assert state.name in ("not started", "running", "stopping"), run.lines()
        time.sleep(0.01)
    return state


def weights(run: Path) -> bytes:
    return (run / "adapter/adapter_model.safetensors").read_bytes()


def test_after_kill_9_and_a_stop_the_weights_are_the_same(undisturbed, write_run, python):
    recipe = read_recipe(write_run("disturbed"))
    run = RunFolder(recipe.out)
    run.start(recipe, python)
    until(run, lambda state: state.progress.saved == 3 and state.progress.step >= 4)
    os.kill(pid_of(run), signal.SIGKILL)
    killed = until_ended(run)
    assert killed.name == "failed"
    partial = run.path / "checkpoints/checkpoint-999"
    partial.mkdir()
    (partial / "trainer_state.json").write_text("{", encoding="utf-8")

    run.start(recipe, python)
    state = until(run, lambda _: trainings(run) == 2)
    assert 3 <= state.progress.step <= 6, "it goes on from a whole checkpoint"
    assert not partial.exists()
    until(run, lambda state: state.progress.step >= 8)
    run.stop()
    stopped = run.state()
    assert stopped.name == "stopped"
    assert stopped.progress.saved == stopped.progress.step, "it stops with a checkpoint of its last step"

    run.start(recipe, python)
    assert until_ended(run).name == "done"
    assert weights(run.path) == weights(undisturbed[0])


def trainings(run: RunFolder) -> int:
    """How often the run has begun to take steps."""
    return (run.path / "progress.jsonl").read_text(encoding="utf-8").count('"event": "training"')


def until_ended(run: RunFolder) -> RunState:
    last = time.monotonic() + SOON
    while (state := run.state()).name in ("running", "stopping"):
        assert time.monotonic() < last, run.lines()
        time.sleep(0.02)
    return state


@pytest.mark.parametrize("kill", [False, True], ids=["ctrl-c", "kill-9"])
def test_the_command_is_left_and_run_again(write_run, python, kill):
    """Ctrl-C stops the run with a checkpoint; where the command is killed, the run goes on, and is found again."""
    file = write_run(f"left-{kill}", training=LONGER)
    recipe = read_recipe(file)
    run = RunFolder(recipe.out)
    words = [sys.executable, "-m", "characterbox", "train", str(file)]
    with subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE, text=True) as command:
        until(run, lambda state: state.progress.step >= 1)
        command.send_signal(signal.SIGKILL if kill else signal.SIGINT)
        said = command.communicate()[1]
    if kill:
        assert run.state().name == "running"
        run.stop()
    else:
        assert command.returncode == 130
        assert "stopping after this step" in said
        assert "run the same command again to continue" in said
    state = run.state()
    assert (state.name, state.progress.saved) == ("stopped", state.progress.step)


LONGER = "[training]\nepochs = 1000\nbatch = 2\naccumulation = 1\n"


def test_two_processes_train_one_adapter_and_stop_together(write_run, folder, python):
    (folder / "two.yaml").write_text(
        # torchrun starts two processes, which find no GPU and compute on the CPU; they meet by gloo
        "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nnum_processes: 2\nnum_machines: 1\n"
        "machine_rank: 0\nmixed_precision: 'no'\nmain_process_port: 0\n",
        encoding="utf-8",
    )
    recipe = read_recipe(write_run("two", 'accelerate = "two.yaml"\n'))
    run = RunFolder(recipe.out)
    run.start(recipe, python)
    until(run, lambda state: state.progress.step >= 1)
    run.stop()
    assert run.state().name == "stopped", run.lines()
    run.start(recipe, python)
    state = until_ended(run)
    assert state.name == "done", run.lines()
    assert (state.result["processes"], state.result["steps"]) == (2, 6), "a step takes twice as many sequences"
