"""What leaves with a request, and by which way: nothing that the environment holds for others."""

import asyncio
from contextlib import asynccontextmanager

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from characterbox.llm.calls import http
from characterbox.llm.calls.address import is_local
from characterbox.llm.calls.http import Wire
from characterbox.llm.calls.retry_policy import Refusal, TransportError
from tests.fakes.mock_server import serving

MEANT_FOR_OTHERS = {
    "OPENAI_API_KEY": "sk-env-key",
    "OPENAI_ADMIN_KEY": "sk-env-admin",
    "OPENAI_ORG_ID": "org-env",
    "OPENAI_PROJECT_ID": "proj-env",
    "OPENAI_WEBHOOK_SECRET": "whsec-env",
    "OPENAI_CUSTOM_HEADERS": "Authorization: Bearer sk-env-custom\nX-Team: env-team\nX-Api-Key: sk-env-header",
}


async def echo(request):
    return JSONResponse({"headers": dict(request.headers), "body": (await request.body()).decode()})


@pytest.fixture
def address():
    with serving(Starlette(routes=[Route("/v1/{path:path}", echo, methods=["GET", "POST"])])) as root:
        yield f"{root}/v1"


async def sent(url, key, body, patience=10):
    wire = Wire(url)
    try:
        async with wire.request("/chat/completions", body, key=key, patience=patience) as response:
            return response.status, (await response.whole()).decode().lower()
    finally:
        await wire.close()


@pytest.mark.process
@pytest.mark.parametrize("body", [b'{"model": "m"}', None])
@pytest.mark.parametrize("key", [None, "sk-own"])
async def test_nothing_of_the_environment_is_sent(address, monkeypatch, key, body):
    for name, value in MEANT_FOR_OTHERS.items():
        monkeypatch.setenv(name, value)
    status, told = await sent(address, key, body)
    assert status == 200
    assert "env" not in told
    assert "x-team" not in told
    assert "openai-organization" not in told
    assert ('"authorization":"bearer sk-own"' in told) == (key is not None)
    assert ("authorization" in told) == (key is not None)
    assert ('"content-type":"application/json"' in told) == (body is not None)


@pytest.mark.process
async def test_no_proxy_stands_before_this_computer(address, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    status, _ = await sent(address, None, None)
    assert status == 200


@pytest.mark.process
async def test_connections_are_as_many_as_calls_are_used_again_and_closed_after_a_while(address, monkeypatch):
    monkeypatch.setattr(http, "_LIMITS", httpx2.Limits(max_connections=0, keepalive_expiry=2.0))
    loop, opened = asyncio.get_running_loop(), []
    connect = loop.create_connection

    async def noting(*arguments, **more):
        transport, protocol = await connect(*arguments, **more)
        opened.append(transport)
        return transport, protocol

    monkeypatch.setattr(loop, "create_connection", noting)
    wire = Wire(address)

    async def ask():
        async with wire.request("/models", key=None, patience=10) as response:
            return response.status, await response.whole()

    def alive():
        return sum(not transport.is_closing() for transport in opened)

    assert {status for status, _ in await asyncio.gather(*(ask() for _ in range(150)))} == {200}
    assert (len(opened), alive()) == (150, 150)
    await ask()
    assert (len(opened), alive()) == (150, 150), "one of them is used again"
    async with asyncio.timeout(10):
        while alive():
            await asyncio.sleep(0.05)
    await ask()
    assert (len(opened), alive()) == (151, 1)
    await wire.close()
    assert alive() == 0


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/v1", "http://127.0.0.1:99999/v1", "http://"])
async def test_what_cannot_be_asked_is_refused(url):
    with pytest.raises(Refusal, match="it cannot be called"):
        await sent(url, None, None)


@pytest.mark.process
async def test_a_key_that_would_write_headers_is_not_sent(address):
    with pytest.raises(Refusal, match="it cannot be called"):
        await sent(address, "two\r\nX-Lines: 1", None)


@pytest.mark.process
async def test_a_host_that_nobody_knows_and_a_port_that_nobody_hears_are_told():
    with pytest.raises(TransportError, match="no connection: ") as unknown:
        await sent("http://nobody.invalid/v1", None, None)
    with pytest.raises(TransportError, match="connection refused") as refused:
        await sent("http://localhost:9/v1", None, b"{}")
    assert unknown.value.unreachable
    assert refused.value.unreachable


@pytest.mark.process
async def test_a_proxy_stands_before_other_computers(address, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", address.removesuffix("/v1"))
    status, told = await sent("http://models.invalid/v1", None, None)
    assert status == 200
    assert '"host":"models.invalid"' in told


async def test_a_socks_proxy_is_told_and_gets_nothing(monkeypatch):
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    with pytest.raises(Refusal, match="no SOCKS proxy can be used"):
        await sent("http://models.invalid/v1", "sk-own", None)


@asynccontextmanager
async def raw(answer):
    """The address of a server that sends these bytes, and then closes; None: it reads nothing and says nothing."""

    over = asyncio.Event()

    async def serve(reader, writer):
        if answer is None:
            writer.transport.pause_reading()
            await over.wait()
            writer.transport.abort()
            return
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    finally:
        over.set()
        server.close()
        await asyncio.sleep(0.1)  # until both sides know


@pytest.mark.process
@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nSet-Cookie: secret=1\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
        b"HTTP/1.1 500 \xc4\xda\xb2\xbf\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
    ],
)
async def test_what_is_no_answer_is_trouble_and_is_not_quoted(answer):
    async with raw(answer) as url:
        with pytest.raises(TransportError, match="connection lost: the response is incomplete or not HTTP") as caught:
            await sent(url, None, b"{}")
    assert "secret" not in str(caught.value)


