"""Connections go to the addresses that are allowed, whatever a name led to before, and however a number is spelled."""

import ipaddress
import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from characterbox.llm.calls.address import Guard, NotReached, place_of
from characterbox.llm.calls.http import Wire
from characterbox.llm.calls.retry_policy import Refusal, TransportError
from characterbox.llm.server import Server
from tests.fakes.host_names import leads_to
from tests.fakes.mock_server import serving

PLACES = {
    "public": ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"],
    "private": [
        "10.0.0.5", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "fd12::1", "::ffff:10.0.0.5",
        "64:ff9b::a00:5", "2002:a00:5::1", "::10.0.0.5",
    ],
    "loopback": ["127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::"],
    "special": [
        "0.0.0.0", "::", "169.254.169.254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "fe80::1", "fe80::1%eth0",
        "224.0.0.1", "ff02::1", "255.255.255.255", "240.0.0.1", "192.0.0.192", "192.0.2.1", "192.88.99.1",
        "198.18.0.1", "203.0.113.9", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "3fff::1", "5f00::1",
        "fec0::1", "100.100.100.200", "168.63.129.16", "fd00:ec2::254", "no address",
    ],
}  # fmt: skip


@pytest.mark.parametrize(("place", "address"), [(place, one) for place, some in PLACES.items() for one in some])
def test_places(place, address):
    assert place_of(address) == place


@given(st.ip_addresses(v=4))
def test_an_address_within_another_is_where_it_leads(address):
    mapped = ipaddress.IPv6Address(0xFFFF << 32 | int(address))
    by_nat64 = ipaddress.IPv6Address(0x64FF9B << 96 | int(address))
    by_6to4 = ipaddress.IPv6Address(0x2002 << 112 | int(address) << 80)
    assert {place_of(str(one)) for one in (mapped, by_nat64, by_6to4)} == {place_of(str(address))}


@given(st.ip_addresses())
def test_what_is_taken_for_public_is_global_and_for_one_alone(address):
    if place_of(str(address)) == "public" and address.version == 4:
        assert address.is_global
        assert not address.is_multicast


@pytest.mark.parametrize(
    ("reach", "reached"),
    [
        ("anywhere", {"public", "private", "loopback", "special"}),
        ("network", {"public", "private", "loopback"}),
        ("loopback", {"public", "loopback"}),
        ("public", {"public"}),
    ],
)
def test_a_guard_lets_its_reach_pass(reach, reached):
    guard, passed = Guard("models.example", reach), set()
    for place, address in [(place, some[0]) for place, some in PLACES.items()]:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        try:
            guard.socket((family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (address, 80))).close()
        except NotReached:
            continue
        passed.add(place)
    assert passed == reached


@pytest.mark.parametrize(
    ("changes", "reach"),
    [
        ({"url": "https://api.example/v1"}, "public"),
        ({"url": "http://10.0.0.5/v1"}, "public"),
        ({"url": "http://10.0.0.5/v1", "private": True}, "network"),
        ({"url": "http://127.0.0.1:8000/v1"}, "loopback"),
        ({"url": "http://[::1]:8000/v1"}, "loopback"),
        ({"url": "http://localhost:8000/v1"}, "loopback"),
    ],
)
def test_a_server_is_reached_as_far_as_it_was_registered_for(changes, reach):
    assert Server(name="S", kind="vllm", **changes).reach == reach


@pytest.fixture
def port():
    """A server of this computer, by its port."""

    async def answer(_):
        answered.append(1)
        return JSONResponse({"ok": True})

    answered = []
    with serving(Starlette(routes=[Route("/v1/models", answer)])) as root:
        yield int(root.rpartition(":")[2]), answered


async def ask(url, reach):
    wire = Wire(url)
    try:
        async with wire.request("/models", key="sk-own", patience=5, reach=reach) as response:
            return await response.whole()
    finally:
        await wire.close()


