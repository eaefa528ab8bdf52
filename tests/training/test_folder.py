"""The folder of a dataset: all of it is looked at before anybody trains on it."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from characterbox.errors import TrainingError
from characterbox.training.datasets.folder import open_dataset
from tests.training.folders import example, sign, write_dataset


def test_a_dataset_is_named_by_its_examples_alone(tmp_path):
    data = write_dataset(tmp_path / "data", kind="judge")
    found = open_dataset(data)
    assert (found.kind, dict(found.counts)) == ("judge", {"train": 24, "validation": 6, "test": 0})
    sums = (data / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    three = [line for split in ("train", "validation", "test") for line in sums if line.endswith(f"  {split}.jsonl")]
    assert found.digest == hashlib.sha256("".join(f"{line}\n" for line in three).encode()).hexdigest()
    (data / "README.md").write_text("Other words.\n", encoding="utf-8")
    assert open_dataset(sign(data)).digest == found.digest
    assert open_dataset(write_dataset(tmp_path / "other", [example(1)])).digest != found.digest


def _line(text: str) -> Callable[[Path], object]:
    """Put a line in the place of the third example."""

    def damage(data: Path) -> None:
        file = data / "train.jsonl"
        lines = file.read_text(encoding="utf-8").splitlines()
        file.write_text("\n".join([*lines[:2], text, *lines[3:]]) + "\n", encoding="utf-8")
        sign(data)

    return damage


def _write(name: str, text: str, signed: bool = True) -> Callable[[Path], object]:
    def damage(data: Path) -> None:
        (data / name).write_text(text, encoding="utf-8")
        if signed:
            sign(data)

    return damage


def test_a_weight_of_0_or_1_is_none_of_its_faults(tmp_path):
    shown = {"role": "assistant", "content": "I am Holmes.", "weight": 0}
    asked = {"role": "user", "content": "And he?"}
    told = [
        {"messages": [shown, asked, {"role": "assistant", "content": "Watson.", **last}]}
        for last in ({}, {"weight": 1})
    ]
    assert open_dataset(write_dataset(tmp_path / "data", told, kind="role")).counts["train"] == 2


def _said(*messages: dict[str, object]) -> str:
    return json.dumps({"messages": messages})


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda data: (data / "SHA256SUMS").unlink(), "SHA256SUMS: it cannot be read"),
        (lambda data: (data / "test.jsonl").unlink(), "test.jsonl: it cannot be read"),
        (_write("SHA256SUMS", "abc  train.jsonl\n", signed=False), "line 1 is not a hash"),
        (_write("SHA256SUMS", f"{'0' * 64}  ../data.txt\n", signed=False), "line 1 is not a hash"),
        (_write("SHA256SUMS", f"{'0' * 64}  train.jsonl\n", signed=False), "does not list dataset.json, validation"),
        (_write("README.md", "changed", signed=False), r"README.md: it was changed after"),
        (_write("dataset.json", "{"), "dataset.json: it is not JSON"),
        (_write("dataset.json", '{"format": 2}'), "dataset.json: its format is not 1"),
        (_write("dataset.json", '{"format": 1, "kind": "x"}'), "its kind is none of narrator, judge, guided, refl"),
        (_write("train.jsonl", ""), "train.jsonl: there are no examples to train on"),
        (_line('{"messages": ['), "train.jsonl, line 3: this is no example: it is not JSON"),
        (_line("[" * 10_000), "line 3: this is no example: it is not JSON"),
        (_line("\ufeff{}"), "line 3: this is no example: it is not JSON"),
        (_line(_said({"role": "assistant", "content": "\ud800"})), "holds half of a character"),
        (_line("[]"), "line 3: this is no example: it has no list of messages"),
        (_line(_said()), "it has no list of messages"),
        (_line(_said({"role": "assistant", "content": None})), "a message has no text as its content"),
        (_line(_said({"role": "bot", "content": "Hm."})), "the role of a message is 'bot', not one of system, user"),
        (_line(_said({"role": "user", "content": "Hm."})), "the last message is not the assistant's"),
        (_line(_said({"role": "assistant", "content": "Hm.", "weight": 0})), "is not learnt: its weight is 0"),
        (_line(_said({"role": "assistant", "content": "Hm.", "weight": 0.5})), "of a message is 0.5, not 0 or 1"),
        (_line(_said({"role": "assistant", "content": "Hm.", "weight": "1"})), "of a message is '1', not 0 or 1"),
        (_line(_said({"role": "assistant", "content": "Hm.", "weight": []})), r"of a message is \[\], not 0 or 1"),
    ],
)
def test_what_is_wrong_with_a_dataset_is_told_with_its_place(tmp_path, damage, told):
    data = write_dataset(tmp_path / "data")
    damage(data)
    with pytest.raises(TrainingError, match=told):
        open_dataset(data)
