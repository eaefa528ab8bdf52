"""A real vLLM server with a tiny random model or an encoder, started, watched and stopped as the app does it."""

import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx2

from characterbox.llm.server import Launch, Server
from characterbox.llm.vllm.command import find_vllm
from characterbox.llm.vllm.servers import Servers, State
from tests.fakes.ports import free_port

BASE, ADAPTERS = "tiny", ("ann", "bob")
"""The names under which the model and its adapters are served."""
ENVIRONMENT = {"HF_HUB_OFFLINE": "1", "VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_NO_USAGE_STATS": "1"}
"""What the server needs in its environment."""
CONTEXT = 8192
"""Tokens that prompt and reply have room for."""
LOADING = 300.0
"""Seconds that the server has to load: many times what it takes."""
_LOOK = 0.05
"""Seconds between two looks at a server that loads."""
_TINY = (
    *("--served-model-name", BASE, "--enforce-eager", "--max-model-len", str(CONTEXT)),
    # On a CPU, vLLM 0.32.0 dies of a prompt that comes with a seed and is taken in in chunks.
    *("--no-enable-chunked-prefill", "--max-num-batched-tokens", "32768"),
)
_ENCODER = ("--runner", "pooling", "--dtype", "float32", "--enforce-eager")


@dataclass(frozen=True)
class RealServer:
    """A server that answers."""

    url: str
    starting: Sequence[State]
    """How it was seen while it loaded, up to the moment at which it was ready."""

    def at(self, model: str) -> str:
        """The endpoint of a model that it serves, as `URL#MODEL`."""
        return f"{self.url}#{model}"

    def count(self, metric: str) -> int:
        """The sum of one of its own counters, such as `vllm:prefix_cache_hits_total`. Raises KeyError."""
        page = httpx2.get(f"{self.url.removesuffix('/v1')}/metrics", timeout=60).raise_for_status().text
        counts = [
            float(line.rpartition(" ")[2])
            for line in page.splitlines()
            if line.startswith((f"{metric}{{", f"{metric} "))
        ]
        if not counts:
            raise KeyError(f"the server has no metric {metric}")
        return round(sum(counts))


@contextmanager
def serving(python: Path, folder: Path) -> Iterator[RealServer]:
    """Make the tiny model in the folder, and serve it and its adapters until the block is left.

    Raises RuntimeError with the end of the log when the server can't be made to answer, has died meanwhile, or did not
    end by itself when it was stopped.
    """
    _make(python, "tiny_model.py", folder)
    adapters = {name: str(folder / name) for name in ADAPTERS}
    launch = Launch(model=str(folder / "base"), port=free_port(), adapters=adapters, flags=_TINY)
    with _serving(python, folder, launch) as server:
        yield server


@contextmanager
def serving_encoder(python: Path, folder: Path, name: str) -> Iterator[RealServer]:
    """Make an encoder in the folder, `e5` or `minilm`, and serve it until the block is left.

    Raises RuntimeError as `serving` does.
    """
    _make(python, "encoders.py", folder, name)
    flags = (*_ENCODER, "--served-model-name", name)
    with _serving(python, folder, Launch(model=str(folder / name), port=free_port(), flags=flags)) as server:
        yield server


def _make(python: Path, maker: str, folder: Path, *names: str) -> None:
    words = [python, Path(__file__).with_name(maker), folder, *names]
    made = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if made.returncode:
        raise RuntimeError(f"the model could not be made:\n{made.stderr}")


@contextmanager
def _serving(python: Path, folder: Path, launch: Launch) -> Iterator[RealServer]:
    """Serve a model until the block is left, and see that nothing of the server goes on."""
    servers = Servers(folder / "servers", partial(find_vllm, str(python)))
    url = f"http://127.0.0.1:{launch.port}/v1"
    try:
        servers.start(Server(url=url, name="Real", kind="started", launch=launch))
        yield RealServer(url, _until_ready(servers, url))
        _expect(servers, url, "ready", "the server died")
    finally:
        servers.close()
    _expect(servers, url, "stopped", "the server was not stopped")
    if "Application shutdown complete." not in servers.log(url):
        raise RuntimeError(f"the server did not end by itself:\n{servers.log(url, last=40)}")


def _until_ready(servers: Servers, url: str) -> list[State]:
    """The states in which a server was seen until it was ready."""
    seen, deadline = [servers.state(url)], time.monotonic() + LOADING
    while seen[-1].name == "starting" and time.monotonic() < deadline:
        time.sleep(_LOOK)
        if (state := servers.state(url)) != seen[-1]:
            seen.append(state)
    _expect(servers, url, "ready", f"the server did not answer within {LOADING:.0f} s")
    return seen


def _expect(servers: Servers, url: str, name: str, problem: str) -> None:
    if (state := servers.state(url)).name != name:
        raise RuntimeError(f"{problem}: {state}; the end of its log:\n{servers.log(url, last=40)}")
