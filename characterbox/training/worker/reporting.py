"""What a training tells after each step, and when it stops."""

import math
import time
from collections import deque
from pathlib import Path
from typing import Any

import torch
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from characterbox.training.worker.checkpoints import mark_whole
from characterbox.training.worker.errors import WorkerError
from characterbox.training.worker.progress import ProgressFile
from characterbox.training.worker.stopping import stop_wanted

_STEPS = 20
"""How many steps the pace is the mean of."""


class Reporter(TrainerCallback):  # type: ignore[misc]  # PyTorch is in another environment
    """Tells of steps, validations and checkpoints, stops a training that was told to, and one that diverges."""

    def __init__(self, progress: ProgressFile, checkpoints: Path) -> None:
        self._progress = progress
        self._checkpoints = checkpoints
        self._pace: deque[tuple[float, int]] = deque(maxlen=_STEPS + 1)
        """When each of the last steps ended, in seconds, and the tokens up to then."""
        self.stopped = False
        """Whether it was told to stop before its last step."""

    def on_train_begin(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        """Tell from which step on it trains."""
        self._pace.append((time.monotonic(), 0))
        self._progress.write("training", step=state.global_step, steps=state.max_steps)

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        """Validate after the last step; stop with a checkpoint where any of the processes was told to."""
        last = state.global_step >= state.max_steps
        if last and args.eval_strategy != "no":
            control.should_evaluate = True
        if not last and _any_wants_stop(args):
            self.stopped = control.should_save = control.should_training_stop = True
            control.should_evaluate = False

    def on_log(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, logs: dict[str, float], **_: Any
    ) -> None:
        """Tell the losses. Raises WorkerError for one that is no number: nothing of that step is kept."""
        for name in ("loss", "eval_loss"):
            if name in logs and not math.isfinite(logs[name]):
                raise WorkerError("loss_not_finite", step=state.global_step)
        if "loss" in logs:
            self._tell_step(state, logs)
        if "eval_loss" in logs:
            self._progress.write("validation", step=state.global_step, loss=round(logs["eval_loss"], 6))

    def on_save(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        """The checkpoint counts once all processes have written their parts of it."""
        if args.world_size > 1:
            torch.distributed.barrier()
        if state.is_world_process_zero:
            mark_whole(self._checkpoints / f"checkpoint-{state.global_step}")
            self._progress.write("saved", step=state.global_step)

    def _tell_step(self, state: TrainerState, logs: dict[str, float]) -> None:
        self._pace.append((time.monotonic(), int(logs["num_tokens"])))
        (first, before), (now, tokens) = self._pace[0], self._pace[-1]
        seconds = max(now - first, 1e-6)
        self._progress.write(
            "step",
            step=state.global_step,
            steps=state.max_steps,
            loss=round(logs["loss"], 6),
            learning_rate=logs["learning_rate"],
            tokens_per_second=round((tokens - before) / seconds, 1),
            seconds_left=round((state.max_steps - state.global_step) * seconds / (len(self._pace) - 1), 1),
        )


def _any_wants_stop(args: TrainingArguments) -> bool:
    if args.world_size == 1:
        return stop_wanted()
    wanted = torch.tensor(int(stop_wanted()), device=args.device)
    torch.distributed.all_reduce(wanted)
    return bool(wanted.item())
