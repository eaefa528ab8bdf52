"""What is called under limits in tests."""

import os
import signal
import time
from pathlib import Path

from pydantic_core import from_json

from characterbox.errors import SceneError


def doubled(number: int) -> int:
    return 2 * number


def loop() -> None:
    while True:
        pass


def sleep(seconds: float) -> None:
    time.sleep(seconds)


def loop_in_c() -> int:
    """Holds the interpreter: no other thread of the process runs, and no handler of a signal."""
    return 7 ** (10**9)


def allocate(megabytes: int) -> int:
    return len(bytearray(megabytes * 1_000_000))


def length_and_allocate(raw: bytes, megabytes: int) -> int:
    allocate(megabytes)
    return len(raw)


def allocate_in_pieces(megabytes: int) -> int:
    return len([bytes(range(256)) * 400 for _ in range(10 * megabytes)])


def allocate_and_hide_it(megabytes: int) -> int:
    try:
        return allocate_in_pieces(megabytes)
    except MemoryError as error:
        raise SceneError("{name}: it is damaged", name="a.pdf") from error


def allocate_in_pydantic(megabytes: int) -> int:
    """Where memory lacks, it ends its process."""
    return len(from_json(b"[" + b"[]," * (megabytes * 10_000) + b"[]]"))


def refuse(name: str) -> None:
    raise SceneError("{name}: it contains no text; choose a file with the text of a work", name=name)


def fault() -> None:
    raise ZeroDivisionError("divided")


def die(number: int) -> None:
    os.kill(os.getpid(), number)
    signal.pause()


def environment() -> dict[str, str]:
    return dict(os.environ)


def main_module() -> str | None:
    import __main__  # noqa: PLC0415

    return __main__.__file__


def long_answer(megabytes: int) -> bytes:
    return b"x" * (megabytes * 1_000_000)


def note_and_loop(file: str) -> None:
    Path(file).write_text(f"{os.getpid()} {os.getppid()}", encoding="utf-8")
    loop()


def length(raw: bytes) -> int:
    return len(raw)


def noted(raw: bytes) -> tuple[bytes, int]:
    """Another answer each time that it is called."""
    return raw, time.monotonic_ns()


def slowly_noted(raw: bytes) -> tuple[bytes, int]:
    time.sleep(1)
    return noted(raw)


def repeated(letter: bytes) -> bytes:
    return letter * 1_000_000
