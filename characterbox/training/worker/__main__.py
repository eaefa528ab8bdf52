"""Trains a run, or merges its weights, in a process of its own: `python -m characterbox.training.worker FOLDER TASK`.

It belongs to the environment that has PyTorch: nothing but this package and the standard library is needed of
CharacterBox. What it does is told in `progress.jsonl` of the folder, the error that ends it included.
"""

import os
import sys
import traceback
from importlib import import_module
from pathlib import Path

from characterbox.training.worker.errors import told
from characterbox.training.worker.packages import check_packages
from characterbox.training.worker.progress import ProgressFile
from characterbox.training.worker.run import read_run
from characterbox.training.worker.stopping import Stopped, stop_on_signal

_MODULES = {"train": "training", "merge": "merging"}
"""What does each task; it is imported, with PyTorch, once the packages were looked at."""


def main(folder: Path, task: str) -> int:
    """Do a task, and tell what came of it; the exit status is 0 unless it failed."""
    progress = ProgressFile(folder)
    stop_on_signal()
    try:
        progress.keep_room()
        run = read_run(folder)
        check_packages()
        _take_one_device()
        import_module(f"characterbox.training.worker.{_MODULES[task]}").run(run, progress)
    except Stopped:
        progress.give_room()
        progress.write("stopped")
    except BaseException as error:
        traceback.print_exc()
        progress.give_room()
        code, parameters = told(error)
        progress.write("error", code=code, parameters=parameters)
        return 1
    progress.give_room()
    return 0


def _take_one_device() -> None:
    """A process has one GPU: those of several that accelerate starts have their own, one alone takes the first."""
    if "RANK" not in os.environ:
        os.environ["CUDA_VISIBLE_DEVICES"] = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0]


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
