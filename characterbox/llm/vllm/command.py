"""The command line of a vLLM server. All that can be wrong with it is said before anything starts."""

import json
import re
from pathlib import Path

from annotations.wording import to_say
from characterbox.errors import EndpointError
from characterbox.llm.server import Launch
from characterbox.llm.vllm.flags import check_flags
from characterbox.settings import settings

HOST = "127.0.0.1"

_ALWAYS = ("--enable-prefix-caching", "--enable-prompt-tokens-details")
"""Without the second, a reply does not tell how much of its prompt came from the cache."""
_RANKS = (16, 32, 64, 128, 256, 320, 512)
"""The bounds of an adapter's rank that vLLM can be given; the first is its own default."""


def arguments(launch: Launch) -> list[str]:
    """The words that follow those of `find_vllm` in the command that starts a server. No shell ever reads them.

    Raises EndpointError for a folder that holds no model or adapter, and for an argument that may not be given.
    """
    check_flags(launch.flags, settings().vllm_arguments, f"http://{HOST}:PORT/v1")
    words = [_model(launch.model), "--host", HOST, "--port", str(launch.port)]
    return [*words, *_ALWAYS, *_adapter_words(launch), *launch.flags]


def _model(model: str) -> str:
    """The model as vLLM gets it. A name is taken as it is: only vLLM knows whether it can find that model."""
    if model.startswith("-") or model != model.strip():
        raise EndpointError(to_say("{model!r} is neither a folder nor the name of a model"), model=model)
    path = _path(model)
    if not (path.exists() or model.startswith(("/", "./", "../", "~"))):
        return model
    if not path.is_dir():
        raise EndpointError(
            to_say("there is no folder {model}; give the folder of a model, or its name, such as Qwen/Qwen3-8B"),
            model=model,
        )
    if not (path / "config.json").is_file():
        raise EndpointError(
            to_say("the folder {model} holds no config.json, so it is not that of a model"), model=model
        )
    return str(path)


def _path(text: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise EndpointError(
            to_say("there is no home folder {folder}; write the path out"), folder=text.partition("/")[0]
        ) from None


def _adapter_words(launch: Launch) -> list[str]:
    if not launch.adapters:
        return []
    modules, ranks = [], []
    for name, folder in launch.adapters.items():
        if not re.fullmatch(r"[\w.:/@+-]+", name) or name.startswith("-") or name == launch.model:
            raise EndpointError(
                to_say("an adapter can't be called {name!r}; use letters, digits, - and _, not the model's name"),
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
            to_say("adapter {name}: vLLM reads no folder with a comma in its name; rename {folder}"),
            name=name,
            folder=folder,
        )
    if not file.is_file():
        raise EndpointError(
            to_say("adapter {name}: there is no {file}; give the folder of a LoRA adapter"), name=name, file=file
        )
    try:
        rank = json.loads(file.read_text(encoding="utf-8"))["r"]
    except (ValueError, KeyError, TypeError):
        rank = None
    if not isinstance(rank, int):
        raise EndpointError(
            to_say("adapter {name}: {file} tells no rank (r), so it is not that of a LoRA adapter"),
            name=name,
            file=file,
        )
    return rank
