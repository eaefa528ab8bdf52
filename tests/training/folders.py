"""Small datasets, bases without weights, and recipes, made on the spot."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SPLITS = ("train", "validation", "test")
RECIPE = 'name = "first"\ndataset = "data"\nbase = "base"\n'


def example(number: int, answers: int = 1) -> dict[str, Any]:
    """A short conversation in which the assistant answers so often."""
    messages = [{"role": "system", "content": f"You narrate scene {number}."}]
    for turn in range(answers):
        messages.append({"role": "user", "content": f"Holmes opens door {number} the {turn}. time."})
        messages.append({"role": "assistant", "content": f"Door {number} opens with a creak; lamp {turn} is lit."})
    return {"messages": messages}


def write_dataset(folder: Path, examples: Iterable[Any] | None = None, kind: str = "narrator") -> Path:
    """A dataset with these training examples (24 by default), and six to validate with."""
    train = [example(number) for number in range(24)] if examples is None else list(examples)
    files = {
        "train.jsonl": _lines(train),
        "validation.jsonl": _lines([example(number) for number in range(100, 106)]),
        "test.jsonl": "",
        "dataset.json": json.dumps({"format": 1, "kind": kind}),
        "README.md": "A dataset of tests.\n",
        **{f"provenance/{split}.jsonl": "" for split in SPLITS},
    }
    (folder / "provenance").mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return sign(folder)


def sign(folder: Path) -> Path:
    """Write the hashes of what is in a folder now."""
    files = sorted(one for one in folder.rglob("*") if one.is_file() and one.name != "SHA256SUMS")
    sums = [f"{hashlib.sha256(one.read_bytes()).hexdigest()}  {one.relative_to(folder).as_posix()}\n" for one in files]
    (folder / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
    return folder


def write_base(folder: Path) -> Path:
    """What can be seen of a base without PyTorch."""
    folder.mkdir()
    sizes = {"hidden_size": 64, "num_hidden_layers": 2, "intermediate_size": 128}
    (folder / "config.json").write_text(json.dumps(sizes), encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": "{{ messages }}"}), encoding="utf-8")
    (folder / "model.safetensors").write_bytes(bytes(3_000_000))
    return folder


def write_recipe(folder: Path, more: str = "") -> Path:
    """A recipe beside its dataset and its base."""
    file = folder / "run.toml"
    file.write_text(RECIPE + more, encoding="utf-8")
    return file


def _lines(rows: Iterable[Any]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
