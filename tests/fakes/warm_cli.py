"""The command line in processes that start at once: forked from one in which everything is imported already."""

import multiprocessing
import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from tempfile import mkstemp

from characterbox.cli import main
from characterbox.settings import settings

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["pytest", "tests.fakes.warm_cli", *(f"characterbox.commands.{name}" for name in (
    "play", "judge", "export", "importing", "stats"))])  # fmt: skip


@dataclass(frozen=True)
class Command:
    """A command under way, or ended."""

    process: ForkServerProcess
    out: Path
    err: Path

    def wait(self) -> int:
        """Its exit status; the number of the signal, negative, when one ended it."""
        self.process.join(600)
        status = self.process.exitcode
        if status is None:
            self.kill()
            raise TimeoutError(f"the command did not end: {self.err.read_text()}")
        return status

    def kill(self) -> None:
        """End it with SIGKILL, as `kill -9` does."""
        self.process.kill()
        self.process.join(10)


def start(words: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Command:
    """Start a command in a folder, its output going to files there."""
    out, err = (_new_file(folder, suffix) for suffix in (".out", ".err"))
    process = _context.Process(target=_run, args=(list(words), folder, dict(environment), out, err), daemon=True)
    process.start()
    return Command(process, out, err)


def _new_file(folder: Path, suffix: str) -> Path:
    number, name = mkstemp(suffix, dir=folder)
    os.close(number)
    return Path(name)


def _run(words: Sequence[str], folder: Path, environment: Mapping[str, str], out: Path, err: Path) -> None:
    for stream, file in ((sys.stdout, out), (sys.stderr, err)):
        os.dup2(os.open(file, os.O_WRONLY), stream.fileno())
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    warnings.simplefilter("error")
    settings.cache_clear()
    main(words)
