"""Processes beside this one that run a module of ours: started, shared, and what they tell when they fail."""

import atexit
import os
import pickle  # nosec B403 # between processes of ours
import subprocess  # nosec B404 # to run a module of ours
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from typing import Generic, Protocol, TypeVar


class Closable(Protocol):
    """What ends when it is closed."""

    def close(self) -> None:
        """End."""


C = TypeVar("C", bound=Closable)


class Shared(Generic[C]):
    """What all of the app share: made when it is asked for first, by whichever thread, and closed as Python ends."""

    def __init__(self, make: Callable[[], C]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._made: C | None = None

    def open(self) -> C:
        """It, made if there is none."""
        with self._lock:
            if self._made is None:
                self._made = self._make()
                atexit.register(self._made.close)
            return self._made

    def close(self) -> None:
        """End it, if there is one, so that nobody waits for it any more.

        `atexit` would be too late for the app: before that, Python waits for the threads that wait here.
        """
        with self._lock:
            if self._made is not None:
                self._made.close()


def start_beside(module: str, descriptor: int, env: Mapping[str, str]) -> "subprocess.Popen[bytes]":
    """Start `python -m MODULE DESCRIPTOR`. The descriptor leads to this process; what is in `env` is all that it has of
    an environment, besides where modules are found.

    One of `multiprocessing` would run the main module: Streamlit, or the script of its pages. Raises OSError.
    """
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    return subprocess.Popen(  # noqa: S603 # nosec B603 # our own command
        [sys.executable, "-P", "-m", module, str(descriptor)],
        stdin=subprocess.DEVNULL,
        env={**env, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"},
        pass_fds=[descriptor],
        process_group=0,  # what interrupts the app from the keyboard is not for it
    )


def told_error(error: Exception) -> bytes:
    """An error as it can be told, pickled, beside the answer, which is None: where it was raised is a note, and what
    can't be pickled is told in words."""
    where = traceback.format_exc()
    error.add_note(where)
    try:
        told = pickle.dumps((error, None))
        pickle.loads(told)  # noqa: S301 # nosec B301 # made just here
    except Exception:
        return pickle.dumps((RuntimeError(where), None))
    return told
