"""Functions called in a process of little time and memory, for files of others; their results are kept a while.

A file made to be slow, or to unpack to what no memory holds, costs the one who brings it an error, and nobody else
anything. How the processes are made and watched is in `limited_server`.

To read one of the largest files again takes seconds of a processor, and to take in what is in it half a second in
which nobody else's page is drawn.
"""

import hashlib
import os
import pickle  # nosec B403 # between processes of ours
import signal
import socket
import subprocess  # nosec B404 # for a type
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe
from typing import Any, NoReturn, TypeVar, TypeVarTuple

from annotations.i18n.messages import Message
from characterbox.errors import NotItsFault, TooHeavy
from characterbox.pause_reasons import is_full
from characterbox.processes.background import Shared, start_beside

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

SERVER = "characterbox.processes.limited_server"
AT_ONCE = 2
"""Calls that run side by side; others wait for their turn."""
PATIENCE = 60.0
"""Seconds that a call waits for its turn."""
STARTING = 30.0
"""Seconds in which a process has to be there that is asked for."""
GRACE = 20.0
"""Seconds after its time is over in which a process that has been stopped from outside is given up."""
ALONE = {"OPENBLAS_NUM_THREADS": "1", "ARROW_IO_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"}
"""With few threads, whose stacks count as memory, and with no memory that is kept for later."""
KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ")
"""What of the environment is handed on: no keys, no passwords, no address of the database."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a call may take."""

    seconds: int = 10
    """Of computing: beside other work a good file takes longer on the clock."""
    waited: int = 60
    """On the clock: somebody waits for it, and others for their turn."""
    megabytes: int = 500
    """Of memory, besides what Python, the modules and what the function is called with take."""
    answer: int = 150
    """Megabytes of what it gives, pickled: the app takes them in while others wait."""


LIMITS = Limits()


class LimitedProcesses:
    """Has functions called under limits, in processes forked from one that has the modules loaded. Any thread may ask.

    That process is started when it is first needed, started anew when it has died, and ends with this one, however that
    ends; so do the others. It has one thread, while the app has many and must not be forked.
    """

    def __init__(self) -> None:
        self._turns = threading.BoundedSemaphore(AT_ONCE)
        self._lock = threading.Lock()
        """Guards the two below."""
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def run(self, function: Callable[[*Ts], T], *args: *Ts) -> T:
        """What the function of a module gives or raises there.

        Raises TooHeavy when it takes more than it may, or NotItsFault, which is one, when its turn does not come, or
        its process dies or can't be started.
        """
        error, answer = pickle.loads(self.told(packed(function, *args)))  # noqa: S301 # nosec B301 # from a process of ours
        if error is not None:
            raise error
        found: T = answer
        return found

    def told(self, call: bytes) -> bytes:
        """What a packed call gives or raises, packed. Raises as `run`."""
        if not self._turns.acquire(timeout=PATIENCE):
            raise NotItsFault("other files are being read, and this one waited too long; try again")
        try:
            return self._called(call)
        finally:
            self._turns.release()

    def close(self) -> None:
        """End all processes, whatever is under way there."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        """End the process that forks, and so those that it has forked. Needs the lock."""
        if self._control is not None:
            self._control.close()
        if self._process is not None:
            if self._process.poll() is None:  # else its number may be that of another group by now
                with suppress(ProcessLookupError):
                    os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._process = self._control = None

    def _called(self, call: bytes) -> bytes:
        answers, verdicts = self._begun() or self._begun() or _not_begun()
        with answers, verdicts:
            try:
                answers.send_bytes(call)
                if not answers.poll(LIMITS.waited + GRACE):
                    raise _ended("SIGSTOP")
                return answers.recv_bytes()
            except (EOFError, OSError):
                raise _verdict(verdicts) from None

    def _begun(self) -> tuple[Connection, Connection] | None:
        """The lines to a worker and to its keeper, once they are there; None if the process that forks them has died
        since it was asked whether it lives."""
        answers, theirs = Pipe()
        verdicts, keepers = Pipe()
        control = None
        try:
            with theirs, keepers:
                verdicts.send((LIMITS.seconds, LIMITS.waited, LIMITS.megabytes))
                with self._lock:
                    control = self._open_control()
                    socket.send_fds(control, [b"."], [theirs.fileno(), keepers.fileno()])
            if not verdicts.poll(STARTING):
                answers.close()
                verdicts.close()
                _not_begun()
            verdicts.recv_bytes()
        except (EOFError, OSError):
            answers.close()
            verdicts.close()
            with self._lock:
                if control is self._control:
                    self._end()
            return None
        return answers, verdicts

    def _open_control(self) -> socket.socket:
        """The line to the process that forks, which is started if there is none. Needs the lock. Raises OSError."""
        if self._process is not None and self._process.poll() is None and self._control is not None:
            return self._control
        self._end()
        ours, theirs = socket.socketpair()
        with theirs:
            env = {name: os.environ[name] for name in KEPT if name in os.environ}
            self._process = start_beside(SERVER, theirs.fileno(), {**env, **ALONE})
        self._control = ours
        return ours


def _not_begun() -> NoReturn:
    raise NotItsFault("the process that reads files cannot be started; try again later")


def _verdict(verdicts: Connection) -> TooHeavy:
    """Why there is no answer."""
    try:
        why = verdicts.recv() if verdicts.poll(GRACE) else "SIGSTOP"
    except (EOFError, OSError):
        return _ended("SIGKILL")
    match why:
        case "time":
            wrong = Message("reading the file takes more than {most} seconds; split it", most=LIMITS.seconds)
        case "clock":
            told = Message(
                "the file could not be read within {most} seconds; try again, or split it", most=LIMITS.waited
            )
            return NotItsFault(told)
        case "memory":
            wrong = Message("reading the file takes more than {most} MB of memory; split it", most=LIMITS.megabytes)
        case "answer":
            wrong = Message("the contents of the file take more than {most} MB; split it", most=LIMITS.answer)
        case _:
            return _ended(why)
    return TooHeavy(wrong)


def _ended(why: str) -> NotItsFault:
    return NotItsFault(
        "the process that reads the file stopped unexpectedly ({why}); try again, or split the file", why=why
    )


_SHARED = Shared(LimitedProcesses)
limited_processes = _SHARED.open
"""Those of this app."""
close_limited = _SHARED.close


def packed(function: Callable[[*Ts], object], *args: *Ts) -> bytes:
    """A call of a function of a module, which tells what is told here (`pause_reasons`)."""
    return pickle.dumps((is_full(), function, args, LIMITS.answer), protocol=5)


def run_limited(function: Callable[[*Ts], T], *args: *Ts) -> T:
    """Call a function of a module under the limits, as `LimitedProcesses.run`. Arguments and answer are pickled."""
    return limited_processes().run(function, *args)


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
