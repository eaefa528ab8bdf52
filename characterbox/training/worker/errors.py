"""What can go wrong in a run, as a code with parameters; `characterbox.training.run_errors` has a sentence for each."""

import errno
import re
from collections.abc import Iterator
from typing import Any

_NO_MEMORY = re.compile(r"DefaultCPUAllocator|can't allocate memory|out of memory|Cannot allocate memory")
_NO_SPACE = re.compile(
    r"No space left on device|Disk quota exceeded|PytorchStreamWriter failed|unexpected pos \d+ vs \d+"
)
_LONGEST = 500
"""Characters of a text from elsewhere that are told."""


class WorkerError(Exception):
    """A run can't go on, for a reason that is known."""

    def __init__(self, code: str, **parameters: Any) -> None:
        super().__init__(f"{code}: {parameters}")
        self.code = code
        self.parameters = parameters


def told(error: BaseException) -> tuple[str, dict[str, Any]]:
    """The code and the parameters of an error, or of the one that it came from."""
    if isinstance(error, ImportError):
        return "packages_missing", {"packages": error.name or str(error)[:_LONGEST]}
    for one in _chain(error):
        if (known := _known(one)) is not None:
            return known
    return "unexpected", {"what": f"{type(error).__name__}: {error}"[:_LONGEST]}


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _known(error: BaseException) -> tuple[str, dict[str, Any]] | None:
    text = str(error)
    if isinstance(error, WorkerError):
        return error.code, error.parameters
    if isinstance(error, MemoryError) or (isinstance(error, RuntimeError | OSError) and _NO_MEMORY.search(text)):
        return "out_of_memory", {"what": text[:_LONGEST]}
    if getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT) or _NO_SPACE.search(text):
        return "no_space", {}
    return None
