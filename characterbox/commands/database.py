"""The way from a command to the database."""

import argparse

from characterbox.errors import StoreError
from characterbox.settings import as_url, settings
from characterbox.store import Store


def open_store(options: argparse.Namespace) -> Store:
    """The database that `--db` names, else that of the settings.

    Raises StoreError if it cannot be opened, and CharacterBoxError, before anything is stored, for a wrong setting.
    """
    chosen = settings()
    try:
        url = chosen.db if options.db is None else as_url(options.db)
    except ValueError as error:
        raise StoreError(f"--db: {error}") from None
    return Store(url)
