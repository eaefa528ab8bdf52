"""The command line: how long a command takes to start, and the statistics of the shared tables of ratings."""

import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

TIMES = 5
_RATINGS = Path(os.environ.get("CHARACTERBOX_SHARED") or Path(__file__).parents[2] / "shared") / "data" / "ratings"


def started() -> float:
    """Seconds of the slowest of commands that do next to nothing, each in the median of several times."""
    with TemporaryDirectory() as folder:
        listed = ("servers", "--db", f"sqlite:///{folder}/stories.db")
        _seconds(*listed)  # which makes the database
        return max(
            median(_seconds(*words) for _ in range(TIMES)) for words in (("--help",), ("export", "--help"), listed)
        )


def statistics_of(table: str) -> float:
    """Seconds of `characterbox stats` of one of the shared tables, in the median of several times."""
    return median(_seconds("stats", str(_RATINGS / table)) for _ in range(TIMES))


def _seconds(*words: str) -> float:
    begun = time.perf_counter()
    command = [sys.executable, "-m", "characterbox", *words]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own command
    return time.perf_counter() - begun
