"""A folder with a dataset for training: what is in it, whether it is whole, and the digest that names it.

`train.jsonl`, `validation.jsonl` and `test.jsonl` hold one example a line, `{"messages": [{"role", "content"}, ...]}`,
where an answer with `"weight": 0` is shown and not learnt;
`dataset.json` says of what kind it is, and `SHA256SUMS` has the hash of every file.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from annotations.i18n.messages import Message, cited, listed, to_say
from characterbox.errors import TrainingError
from characterbox.training.datasets.example import Kind, Split

SPLITS: tuple[Split, ...] = get_args(Split)
FORMAT = 1
"""The form of `dataset.json` that is read."""

_SUMS = "SHA256SUMS"
_SUM = re.compile(r"([0-9a-f]{64}) [ *]([^\0]+)")
_HALF = re.compile(r"[\ud800-\udfff]")
"""A lone surrogate, which no file in UTF-8 can hold."""
_ROLES = ("system", "user", "assistant")
_AGAIN = to_say("{file}: {why}; write the dataset anew")


@dataclass(frozen=True)
class DatasetFolder:
    """A dataset in a folder, all of which was looked at."""

    path: Path
    kind: Kind
    digest: str
    """The SHA-256 of the lines of `SHA256SUMS` for training, validation and test, in that order, in hexadecimal."""
    counts: Mapping[Split, int]
    """The examples of each split."""
    demo: bool
    """Whether no language model wrote some of it."""


def open_dataset(folder: Path) -> DatasetFolder:
    """The dataset in a folder, whose files and examples are checked one by one, however many there are.

    Raises TrainingError, which names file, line and remedy, for what is missing, damaged or no example.
    """
    if not folder.is_dir():
        raise TrainingError("{folder}: there is no such folder; name the folder of a dataset", folder=folder)
    sums = _sums(folder)
    kind, demo = _kind(folder)
    for name, wanted in sums.items():
        if _hash(folder, name) != wanted:
            raise TrainingError(
                "{file}: it was changed after the dataset was written, or is damaged; its hash is not the one in"
                " SHA256SUMS. Restore it, or write the dataset anew",
                file=folder / name,
            )
    counts = {split: sum(1 for _ in _examples(folder / f"{split}.jsonl")) for split in SPLITS}
    if not counts["train"]:
        raise TrainingError(
            "{file}: there are no examples to train on; choose more stories for the dataset",
            file=folder / "train.jsonl",
        )
    return DatasetFolder(folder, kind, split_digest(sums), counts, demo)


def split_digest(sums: Mapping[str, str]) -> str:
    """The digest that names a dataset, from the SHA-256 of its files by name, in hexadecimal."""
    lines = "".join(f"{sums[f'{split}.jsonl']}  {split}.jsonl\n" for split in SPLITS)
    return hashlib.sha256(lines.encode()).hexdigest()


def sha256_of(file: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with file.open("rb") as raw:
        return hashlib.file_digest(raw, "sha256").hexdigest()


def _bytes(folder: Path, name: str) -> bytes:
    try:
        return (folder / name).read_bytes()
    except OSError as error:
        raise _missing(folder, name, error) from None


def _missing(folder: Path, name: str, error: OSError) -> TrainingError:
    return TrainingError(
        "{file}: it cannot be read ({error}); it belongs to a dataset: restore it, or write the dataset anew",
        file=folder / name,
        error=error.strerror,
    )


def _sums(folder: Path) -> dict[str, str]:
    """The hash of each file by its name."""
    found: dict[str, str] = {}
    for number, line in enumerate(_bytes(folder, _SUMS).decode(errors="replace").splitlines(), 1):
        match = _SUM.fullmatch(line)
        if match is None or not (folder / match[2]).resolve().is_relative_to(folder.resolve()):
            why = Message("line {line} is not a hash and the name of a file in the folder", line=number)
            raise TrainingError(_AGAIN, file=folder / _SUMS, why=why)
        found[match[2]] = match[1]
    if absent := [name for name in ("dataset.json", *(f"{split}.jsonl" for split in SPLITS)) if name not in found]:
        why = Message("it does not list {files}", files=listed(absent))
        raise TrainingError(_AGAIN, file=folder / _SUMS, why=why)
    return found


def _kind(folder: Path) -> tuple[Kind, bool]:
    """The kind of a dataset, and whether no language model wrote some of it."""
    file = folder / "dataset.json"
    try:
        content: Any = json.loads(_bytes(folder, file.name))
    except (ValueError, RecursionError):
        raise TrainingError(_AGAIN, file=file, why=Message("it is not JSON")) from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        why = Message("its format is not {format}, the only one that is known here", format=FORMAT)
        raise TrainingError(_AGAIN, file=file, why=why)
    for kind in get_args(Kind):
        if content.get("kind") == kind:
            found: Kind = kind
            splits = content.get("splits")
            told = splits.values() if isinstance(splits, dict) else ()
            return found, any(isinstance(one, dict) and one.get("improvised") for one in told)
    kinds = listed(get_args(Kind))
    raise TrainingError(_AGAIN, file=file, why=Message("its kind is none of {kinds}", kinds=kinds))


def _hash(folder: Path, name: str) -> str:
    try:
        return sha256_of(folder / name)
    except OSError as error:
        raise _missing(folder, name, error) from None


def _examples(file: Path) -> Iterator[Any]:
    """The examples of a split. Raises TrainingError, with the line, for what is none."""
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                example = json.loads(line.decode())
            except (ValueError, RecursionError):
                fault: Message | None = Message("it is not JSON")
            else:
                fault = fault_of(example)
            if fault is not None:
                raise TrainingError(
                    "{file}, line {line}: this is no example: {why}; write the dataset anew",
                    file=file,
                    line=number,
                    why=fault,
                )
            yield example


def fault_of(example: Any) -> Message | None:
    """Why something is no example."""
    messages = example.get("messages") if isinstance(example, dict) else None
    if not isinstance(messages, list) or not messages:
        return Message("it has no list of messages")
    faults = (fault for message in messages if (fault := _fault_of_message(message)) is not None)
    if (fault := next(faults, None)) is not None:
        return fault
    if messages[-1]["role"] != "assistant":
        return Message("the last message is not the assistant's")
    return Message("the last message is not learnt: its weight is 0") if messages[-1].get("weight") == 0 else None


def _fault_of_message(message: Any) -> Message | None:
    if not isinstance(message, dict) or not isinstance(message.get("content"), str):
        return Message("a message has no text as its content")
    if _HALF.search(message["content"]):
        return Message("a message holds half of a character (a lone surrogate)")
    if message.get("role") not in _ROLES:
        return Message(
            "the role of a message is {role}, not one of {roles}",
            role=cited(repr(message.get("role"))),
            roles=listed(_ROLES),
        )
    if message.get("weight") not in (None, 0, 1):
        return Message("the weight of a message is {weight}, not 0 or 1", weight=cited(repr(message["weight"])))
    return None
