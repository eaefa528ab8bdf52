"""Files that are for the user alone whom the app runs as: made so, and told of where they are not."""

import os
import shlex
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path


def make_private_file(file: Path) -> None:
    """Make an empty file that nobody else may read, in folders that nobody else may look into.

    What is there already stays as it is, and what can't be made is left to whoever opens the file, who says why.
    """
    missing = [folder for folder in file.parents if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)
    with suppress(OSError):
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def not_private(files: Iterable[Path]) -> Iterator[str]:
    """Which of the files that are there others may read or write, or replace in their folder, and what to do.

    Nothing is told where a system has no such rights.
    """
    if os.name != "posix":
        return
    folders = {}
    for file in files:
        with suppress(OSError):
            if stat.S_IMODE(file.stat().st_mode) & 0o077:
                yield f"{file} can be read by others on this computer; run: chmod 600 {shlex.quote(str(file))}"
            folders[file.parent] = stat.S_IMODE(file.parent.stat().st_mode)
    for folder, mode in folders.items():
        if mode & 0o022 and not mode & stat.S_ISVTX:  # what is in a sticky folder, only its owner replaces
            yield f"{folder}: others on this computer can replace its files; run: chmod go-w {shlex.quote(str(folder))}"
