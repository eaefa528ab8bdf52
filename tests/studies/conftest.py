"""A study of its own for each test."""

import pytest

from characterbox.settings import settings
from characterbox.studies.new_study import make_study


@pytest.fixture
def folder(tmp_path):
    """The folder of a new study."""
    made = tmp_path / "pilot"
    make_study(made)
    return made


@pytest.fixture
def edited(folder):
    """Changes a text in a file of the study."""

    def edit(name, before, after):
        file = folder / name
        text = file.read_text("utf-8")
        assert before in text
        file.write_text(text.replace(before, after), "utf-8")

    return edit


@pytest.fixture
def signed_in(monkeypatch):
    """An app in which people sign in."""
    monkeypatch.setenv("CHARACTERBOX_AUTH", "local")
    settings.cache_clear()
    yield
    settings.cache_clear()
