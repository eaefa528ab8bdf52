"""What the commands share: exit statuses, the way to the database, and how they speak to people."""

import argparse
import sys

from characterbox.settings import as_url, settings
from characterbox.store import Store

BAD_INPUT = 2
ENDPOINT_FAILED = 3
INTERRUPTED = 130


def open_store(options: argparse.Namespace) -> Store:
    """The database that `--db` names, else that of the settings. Raises StoreError if it cannot be opened."""
    return Store(as_url(options.db) if options.db else settings().db)


def say(message: str) -> None:
    """One line to standard error: standard output is for results."""
    print(f"characterbox: {' '.join(message.split())}", file=sys.stderr)