@pytest.mark.process
@pytest.mark.filterwarnings("ignore:Sending a large body:ResourceWarning")
async def test_a_body_that_nobody_takes_in_does_not_keep_a_call_for_ever(monkeypatch):
    monkeypatch.setattr(http, "_CONNECT", 2.0)
    async with raw(None) as url:
        with pytest.raises(TransportError, match=r"timed out after 0\.3 s"):
            await sent(url, None, b" " * 20_000_000, patience=0.3)


@pytest.mark.process
async def test_a_body_that_only_stays_alive_is_silent():
    async def drip(request):
        async def blanks():
            for _ in range(100):
                yield b" "
                await asyncio.sleep(0.05)

        return StreamingResponse(blanks(), media_type="application/json")

    with (
        serving(Starlette(routes=[Route("/v1/chat/completions", drip)])) as root,
        pytest.raises(TransportError, match=r"timed out after 0\.3 s") as caught,
    ):
        await sent(f"{root}/v1", None, None, patience=0.3)
    assert caught.value.timed_out


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8000/v1",
        "http://127.8.9.1/v1",
        "http://LOCALHOST:80",
        "http://localhost./v1",
        "http://gpu.localhost/v1",
        "http://[::1]:8000/v1",
    ],
)
def test_loopback_addresses_are_on_this_computer(url):
    assert is_local(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://api.openai.com/v1",
        "http://10.0.0.1/v1",
        "http://localhost.example.org/v1",
        "http://128.0.0.1",
        "rehearsal",
    ],
)
def test_all_others_are_not(url):
    assert not is_local(url)


class Heard(httpx2.AsyncBaseTransport):
    """Answers all requests, and keeps them."""

    def __init__(self):
        self.requests = []

    async def handle_async_request(self, request):
        self.requests.append(request)
        return httpx2.Response(200, json={})


async def heard_at(url, **more):
    transport = Heard()
    wire = Wire(url, transport)
    async with wire.request("/chat/completions", b"{}", patience=10, **more) as response:
        await response.whole()
    await wire.close()
    return transport.requests[0]


@pytest.mark.parametrize("host", ["api.openai.com", "eu.api.openai.com", "US.API.OpenAI.com"])
async def test_what_the_environment_holds_for_openai_goes_to_openai_but_no_key_that_is_not_named(monkeypatch, host):
    for name, value in MEANT_FOR_OTHERS.items():
        monkeypatch.setenv(name, value)
    request = await heard_at(f"https://{host}/v1", key="sk-own")
    assert str(request.url) == f"https://{host.lower()}/v1/chat/completions"
    assert request.headers["openai-organization"] == "org-env"
    assert request.headers["openai-project"] == "proj-env"
    assert request.headers["x-team"] == "env-team"
    assert request.headers["authorization"] == "Bearer sk-own"
    assert "authorization" not in (await heard_at(f"https://{host}/v1", key=None)).headers


@pytest.mark.parametrize(
    "url",
    [
        "https://api.openai.com.example.org/v1",
        "https://example.org/api.openai.com/v1",
        "https://evilapi.openai.com/v1",
        "https://eu-api.openai.com/v1",
        "https://openai.com/v1",
    ],
)
async def test_what_the_environment_holds_for_openai_goes_to_no_address_that_only_looks_like_it(monkeypatch, url):
    for name, value in MEANT_FOR_OTHERS.items():
        monkeypatch.setenv(name, value)
    assert "env" not in str((await heard_at(url, key="sk-own")).headers.raw)


