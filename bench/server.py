"""Models served by a process of their own: the rehearsal, or another module."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from bench.story import touch_always
from characterbox.llm.rehearsal.app import rehearsal_app

PATIENCE = 30.0


@contextmanager
def rehearsal_server(latency: float) -> Iterator[str]:
    """The rehearsal, each of its replies taking `latency` seconds; gives its base URL."""
    with server("bench.server", str(latency)) as url:
        yield url


@contextmanager
def server(module: str, *words: str) -> Iterator[str]:
    """A module that serves a model on the port that it is given as its first word, here a free one; gives its base
    URL."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-m", module, str(port), *words])  # noqa: S603 - our own command
    try:
        _wait_for(port, process)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(PATIENCE)


def _wait_for(port: int, process: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError("the server did not start") from None
            time.sleep(0.05)
        else:
            return


def _serve(port: int, latency: float) -> None:
    touch_always()
    uvicorn.run(rehearsal_app(latency), host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    _serve(int(sys.argv[1]), float(sys.argv[2]))
