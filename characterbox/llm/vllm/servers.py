"""The vLLM servers that the app starts, watches and stops. They live on their own, and are found again after a restart.

A server is a record in a folder and a group of processes; its state is worked out when it is asked for.
"""

import os
import shlex
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from annotations.i18n.messages import Readable
from characterbox.errors import EndpointDown, EndpointError
from characterbox.llm.server import Launch, Server
from characterbox.llm.vllm.command import HOST, arguments
from characterbox.llm.vllm.folder import Folder, Owner, Phase, Record, faults, progress, tail
from characterbox.llm.vllm.health import ask
from characterbox.processes.detached import environment_of_program, reap, spawn

Name = Literal["stopped", "starting", "ready", "failed", "stopping"]


@dataclass(frozen=True, slots=True)
class State:
    """How a server is."""

    name: Name
    phase: Phase | None = None
    """What it is doing while it starts."""
    fraction: float | None = None
    """How much of that phase is done, from 0 to 1, where its log tells."""
    faults: tuple[Readable, ...] = ()
    """What went wrong, the last words of its log first to last, without secrets."""
    models: tuple[str, ...] = ()
    """The names of the models that it serves, adapters included, once it is ready."""
    context: int | None = None
    """Tokens that prompt and reply have room for, once it is ready."""
    pid: int | None = None
    since: float | None = None
    """When it was started, in seconds since 1970."""
    keep: bool = False
    """Whether it is left running when the app ends."""
    status: int | None = None
    """The exit status of a server that failed, negative for the number of a signal: -9 is often a lack of memory."""


