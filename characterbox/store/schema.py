"""The schemas that a database can have: the migrations from one to the next, as Alembic is told of them."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import as_file, files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from alembic.config import Config

BASELINE = "0022"
"""The oldest schema that is read; earlier ones were never released."""
_REVISION = re.compile(r'^(down_)?revision\b[^=\n]*= "([^"]+)"', re.MULTILINE)


@contextmanager
def migrations() -> Iterator["Config"]:
    """The configuration of Alembic; with `attributes["connection"]` set, its commands work on that connection."""
    from alembic.config import Config  # noqa: PLC0415 - a quarter of a second, for a database that is up to date

    with as_file(files("characterbox.store").joinpath("migrations")) as folder:
        config = Config()
        config.set_main_option("script_location", str(folder).replace("%", "%%"))
        yield config


@cache
def newest() -> str:
    """The newest schema, which no migration goes on from; read without Alembic, as each start asks for it."""
    versions = files("characterbox.store").joinpath("migrations", "versions")
    texts = [file.read_text(encoding="utf-8") for file in versions.iterdir() if file.name.endswith(".py")]
    found = [match for text in texts for match in _REVISION.finditer(text)]
    continued = {match[2] for match in found if match[1]}
    [last] = {match[2] for match in found if not match[1]} - continued
    return last


def unknown_schema(revision: str) -> str:
    """Why a database or an archive with a schema that this version does not have cannot be used, and what to do."""
    if revision < BASELINE:
        return (
            f"it is of an early CharacterBox (schema {revision}), older than any that this version reads; open it once "
            f"with commit 44393ef of CharacterBox, which brings it to schema {BASELINE}"
        )
    return f"it was made by a newer CharacterBox (schema {revision}); update this one"
