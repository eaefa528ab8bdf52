"""Which Python trains."""

import sys
import tomllib
from pathlib import Path

import pytest

from characterbox.errors import TrainingError
from characterbox.training.environment import NEEDED, find_training_python
from characterbox.training.worker import packages
from characterbox.training.worker.errors import WorkerError

pytestmark = pytest.mark.process


def test_a_python_without_the_packages_is_told_what_to_install(tmp_path):
    with pytest.raises(TrainingError, match=r"lacks torch, .*accelerate; install them .*characterbox\[train\]"):
        find_training_python(Path(sys.executable))
    with pytest.raises(TrainingError, match=r"\(torch, transformers, .* missing\): run pip install"):
        find_training_python(None)


def test_what_is_no_python_is_refused(tmp_path):
    with pytest.raises(TrainingError, match="is not an executable program"):
        find_training_python(tmp_path / "python")
    (tmp_path / "python").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    (tmp_path / "python").chmod(0o755)
    with pytest.raises(TrainingError, match="does not work as a Python interpreter"):
        find_training_python(tmp_path / "python")


def test_the_extra_asks_for_what_the_worker_asks_for():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    extra = dict(one.partition(",")[0].split(">=") for one in project["project"]["optional-dependencies"]["train"])
    assert extra == packages.LEAST
    assert {*extra, "characterbox"} == {*NEEDED}


@pytest.mark.parametrize(
    ("found", "code", "named"),
    [
        ({**packages.LEAST, "trl": "0.9.6"}, "packages_old", f"trl 0.9.6 (< {packages.LEAST['trl']})"),
        ({**packages.LEAST, "torch": None}, "packages_missing", "torch"),
    ],
)
def test_packages_that_are_missing_or_too_old_are_named(monkeypatch, found, code, named):
    monkeypatch.setattr(packages, "_version", found.get)
    with pytest.raises(WorkerError) as raised:
        packages.check_packages()
    assert (raised.value.code, raised.value.parameters) == (code, {"packages": named})


def test_newer_packages_will_do(monkeypatch):
    monkeypatch.setattr(packages, "_version", {**packages.LEAST, "torch": "2.13.0+cpu", "trl": "1.100.2"}.get)
    packages.check_packages()


def test_a_python_with_all_of_them_trains(tmp_path):
    (tmp_path / "python").write_text("#!/bin/sh\n", encoding="utf-8")
    (tmp_path / "python").chmod(0o755)
    assert find_training_python(tmp_path / "python") == tmp_path / "python"
