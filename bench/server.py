"""The rehearsal in a process of its own."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from bench.story import touch_always
from characterbox.llm.rehearsal import rehearsal_app

PATIENCE = 30.0


@contextmanager
def rehearsal_server(latency: float) -> Iterator[str]:
    """The rehearsal on a free port, each of its replies taking `latency` seconds; gives its base URL."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["-m", "bench.server", str(port), str(latency)]
    process = subprocess.Popen([sys.executable, *words])  # noqa: S603 - our own command
    try:
        wait_for(port, process)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(PATIENCE)


def wait_for(port: int, process: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError("the rehearsal server did not start") from None
            time.sleep(0.05)
        else:
            return


def _serve(port: int, latency: float) -> None:
    touch_always()
    uvicorn.run(rehearsal_app(latency), host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    _serve(int(sys.argv[1]), float(sys.argv[2]))
