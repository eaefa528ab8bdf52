"""A recipe with its dataset and its base, and a Python that only pretends to train."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from characterbox.training.recipe import Recipe, read_recipe
from tests.training.folders import write_base, write_dataset, write_recipe

_PRETENDER = """#!{python} -IS
import json, signal, sys, time
from pathlib import Path

folder, task = Path(sys.argv[-2]), sys.argv[-1]
(folder / "words.json").write_text(json.dumps(sys.argv[1:]))
identity = json.loads((folder / "run.json").read_text())["identity"]

def tell(event, **values):
    with (folder / "progress.jsonl").open("a") as out:
        out.write(json.dumps({{"event": event, **values}}) + "\\n")

def stop(*_):
    tell("saved", step=2)
    tell("stopped")
    sys.exit()

signal.signal(signal.SIGTERM, stop if {stops} else signal.SIG_IGN)
if task == "merge":
    (folder / "merged").mkdir()
    tell("merged")
    sys.exit()
tell("training", step=0, steps=3)
tell("step", step=1, steps=3, loss=2.5, learning_rate=5e-5, tokens_per_second=10.0, seconds_left=60.0)
while not (folder / "finish").exists():
    time.sleep(0.01)
(folder / "adapter").mkdir()
(folder / "adapter/adapter_config.json").write_text("{{}}")
figures = {{"steps": 3, "loss": {{"first": 2.5, "last": 2.5}}, "validation_loss": None, "counts": {{}}}}
(folder / "result.json").write_text(json.dumps({{"identity": identity, **figures}}))
tell("done", step=3)
"""


def pretender(file: Path, stops: bool = True) -> Path:
    """A program that takes one step, and ends when a file `finish` is in its folder, or when it is told to stop."""
    file.write_text(_PRETENDER.format(python=sys.executable, stops=stops), encoding="utf-8")
    file.chmod(0o755)
    return file


@pytest.fixture
def recipe_file(tmp_path: Path) -> Path:
    """A recipe of which all is there."""
    write_dataset(tmp_path / "data")
    write_base(tmp_path / "base")
    return write_recipe(tmp_path)


@pytest.fixture
def recipe(recipe_file: Path) -> Recipe:
    return read_recipe(recipe_file)


@pytest.fixture
def python(tmp_path: Path) -> Iterator[Path]:
    """A Python that only pretends to train."""
    return pretender(tmp_path / "python")
