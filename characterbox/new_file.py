"""Writing a file so that nobody ever finds half of it."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from characterbox.errors import FileError


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
