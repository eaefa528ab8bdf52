"""The server that the app has started is seen to load, is known for what it is, and tells its own figures."""

import httpx2
import pytest

from characterbox.llm.vllm.health import metrics
from tests.vllm.server import ADAPTERS, BASE, CONTEXT

pytestmark = pytest.mark.process


def test_the_server_was_seen_to_load(server):
    *loading, ready = server.starting
    assert {state.name for state in loading} == {"starting"}
    assert {"launching", "memory", "listening"} <= {state.phase for state in loading}
    assert (ready.name, ready.models, ready.context) == ("ready", (BASE, *ADAPTERS), CONTEXT)


def test_the_server_tells_its_own_figures(server):
    before = metrics(server.url)
    asked = {"model": "ann", "max_tokens": 5, "messages": [{"role": "user", "content": "The rain falls."}]}
    reply = httpx2.post(f"{server.url}/chat/completions", json=asked, timeout=300).raise_for_status().json()
    after = metrics(server.url)
    assert after.prompt_tokens - before.prompt_tokens == reply["usage"]["prompt_tokens"] > 0
    assert after.prefix_queries - before.prefix_queries == reply["usage"]["prompt_tokens"]
    assert (after.running, after.waiting, after.prefix_hits) == (0, 0, before.prefix_hits)
