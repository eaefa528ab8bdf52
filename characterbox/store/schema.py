"""The schemas that a database can have: the migrations from one to the next, as Alembic is told of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files

from alembic.config import Config


@contextmanager
def migrations() -> Iterator[Config]:
    """The configuration of Alembic; with `attributes["connection"]` set, its commands work on that connection."""
    with as_file(files("characterbox.store").joinpath("migrations")) as folder:
        config = Config()
        config.set_main_option("script_location", str(folder).replace("%", "%%"))
        yield config
