"""The command line in processes that start at once (see `forked`)."""

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkstemp

from characterbox.cli import main
from tests.fakes.forked_processes import Forked
from tests.fakes.forked_processes import start as start_forked


@dataclass(frozen=True)
class Command(Forked):
    """A command under way, or ended."""

    out: Path

    @property
    def err(self) -> Path:
        return self.log


def start(words: Sequence[str], folder: Path, environment: Mapping[str, str], output: Path | None = None) -> Command:
    """Start a command in a folder, its output going to files there, or in another folder."""
    out, err = (_new_file(output or folder, suffix) for suffix in (".out", ".err"))
    return Command(start_forked(_run, (list(words),), folder, environment, out, err).process, err, out)


def _new_file(folder: Path, suffix: str) -> Path:
    number, name = mkstemp(suffix, dir=folder)
    os.close(number)
    return Path(name)


def _run(words: Sequence[str]) -> None:
    warnings.simplefilter("error")
    main(words)
