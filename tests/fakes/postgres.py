"""A real PostgreSQL of the tests' own: started in a temporary folder, stopped afterwards."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_MEMORY = Path("/dev/shm")
_FORGETFUL = "-c fsync=off -c full_page_writes=off -c synchronous_commit=off -c autovacuum=off -c checkpoint_timeout=1d"
"""A crash of the machine would lose the databases: they are the tests' own."""


def binaries() -> Path | None:
    """Where PostgreSQL's programs are; None when it is not installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    usable = [folder for folder in found if all((folder / name).exists() for name in ("initdb", "pg_ctl"))]
    return usable[-1] if usable else None


def why_not() -> str | None:
    """Why no cluster can be started here; None when one can."""
    if binaries() is None:
        return "PostgreSQL is not installed (Debian: apt install postgresql)"
    if os.geteuid() == 0 and shutil.which("runuser") is None:
        return "PostgreSQL does not run as root, and there is no runuser"
    return None


@contextmanager
def cluster(set_up: Callable[[Path], str] = lambda data: "") -> Iterator[str]:
    """A running cluster; gives a URL whose database name is still to be appended.

    `set_up` changes its folder before it starts, and gives further options for it.
    """
    programs = binaries()
    assert programs is not None
    with tempfile.TemporaryDirectory(prefix="characterbox-pg-", dir=_MEMORY if _MEMORY.is_dir() else None) as name:
        folder = Path(name)
        user = _give_to_postgres(folder)
        data = folder / "data"
        _run(user, programs / "initdb", "-D", data, "-A", "trust", "-U", "tester", "--no-sync", "-E", "UTF8")
        options = f"-c listen_addresses='' -k {folder} {_FORGETFUL} {set_up(data)}"
        _run(user, programs / "pg_ctl", "-D", data, "-l", folder / "log", "-o", options, "-w", "start")
        try:
            yield f"postgresql://tester@/{{database}}?host={folder}"
        finally:
            _run(user, programs / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")


def _give_to_postgres(folder: Path) -> list[str]:
    """The words before a command that make it run as somebody who may run PostgreSQL."""
    if os.geteuid() != 0:
        return []
    shutil.chown(folder, "postgres")
    return ["runuser", "-u", "postgres", "--"]


def _run(user: list[str], *command: object) -> None:
    done = subprocess.run([*user, *map(str, command)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, cwd="/", timeout=300, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
