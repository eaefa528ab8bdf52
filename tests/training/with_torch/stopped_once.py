"""Trains a run that is told to stop after some steps, and goes on with it: `python stopped_once.py FOLDER STEPS`."""

import os
import signal
import sys
from importlib import import_module
from pathlib import Path

from characterbox.training.worker import progress, stopping
from characterbox.training.worker.__main__ import main


class Stopping(progress.ProgressFile):
    """A file of progress, of which a line has this very process told to stop."""

    def write(self, event, **values):
        super().write(event, **values)
        if event == "step" and values["step"] == int(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGTERM)


folder = Path(sys.argv[1])
worker = import_module("characterbox.training.worker.__main__")
worker.ProgressFile, plain = Stopping, worker.ProgressFile
assert main(folder, "train") == 0
assert not (folder / "adapter").exists(), "it has stopped"
worker.ProgressFile = plain
stopping._STATE["wanted"] = False
assert main(folder, "train") == 0
