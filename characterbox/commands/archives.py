"""`characterbox backup` and `characterbox restore`: everything to one file, and back into an empty database."""

import argparse
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

from characterbox.accounts.account import COMMAND_LINE
from characterbox.commands.database import chosen_url, open_store
from characterbox.commands.exits import say
from characterbox.store.transfer.backup import back_up, restore

_QUIET = 2.0
"""Seconds between two lines about how far it is."""


def run(options: argparse.Namespace) -> int:
    """Back the database up, while others may use it, or restore an archive; print what the file holds."""
    url, file, saves = chosen_url(options), options.file, options.called == "backup"
    with _ended_by_sigterm():
        manifest = back_up(url, file, _Progress("backing up")) if saves else restore(file, url, _Progress("restoring"))
    made_at = f"{manifest.made_at:%Y-%m-%d %H:%M} UTC"
    with open_store(options) as store:
        action = "database.saved" if saves else "database.restored"
        store.audit.add(COMMAND_LINE, action, "", {"made_at": made_at, "rows": manifest.rows})
    for table in manifest.tables:
        print(f"{table.rows:>12,}  {table.name}")
    print(f"{manifest.rows:>12,}  rows in all")
    if manifest.left_out:
        print(f"not in the archive: {', '.join(manifest.left_out)}")
    if saves:
        print(f"{file}: {file.stat().st_size:,} bytes; password hashes are in it, so keep it to yourself")
    else:
        print(f"{file}: restored, as of {made_at}")
    return 0


class _Progress:
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
def _ended_by_sigterm() -> Iterator[None]:
    """Let SIGTERM interrupt as Ctrl-C does, so that nothing half done is left behind."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
