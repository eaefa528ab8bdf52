"""A test of a server that fails says what failed, once, whichever kind of server it is."""

import asyncio
from typing import Any

import pytest
from starlette.responses import JSONResponse

from annotations.i18n.translation import speaking, translate
from characterbox.errors import EndpointError
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.endpoint_check import Probe
from characterbox.llm.rehearsal.transport import AppTransport
from characterbox.llm.server import Kind, Server
from characterbox.pause_reasons import in_full
from characterbox.stage.jobs.vllm_jobs import try_out
from pages.models.endpoint_check import findings
from tests.fakes.reasons import a_reason
from tests.fakes.virtual_time import in_no_time

KINDS: list[Kind] = ["api", "azure"]


def tried(kind: Kind, model: str | None, status: int | None) -> Probe:
    """What a trial finds where everything is answered with a status, or nothing is answered at all."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if status is None:
            await asyncio.Event().wait()
        else:
            await JSONResponse({"error": {"message": "no"}}, status)(scope, receive, send)

    version = "2024-10-21" if kind == "azure" else None
    server = Server(
        url="http://lab", name="Lab", kind=kind, models=("m",) if model else (), timeout=60, api_version=version
    )

    async def look() -> Probe:
        client = Client(lambda _: server, transport=AppTransport(app))
        try:
            return await try_out(client, server.url, model)
        finally:
            await client.close()

    return in_no_time(look())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (None, "no: timed out after 60 s (3 attempts)"),
        (400, "no: HTTP 400: no"),
        (500, "no: HTTP 500: no (6 attempts)"),
    ],
)
def test_what_failed_is_told_once(kind: Kind, status: int | None, reason: str) -> None:
    with in_full():
        assert findings(tried(kind, "m", status)) == {"Model": "m", "Reachable": reason}


def test_only_without_names_the_test_of_azure_asks_for_them() -> None:
    with pytest.raises(EndpointError, match="enter their names in the list") as refused:
        tried("azure", None, 200)
    with speaking("zh"):
        assert translate(refused.value) == "Azure 不会列出有哪些部署；请把部署名称填入模型列表"


def test_nobody_at_an_address_is_told_without_the_address_which_stands_above() -> None:
    found = Probe(
        endpoint=Endpoint(url="http://lab", model="m"),
        errors=dict.fromkeys(
            ("models", "call", "stream", "structured"), a_reason("endpoint http://lab: connection refused")
        ),
    )
    assert findings(found)["Reachable"] == "no: connection refused"


@pytest.mark.parametrize("said", ["SECRET", "SECRET is not a number; give a number from 1 to 5"])
def test_what_a_server_said_is_for_admins_alone(said: str) -> None:
    endpoint = Endpoint(url="http://lab", model="m")
    found = Probe(endpoint=endpoint, errors={"call": a_reason(f"endpoint {endpoint}: HTTP 400: {said}")})
    assert findings(found)["Reachable"] == "no: HTTP 400: details visible to admins only"
    with speaking("zh"):
        assert findings(found)["连通性"] == "失败：HTTP 400：详情仅管理员可见"
    with in_full():
        assert findings(found)["Reachable"] == f"no: HTTP 400: {said}"
