"""Databases that are there at once: copies of one that was migrated, which takes longer than most tests."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from characterbox.settings import database_url
from characterbox.store import Store


@cache
def _template() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="characterbox-template-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    Store(database_url(folder / "template.db")).close()
    return folder / "template.db"


def database_in(file: Path) -> str:
    """The URL of the database in a file; where there is none, it is made, empty and with the newest schema."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(_template(), file)
    return database_url(file)


def store_in(file: Path) -> Store:
    """A store on the database in a file; where there is none, it is made."""
    return Store(database_in(file))
