"""The base of a training, as far as it can be looked at without PyTorch: a folder with a model, or a name elsewhere."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from characterbox.errors import TrainingError

_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}(/[A-Za-z0-9][\w.-]{0,95})?", re.ASCII)
"""A model of Hugging Face."""
_SAMPLE = 1 << 20
"""Bytes at the beginning and at the end of a large file that are hashed."""
_TEMPLATES = ("chat_template.jinja", "chat_template.json")


def path_of(text: str, beside: Path) -> Path:
    """The path that a text in a file of the folder `beside` means.

    Raises TrainingError for an unknown home folder, and for what is no path.
    """
    if "\0" in text:
        raise TrainingError("{path} is no path: it holds a zero byte; correct it", path=repr(text))
    try:
        return beside / Path(text).expanduser()
    except RuntimeError:
        raise TrainingError(
            "the home folder {folder} does not exist; enter the full path", folder=text.partition("/")[0]
        ) from None


def find_base(base: str, beside: Path) -> Path | None:
    """The folder of a base that is named in a file in the folder `beside`; None for a name of Hugging Face.

    Raises TrainingError, saying what to do, for a folder that is missing, that is no model, or whose model has no chat
    template, and for what is neither.
    """
    folder = path_of(base, beside)
    try:
        there, is_folder = folder.exists(), folder.is_dir()
    except OSError as error:
        raise TrainingError(
            "base: {base} cannot be read ({error}); check the path", base=base, error=error.strerror
        ) from None
    if not there and _NAME.fullmatch(base):
        return None
    if not is_folder:
        raise TrainingError(
            "base: {base} is neither a folder nor the name of a model; give the folder of a model, or a name such as"
            " Qwen/Qwen2.5-7B-Instruct",
            base=base,
        )
    if not (folder / "config.json").is_file():
        raise TrainingError("base: {folder} has no config.json, so it is not the folder of a model", folder=folder)
    if not _has_template(folder):
        raise TrainingError(
            "base: the model in {folder} has no chat template, so it is not known how it is asked; use the instruct or"
            " chat variant of the model, or put a chat_template.jinja into its folder",
            folder=folder,
        )
    return folder.resolve()


def _has_template(folder: Path) -> bool:
    return any((folder / name).is_file() for name in _TEMPLATES) or bool(
        json_of(folder / "tokenizer_config.json").get("chat_template")
    )


def json_of(file: Path) -> dict[str, Any]:
    """The object in a JSON file; an empty one where there is none."""
    try:
        content = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def base_digest(folder: Path) -> str:
    """What tells a base from others, in hexadecimal: the SHA-256 over names, sizes and contents of its files.

    Of files of more than 2 MiB, the first and the last MiB stand for the content: another training of the same model
    has other weights everywhere, and fifteen gigabytes would take a minute.

    Raises TrainingError for what can't be read.
    """
    digest = hashlib.sha256()
    try:
        for file in sorted(one for one in folder.iterdir() if one.is_file() and not one.name.startswith(".")):
            size = file.stat().st_size
            digest.update(f"{file.name}\0{size}\0".encode())
            with file.open("rb") as content:
                if size <= 2 * _SAMPLE:
                    digest.update(content.read())
                else:
                    digest.update(content.read(_SAMPLE))
                    content.seek(-_SAMPLE, 2)
                    digest.update(content.read())
    except OSError as error:
        raise TrainingError(
            "base: {base} cannot be read ({error}); check who may read it",
            base=error.filename or folder,
            error=error.strerror,
        ) from None
    return digest.hexdigest()


def lora_parameters(folder: Path, rank: int) -> int:
    """About how many numbers a LoRA of this rank on all linear layers has; 0 where the base does not tell its sizes."""
    config = json_of(folder / "config.json")
    hidden, layers = (config.get(name) for name in ("hidden_size", "num_hidden_layers"))
    if not isinstance(hidden, int) or not isinstance(layers, int):
        return 0
    inner = config.get("intermediate_size")
    inner = inner if isinstance(inner, int) else 4 * hidden
    return rank * layers * (4 * 2 * hidden + 3 * (hidden + inner))
