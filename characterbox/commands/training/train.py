"""`characterbox train`: train a model on a dataset, or go on with a run from its last checkpoint."""

import argparse
import signal
import time
from datetime import timedelta
from types import FrameType

from characterbox.commands.exits import INTERRUPTED, say
from characterbox.errors import TrainingError
from characterbox.settings import settings
from characterbox.training.environment import find_training_python
from characterbox.training.progress import Point, Progress
from characterbox.training.recipe import read_recipe
from characterbox.training.run_folder import PATIENCE, RunFolder, RunState

_LOOK = 0.2
"""Seconds between two looks at a run."""
_EVERY = 10.0
"""Seconds between two lines of progress, at least."""


class _Interrupts:
    """How often this command was told to stop."""

    def __init__(self) -> None:
        self.count = 0
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._take)

    def _take(self, _: int, __: FrameType | None) -> None:
        self.count += 1


def run(options: argparse.Namespace) -> int:
    """Start the run, or take it up where it is, and tell how far it is until it ends.

    It is the process that the app starts, too: where this command is killed, the run goes on, and the same command
    finds it again.
    """
    recipe = read_recipe(options.file)
    folder, python = RunFolder(recipe.out), find_training_python(settings().train)
    interrupts = _Interrupts()
    folder.start(recipe, python)
    say(f"run {recipe.name} ({recipe.identity[:12]}) in {folder.path}")
    state = _followed(folder, interrupts)
    if state.name == "done" and options.merge and not interrupts.count:
        folder.merge(python)
        state = _followed(folder, interrupts)
        if not state.merged and state.fault is not None:
            raise TrainingError(state.fault)
        if not state.merged and not interrupts.count:
            raise TrainingError("the merging was stopped; run the same command again")
    if state.name == "stopped":
        say("stopped; run the same command again to continue from the last checkpoint")
        return INTERRUPTED
    if state.name != "done":
        raise TrainingError("run {name}: {fault}", name=recipe.name, fault=state.fault or state.name)
    _tell_result(folder, state)
    return INTERRUPTED if interrupts.count else 0


def _followed(folder: RunFolder, interrupts: _Interrupts) -> RunState:
    """How a run ended. Ctrl-C has it stop with a checkpoint; the second time, it is killed."""
    told, line, asked = -_EVERY, "", 0
    deadline: float | None = None
    while (state := folder.state()).name in ("running", "stopping"):
        if interrupts.count > asked:
            asked = interrupts.count
            if asked == 1:
                say("stopping after this step; Ctrl-C again stops at once")
                folder.ask_to_stop()
                deadline = time.monotonic() + PATIENCE
            else:
                folder.stop(0)
        if deadline is not None and time.monotonic() > deadline:
            folder.stop(0)
        now = in_words(state.progress)
        if now != line and time.monotonic() - told >= _EVERY:
            told, line = time.monotonic(), now
            say(now)
        time.sleep(_LOOK)
    if state.progress.step and in_words(state.progress) != line:
        say(in_words(state.progress))
    return state


def in_words(progress: Progress) -> str:
    """How far a run is, in a line."""
    if progress.steps is None or progress.phase != "training":
        return "merging the adapter into its base" if progress.phase == "merging" else "preparing base and dataset"
    parts = [f"step {progress.step:,} of {progress.steps:,}"]
    parts += _last("loss", progress.losses) + _last("validation", progress.validation)
    if progress.tokens_per_second is not None:
        parts.append(f"{progress.tokens_per_second:,.0f} tokens/s")
    if progress.seconds_left:
        parts.append(f"{timedelta(seconds=round(progress.seconds_left))} left")
    return ", ".join(parts)


def _last(name: str, points: tuple[Point, ...]) -> list[str]:
    return [f"{name} {points[-1].value:.4f}"] if points else []


def _tell_result(folder: RunFolder, state: RunState) -> None:
    found = state.result or {}
    for split, counts in found["counts"].items():
        if counts["left_out"]:
            say(
                f"{counts['left_out']:,} examples of {split} are longer than the cutoff and were left out; see"
                f" {folder.path / f'left_out_{split}.jsonl'}"
            )
    validation = found["validation_loss"]
    after = "" if validation is None else f", validation {validation['first']:.4f} -> {validation['last']:.4f}"
    print(f"loss {found['loss']['first']:.4f} -> {found['loss']['last']:.4f}{after}; {found['steps']:,} steps")
    print(f"{folder.path / 'adapter'}: written")
    recipe = folder.recipe()
    if recipe is not None and recipe.demo:
        print("Trained on demo output (no language model); do not report results of it")
    if state.merged:
        print(f"{folder.path / 'merged'}: written")
