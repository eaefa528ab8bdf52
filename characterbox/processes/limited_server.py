"""The process that forks one for each call under limits (see `limited`): `... limited_server DESCRIPTOR`.

For each call there are two: a worker, which calls the function under limits that the kernel keeps, and its keeper,
which says why the worker has ended, and ends it when the app is gone or waits no longer. Any of them ends with the app,
even if that is killed: the lines to it go dead.
"""

import gc
import os
import pickle  # nosec B403 # between processes of ours
import resource
import select
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from math import ceil
from multiprocessing.connection import Connection
from typing import Any, NoReturn

from characterbox.pause_reasons import in_full
from characterbox.processes.background import told_error

PRELOADED = (
    "characterbox.scenes.import_files",
    "characterbox.crafting.sources.passages",
    "annotations.exchange.intake",
    "characterbox.components.player.html_file",
    "characterbox.sweeps.file",
    "characterbox.sweeps.folder",
    "characterbox.share.scene_files",
    "characterbox.campaigns.export",
    "characterbox.store.accounts.audit_file",
)
"""Modules whose functions are called: to load them takes longer than to read most files, the last three seconds."""
MEGABYTE = 1_000_000
NICE = 5
"""The priority of the workers: whoever looks at a page goes first, and what works out figures goes last."""
LOOKS = 0.05
"""Seconds between two looks of a keeper after its worker."""
_Call = tuple[bool, Callable[..., Any], tuple[Any, ...], int]
"""Whether what servers said is told, a function, what it is called with, and the megabytes
that its answer may have."""
OUT_OF_MEMORY, TOO_LARGE = 80, 81
"""How a worker exits that has no memory left, or more to tell than it may."""


def main(descriptor: int) -> None:
    """Fork two processes for each pair of lines that is handed over, until the app is gone.

    Who comes while modules are still loaded does not wait for all of them: a worker loads what it lacks.
    """
    control = socket.socket(fileno=descriptor)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the keepers
    for module in PRELOADED:
        while select.select([control], [], [], 0)[0]:
            if not _forked(control):
                return
        import_module(module)
    gc.freeze()
    while _forked(control):
        pass


def _forked(control: socket.socket) -> bool:
    """Wait for the next pair of lines, and fork for it; False when the app is gone."""
    given, descriptors, _, _ = socket.recv_fds(control, 1, 2)
    if not given:
        return False
    answers, verdicts = (Connection(one) for one in descriptors)
    with answers, verdicts:
        if os.fork() == 0:
            try:
                control.close()
                _keep(answers, verdicts)
            finally:
                os._exit(1)
    return True


def _keep(answers: Connection, verdicts: Connection) -> None:
    """Have a worker call what is asked for, and say why if it gives no answer. Only a keeper sees it end by a signal:
    what is written to its line up to then may be half an answer."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    seconds, waited, megabytes = verdicts.recv()
    worker = os.fork()
    if worker == 0:
        verdicts.close()
        _work(answers, seconds, waited, megabytes)
    answers.close()
    try:
        verdicts.send_bytes(b"begun")
        while (ended := os.waitpid(worker, os.WNOHANG)) == (0, 0):
            if verdicts.poll(LOOKS):
                verdicts.recv_bytes()  # nothing is sent: the app is gone, or waits no longer
        verdicts.send(_why(os.waitstatus_to_exitcode(ended[1])))
    except (EOFError, OSError):
        with suppress(ProcessLookupError):
            os.kill(worker, signal.SIGKILL)


def _why(status: int) -> str:
    """Why the worker has ended: a word that the app knows, or the name of a signal."""
    lacking = {-signal.SIGABRT: "memory"}  # how what is not written in Python ends where there is none: pydantic, Arrow
    known = {**lacking, -signal.SIGALRM: "clock", -signal.SIGXCPU: "time", OUT_OF_MEMORY: "memory", TOO_LARGE: "answer"}
    return known.get(status) or (signal.Signals(-status).name if status < 0 else str(status))


def _work(answers: Connection, seconds: int, waited: int, megabytes: int) -> NoReturn:
    """Call the function, say what came of it, and end. What it is called with was in the app's own memory, and counts
    for nothing."""
    try:
        os.nice(NICE)
        call: _Call = pickle.loads(answers.recv_bytes())  # noqa: S301 # nosec B301 # the app's own
        _limit(seconds, waited, megabytes)
        answer = _answer(call)
        with suppress(OSError):
            answers.send_bytes(answer)
        os._exit(0)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    finally:
        os._exit(1)


def _limit(seconds: int, waited: int, megabytes: int) -> None:
    """Have the kernel end this process when its time is over, whatever it is at; and refuse it more memory."""
    for one in (signal.SIGALRM, signal.SIGXCPU):
        signal.signal(one, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, waited)
    computed = ceil(time.process_time()) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (computed, computed + 1))
    resource.setrlimit(resource.RLIMIT_DATA, (_memory() + megabytes * MEGABYTE,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _memory() -> int:
    """Bytes that this process has by now, of those that are limited; 0 where the kernel neither says nor limits it."""
    with suppress(OSError), open("/proc/self/statm", "rb") as told:
        return int(told.read().split()[5]) * resource.getpagesize()
    return 0


def _answer(call: _Call) -> bytes:
    """What went wrong, or None, and what the call gave. Raises MemoryError, whatever that was made into meanwhile."""
    full, function, args, most = call
    try:
        with in_full(full):
            given = function(*args)
            answer = pickle.dumps((None, given), protocol=5)
    except Exception as error:
        if _lacked_memory(error):
            raise MemoryError from None
        answer = told_error(error)
    if len(answer) > most * MEGABYTE:
        os._exit(TOO_LARGE)
    return answer


def _lacked_memory(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, MemoryError):
            return True
        error = error.__cause__ or error.__context__
    return False


if __name__ == "__main__":
    main(int(sys.argv[1]))
