"""Writing a file so that nobody ever finds half of it."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def new_file(file: Path) -> Iterator[IO[bytes]]:
    """A file that gets its name when it is whole and on the disk; before, and when anything fails, nothing has it.

    It can be read while it is written, and nobody else may read it afterwards.
    """
    number, part = tempfile.mkstemp(prefix=f".{file.name}.", suffix=".part", dir=file.parent)
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
