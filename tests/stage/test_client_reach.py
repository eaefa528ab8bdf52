"""With accounts on, the app asks those of this computer and its network alone that an admin has registered."""

import pytest

from characterbox.accounts.account import COMMAND_LINE
from characterbox.errors import EndpointError
from characterbox.llm.server import Server
from characterbox.settings import settings
from characterbox.stage.client import open_client
from tests.fakes.host_names import leads_to
from tests.fakes.mock_server import mock_server

pytestmark = pytest.mark.process


@pytest.fixture
def accounts(monkeypatch):
    monkeypatch.setenv("CHARACTERBOX_AUTH", "local")
    settings.cache_clear()
    yield
    settings.cache_clear()


async def offered(store, url, **options):
    client = open_client(store, **options)
    try:
        return await client.offers(url)
    finally:
        await client.close()


async def test_what_nobody_registered_is_not_asked_on_this_computer(store, accounts):
    with mock_server() as server:
        with pytest.raises(EndpointError, match=r"leads to 127\.0\.0\.1, .*; an admin can allow it on the Models page"):
            await offered(store, server.url)
        assert await offered(store, server.url, for_owner=True)
        store.servers.save(COMMAND_LINE, Server(url=server.url, name="Here", kind="vllm"))
        assert await offered(store, server.url)


async def test_a_name_that_leads_here_needs_more_than_being_registered(store, accounts, monkeypatch):
    leads_to(monkeypatch, "models.example", "127.0.0.1")
    with mock_server() as server:
        url = server.url.replace("127.0.0.1", "models.example")
        store.servers.save(COMMAND_LINE, Server(url=url, name="Name", kind="api"))
        with pytest.raises(EndpointError, match=r"leads to 127\.0\.0\.1"):
            await offered(store, url)
        store.servers.save(COMMAND_LINE, Server(url=url, name="Name", kind="api", private=True))
        assert await offered(store, url)


async def test_without_accounts_nothing_is_refused(store):
    with mock_server() as server:
        assert await offered(store, server.url)
