"""The Python that trains: one whose environment has PyTorch and the packages around it."""

import importlib.util
import shutil
import subprocess  # nosec B404 # to ask which packages are there
import sys
from pathlib import Path

from annotations.i18n.messages import to_say
from characterbox.errors import TrainingError

NEEDED = ("torch", "transformers", "trl", "peft", "datasets", "accelerate", "characterbox")
"""What has to be in its environment; nothing else of CharacterBox's packages has."""
_PATIENCE = 60.0
"""Seconds that it may take to look for them; nothing is imported."""
_ASKS = (
    "import importlib.util, sys;"
    " print(*(name for name in sys.argv[1:] if importlib.util.find_spec(name) is None), sep='\\n')"
)
_NONE = to_say(
    "the packages for training are not installed here ({packages} missing): run pip install 'characterbox[train]', or"
    " set CHARACTERBOX_TRAIN to a Python that has them"
)


def find_training_python(setting: Path | None) -> Path:
    """The interpreter that trains: the one that is set, else this one if its environment has what is needed.

    Raises TrainingError, saying what to install, where there is none.
    """
    if setting is None:
        missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
        if missing:
            raise TrainingError(_NONE, packages=", ".join(missing))
        return Path(sys.executable)
    found = shutil.which(setting.expanduser())
    if found is None:
        raise TrainingError(
            "CHARACTERBOX_TRAIN: {setting} is not an executable program; correct or unset it", setting=setting
        )
    missing = _missing(Path(found).absolute())
    if missing:
        raise TrainingError(
            "CHARACTERBOX_TRAIN: {setting} lacks {packages}; install them there with"
            " pip install 'characterbox[train]', or set another Python",
            setting=setting,
            packages=", ".join(missing),
        )
    return Path(found).absolute()


def _missing(python: Path) -> list[str]:
    """The packages that an interpreter does not find."""
    try:
        done = subprocess.run(  # noqa: S603 # nosec B603 # the interpreter that whoever runs the host has set
            [python, "-c", _ASKS, *NEEDED], capture_output=True, text=True, timeout=_PATIENCE, check=True
        )
    except (OSError, subprocess.SubprocessError):
        raise TrainingError(
            "CHARACTERBOX_TRAIN: {setting} does not work as a Python interpreter; correct or unset it", setting=python
        ) from None
    return done.stdout.split()
