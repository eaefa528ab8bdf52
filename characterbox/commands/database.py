"""The way from a command to the database."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager

from characterbox.errors import StoreError
from characterbox.settings import as_url, settings
from characterbox.store import Store


@contextmanager
def open_store(options: argparse.Namespace) -> Iterator[Store]:
    """The database that `--db` names, else that of the settings.

    Raises StoreError if it cannot be opened, and CharacterBoxError, before anything is stored, for a wrong setting.
    """
    store = Store(chosen_url(options))
    try:
        yield store
    finally:
        store.close()


def chosen_url(options: argparse.Namespace) -> str:
    """The URL of the database that `--db` names, else of that of the settings.

    Raises StoreError if it names none, and CharacterBoxError for a wrong setting.
    """
    chosen = settings()
    try:
        return chosen.db if options.db is None else as_url(options.db)
    except ValueError as error:
        raise StoreError(f"--db: {error}") from None