class Servers:
    """Starts, watches and stops vLLM servers. Any thread may use it; other apps may share the folder."""

    def __init__(self, folder: Path, find_vllm: Callable[[], tuple[str, ...]], patience: float = 30.0) -> None:
        """`folder` keeps records and logs; `find_vllm` gives the words that start a server, and is asked once.

        `patience` is how many seconds a server gets to end by itself before it is killed.
        """
        self._folder = Folder(folder)
        self._find_vllm = find_vllm
        self._patience = patience
        self._finding = threading.Lock()
        self._program: tuple[str, ...] | None = None

    def start(self, server: Server) -> State:
        """Start a server; one that runs already with these settings is taken over instead.

        It comes back when the process runs, long before the server is ready. Raises EndpointError, saying what to do,
        if it can't be started: no vLLM, no such model, a port that is taken, a server with other settings.
        """
        launch = _launch(server)
        given = arguments(launch)
        words = [*self._found(), *given]
        with self._folder.locked(launch.port):
            record = self._folder.read(launch.port)
            if record is not None and record.started.alive():
                self._take_over(record, launch)
            else:
                if record is not None:
                    _clear_away(record)
                _check_free(launch.port)
                self._spawn(launch, words)
        return self.state(server.url)

    def state(self, url: str) -> State:
        """How the server at an address is, asked now; a silent one is waited for two seconds."""
        record = self._folder.read(_port(url))
        if record is None or not record.started.same_boot():
            return State("stopped")
        state = State("stopped", pid=record.started.pid, since=record.since, keep=record.launch.keep)
        if record.stopping:
            return replace(state, name="stopping") if record.started.remains() else State("stopped")
        if not record.started.alive():
            return self._ended(record, state)
        return self._asked(record, state)

    def log(self, url: str, last: int = 200) -> str:
        """The last lines of the log of the last start at an address, secrets blacked out; empty before the first."""
        file = self._folder.log(_port(url))
        return "\n".join(tail(file, os.environ)[-last:]) if file else ""

    def stop(self, url: str) -> None:
        """Stop the server at an address, and wait until all its processes are gone; nothing if there is none.

        Raises EndpointError if the system does not clear them away.
        """
        self._stop(_port(url), lambda _: True)

    def close(self) -> None:
        """Stop the servers that end with this process of the app, and those whose app has ended without doing it.

        Servers to be kept are left running. It comes back when all the others are gone.
        """

        def ends(record: Record) -> bool:
            return not record.launch.keep and (record.owner == Owner.this() or not record.owner.runs())

        if ports := self._folder.ports():
            with ThreadPoolExecutor(len(ports)) as pool:
                list(pool.map(lambda port: self._stop(port, ends), ports))

    def _found(self) -> tuple[str, ...]:
        with self._finding:
            if self._program is None:
                self._program = self._find_vllm()
            return self._program

    def _spawn(self, launch: Launch, words: list[str]) -> None:
        log = self._folder.new_log(launch.port, f"$ {shlex.join(words)}")
        started = spawn(words, environment_of_program(os.environ), log)
        self._folder.write(Record(launch=launch, started=started, since=time.time(), owner=Owner.this()))

    def _take_over(self, record: Record, launch: Launch) -> None:
        """Go on with a server that runs; the lock is held."""
        if record.stopping:
            raise EndpointError(
                "the server on port {port} is stopping; start it again when it has stopped", port=launch.port
            )
        if record.launch.model_copy(update={"keep": launch.keep}) != launch:
            raise EndpointError(
                "a server with other settings is running on port {port}; stop it first", port=launch.port
            )
        owner = record.owner if record.owner.runs() else Owner.this()
        self._folder.write(record.model_copy(update={"launch": launch, "owner": owner}))

    def _asked(self, record: Record, state: State) -> State:
        """How a server is that runs."""
        try:
            answer = ask(f"http://{HOST}:{record.launch.port}")
        except (EndpointDown, TimeoutError) as error:
            if record.answer is None:
                phase, fraction = progress(tail(record.started.log, os.environ))
                return replace(state, name="starting", phase=phase, fraction=fraction)
            if isinstance(error, EndpointDown):
                return replace(state, name="failed", faults=(error.message,))
            answer = record.answer  # it is silent because it has much to do
        if answer != record.answer:
            self._note(record, {"answer": answer})
        return replace(state, name="ready", models=answer.models, context=answer.context)

    def _ended(self, record: Record, state: State) -> State:
        """How a server is whose first process has ended, though nobody stopped it."""
        port = record.launch.port
        with self._folder.locked(port):
            if changed := self._folder.read(port) != record:
                status = None
            elif (status := _clear_away(record)) is not None:
                self._folder.write(record.model_copy(update={"status": status}))
        if changed:
            return self.state(f"http://{HOST}:{port}/v1")
        found = faults(tail(record.started.log, os.environ))
        return replace(state, name="failed", faults=found, status=record.status if status is None else status)

    def _note(self, record: Record, news: dict[str, object]) -> None:
        """Add to the record of a server, unless it is another by now, or being stopped."""
        with self._folder.locked(record.launch.port):
            now = self._folder.read(record.launch.port)
            if now is not None and now.started == record.started:
                self._folder.write(now.model_copy(update=news))

    def _stop(self, port: int, wanted: Callable[[Record], bool]) -> None:
        with self._folder.locked(port):
            record = self._folder.read(port)
            if record is None or not wanted(record):
                return
            self._folder.write(record.model_copy(update={"stopping": True}))
        record.started.end(self._patience if record.started.alive() else 0)
        reap(record.started.pid)
        with self._folder.locked(port):
            now = self._folder.read(port)
            if now is not None and now.started == record.started:
                self._folder.remove(port)


def _clear_away(record: Record) -> int | None:
    """End what a server that ended has left behind: its engine would hold the memory. Gives the exit status."""
    record.started.end(0)
    return reap(record.started.pid) if record.started.same_boot() else None


def _launch(server: Server) -> Launch:
    if server.launch is None:
        raise EndpointError("{name} is not a server started by the app", name=server.name)
    if server.url != (address := f"http://{HOST}:{server.launch.port}/v1"):
        raise EndpointError("the address of {name} must be {address}", name=server.name, address=address)
    return server.launch


def _port(url: str) -> int:
    port = urlsplit(url).port
    if port is None:
        raise EndpointError("{url} has no port, so it is not a server started by the app", url=url)
    return port


def _check_free(port: int) -> None:
    if not is_free(port):
        raise EndpointError(
            "port {port} is in use by another program; choose another port, or stop that program", port=port
        )


def is_free(port: int) -> bool:
    """Whether no program uses a port of this computer."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True
