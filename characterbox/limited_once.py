"""What was called under limits (see `limited_process`) is kept for a while: a page asks for the same at each click.

To read one of the largest files again takes seconds of a processor, and to take in what is in it half a second in
which nobody else's page is drawn.
"""

import hashlib
import pickle  # nosec B403 # between processes of ours
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar, TypeVarTuple

from characterbox.errors import NotItsFault, TooHeavy
from characterbox.limited_process import LIMITS, limited_processes, packed

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

MOST = 64
"""Outcomes that are kept."""
LARGEST = LIMITS.answer * 1_000_000
"""Bytes of all of them, as they came: one that is as large as it may be has room."""

Outcome = tuple[Exception | None, Any]
"""What was raised, or None, and what was given."""


class Outcomes:
    """The outcomes of the calls that were made last, of any visit. Any thread may use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        """Guards the two below."""
        self._found: OrderedDict[bytes, Future[Outcome]] = OrderedDict()
        self._sizes: dict[bytes, int] = {}

    def outcome(self, call: bytes) -> Outcome:
        """What a packed call comes to; who asks for one that is under way waits for it, and starts no other.

        What is the fault of the file is kept as what is in it is. Raises NotItsFault for what is not.
        """
        key = hashlib.sha256(call).digest()
        with self._lock:
            future = self._found.get(key)
            mine = future is None
            if future is None:
                future = self._found[key] = Future()
            else:
                self._found.move_to_end(key)
        if mine:
            self._find(key, call, future)
        return future.result()

    def _find(self, key: bytes, call: bytes, future: "Future[Outcome]") -> None:
        size = 0
        try:
            told = limited_processes().told(call)
            size = len(told)
            future.set_result(pickle.loads(told))  # noqa: S301 # nosec B301 # from a process of ours
        except NotItsFault as error:
            self._forget(key)
            future.set_exception(error)
        except TooHeavy as error:
            future.set_result((error, None))
        except BaseException as error:
            self._forget(key)
            future.set_exception(error)
            raise
        with self._lock:
            if key in self._found:
                self._sizes[key] = size
                self._make_room()

    def _forget(self, key: bytes) -> None:
        with self._lock:
            self._found.pop(key, None)

    def _make_room(self) -> None:
        """Have those go that were not asked for longest. Needs the lock."""
        while len(self._sizes) > MOST or sum(self._sizes.values()) > LARGEST:
            oldest = next(key for key in self._found if key in self._sizes)  # others are under way
            del self._found[oldest], self._sizes[oldest]


_OUTCOMES = Outcomes()


def run_limited_once(function: Callable[[*Ts], T], *args: *Ts) -> T:
    """As `run_limited`, for a function that gives the same each time, and what nobody changes."""
    error, answer = _OUTCOMES.outcome(packed(function, *args))
    if error is not None:
        raise error.with_traceback(None)
    found: T = answer
    return found
