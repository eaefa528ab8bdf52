"""The stage that pages open, on a database of a test's own rather than on that of whoever runs the tests."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from characterbox.settings import settings
from characterbox.stage.stage import Stage, open_stage
from tests.fakes.databases import database_in


@contextmanager
def app_stage(url: str) -> Iterator[Stage]:
    """What `open_stage` gives to all that ask in this process, as long as the context lasts."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("CHARACTERBOX_DB", database_in(Path(url.removeprefix("sqlite:///"))))
        settings.cache_clear()
        open_stage.cache_clear()
        stage = open_stage()
        try:
            yield stage
        finally:
            stage.close()
            settings.cache_clear()
            open_stage.cache_clear()
