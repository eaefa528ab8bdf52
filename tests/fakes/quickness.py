"""Hooks of pytest that fail a test which is less quick than its marks say.

A test that is marked neither `browser` nor `process` starts no process, opens no port, and does not sleep.
"""

import sys
import threading
from collections.abc import Generator

import pytest

NOT_QUICK = {"subprocess.Popen", "os.fork", "os.posix_spawn", "socket.bind", "time.sleep"}
"""What Python's audit hooks hear of, and no quick test does."""


class Listener:
    """Remembers what a test did that is not quick, while it listens."""

    def __init__(self) -> None:
        self.listens = False
        self.heard: set[str] = set()
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.listens and event in NOT_QUICK and not (event == "time.sleep" and self._is_no_wait(arguments)):
            self.heard.add(event)

    @staticmethod
    def _is_no_wait(arguments: tuple[object, ...]) -> bool:
        return arguments == (0,) or threading.current_thread() is not threading.main_thread()


_listener = Listener()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Listens to a test that has none of the marks, and to what is set up for it."""
    _listener.heard.clear()
    _listener.listens = not any(item.get_closest_marker(mark) for mark in ("browser", "process"))
    try:
        return (yield)
    finally:
        _listener.listens = False


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Fails the test if something was heard."""
    yield
    if _listener.heard:
        pytest.fail(f"{sorted(_listener.heard)}: mark {item.name}, or what it uses, as process", pytrace=False)
