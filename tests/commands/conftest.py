"""The command line as people run it: in a process of its own, on a database of its own."""

import io
import json
import os
import shutil
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from characterbox.cli import main
from characterbox.settings import settings
from tests.fakes.databases import database_in
from tests.fakes.warm_cli import start

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    status: int
    out: str
    err: str

    def events(self):
        return [json.loads(line) for line in self.out.splitlines()]

    def story(self):
        """The id that `play` told."""
        return self.err.splitlines()[0].removeprefix("characterbox: story ")

    def one_line(self):
        """The one line that it said to standard error."""
        [line] = self.err.splitlines()
        assert line.startswith("characterbox")
        return line


@pytest.fixture
def environment(tmp_path):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CHARACTERBOX_")}
    database_in(tmp_path / "cli.db")
    return {**kept, "CHARACTERBOX_DB": str(tmp_path / "cli.db"), "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"}


@pytest.fixture
def command(environment, tmp_path):
    """Runs a command in a process of its own, to its end."""

    def run(*words, **more):
        started = start([str(word) for word in words], tmp_path, {**environment, **more})
        status = started.wait()
        done = Done(status, started.out.read_text(), started.err.read_text())
        assert "Traceback" not in done.err, done.err
        return done

    return run


@pytest.fixture
def in_process(capsys, monkeypatch, tmp_path):
    """Runs a command in this process, which is quicker; for what does not depend on a process of its own."""
    for name in [name for name in os.environ if name.startswith("CHARACTERBOX_")]:
        monkeypatch.delenv(name)
    database_in(tmp_path / "cli.db")
    monkeypatch.setenv("CHARACTERBOX_DB", str(tmp_path / "cli.db"))
    monkeypatch.setattr(sys, "argv", ["characterbox"])
    monkeypatch.chdir(tmp_path)

    def run(*words):
        settings.cache_clear()
        with pytest.raises(SystemExit) as ended:
            main([str(word) for word in words])
        captured = capsys.readouterr()
        return Done(ended.value.code, captured.out, captured.err)

    yield run
    settings.cache_clear()


@pytest.fixture(scope="session")
def played(tmp_path_factory):
    """The output and the database of a story that the rehearsal played."""
    file = tmp_path_factory.mktemp("rehearsed") / "kept.db"
    database_in(file)
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with redirect_stdout(out), pytest.raises(SystemExit) as ended:
        main(["play", "bundled:xiyou-shiqiao", "--rounds", "1", "--db", str(file)])
    assert not ended.value.code
    out.seek(0)
    return out.read(), file


@pytest.fixture
def rehearsed(played, tmp_path):
    """The output and a copy of the database."""
    return played[0], str(shutil.copy(played[1], tmp_path / "copy.db"))
