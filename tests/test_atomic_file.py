"""A database is for its user alone, and what is not is told of."""

import logging
import os
import stat

import pytest

import app
from characterbox.atomic_file import not_private
from characterbox.settings import settings
from characterbox.store import Store


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(autouse=True)
def wide():
    """The widest umask: what is closed is closed by the app."""
    before = os.umask(0)
    yield
    os.umask(before)


def test_a_new_database_is_for_its_user_alone(tmp_path):
    file = tmp_path / "a" / "b" / "characterbox.db"
    store = Store(f"sqlite:///{file}")
    try:
        store.sessions.key()
        beside = sorted(path.name for path in file.parent.iterdir())
        assert "characterbox.db-wal" in beside
        assert {mode(path) for path in file.parent.iterdir()} == {0o600}
        assert [mode(folder) for folder in (file.parent, file.parent.parent)] == [0o700, 0o700]
    finally:
        store.close()


def test_a_database_that_is_there_stays_as_it_is(tmp_path):
    file = tmp_path / "characterbox.db"
    file.touch(0o640)
    Store(f"sqlite:///{file}").close()
    assert mode(file) == 0o640


def test_what_others_can_read_or_replace_is_told_with_the_command_that_mends_it(tmp_path):
    closed, open_to_others = tmp_path / "closed.db", tmp_path / "it is open.db"
    closed.touch(0o600)
    open_to_others.touch(0o640)
    files = [closed, open_to_others, tmp_path / "there is none"]
    tmp_path.chmod(0o755)
    (told,) = not_private(files)
    assert told == f"{open_to_others} can be read by others on this computer; run: chmod 600 '{open_to_others}'"
    open_to_others.chmod(0o600)
    tmp_path.chmod(0o1777)
    assert list(not_private(files)) == []
    tmp_path.chmod(0o775)
    (told,) = not_private(files)
    assert told.endswith(f"run: chmod go-w {tmp_path}")


def test_the_app_warns_of_its_database_and_its_secrets(tmp_path, monkeypatch, caplog):
    database, secrets = tmp_path / "characterbox.db", tmp_path / "secrets.toml"
    database.touch(0o644)
    secrets.touch(0o604)
    tmp_path.chmod(0o700)
    monkeypatch.setenv("CHARACTERBOX_DB", str(database))
    monkeypatch.setattr(app.st, "get_option", lambda name: [str(secrets)] if name == "secrets.files" else None)
    settings.cache_clear()
    try:
        with caplog.at_level(logging.WARNING):
            app.warn_of_readers()
    finally:
        settings.cache_clear()
    assert [message.split(" can be read")[0] for message in caplog.messages] == [str(database), str(secrets)]
