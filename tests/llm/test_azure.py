"""Azure OpenAI: a deployment is asked at its own address, with the version of the API and the key in its header."""

import pytest
from pydantic import SecretStr, ValidationError
from starlette.applications import Starlette
from starlette.requests import Request as Asked
from starlette.responses import JSONResponse
from starlette.routing import Route

from characterbox.errors import EndpointError
from characterbox.llm.calls.client import Client
from characterbox.llm.calls.retry_policy import RetryPolicy
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.endpoint_check import probe
from characterbox.llm.request import ChatMessage, Request
from characterbox.llm.server import Server
from tests.fakes.in_process_servers import ToNearby, nearby
from tests.fakes.mock_server import MockServer

VERSION, KEY = "2024-10-21", "azure-very-secret"
PROSE = Request("r1/ann/action", "Ann", "en", (ChatMessage("user", "## Task: reaction\nAnn 行动"),))


class Azure:
    """A resource with one deployment, `my-gpt.4_o`, that takes one key and one version."""

    def __init__(self):
        self.mock = MockServer()
        self.paths = []
        self.says = 200
        """The status with which it answers the question for its models."""

    async def chat(self, request: Asked):
        self.paths.append(request.url.path)
        if request.headers.get("api-key") != KEY or "authorization" in request.headers:
            return JSONResponse({"error": {"code": "401", "message": "Access denied"}}, 401)
        if request.query_params["api-version"] != VERSION or request.path_params["name"] != "my-gpt.4_o":
            return JSONResponse({"error": {"code": "DeploymentNotFound", "message": "no such deployment"}}, 404)
        return await self.mock.chat(request)

    async def models(self, request: Asked):
        self.paths.append(f"{request.url.path}?{request.url.query}")
        return JSONResponse({}, self.says)

    def app(self):
        return Starlette(
            routes=[
                Route("/openai/deployments/{name:path}/chat/completions", self.chat, methods=["POST"]),
                Route("/openai/models", self.models),
            ]
        )


@pytest.fixture
def azure():
    azure = Azure()
    with nearby(azure.app()) as address:
        azure.url = address
        yield azure


def client_of(azure, key=KEY, version=VERSION):
    server = Server(url=azure.url, name="Azure", kind="azure", key="LAB_API_KEY", api_version=version)
    return Client(
        key_of=lambda name: key and SecretStr(key),
        servers=lambda url: server,
        patience=RetryPolicy(pause=0.001),
        transport=ToNearby(),
    )


async def test_a_deployment_is_asked_at_its_address(azure):
    client = client_of(azure)
    pieces = []
    endpoint = Endpoint(url=azure.url, model="my-gpt.4_o")
    done = await client.complete(endpoint, PROSE, seed=5)
    streamed = await client.complete(endpoint, PROSE, seed=5, on_token=lambda _, piece: pieces.append(piece))
    await client.close()
    assert done.text == streamed.text == "".join(pieces)
    assert done.text.startswith("They wait in the rain")
    assert azure.paths == ["/openai/deployments/my-gpt.4_o/chat/completions"] * 2


@pytest.mark.parametrize(
    ("key", "version", "told"),
    [
        ("other", VERSION, "check LAB_API_KEY"),
        (None, VERSION, "set LAB_API_KEY"),
        (KEY, "2020-01-01", "the deployment"),
    ],
)
async def test_what_is_refused_is_told_with_what_to_do(azure, key, version, told):
    client = client_of(azure, key, version)
    with pytest.raises(EndpointError, match=told) as caught:
        await client.complete(Endpoint(url=azure.url, model="my-gpt.4_o"), PROSE, seed=5)
    await client.close()
    assert KEY not in str(caught.value)


async def test_a_test_of_the_server_tries_all_but_the_list_of_deployments_which_is_not_told(azure):
    client = client_of(azure)
    found = await probe(client, Endpoint(url=azure.url, model="my-gpt.4_o"))
    await client.close()
    assert found.reachable
    assert found.models is None
    assert not {"models", "call", "stream"} & set(found.errors)


@pytest.mark.parametrize("status", [200, 401, 404, 503])
async def test_a_resource_that_answers_is_reachable_whatever_it_says(azure, status):
    azure.says = status
    client = client_of(azure)
    assert await client.reachable(azure.url)
    assert azure.paths == [f"/openai/models?api-version={VERSION}"]
    await client.close()


@pytest.mark.process
async def test_a_resource_that_is_down_is_not_reachable():
    nobody = Server(url="http://127.0.0.1:9", name="Azure", kind="azure", key="LAB_API_KEY", api_version=VERSION)
    client = Client(lambda _: nobody, key_of=lambda _: SecretStr(KEY))
    assert not await client.reachable(nobody.url)
    found = await probe(client, Endpoint(url=nobody.url, model="my-gpt.4_o"))
    await client.close()
    assert set(found.errors) == {"models", "call", "stream", "structured"}
    assert all("connection refused" in str(told) for told in found.errors.values())


@pytest.mark.parametrize("name", ["gpt-4", "GPT_4.1", "a", "d" * 64, "..x"])
def test_the_name_of_a_deployment_stands_in_the_path(name):
    lab = Server(url="https://a.example", name="A", kind="azure", api_version=VERSION, models=(name,))
    assert lab.path(name, embeds=False) == f"/deployments/{name}/chat/completions"


@pytest.mark.parametrize("name", [".", "..", "a/b", "a?b", "a#b", "a b", "a%2Fb", "模型", "d" * 65, "a\n", ""])
async def test_what_is_no_name_of_a_deployment_is_neither_kept_nor_asked_for(azure, name):
    lab = {"url": azure.url, "name": "A"}
    with pytest.raises(ValidationError, match="at most 64 characters"):
        Server(**lab, kind="azure", api_version=VERSION, models=("gpt-4", name))
    assert Server(**lab, kind="api", models=("org/model", name)).path(name, embeds=False) == "/chat/completions"
    client = client_of(azure)
    with pytest.raises(EndpointError, match="at most 64 characters"):
        await client.complete(Endpoint.model_construct(url=azure.url, model=name), PROSE, seed=5)
    await client.close()
    assert azure.paths == []


def test_the_address_of_a_deployment_is_none_of_a_resource():
    lab = {"url": "https://lab.example/openai/deployments/gpt-4", "name": "A"}
    assert Server(**lab, kind="api").url == lab["url"]
    with pytest.raises(ValidationError, match=r"enter only https://lab\.example as the address"):
        Server(**lab, kind="azure", api_version=VERSION)


@pytest.mark.parametrize(
    "url",
    ["https://lab.example/", "https://LAB.example", "https://lab.example/openai", "https://Lab.Example/openai/v1/"],
)
def test_the_addresses_of_one_resource_are_spelled_alike(url):
    assert Server(url=url, name="A", kind="azure", api_version=VERSION).spelled == "https://lab.example"


def test_elsewhere_only_the_host_is_spelled_alike():
    assert Server(url="HTTPS://Lab.example/OpenAI/v1", name="A", kind="api").spelled == "https://lab.example/OpenAI/v1"
    assert Server.unregistered("rehearsal").spelled == "rehearsal"


def test_the_version_belongs_to_azure_and_is_a_date():
    for more in (
        {"kind": "azure"},
        {"kind": "azure", "api_version": "latest"},
        {"kind": "api", "api_version": VERSION},
    ):
        with pytest.raises(ValidationError):
            Server(url="https://lab.openai.azure.com", name="Azure", **more)
    preview = Server(url="https://a.example", name="A", kind="azure", api_version="2025-04-01-preview")
    assert preview.path("m", embeds=False) == "/deployments/m/chat/completions"