@pytest.mark.parametrize("spelled", [str, str.lower, str.upper])
@pytest.mark.parametrize("url", ["https://lab.example/v1", "https://api.openai.com/v1"])
@pytest.mark.parametrize("azure", [None, "2024-10-21"])
async def test_no_header_of_the_environment_takes_the_place_of_what_a_call_needs(monkeypatch, spelled, url, azure):
    needed = {
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "Content-Type": "application/json",
        "User-Agent": "characterbox",
    }
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "\n".join(f"{spelled(name)}: env" for name in needed))
    request = await heard_at(url, key="own", azure=azure)
    assert {name: request.headers.get(name) for name in needed} == needed


@pytest.mark.parametrize("key", ["azure-own", None])
async def test_azure_is_asked_as_azure_wants_it(monkeypatch, key):
    for name in ("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN", "OPENAI_API_KEY", "OPENAI_ORG_ID"):
        monkeypatch.setenv(name, "env-secret")
    request = await heard_at("https://lab.openai.azure.com", key=key, azure="2024-10-21")
    assert str(request.url) == "https://lab.openai.azure.com/openai/chat/completions?api-version=2024-10-21"
    assert request.headers.get("api-key") == key
    assert "authorization" not in request.headers
    assert "env-secret" not in str(request.headers.raw)


@pytest.mark.parametrize(
    ("url", "resource"),
    [
        ("https://lab.openai.azure.com/openai", "https://lab.openai.azure.com"),
        ("https://lab.openai.azure.com/openai/", "https://lab.openai.azure.com"),
        ("https://lab.openai.azure.com/openai/v1/", "https://lab.openai.azure.com"),
        ("https://gateway.example/lab/openai", "https://gateway.example/lab"),
        ("https://gateway.example/openai-lab/v1", "https://gateway.example/openai-lab/v1"),
        ("http://openai", "http://openai"),
    ],
)
async def test_a_resource_of_azure_may_be_given_with_the_path_below_it(url, resource):
    request = await heard_at(url, key=None, azure="2024-10-21")
    assert str(request.url) == f"{resource}/openai/chat/completions?api-version=2024-10-21"


async def test_an_address_that_is_none_of_azure_is_asked_as_it_stands():
    request = await heard_at("https://lab.openai.azure.com/openai/v1", key=None)
    assert str(request.url) == "https://lab.openai.azure.com/openai/v1/chat/completions"


@pytest.mark.process
async def test_a_request_is_sent_once_whatever_comes_back():
    asked = []

    async def busy(request):
        asked.append(request.url.path)
        return JSONResponse({"error": {"message": "later"}}, 503, {"Retry-After": "7"})

    with serving(Starlette(routes=[Route("/v1/chat/completions", busy, methods=["POST"])])) as root:
        wire = Wire(f"{root}/v1")
        async with wire.request("/chat/completions", b"{}", key=None, patience=10) as response:
            assert (response.status, response.headers["retry-after"]) == (503, "7")
            assert b"later" in await response.whole()
        await wire.close()
    assert len(asked) == 1


@pytest.mark.process
async def test_of_an_error_of_megabytes_a_part_is_read():
    async def long(request):
        return Response(b"no " * 2_000_000, 500)

    with serving(Starlette(routes=[Route("/v1/chat/completions", long, methods=["POST"])])) as root:
        wire = Wire(f"{root}/v1")
        async with wire.request("/chat/completions", b"{}", key=None, patience=10) as response:
            assert response.status == 500
            assert len(await response.whole()) < 1_000_000
        await wire.close()


@pytest.mark.process
@pytest.mark.parametrize("body", ["drips", "stalls", "breaks off"])
@pytest.mark.parametrize(("patience", "bound"), [(0.3, 120.0), (120.0, 0.3)])
async def test_of_an_error_that_does_not_end_the_status_is_kept_and_what_came_in_time(
    monkeypatch, body, patience, bound
):
    async def slow(request):
        async def parts():
            yield b'{"error": "a key is'
            if body == "breaks off":
                raise ConnectionError
            for _ in range(4000):
                await asyncio.sleep(0.05)
                if body == "drips":
                    yield b" "

        return StreamingResponse(parts(), 503, {"Retry-After": "7"}, media_type="application/json")

    monkeypatch.setattr(http, "_FOR_AN_ERROR", bound)
    loop = asyncio.get_running_loop()
    with serving(Starlette(routes=[Route("/v1/chat/completions", slow, methods=["POST"])])) as root:
        wire, begun = Wire(f"{root}/v1"), loop.time()
        async with wire.request("/chat/completions", b"{}", key=None, patience=patience) as response:
            assert (response.status, response.headers["retry-after"]) == (503, "7")
            assert (await response.whole()).strip() == b'{"error": "a key is'
        assert loop.time() - begun < 60
        await wire.close()
