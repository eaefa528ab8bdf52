"""A tiny base model and a dataset, and a run that nothing disturbs; all of them are made once."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.training.folders import example, write_dataset

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
TRAINING = """
[training]
epochs = 3
learning_rate = 2e-3
warmup_steps = 2
batch = 2
accumulation = 4
cutoff = 256
save_steps = 3
evaluation_steps = 4

[lora]
rank = 4
dropout = 0.1
"""
"""Of twelve steps; dropout draws random numbers in each."""


@pytest.fixture(scope="session")
def python() -> Iterator[Path]:
    """The Python that has PyTorch, without network."""
    python = os.environ.get("CHARACTERBOX_TRAIN")
    if python is None:
        pytest.skip("no PyTorch is set up here: make test-train")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        patch.setenv("CHARACTERBOX_TRAIN", str(Path(python).absolute()))
        yield Path(python).absolute()


@pytest.fixture(scope="session")
def folder(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a dataset, of which one example is too long, and a base that has seen such texts."""
    folder = tmp_path_factory.mktemp("training")
    long = {"messages": [{"role": "user", "content": "On and on. " * 300}, *example(0)["messages"][-1:]]}
    write_dataset(folder / "data", [*(example(number, answers=1 + number % 2) for number in range(20)), long])
    made = subprocess.run(
        [python, HERE / "tiny_base.py", folder / "base", "60", folder / "data"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    return folder


@pytest.fixture(scope="session")
def write_run(folder: Path) -> Callable[..., Path]:
    """Writes a recipe under a name, with lines before its tables and another base or training if need be."""

    def write(name: str, lines: str = "", base: str = "base", training: str = TRAINING) -> Path:
        file = folder / f"{name}.toml"
        file.write_text(f'name = "{name}"\ndataset = "data"\nbase = "{base}"\n{lines}{training}', encoding="utf-8")
        return file

    return write


def train(file: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """What `characterbox train` says of a recipe."""
    words = [sys.executable, "-m", "characterbox", "train", str(file), *options]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="session")
def undisturbed(write_run: Callable[..., Path]) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """The folder of a run that went from its first step to its last, and what the command said."""
    file = write_run("undisturbed")
    said = train(file)
    assert said.returncode == 0, said.stderr
    return file.parent / "runs/undisturbed", said
