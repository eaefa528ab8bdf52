"""Checkpoints that count only once they are whole: a process can be killed while it writes one."""

import os
import shutil
from pathlib import Path

_MARK = "whole"
"""The file that a checkpoint is given last."""


def mark_whole(checkpoint: Path) -> None:
    """Say that all of a checkpoint is written, once it is on the disk."""
    for file in checkpoint.rglob("*"):
        if file.is_file():
            _sync(file)
    (checkpoint / _MARK).touch()
    _sync(checkpoint)


def last_whole(folder: Path) -> Path | None:
    """The newest whole checkpoint; None if there is none."""
    return max((one for one in _all(folder) if (one / _MARK).exists()), key=_step, default=None)


def remove_partial(folder: Path) -> None:
    """Delete what was broken off as it was written."""
    for one in _all(folder):
        if not (one / _MARK).exists():
            shutil.rmtree(one, ignore_errors=True)


def _all(folder: Path) -> list[Path]:
    return [*folder.glob("checkpoint-*")]


def _step(checkpoint: Path) -> int:
    return int(checkpoint.name.removeprefix("checkpoint-"))


def _sync(path: Path) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
