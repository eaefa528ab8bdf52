"""What tests have called in the process beside."""

import sys
import time
from pathlib import Path

from annotations.i18n.translation import Tongue, tongue
from characterbox.errors import ReplyError


def refuse(reply: str) -> None:
    """Raises an error that can't be pickled: it takes more than a message."""
    raise ReplyError("it cannot be read", reply=reply)


def give_back_what_cannot_be_told() -> object:
    """A function has a name here only."""
    return lambda: None


def wait_for(file: str) -> None:
    """Come back when there is such a file, or after a minute."""
    deadline = time.monotonic() + 60
    while not Path(file).exists() and time.monotonic() < deadline:
        time.sleep(0.02)


def be_busy(file: str | None = None) -> None:
    """Never come back, and never wait for anything; make this file first."""
    if file is not None:
        Path(file).touch()
    while True:
        pass


def spoken() -> Tongue:
    """The language in which the function is to speak."""
    return tongue()


def count(file: str) -> int:
    """How often this was called, as a file keeps it."""
    path = Path(file)
    path.write_text(path.read_text() + ".")
    return len(path.read_text())


def loaded(*packages: str) -> set[str]:
    """Which of these are imported."""
    return {name.partition(".")[0] for name in sys.modules} & set(packages)
