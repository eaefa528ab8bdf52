"""The schemas that a database can have: the migrations from one to the next, as Alembic is told of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import as_file, files

from alembic.config import Config
from alembic.script import ScriptDirectory


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
