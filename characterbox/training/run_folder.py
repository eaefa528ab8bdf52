"""A run of a training as a folder: started, stopped, resumed, and its state told from what is in it.

The process lives on its own: whoever opens the folder later, in another process or after a restart, finds it again.

    run.json            what is trained: the recipe, and the identity of the run
    process.json        the process that was started last
    progress.jsonl      what it tells; worker.log is what it and its libraries write
    checkpoints/        while it is under way
    adapter/            what comes of it, with its model card; result.json has its figures
    merged/             the adapter merged into its base, on demand
"""

import fcntl
import json
import os
import shlex
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from annotations.i18n.messages import Message, to_say
from characterbox.atomic_file import put_file
from characterbox.errors import TrainingError
from characterbox.llm.vllm.folder import tail
from characterbox.processes.detached import Started, environment_of_program, reap, spawn
from characterbox.training.base_model import json_of, lora_parameters
from characterbox.training.progress import Progress, read_progress
from characterbox.training.recipe import Recipe, check_base, check_unchanged
from characterbox.training.run_errors import Task, run_fault
from characterbox.training.worker.progress import ProgressFile
from characterbox.values import Value

Name = Literal["not started", "running", "stopping", "stopped", "failed", "done"]
FORMAT = 2
"""The form of `run.json`; `characterbox.training.worker.run` reads it. An older worker, which would train by other
means than were chosen, refuses it."""
PATIENCE = 600.0
"""Seconds that a run gets to finish its step and write a checkpoint before it is killed."""
_OTHER_DATASET = to_say(
    "{folder}: this folder holds the run of another dataset; name another folder as out, or delete it"
)
_OTHER_RECIPE = to_say(
    "{folder}: this folder holds the run of another recipe; name another folder as out, or delete it"
)
_FIGURES = {"steps": int, "loss": dict, "validation_loss": dict | None, "counts": dict}
"""What stands in `result.json` besides, by its type."""
_MODULE = "characterbox.training.worker"
_PER_PARAMETER = 3 * 3 * 4
"""Bytes on the disk for each number that learns: itself and two moments of Adam, as float32, in three checkpoints."""
_PER_BYTE = 4
"""Bytes on the disk for each byte of the dataset: its tokens and their labels."""


class Record(Value):
    """The process that was started last."""

    started: Started
    since: float
    """When, in seconds since 1970."""
    task: Task
    stopping: bool = False
    """Whether it was told to stop."""


@dataclass(frozen=True)
class RunState:
    """How a run is."""

    name: Name
    progress: Progress = field(default_factory=Progress)
    fault: Message | None = None
    """Why it failed, and what to do."""
    result: dict[str, Any] | None = None
    """The figures of a run that is done, as `result.json` has them."""
    merged: bool = False
    """Whether the merged weights are there."""
    since: float | None = None
    """When its process was started last, in seconds since 1970."""


