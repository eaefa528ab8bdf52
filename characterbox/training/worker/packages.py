"""The packages that a training is made with."""

import re
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version

from characterbox.training.worker.errors import WorkerError

LEAST: Mapping[str, str] = {
    "torch": "2.13",
    "transformers": "5.23",
    "trl": "1.16",
    "peft": "0.21",
    "datasets": "5.2",
    "accelerate": "1.15",
}
"""The oldest version of each that will do; the extra `train` in pyproject.toml says the same."""


def check_packages() -> None:
    """Raises WorkerError for packages that are missing, or too old."""
    found = {name: _version(name) for name in LEAST}
    if missing := [name for name, one in found.items() if one is None]:
        raise WorkerError("packages_missing", packages=", ".join(missing))
    old = [name for name, one in found.items() if one is not None and _parts(one) < _parts(LEAST[name])]
    if old:
        raise WorkerError("packages_old", packages=", ".join(f"{name} {found[name]} (< {LEAST[name]})" for name in old))


def versions() -> dict[str, str]:
    """The version of each."""
    return {name: version(name) for name in LEAST}


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _parts(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text)[:2])
