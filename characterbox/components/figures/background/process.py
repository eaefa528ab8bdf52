"""A process beside the app's, in which is computed what takes long; what was used last is kept.

A thread would not do: Python runs one at a time, and pandas lets no other run for as long as a step of its takes.
"""

import os
import subprocess  # nosec B404 # for a type
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, Pipe
from queue import SimpleQueue
from typing import Any, Generic, TypeVar, TypeVarTuple

from annotations.i18n.translation import Tongue, say, speaking, tongue
from characterbox.components.figures.background.worker import BEGUN
from characterbox.errors import CharacterBoxError
from characterbox.processes.background import Shared, start_beside

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Cache(Generic[K, V]):
    """The values that were used last, up to so many. Any thread may use it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._values: OrderedDict[K, V] = OrderedDict()

    def find(self, key: K) -> V | None:
        """The value that is kept under a key, if there is one."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def keep(self, key: K, value: V) -> None:
        """Keep a value; the one that was not used for longest goes."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            if len(self._values) > self._most:
                self._values.popitem(last=False)

    def all(self) -> list[V]:
        """All values that are kept."""
        with self._lock:
            return list(self._values.values())


T = TypeVar("T")
Ts = TypeVarTuple("Ts")

WORKER = "characterbox.components.figures.background.worker"
KEPT = 64
"""Answers that are kept at hand."""

Call = tuple[Tongue, Callable[..., Any], tuple[Any, ...]]
"""The language of the one who asks, a function of a module, and what it is called with."""


@dataclass(frozen=True, eq=False)
class _Task:
    call: Call
    recalled: bool
    """Whether an answer that came meanwhile will do."""
    future: "Future[Any]" = field(default_factory=Future)


class _Died(Exception):
    def __init__(self, status: int, begun: bool) -> None:
        self.status = status
        self.begun = begun
        """Whether it had begun with the call."""


@dataclass(frozen=True, eq=False)
class _Worker:
    process: "subprocess.Popen[bytes]"
    line: Connection

    def answer(self, call: Call) -> tuple[Exception | None, Any]:
        """What it tells of a call. Raises _Died if it has died, or dies meanwhile."""
        begun = False
        try:
            self.line.send(call)
            begun = self.line.recv() == BEGUN
            answer: tuple[Exception | None, Any] = self.line.recv()
        except (EOFError, OSError):
            raise _Died(self.end(), begun) from None
        return answer

    def end(self) -> int:
        """End it, if it has not ended by itself; gives its exit status."""
        self.process.kill()
        return self.process.wait()


class FigureProcess:
    """Has functions called in a process of low priority, one after the other. Any thread may ask.

    What they say, they say in the language of the interface where they are asked for.

    The process is started when it is first needed, started anew when it has died, and ends with this one, however that
    ends. Calls and answers are pickled, and should be small.
    """

    def __init__(self) -> None:
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._answers: Cache[Call, Any] = Cache(KEPT)
        self._lock = threading.Lock()
        """Guards the two below."""
        self._worker: _Worker | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="figures", daemon=True)
        self._thread.start()

    def ask(self, function: Callable[[*Ts], T], *args: *Ts) -> "Future[T]":
        """What the function gives or raises there. A call that is cancelled before its turn is not made.

        The future fails with CharacterBoxError if the process can't be started, or dies meanwhile, or is closed.
        """
        return self._put(_Task((tongue(), function, args), recalled=False))

    def recall(self, function: Callable[[*Ts], T], *args: *Ts) -> "Future[T]":
        """The same for a call whose answer never changes: it is kept, and told at once the next time."""
        call: Call = (tongue(), function, args)
        if (known := self._answers.find(call)) is not None:
            told: Future[T] = Future()
            told.set_result(known)
            return told
        future = self._put(_Task(call, recalled=True))
        future.add_done_callback(lambda done: self._keep(call, done))
        return future

    def close(self) -> None:
        """End the process, whatever is under way there."""
        with self._lock:
            self._closed = True
            self._tasks.put(None)
            if self._worker is not None:
                self._worker.end()
        self._thread.join()

    def _put(self, task: _Task) -> "Future[Any]":
        with self._lock:
            self._check_open()
            self._tasks.put(task)
        return task.future

    def _keep(self, call: Call, done: "Future[Any]") -> None:
        if not done.cancelled() and done.exception() is None:
            self._answers.keep(call, done.result())

    def _run(self) -> None:
        while (task := self._tasks.get()) is not None:
            if task.future.set_running_or_notify_cancel():
                try:
                    known = self._answers.find(task.call) if task.recalled else None
                    with speaking(task.call[0]):
                        task.future.set_result(self._answer(task.call) if known is None else known)
                except Exception as error:
                    task.future.set_exception(error)
            del task  # what it holds may be a large file

    def _answer(self, call: Call) -> Any:
        before = self._worker
        worker = self._working()
        try:
            error, answer = worker.answer(call)
        except _Died as died:
            if not died.begun and worker is before:  # it died of nothing that was asked: a new one is asked
                return self._answer(call)
            raise CharacterBoxError(
                say(
                    "the process that computes the statistics has stopped (status {status}; -9 often means out"
                    " of memory); reload the page to start a new process",
                    status=died.status,
                )
            ) from None
        if error is not None:
            raise error
        return answer

    def _working(self) -> _Worker:
        with self._lock:
            self._check_open()
            if self._worker is None or self._worker.process.poll() is not None:
                self._worker = _started()
            return self._worker

    def _check_open(self) -> None:
        if self._closed:
            raise CharacterBoxError(say("the app is shutting down; no more statistics will be computed"))


def _started() -> _Worker:
    try:
        ours, theirs = Pipe()
        with theirs:
            process = start_beside(WORKER, theirs.fileno(), os.environ)
    except OSError as error:
        raise CharacterBoxError(
            say("the process that computes the statistics can't be started: {error}", error=error.strerror)
        ) from None
    return _Worker(process, ours)


_SHARED = Shared(FigureProcess)
open_figure_process = _SHARED.open
"""The process beside this one."""
close_figure_process = _SHARED.close
"""End it, if there is one."""
