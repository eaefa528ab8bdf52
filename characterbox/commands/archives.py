"""What `characterbox backup` and `characterbox restore` have in common."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

from characterbox.accounts.account import COMMAND_LINE
from characterbox.commands.exits import say
from characterbox.store import Store
from characterbox.store.archive import Manifest

_QUIET = 2.0
"""Seconds between two lines about how far it is."""


class Progress:
    """Says now and then to standard error how far it is."""

    def __init__(self, doing: str) -> None:
        self._doing = doing
        self._said_at = time.monotonic()

    def __call__(self, table: str, rows: int) -> None:
        """So many rows of a table are done."""
        if time.monotonic() - self._said_at >= _QUIET:
            say(f"{self._doing}: table {table}, {rows:,} rows")
            self._said_at = time.monotonic()


@contextmanager
def told_to_end() -> Iterator[None]:
    """Let SIGTERM interrupt as Ctrl-C does, so that nothing half done is left behind."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def print_tables(manifest: Manifest) -> None:
    """How many rows there are of each table, and what an archive does not hold."""
    for table in manifest.tables:
        print(f"{table.rows:>12,}  {table.name}")
    print(f"{manifest.rows:>12,}  rows in all")
    if manifest.left_out:
        print(f"not in the archive: {', '.join(manifest.left_out)}")


def log_archive(url: str, action: str, manifest: Manifest) -> None:
    """Tell the log of the database that it was saved to an archive, or restored from one."""
    detail = {"made_at": f"{manifest.made_at:%Y-%m-%d %H:%M} UTC", "rows": manifest.rows}
    store = Store(url)
    try:
        store.audit.add(COMMAND_LINE, action, "", detail)
    finally:
        store.close()
