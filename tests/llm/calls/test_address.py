"""What people give as the address of a server, and can't have meant, is refused with what to write instead."""

from urllib.parse import urlsplit

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from annotations.i18n.translation import speaking, translate
from characterbox.errors import AddressError
from characterbox.llm.calls.address import fault, fault_on_azure
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.server import Server

LONG = ".".join(["a" * 61] * 4)
"""A host of 247 characters."""


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8000/v1",
        "http://[::1]:8000/v1/",
        "http://my_host/v1",
        "https://llm.例子.cn/v1.5/a..b",
        "https://llm.example.org./v1",
        "https://lab.openai.azure.com/openai/v1",
        "https://gateway.example/openai/deployments/gpt-4",
        "https://gateway.example/completions/v1",
        "https://lab.services.ai.azure.com/models",
        f"https://{'a' * 63}.example/v1",
        f"https://{LONG}.12345/v1",
        "rehearsal",
        "gpt-4/chat/completions",
        "http://[h/v1",
    ],
)
def test_what_may_be_an_address_or_is_no_url_has_no_fault(url):
    assert fault(url) is None


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://h/v1/chat/completions", "https://h/v1"),
        (" https://h:8000/v1/chat/completions/ ", "https://h:8000/v1"),
        ("https://h/v1/completions", "https://h/v1"),
        ("https://h/v1/responses", "https://h/v1"),
        ("https://h/chat/completions?key=pw", "https://h"),
        ("https://h/models/chat/completions?api-version=2024-05-01-preview", "https://h/models"),
    ],
)
def test_where_calls_go_is_told_from_the_address(url, address):
    told = fault(url)
    assert f"enter only {address}" in str(told)
    assert "pw" not in str(told)


@pytest.mark.parametrize("version", ["", "?api-version=2024-10-21"])
@pytest.mark.parametrize("before", ["https://lab.openai.azure.com", "https://gateway.example/lab"])
@pytest.mark.parametrize("call", ["/chat/completions", "/completions"])
def test_the_target_uri_of_a_deployment_is_told_from_its_address(before, call, version):
    told = fault(f"{before}/openai/deployments/gpt-4{call}{version}")
    assert f"enter only {before} as the address; the deployment name is the part after" in str(told)
    assert "api-version" not in str(told)


def test_the_folder_of_a_deployment_is_no_address_on_azure_but_may_be_one_elsewhere():
    url = "https://lab.example/openai/deployments/gpt-4"
    assert fault(url) is None
    assert "enter only https://lab.example as the address" in str(fault_on_azure(url))
    assert fault(f"{url}?api-version=2024-10-21") == fault_on_azure(url)
    assert fault_on_azure("https://lab.example/openai") is None


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("https://h/v1#m", "cannot contain #"),
        ("https://h/v1#", "cannot contain #"),
        ("https://h/a/../v1", "cannot have . or .."),
        ("https://h/./v1", "cannot have . or .."),
        ("https://h/%2e%2E/v1", "cannot have . or .."),
        ("https://h/v1/..", "cannot have . or .."),
        (f"https://{'a' * 3000}/v1", "not a valid host name"),
        (f"https://{'a' * 64}.example/v1", "not a valid host name"),
        (f"https://{LONG}.1234567/v1", "not a valid host name"),
        (f"https://{'例' * 60}.cn/v1", "not a valid host name"),
        ("https://a..b/v1", "not a valid host name"),
    ],
)
def test_what_no_address_has_is_told(url, told):
    assert told in str(fault(url))


def test_nothing_is_said_of_a_url_with_a_password():
    assert fault("https://me:pw@h/v1/chat/completions") is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("https://h/v1/chat/completions#m", "enter only https://h/v1; enter URL#MODEL"),
        ("https://h/../v1#m", "cannot have . or .."),
        ("https://h/chat/completions?key=pw#m", "enter only https://h; enter URL#MODEL"),
    ],
)
def test_endpoints_that_people_name_are_looked_at_alike(text, told):
    with pytest.raises(AddressError) as caught:
        Endpoint.parse(text)
    assert told in str(caught.value)
    assert "pw" not in str(caught.value)


def test_stories_that_are_stored_with_such_an_address_can_be_read():
    url = "https://h/v1/chat/completions"
    assert Endpoint(url=url, model="m").url == url


def test_what_to_write_is_told_in_the_language_of_the_one_who_writes():
    with speaking("zh"):
        assert (
            translate(fault("https://h/v1/chat/completions"))
            == "调用时会自动加上 /chat/completions；地址只需填写 https://h/v1"
        )


@pytest.mark.parametrize(
    "host",
    [
        "a.example\\.b", "a.example\\@b.example", "１２７.0.0.1", "127。0。0。1", "a%2eb.example", "%31%30.0.0.5",
        "a^b", "ℌ.example", "a;b", "a|b", "a.example\tb", "[fe80::1%25eth0]",
    ],
)  # fmt: skip
@pytest.mark.parametrize("around", ["", " "])
def test_a_host_that_can_be_read_in_two_ways_belongs_to_no_server(host, around):
    with pytest.raises(ValidationError):
        Server(url=f"{around}http://{host}/v1{around}", name="S", kind="api")


@given(st.text(st.sampled_from("a1.-:/@?#[]%\\ \t。．｡１İßé|^;,"), min_size=1, max_size=12))
def test_all_read_the_same_host_from_the_address_of_a_server(host):
    try:
        server = Server(url=f"http://{host}/v1", name="S", kind="api")
    except ValidationError:
        return
    assert urlsplit(server.url).hostname == httpx2.URL(server.url).host


@pytest.mark.parametrize("host", ["bücher.example", "EXAMPLE.com:80", "[::1]:8000", "my_gpu", "a.example.", "10.0.0.5"])
def test_usual_hosts_are_taken(host):
    assert Server(url=f"http://{host}/v1", name="S", kind="api")