LOOPBACK = (
    "127.0.0.1", "localhost", "2130706433", "0x7f.1", "127.1", "0177.0.0.1", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
    "１２７.0.0.1", "127。0。0。1", "0.0.0.0",
)  # fmt: skip


@pytest.mark.process
@pytest.mark.parametrize("host", LOOPBACK)
async def test_no_spelling_of_this_computer_passes(port, host):
    number, answered = port
    with pytest.raises(Refusal, match=r"resolves to|it cannot be called"):
        await ask(f"http://{host}:{number}/v1", "public")
    assert not answered


@pytest.mark.process
async def test_what_is_allowed_is_reached_and_what_is_refused_is_told(port):
    number, answered = port
    for reach in ("anywhere", "network", "loopback"):
        assert await ask(f"http://127.0.0.1:{number}/v1", reach) == b'{"ok":true}'
    assert len(answered) == 3
    with pytest.raises(Refusal, match=r"^127.0.0.1 resolves to 127\.0\.0\.1, .*; an admin can allow it"):
        await ask(f"http://127.0.0.1:{number}/v1", "public")


@pytest.mark.process
async def test_a_name_that_leads_here_at_the_time_of_the_connection_is_refused(port, monkeypatch):
    number, answered = port
    leads_to(monkeypatch, "models.example", "192.0.2.1", "127.0.0.1")
    socket.getaddrinfo("models.example", 80)  # whoever had looked before was told something else
    with pytest.raises(Refusal, match=r"^models\.example resolves to 127\.0\.0\.1"):
        await ask(f"http://models.example:{number}/v1", "public")
    assert not answered
    assert await ask(f"http://models.example:{number}/v1", "network")


@pytest.mark.process
async def test_no_connection_outlives_the_permission_to_make_it(port):
    number, answered = port
    wire = Wire(f"http://127.0.0.1:{number}/v1")
    try:
        async with wire.request("/models", key=None, patience=5, reach="network") as response:
            await response.whole()
        with pytest.raises(Refusal):
            async with wire.request("/models", key=None, patience=5, reach="public"):
                pass
    finally:
        await wire.close()
    assert len(answered) == 1


@pytest.mark.process
async def test_a_proxy_is_asked_for_nothing_that_may_not_be_reached(port, monkeypatch):
    number, _ = port
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{number}")
    with pytest.raises(Refusal, match=r"^10\.0\.0\.5 resolves to 10\.0\.0\.5, which is in a private network"):
        await ask("http://10.0.0.5/v1", "public")
    with pytest.raises(Refusal, match=r"^models\.invalid cannot be resolved here"):
        await ask("http://models.invalid/v1", "public")
    leads_to(monkeypatch, "models.example", "127.0.0.1")
    with pytest.raises(Refusal, match=r"^models\.example resolves to 127\.0\.0\.1"):
        await ask("http://models.example/v1", "public")
    assert await ask("http://10.0.0.5/v1", "network"), "the address of the proxy itself is its owner's choice"
    assert await ask("http://models.invalid/v1", "network")
    assert await ask("http://8.8.8.8/v1", "public")


@pytest.mark.process
async def test_a_host_that_nobody_knows_is_no_refusal():
    with pytest.raises(TransportError, match="no connection"):
        await ask("http://nobody.invalid/v1", "public")


@pytest.mark.process
@pytest.mark.parametrize(
    ("status", "azure"), [(status, azure) for status in (301, 302, 303, 307, 308) for azure in (0, 1)]
)
async def test_a_server_leads_nobody_elsewhere(port, status, azure):
    number, answered = port

    async def lead(_):
        return Response(status_code=status, headers={"location": f"http://127.0.0.1:{number}/v1/models"})

    routes = [Route("/{path:path}", lead, methods=["GET", "POST"])]
    version = "2024-10-21" if azure else None
    with serving(Starlette(routes=routes)) as root:
        wire = Wire(root)
        for body in (None, b"{}"):
            async with wire.request("/models", body, key="sk-own", patience=5, azure=version) as response:
                assert response.status == status
        await wire.close()
    assert not answered
