"""Hooks of pytest that fail a test which is less quick than its marks say.

A test that is marked neither `browser` nor `process` starts no process, opens no port, and makes no pauses itself.
"""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from functools import wraps
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import Any

import pytest

NOT_QUICK = (
    *((subprocess.Popen, "__init__"), (os, "fork"), (BaseProcess, "start")),
    *((socket.socket, "bind"), (time, "sleep")),
)


class Listener:
    """Remembers what a test did that is not quick, while it listens."""

    def __init__(self) -> None:
        self.listens = False
        self.heard: set[str] = set()

    def overhear(self, owner: Any, name: str) -> None:
        """Have a function of a module or class tell of each call; of pauses, those that tests themselves make."""
        call: Callable[..., Any] = getattr(owner, name)

        @wraps(call)
        def heard(*args: Any, **named: Any) -> Any:
            if self.listens and (name != "sleep" or _in_tests(sys._getframe(1))):
                self.heard.add(f"{owner.__name__}.{name}")
            return call(*args, **named)

        setattr(owner, name, heard)


def _in_tests(caller: FrameType) -> bool:
    return str(caller.f_globals.get("__name__")).startswith("tests.")


_listener = Listener()
for _owner, _name in NOT_QUICK:
    _listener.overhear(_owner, _name)


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
