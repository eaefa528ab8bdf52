"""Where a file or a folder cannot be written, each command that writes one says why in plain words, and what to do."""

import tempfile
from pathlib import Path

import pytest

from tests.fakes.databases import database_in

SWEEP = """name = "small"
characters = ["rehearsal"]
narrators = ["rehearsal"]
[[scenes]]
file = "bundled:holmes-study"
"""
WRITING = {
    "ratings": ("ratings", "export", "--out"),
    "backup": ("backup",),
    "craft": ("craft", "--language", "en", "--work", "W", "--out"),
    "sweep": ("sweep", "sweep.toml", "--out"),
}


@pytest.fixture(params=WRITING)
def write(request, in_process, tmp_path):
    """Has one of the commands write to a place, in vain: gives the line that it says."""
    (tmp_path / "sweep.toml").write_text(SWEEP, encoding="utf-8")
    (tmp_path / "file").touch()
    database_in(tmp_path / "cli.db")

    def write(place):
        done = in_process(*WRITING[request.param], place)
        assert (done.status, done.out) == (2, "")
        assert "Errno" not in done.err
        assert ".part" not in done.err
        return done.one_line()

    return write


def test_a_folder_that_is_missing_is_named(write, tmp_path):
    none = tmp_path / "none"
    assert f"{none}/out: there is no folder {none}; make it first, or name another place" in write(none / "out")


def test_a_file_that_stands_in_the_place_of_the_folder_is_named(write, tmp_path):
    assert f"{tmp_path}/file is no folder; name another place" in write(tmp_path / "file" / "out")


def test_a_folder_in_which_one_may_not_write_is_named(write, tmp_path, monkeypatch):
    mkdir = Path.mkdir

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tempfile, "mkstemp", refuse)
    monkeypatch.setattr(Path, "mkdir", lambda path, **how: (refuse if path.suffix == ".part" else mkdir)(path, **how))
    assert f"you may not write in the folder {tmp_path}; name another place" in write(tmp_path / "out")


def test_a_name_that_is_too_long_is_told(write, tmp_path):
    assert f"it can't be written in the folder {tmp_path} (File name too long)" in write(tmp_path / ("a" * 300))


def test_what_is_there_already_is_left_alone(write, tmp_path):
    assert f"{tmp_path}/file: it is there already; give another name" in write(tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == b""
