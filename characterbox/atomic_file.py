"""Files that are there as a whole or not at all, and that nobody else on the computer may read."""

import os
import shlex
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from characterbox.errors import FileError


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


@contextmanager
def new_file(file: Path) -> Iterator[IO[bytes]]:
    """A file that gets its name when it is whole and on the disk; before, and when anything fails, nothing has it.

    It can be read while it is written, and nobody else may read it afterwards. Raises FileError as `check_new` does.
    """
    number, part = _begun(file)
    try:
        with os.fdopen(number, "w+b") as out:
            yield out
            out.flush()
            os.fsync(number)
        os.replace(part, file)
    except BaseException:
        os.unlink(part)
        raise
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def check_new(file: Path) -> None:
    """Raises FileError if a file is there already, or can't be written there: before anything long or dear is done."""
    number, part = _begun(file)
    os.close(number)
    os.unlink(part)


def replace_file(file: Path, text: str) -> None:
    """Write a text in the place of what the file held, as a whole or not at all. Raises FileError if it can't be."""
    try:
        put_file(file, text)
    except OSError as error:
        raise not_written(file, error) from None


def put_file(file: Path, text: str) -> None:
    """The same, for those who tell by themselves why it can't be: raises OSError."""
    part = file.with_name(f".{file.name}.part")
    part.write_text(text, "utf-8")
    os.replace(part, file)


def there_already(path: Path) -> FileError:
    """What to raise where something has the name that is wanted."""
    return FileError(f"{path}: it is there already; give another name, or delete it first")


def not_written(path: Path, error: OSError) -> FileError:
    """Why a file or a folder can't be written where it is wanted, and what to do."""
    folder = path.parent
    match error:
        case FileNotFoundError() if not folder.exists():
            why = f"there is no folder {folder}; make it first, or name another place"
        case NotADirectoryError():
            why = f"{folder} is no folder; name another place"
        case PermissionError():
            why = f"you may not write in the folder {folder}; name another place, or have the right given to you"
        case _:
            why = f"it can't be written in the folder {folder} ({error.strerror}); name another place, or another file"
    return FileError(f"{path}: {why}")


def _begun(file: Path) -> tuple[int, str]:
    """The number and the name of an open file in the folder where the file shall be."""
    try:
        if file.exists():
            raise there_already(file)
        return tempfile.mkstemp(prefix=f".{file.name}.", suffix=".part", dir=file.parent)
    except OSError as error:
        raise not_written(file, error) from None
