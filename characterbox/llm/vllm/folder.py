"""The folder of the servers that the app starts: for each port a record, a lock and the logs of its last starts."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from annotations.wording import to_say
from characterbox.errors import EndpointError
from characterbox.llm.server import Launch
from characterbox.llm.vllm.health import Answer
from characterbox.llm.vllm.process import Started, birth, boot
from characterbox.values import Value

_LOGS = 5
"""How many logs are kept per port."""


class Owner(Value):
    """A process of the app."""

    boot: str
    pid: int
    birth: int

    @classmethod
    def this(cls) -> "Owner":
        """The process that asks."""
        pid = os.getpid()
        born = birth(pid)
        if born is None:
            raise EndpointError(to_say("/proc doesn't tell when the app started: mount it, and start the app again"))
        return cls(boot=boot(), pid=pid, birth=born)

    def runs(self) -> bool:
        """Whether this process of the app still runs."""
        return self.boot == boot() and birth(self.pid) == self.birth


class Record(Value):
    """A server that was started on a port, and not stopped since."""

    launch: Launch
    started: Started
    since: float
    """When, in seconds since 1970."""
    owner: Owner
    """The process of the app that stops it when it ends, unless the server is to be kept."""
    answer: Answer | None = None
    """What it serves, once it has been seen ready."""
    stopping: bool = False
    status: int | None = None
    """The exit status of its first process, negative for a signal; None while it runs, or when nobody learnt it."""


class Folder:
    """The records of all ports, shared by every app that uses this folder."""

    def __init__(self, path: Path) -> None:
        self._path = path.expanduser().absolute()
        self._path.mkdir(parents=True, exist_ok=True, mode=0o700)

    @contextmanager
    def locked(self, port: int) -> Iterator[None]:
        """Hold the lock of a port: nobody else, in this process or another, changes its record meanwhile."""
        with (self._path / f"{port}.lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def ports(self) -> list[int]:
        """The ports with a record."""
        return sorted(int(file.stem) for file in self._path.glob("*.json") if file.stem.isdecimal())

    def read(self, port: int) -> Record | None:
        """The record of a port. Raises EndpointError if its file was damaged."""
        file = self._file(port)
        try:
            return Record.model_validate_json(file.read_bytes())
        except FileNotFoundError:
            return None
        except ValidationError as error:
            raise EndpointError(
                to_say("{file} is damaged: end the vLLM server on port {port} by hand, and delete it"),
                file=file,
                port=port,
            ) from error

    def write(self, record: Record) -> None:
        """Put down a record, whole or not at all; the lock of its port is held."""
        file = self._file(record.launch.port)
        new = file.with_suffix(".new")
        new.touch(mode=0o600)
        new.write_text(record.model_dump_json(indent=1), encoding="utf-8")
        new.replace(file)

    def remove(self, port: int) -> None:
        """Forget the server on a port; the lock is held."""
        self._file(port).unlink(missing_ok=True)

    def log(self, port: int) -> Path | None:
        """The log of the last start on a port."""
        return max(self._path.glob(f"{port}-*.log"), default=None)

    def new_log(self, port: int, heading: str) -> Path:
        """A new log, begun with a heading, for the next start on a port; the oldest ones are deleted."""
        for old in sorted(self._path.glob(f"{port}-*.log"))[: 1 - _LOGS]:
            old.unlink(missing_ok=True)
        file = self._path / f"{port}-{datetime.now(UTC):%Y%m%dT%H%M%S.%f}.log"
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as log:
            log.write(f"{heading}\n")
        return file

    def _file(self, port: int) -> Path:
        return self._path / f"{port}.json"
