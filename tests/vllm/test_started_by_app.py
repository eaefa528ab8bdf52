"""The app starts a second real server with the model of the first, sees it load, and stops it."""

import os
import time
from functools import partial

import httpx2
import pytest

from characterbox.llm.server import Launch, Server
from characterbox.llm.vllm.metrics import metrics
from characterbox.llm.vllm.program import find_vllm
from characterbox.llm.vllm.servers import Servers
from tests.vllm.server import ADAPTERS, BASE, LOADING, _free_port


@pytest.fixture
def folders(server):
    """Where the first server has the model and the adapters from, by name."""
    told = httpx2.get(f"http://127.0.0.1:{server.port}/v1/models", timeout=10).json()
    return {model["id"]: model["root"] for model in told["data"]}


@pytest.fixture
def servers(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("VLLM_CPU_KVCACHE_SPACE", "1")
    servers = Servers(tmp_path, partial(find_vllm, os.environ["CHARACTERBOX_VLLM"]))
    yield servers
    servers.close()


def test_the_app_starts_watches_and_stops_a_server(servers, folders):
    launch = Launch(
        model=folders[BASE],
        port=_free_port(),
        adapters={name: folders[name] for name in ADAPTERS},
        flags=("--enforce-eager", "--max-model-len", "4096"),
    )
    url = f"http://127.0.0.1:{launch.port}/v1"
    state = servers.start(Server(url=url, name="Tiny", kind="started", launch=launch))
    seen, deadline = {(state.phase, state.fraction)}, time.monotonic() + LOADING
    while state.name == "starting" and time.monotonic() < deadline:
        time.sleep(0.05)
        state = servers.state(url)
        seen.add((state.phase, state.fraction))
    assert state.name == "ready", servers.log(url)
    assert {"launching", "memory", "listening"} <= {phase for phase, _ in seen}
    assert (state.models, state.context) == ((folders[BASE], *ADAPTERS), 4096)
    asked = {"model": "ann", "max_tokens": 5, "messages": [{"role": "user", "content": "The rain falls."}]}
    httpx2.post(f"{url}/chat/completions", json=asked, timeout=60).raise_for_status()
    figures = metrics(url)
    assert figures.prompt_tokens == figures.prefix_queries > 0
    assert (figures.running, figures.waiting, figures.prefix_hits) == (0, 0, 0)
    servers.stop(url)
    assert servers.state(url).name == "stopped"
    assert "Application shutdown complete." in servers.log(url)
    with pytest.raises(httpx2.ConnectError):
        httpx2.get(f"{url}/models", timeout=5)
