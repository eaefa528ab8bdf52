"""The way from a command to the database."""

import argparse

from characterbox.settings import as_url, settings
from characterbox.store import Store


def open_store(options: argparse.Namespace) -> Store:
    """The database that `--db` names, else that of the settings.

    Raises StoreError if it cannot be opened, and CharacterBoxError, before anything is stored, for a wrong setting.
    """
    chosen = settings()
    return Store(as_url(options.db) if options.db else chosen.db)
