"""The schemas that a database can have: the migrations from one to the next, as Alembic is told of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import as_file, files

from alembic.config import Config
from alembic.script import ScriptDirectory

BASELINE = "0022"
"""The oldest schema that is read; earlier ones were never released."""


@contextmanager
def migrations() -> Iterator[Config]:
    """The configuration of Alembic; with `attributes["connection"]` set, its commands work on that connection."""
    with as_file(files("characterbox.store").joinpath("migrations")) as folder:
        config = Config()
        config.set_main_option("script_location", str(folder).replace("%", "%%"))
        yield config


@cache
def newest() -> str | None:
    """The newest schema. Kept, as Alembic reads all migrations to find it: 10 ms, where a database opens in 4."""
    with migrations() as config:
        return ScriptDirectory.from_config(config).get_current_head()


def unknown_schema(revision: str) -> str:
    """Why a database or an archive with a schema that this version does not have cannot be used, and what to do."""
    if revision < BASELINE:
        return (
            f"it is of an early CharacterBox (schema {revision}), older than any that this version reads; open it once "
            f"with commit 44393ef of CharacterBox, which brings it to schema {BASELINE}"
        )
    return f"it was made by a newer CharacterBox (schema {revision}); update this one"
