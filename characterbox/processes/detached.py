"""Processes that outlive the app: found again by number and start, never mistaken for another with the same number."""

import os
import re
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from characterbox.errors import ProgramError
from characterbox.values import Value

_BOOT = Path("/proc/sys/kernel/random/boot_id")
"""A text that is new each time the machine starts."""
_SECRET = re.compile(r"SECRET|TOKEN(?!IZ|S_)|PASSWORD|CREDENTIAL|_KEYS?(?![A-Z])", re.IGNORECASE)
"""What the names of variables have in them that hold a secret; `TOKENIZERS` and `MAX_TOKENS_PER` are none."""
_FOR_DOWNLOADS = ("HF_TOKEN", "HF_TOKEN_PATH", "HUGGING_FACE_HUB_TOKEN")
"""What a program needs to download a model."""
_WITH_PASSWORD = re.compile(r"://[^/:@\s]*:[^/@\s]+@")
"""An address with a password in it, such as that of a database."""
_LOOK = 0.05
"""Seconds between two looks at a process that has been told to end."""
_KILL_PATIENCE = 10.0
"""Seconds that the system may take to clear away a process that was killed."""


def boot() -> str:
    """What tells this run of the machine from the others. Raises ProgramError where there is no /proc."""
    if sys.platform != "linux":
        raise ProgramError("the app can start vLLM and trainings only on Linux; elsewhere, start them yourself")
    return _BOOT.read_text(encoding="ascii").strip()


def birth(pid: int) -> int | None:
    """When a process started, in clock ticks since the machine did; None if there is none, or only its remains."""
    found = _stat(pid)
    return None if found is None or found[0] in "ZX" else int(found[19])


class Started(Value):
    """A program that was started, with all the processes that it has started itself."""

    boot: str
    pid: int
    """The number of its first process, and of the group they are all in."""
    birth: int
    """When that process started, in clock ticks since the machine did."""
    log: Path
    """The file that all of them write to; no other program does."""

    def alive(self) -> bool:
        """Whether the first process still runs."""
        return self.same_boot() and birth(self.pid) == self.birth

    def same_boot(self) -> bool:
        """Whether the machine has run ever since."""
        return self.boot == boot()

    def remains(self) -> list[int]:
        """All processes of it that still run, whether or not the first does."""
        if not self.same_boot():
            return []
        first = [self.pid] if self.alive() else []
        return [*first, *(pid for pid in _group(self.pid) if pid not in first and _writes_to(pid, self.log))]

    def end(self, patience: float) -> None:
        """Ask all of it to end; kill what has not after `patience` seconds. 0 kills at once.

        Raises ProgramError if the system does not clear it away.
        """
        if patience > 0:
            self._signal(signal.SIGTERM)
        if not self._gone(patience):
            self._signal(signal.SIGKILL)
            if not self._gone(_KILL_PATIENCE):
                raise ProgramError("the processes {pids} cannot be stopped; stop them by hand", pids=self.remains())

    def _signal(self, number: signal.Signals) -> None:
        for pid in self.remains():
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def _gone(self, patience: float) -> bool:
        last = time.monotonic() + patience
        while self.remains():
            if time.monotonic() >= last:
                return False
            time.sleep(_LOOK)
        return True


def spawn(words: list[str], environment: Mapping[str, str], log: Path) -> Started:
    """Start a program in a session and a process group of its own, both output streams going to the end of `log`.

    Raises ProgramError if it can't be started.
    """
    machine = boot()
    files = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, str(log), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
        (os.POSIX_SPAWN_DUP2, 1, 2),
        *((os.POSIX_SPAWN_CLOSE, number) for number in _handed_on()),
    ]
    try:
        pid = os.posix_spawn(words[0], words, environment, file_actions=files, setsid=True)
    except OSError as error:
        raise ProgramError("{program} cannot be started: {why}", program=words[0], why=error.strerror) from error
    found = _stat(pid)  # it stays until it is reaped, also if it has ended already
    if found is None:
        raise ProgramError("{program} exited right after starting; see {log}", program=words[0], log=log)
    return Started(boot=machine, pid=pid, birth=int(found[19]), log=log)


def _handed_on() -> list[int]:
    """The open files of the app that a program would get too: its listening socket, if any, would keep its port."""
    numbers = []
    for entry in os.listdir("/proc/self/fd"):
        with suppress(OSError):  # the one that listed them is closed
            if int(entry) > 2 and os.get_inheritable(int(entry)):
                numbers.append(int(entry))
    return numbers


def environment_of_program(environment: Mapping[str, str]) -> dict[str, str]:
    """What a program may see of the app's environment: what is no secret by its name, and no setting of the app.

    Left out is what has SECRET, TOKEN, PASSWORD, CREDENTIAL or _KEY in its name, but for the token of Hugging Face;
    whatever holds an address with a password in it, but for a proxy, which may be needed for downloads; and all that
    begins with CHARACTERBOX_. A secret of another name is not known as one.
    """
    kept = {name: value for name, value in environment.items() if not _is_withheld(name, value)}
    return {**kept, "PYTHONUNBUFFERED": "1"}


def _is_withheld(name: str, value: str) -> bool:
    if name in _FOR_DOWNLOADS:
        return False
    tells_password = _WITH_PASSWORD.search(value) is not None and not name.lower().endswith("_proxy")
    return tells_password or _SECRET.search(name) is not None or name.startswith("CHARACTERBOX_")


def reap(pid: int) -> int | None:
    """The exit status of a child that has ended, negative for a signal; None for what runs, or is no child of ours.

    The threads of an ended process can take a moment to go. If they take longer than that, the status is None, too.
    """
    last = time.monotonic() + _KILL_PATIENCE
    while birth(pid) is None and time.monotonic() < last:
        try:
            ended, status = os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            return None
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(_LOOK)
    return None


def _group(group: int) -> Iterator[int]:
    for entry in os.listdir("/proc"):
        found = _stat(int(entry)) if entry.isdecimal() else None
        if found is not None and int(found[2]) == group and found[0] not in "ZX":
            yield int(entry)


def _writes_to(pid: int, log: Path) -> bool:
    try:
        return os.path.samefile(f"/proc/{pid}/fd/1", log)
    except OSError:
        return False


def _stat(pid: int) -> list[str] | None:
    """The fields of /proc/PID/stat behind the name of the program: state, parent, group, ... (man 5 proc)."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    return text.rpartition(")")[2].split()
