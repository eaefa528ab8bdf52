"""The probe: what it finds out, each part for itself."""

from collections import deque

import pytest

from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.endpoint_check import probe
from characterbox.llm.rehearsal.transport import AppTransport
from tests.fakes.mock_server import MockServer, mock_server
from tests.fakes.virtual_time import in_no_time

ENDPOINT = Endpoint(url="http://mock/v1", model="m")
PARTS = ["models", "call", "stream", "structured"]


def probed(mock, endpoint=ENDPOINT):
    async def look():
        client = Client(transport=AppTransport(mock.app()))
        found = await probe(client, endpoint)
        await client.close()
        return found

    return in_no_time(look())


def test_all_that_an_endpoint_can_do_is_found_out():
    async def look():
        client = Client(rehearsal_latency=2.4)
        found = await probe(client, Endpoint.parse("rehearsal"))
        await client.close()
        return found

    found = in_no_time(look())
    assert found.errors == {}
    assert found.reachable
    assert found.models == ("rehearsal", "rehearsal-plain", "rehearsal-wooden")
    assert found.context is None
    assert found.latency == pytest.approx(2.4)
    assert found.pieces > 1
    assert found.first_token == pytest.approx(2.4 / found.pieces, rel=0.01)
    assert 1 < found.tokens_per_second < 100
    assert found.structured == "json_schema"


def test_the_context_and_the_models_are_those_that_the_server_tells():
    found = probed(MockServer(models=("m", "n")))
    assert (found.models, found.context) == (("m", "n"), 4096)
    assert probed(MockServer(models=("n",))).context is None


@pytest.mark.parametrize(
    ("refused", "way"),
    [({"json_schema", "json_object"}, "text")],
)
def test_the_way_that_works_is_named(refused, way):
    found = probed(MockServer(refused_formats=refused))
    assert (found.structured, found.errors) == (way, {})


def test_a_format_that_is_taken_and_not_kept_is_no_way():
    found = probed(MockServer())
    assert found.structured is None
    assert list(found.errors) == ["structured"]
    assert "the server accepts json_schema, but the reply is not a JSON object" in str(found.errors["structured"])


def test_one_part_that_fails_hides_no_other():
    for number, part in enumerate(PARTS[1:]):
        found = probed(MockServer(faults=deque([None] * number + ["401"]), refused_formats=set()))
        assert "HTTP 401" in str(found.errors[part])
        assert set(found.errors) <= {part, "structured"}
        assert found.reachable


def test_an_endpoint_that_refuses_all_says_so_in_each_part():
    found = probed(MockServer(always="401"))
    assert list(found.errors) == PARTS
    assert all("HTTP 401" in str(error) for error in found.errors.values())
    assert not found.reachable


def test_an_endpoint_that_sends_no_stream_is_told():
    mock = MockServer()
    chat = mock.chat

    async def unstreamed(request):
        (await request.json()).pop("stream", None)
        return await chat(request)

    mock.chat = unstreamed
    found = probed(mock)
    assert "was not streamed" in str(found.errors["stream"])


async def test_nobody_at_the_address_is_found_out_soon():
    client = Client()
    found = await probe(client, Endpoint(url="http://127.0.0.1:9/v1", model="m"))
    await client.close()
    assert list(found.errors) == PARTS
    assert all("connection refused" in str(error) for error in found.errors.values())
    assert not found.reachable


@pytest.mark.process
async def test_a_probe_goes_over_the_network():
    with mock_server() as server:
        client = Client()
        found = await probe(client, Endpoint(url=server.url, model="n"))
        await client.close()
    assert found.latency > 0
    assert found.pieces == 2