class RunFolder:
    """The folder of a run; it need not be there yet. Several processes may look at it at once."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def log(self) -> Path:
        """What the process and its libraries write."""
        return self.path / "worker.log"

    def lines(self, last: int = 200) -> list[str]:
        """The last lines of the log, secrets blacked out."""
        return tail(self.log, os.environ)[-last:]

    def recipe(self) -> Recipe | None:
        """What is trained here; None before the first start. Raises TrainingError if that can't be read."""
        file = self.path / "run.json"
        try:
            return Recipe.model_validate(json.loads(file.read_bytes())["recipe"])
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError, RecursionError):
            raise TrainingError("{file} is damaged; delete the folder, and start the run anew", file=file) from None

    def start(self, recipe: Recipe, python: Path) -> None:
        """Start the run, or go on with it from its last checkpoint; nothing if it is under way, or done.

        Raises TrainingError where the folder holds another run, where dataset or base have changed since the recipe was
        read, where it can't be written or there is too little room, and ProgramError where the process can't be
        started.
        """
        with self._locked():
            self._check_same(recipe)
            if self.state().name in ("running", "stopping", "done"):
                return
            check_unchanged(recipe)
            self._write_recipe(recipe)
            check_room(recipe, self.path)
            words = [str(python), "-m", _MODULE]
            if recipe.accelerate is not None:
                launch = ["-m", "accelerate.commands.launch", "--config_file", str(recipe.accelerate)]
                words = [str(python), *launch, *words[1:]]
            self._spawn(words, "train")

    def merge(self, python: Path) -> None:
        """Have the adapter merged into its base; nothing if that is under way, or done.

        Raises TrainingError for a run that is not done, or whose base has changed since, and ProgramError where the
        process can't be started.
        """
        recipe = self.recipe()
        if recipe is None or self._result(recipe) is None:
            raise TrainingError("{folder}: only a run that is done can be merged; finish it first", folder=self.path)
        with self._locked():
            if self.state().name != "running" and not self._merged():
                check_base(recipe.base, recipe.base_digest)
                self._spawn([str(python), "-m", _MODULE], "merge")

    def state(self) -> RunState:
        """How the run is now. Raises TrainingError for a folder with files that can't be read."""
        recipe, record = self.recipe(), self._record()
        if recipe is None:
            return RunState("not started")
        alive = record is not None and record.started.alive()  # asked first: its last words may come meanwhile
        progress = read_progress(self.path / "progress.jsonl")
        if record is None:
            return RunState("not started", progress)
        state = RunState("running", progress, None, self._result(recipe), self._merged(), record.since)
        if alive:
            return replace(state, name="stopping") if record.stopping else state
        return self._ended(record, state)

    def _ended(self, record: Record, state: RunState) -> RunState:
        """How a run is whose process has ended."""
        progress = state.progress
        fault = None if progress.error is None else run_fault(*progress.error, log=self.log, task=record.task)
        by_itself = not record.stopping and record.started.same_boot()
        if state.result is not None:
            if fault is None and record.task == "merge" and not state.merged and by_itself:
                fault = run_fault("died", {}, log=self.log, task="merge")
            return replace(state, name="done", fault=fault)
        if fault is not None:
            return replace(state, name="failed", fault=fault)
        if fault is None and progress.ending == "done":
            return replace(state, name="failed", fault=run_fault("result_gone", {}, log=self.log, task="train"))
        if progress.ending == "stopped" or not by_itself:
            return replace(state, name="stopped")
        return replace(state, name="failed", fault=run_fault("died", {}, log=self.log, task="train"))

    def ask_to_stop(self) -> None:
        """Tell the process to stop after its step, with a checkpoint; nothing if there is none."""
        record = self._record()
        if record is None or not record.started.alive():
            return
        self._write(record.model_copy(update={"stopping": True}))
        recipe, pids = self.recipe(), record.started.remains()
        # accelerate's launcher would give its processes half a minute: they are told themselves
        several = recipe is not None and recipe.accelerate is not None and record.task == "train"
        for pid in pids[1:] if several and len(pids) > 1 else pids[:1]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)

    def stop(self, patience: float = PATIENCE) -> None:
        """Have it stop, and wait until it has; after `patience` seconds it is killed, and 0 kills at once.

        Raises ProgramError if the system does not clear it away.
        """
        self.ask_to_stop()
        record = self._record()
        if record is None:
            return
        last = time.monotonic() + patience
        while record.started.alive() and time.monotonic() < last:
            time.sleep(0.1)
        record.started.end(0)
        reap(record.started.pid)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the folder, made if need be, while a process is started in it."""
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            with (self.path / "lock").open("w") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                yield
        except OSError as error:
            raise TrainingError(
                "{folder}: the folder of the run cannot be written ({error}); see to that, or name another one as out"
                " in the recipe",
                folder=self.path,
                error=error.strerror,
            ) from None

    def _check_same(self, recipe: Recipe) -> None:
        """Raises TrainingError where the run that is here is another one."""
        before = self.recipe()
        if before is not None and before.identity != recipe.identity:
            other = _OTHER_RECIPE if before.dataset_digest == recipe.dataset_digest else _OTHER_DATASET
            raise TrainingError(other, folder=self.path)

    def _write_recipe(self, recipe: Recipe) -> None:
        content = {"format": FORMAT, "identity": recipe.identity, "recipe": recipe.model_dump(mode="json")}
        put_file(self.path / "run.json", json.dumps(content, indent=1, ensure_ascii=False))

    def _spawn(self, words: list[str], task: Task) -> None:
        before = self._record()
        if before is not None:
            before.started.end(0)  # processes of several GPUs outlive the one that started them
            reap(before.started.pid)
        words = [*words, str(self.path), task]
        number = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(number, "w", encoding="utf-8") as log:
            log.write(f"$ {shlex.join(words)}\n")
        ProgressFile(self.path).write("started", task=task)
        started = spawn(words, environment_of_program(os.environ), self.log)
        self._write(Record(started=started, since=time.time(), task=task))

    def _result(self, recipe: Recipe) -> dict[str, Any] | None:
        """The figures of the adapter; None where one of both is not there."""
        result = json_of(self.path / "result.json")
        whole = result.get("identity") == recipe.identity and all(
            isinstance(result.get(name), kind) for name, kind in _FIGURES.items()
        )
        return result if whole and (self.path / "adapter/adapter_config.json").is_file() else None

    def _merged(self) -> bool:
        return (self.path / "merged").is_dir()

    def _record(self) -> Record | None:
        file = self.path / "process.json"
        try:
            return Record.model_validate_json(file.read_bytes())
        except FileNotFoundError:
            return None
        except ValidationError:
            raise TrainingError(
                "{file} is damaged; stop the training by hand if it runs, then delete the file", file=file
            ) from None

    def _write(self, record: Record) -> None:
        put_file(self.path / "process.json", record.model_dump_json(indent=1))


def check_room(recipe: Recipe, folder: Path) -> None:
    """Raises TrainingError where the disk has too little room for the run; what can't be known is not counted."""
    numbers = 0 if recipe.base_digest is None else lora_parameters(Path(recipe.base), recipe.lora.rank)
    read = sum((recipe.dataset / f"{split}.jsonl").stat().st_size for split in ("train", "validation"))
    needed = numbers * _PER_PARAMETER + read * _PER_BYTE
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise TrainingError(
            "{folder}: the run needs about {needed} MB on the disk, and {free} MB are free; make room, or name another"
            " folder as out",
            folder=folder,
            needed=f"{needed / 1e6:,.0f}",
            free=f"{free / 1e6:,.0f}",
        )
