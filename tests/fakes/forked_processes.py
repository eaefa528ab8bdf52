"""Processes that start at once: forked from one in which all that the command line and the app need is imported."""

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from characterbox.settings import settings

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["pytest", "tests.fakes.preloaded"])


@dataclass(frozen=True)
class Forked:
    """A process under way, or ended."""

    process: ForkServerProcess
    log: Path
    """What it says to standard error."""

    @property
    def status(self) -> int | None:
        """Its exit status; the number of the signal, negative, when one ended it; None while it runs."""
        return self.process.exitcode

    def wait(self, patience: float = 600) -> int:
        """Its exit status. Raises TimeoutError, and kills it, when it does not end within so many seconds."""
        self.process.join(patience)
        if self.process.exitcode is None:
            self.kill()
            raise TimeoutError(f"the process did not end: {self.log.read_text(encoding='utf-8')}")
        return self.process.exitcode

    def until(self, seen: Callable[[], bool], patience: float = 60) -> None:
        """Wait, for so many seconds at most, until something is seen of it while it is under way."""
        end = time.monotonic() + patience
        while not seen():
            assert self.process.is_alive(), f"it ended too early: {self.log.read_text(encoding='utf-8')}"
            assert time.monotonic() < end, "nothing is to be seen of it"
            time.sleep(0.001)

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        assert self.process.pid is not None
        os.kill(self.process.pid, number)

    def kill(self) -> None:
        """End it with SIGKILL, as `kill -9` does."""
        self.process.kill()
        self.process.join(10)


def start(
    main: Callable[..., object], words: tuple[object, ...], folder: Path, environment: Mapping[str, str], out: Path,
    err: Path,
) -> Forked:  # fmt: skip
    """Start a function of a module in a process of its own, in a folder, with its output added to files."""
    process = _context.Process(target=_run, args=(main, words, folder, dict(environment), out, err), daemon=True)
    process.start()
    return Forked(process, err)


def _run(
    main: Callable[..., object], words: tuple[object, ...], folder: Path, environment: Mapping[str, str], out: Path,
    err: Path,
) -> None:  # fmt: skip
    for stream, file in ((sys.stdout, out), (sys.stderr, err)):
        os.dup2(os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), stream.fileno())
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    settings.cache_clear()
    main(*words)
