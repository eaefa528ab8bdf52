"""The folder of the servers that the app starts: records, locks, and logs with what they tell."""

import fcntl
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, get_args

from pydantic import ValidationError

from characterbox.errors import EndpointError
from characterbox.llm.server import Launch
from characterbox.llm.vllm.health import Answer
from characterbox.processes.detached import Started, birth, boot
from characterbox.values import Value

Phase = Literal["launching", "weights", "memory", "compiling", "graphs", "listening"]
"""What a server that starts is doing: importing and reading its settings; loading the weights; measuring memory and
laying out the cache; compiling; capturing CUDA graphs; opening its port."""

_TAIL = 4_000_000
"""Bytes at the end of a log that are read."""
_MARKS: dict[Phase, str] = {
    "launching": r"non-default args|Initializing a V\d LLM engine",
    "weights": r"Starting to load model|Loading \w+ checkpoint shards: +(\d+)%",
    "memory": r"Loading weights took|Model loading took|KV cache size|Available KV cache memory",
    "compiling": r"Dynamo bytecode transform|Compiling a graph|for vLLM's torch\.compile|Start compiling",
    "graphs": r"Capturing (?:CUDA|cudagraph)[^%\n]*?(\d+)%|Capturing (?:the model for )?CUDA graph",
    "listening": r"init engine \(|Starting vLLM|Waiting for application startup|Application startup complete",
}
_PHASES = re.compile("|".join(f"(?P<{phase}>{_MARKS[phase]})" for phase in get_args(Phase)))
_PREFIX = re.compile(
    r"^(?:\([\w-]+ pid=\d+\)\s?)?(?:(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) [\d-]+ [\d:]+ \[[^]]*\]\s?)?\s*"
)
"""What stands before a message: the process, the level, the time and the place in the code."""
_FAULT = re.compile(
    r"(?:\w+\.)*\w*(?:Error|Exception|Interrupt)(?:: .*|$)|Value error, .*|\S+: error: .*|Killed|Segmentation fault.*"
)
_ASKED = re.compile(r'"GET /(?:health|metrics|v1/models) HTTP/[\d.]+" 200')
"""What the server writes when it is asked how it is."""
_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f]")
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_SECRETS = re.compile(r"\bhf_\w{16,}|\bsk-[\w-]{16,}|(?<=://)[^/\s@]+@|(?<=Bearer )\S+")


def tail(file: Path, environment: Mapping[str, str]) -> list[str]:
    """The last lines of a log, without those that asking for the state of the server has caused.

    Secrets, those of the environment included, are blacked out. There are no lines if the file is gone.
    """
    try:
        with file.open("rb") as log:
            size = log.seek(0, 2)
            log.seek(max(0, size - _TAIL))
            content = log.read()
    except FileNotFoundError:
        return []
    text = content.decode("utf-8", "replace")
    for name, value in environment.items():
        if _SECRET_NAME.search(name) and len(value) >= 8:
            text = text.replace(value, "***")
    lines = _SECRETS.sub("***", text).replace("\r", "\n").split("\n")
    return [_ESCAPES.sub("", line).rstrip() for line in lines if line.strip() and not _ASKED.search(line)]


def progress(lines: list[str]) -> tuple[Phase, float | None]:
    """What a server that starts is doing, and the share of that which is done, where the log tells."""
    for line in reversed(lines):
        if found := _PHASES.search(line):
            phase: Phase = next(phase for phase in get_args(Phase) if found[phase] is not None)
            percent = re.search(r"(?<!\d)(\d++)%", found[0])
            return phase, int(percent[1]) / 100 if percent else None
    return "launching", None


def faults(lines: list[str]) -> tuple[str, ...]:
    """The errors that a server named before it failed, at most five, its last word last; else its last lines."""
    messages = [_PREFIX.sub("", line, count=1) for line in lines]
    named = list(dict.fromkeys(message for message in messages if _FAULT.fullmatch(message)))
    return tuple(message[:1000] for message in (named or messages)[-5:])


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
            raise EndpointError("/proc does not show when the app started; mount /proc, then restart the app")
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
                "{file} is damaged: stop the vLLM server on port {port} by hand, then delete the file",
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
