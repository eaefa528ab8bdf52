"""`characterbox train`: what is wrong with a recipe or its surroundings is one line, with what to change.

Trainings themselves are in tests/training/with_torch.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.training.folders import RECIPE, sign, write_base, write_dataset, write_recipe


def _recipe(text: str) -> Callable[[Path], object]:
    return lambda folder: (folder / "run.toml").write_text(text, encoding="utf-8")


def _append(name: str, text: str, signed: bool = False) -> Callable[[Path], object]:
    def damage(folder: Path) -> None:
        with (folder / name).open("a", encoding="utf-8") as file:
            file.write(text)
        if signed:
            sign(folder / "data")

    return damage


def _empty(folder: Path) -> None:
    (folder / "data/train.jsonl").write_text("", encoding="utf-8")
    sign(folder / "data")


DAMAGED: dict[str, tuple[Callable[[Path], object], str]] = {
    "no file": (lambda folder: (folder / "run.toml").unlink(), "the recipe cannot be read (No such file or directory)"),
    "no TOML": (_recipe("name = first\n"), "run.toml: line 1: this is not valid TOML"),
    "unknown field": (_append("run.toml", "epochs = 3\n"), "run.toml: line 4, epochs: does not belong here"),
    "no epochs": (_append("run.toml", "[training]\nepochs = 0\n"), "line 5, training.epochs: must be 1 or more"),
    "no dataset": (lambda folder: shutil.rmtree(folder / "data"), "data: there is no such folder"),
    "a file is missing": (lambda folder: (folder / "data/validation.jsonl").unlink(), "validation.jsonl: it cannot be"),
    "another hash": (_append("data/train.jsonl", "{}\n"), "train.jsonl: it was changed after the dataset was written"),
    "a broken line": (_append("data/train.jsonl", "{\n", signed=True), "train.jsonl, line 25: this is no example"),
    "no examples": (_empty, "train.jsonl: there are no examples to train on"),
    "no base": (lambda folder: (folder / "base/config.json").unlink(), "has no config.json"),
    "no chat template": (lambda folder: (folder / "base/tokenizer_config.json").unlink(), "has no chat template"),
    "no accelerate": (_recipe(RECIPE + 'accelerate = "gpus.yaml"\n'), "gpus.yaml cannot be read"),
    "no PyTorch": (lambda _: None, "the packages for training are not installed here (torch, transformers, trl"),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_each_damage_has_one_clear_error(in_process, tmp_path, case):
    write_dataset(tmp_path / "data")
    write_base(tmp_path / "base")
    write_recipe(tmp_path)
    damage, told = DAMAGED[case]
    damage(tmp_path)
    done = in_process("train", str(tmp_path / "run.toml"))
    assert (done.status, done.out) == (2, "")
    assert told in done.one_line()
    assert not (tmp_path / "runs").exists(), "nothing was begun"
