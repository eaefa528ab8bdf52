"""A real vLLM server with a tiny random model, for as long as it is needed."""

import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

BASE, ADAPTERS = "tiny", ("ann", "bob")
"""The names under which the model and its adapters are served."""
LOADING = 300.0
"""Seconds that the server has to load: many times what it takes."""
ENDING = 30.0
"""Seconds that it has to end by itself."""
_OPTIONS = (
    *("--served-model-name", BASE, "--host", "127.0.0.1", "--enforce-eager", "--max-model-len", "8192"),
    *("--enable-prefix-caching", "--enable-prompt-tokens-details", "--enable-lora", "--max-loras", "2"),
    # On a CPU, vLLM 0.32.0 dies of a prompt that comes with a seed and is taken in in chunks.
    *("--no-enable-chunked-prefill", "--max-num-batched-tokens", "32768"),
)
_SETTINGS = {"HF_HUB_OFFLINE": "1", "VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_NO_USAGE_STATS": "1"}
_MAKER = Path(__file__).with_name("tiny_model.py")


@dataclass(frozen=True)
class Server:
    """A server that answers."""

    port: int
    loading: float
    """Seconds that it took to load."""

    def at(self, model: str) -> str:
        """The endpoint of the base model or an adapter, as `URL#MODEL`."""
        return f"http://127.0.0.1:{self.port}/v1#{model}"

    def count(self, metric: str) -> int:
        """The sum of one of its own counters, such as `vllm:prefix_cache_hits_total`. Raises KeyError."""
        counts = [
            float(line.rpartition(" ")[2])
            for line in _get(self.port, "metrics").splitlines()
            if line.startswith((f"{metric}{{", f"{metric} "))
        ]
        if not counts:
            raise KeyError(f"the server has no metric {metric}")
        return round(sum(counts))


@contextmanager
def serving(python: Path, folder: Path, names: Sequence[str]) -> Iterator[Server]:
    """Make the model in the folder, serve it until the block is left, and end all that was started.

    Raises RuntimeError with the end of the log when the server can't be made to answer, or has died meanwhile.
    """
    log = folder / "server.log"
    with log.open("wb") as out:
        made = subprocess.run([python, _MAKER, folder, *names], cwd=folder, stdout=out, stderr=out, check=False)
    if made.returncode:
        raise RuntimeError(_told("the model could not be made", log))
    port, started = _free_port(), time.monotonic()
    with log.open("ab") as out:
        process = subprocess.Popen(
            _command(python, folder, port),
            cwd=folder,
            env={**os.environ, **_SETTINGS},
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
    try:
        _wait_until_it_answers(process, port, log)
        yield Server(port, time.monotonic() - started)
        if process.poll() is not None:
            raise RuntimeError(_told("the server died", log))
    finally:
        _end(process)


def _command(python: Path, folder: Path, port: int) -> list[str]:
    adapters = [f"{name}={folder / name}" for name in ADAPTERS]
    module = [str(python), "-m", "vllm.entrypoints.openai.api_server"]
    return [*module, "--model", str(folder / "base"), "--port", str(port), *_OPTIONS, "--lora-modules", *adapters]


def _wait_until_it_answers(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + LOADING
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(_told(f"the server ended with {process.returncode}", log))
        try:
            _get(port, "health")
        except (urllib.error.URLError, OSError):
            time.sleep(0.5)
        else:
            return
    raise RuntimeError(_told(f"the server did not answer within {LOADING:.0f} s", log))


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the server, and whatever is left of its process group."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(ENDING)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _get(port: int, page: str) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/{page}", timeout=10) as answer:
        text: str = answer.read().decode()
    return text


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def _told(problem: str, log: Path) -> str:
    tail = log.read_text(encoding="utf-8", errors="replace").splitlines()[-40:]
    return "\n".join([f"{problem}; the end of its log:", *tail])
