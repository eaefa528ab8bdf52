"""A database, and a client, for what is judged."""

import pytest

from characterbox.llm.client import Client
from tests.fakes.databases import store_in
from tests.fakes.nearby import ToNearby


@pytest.fixture
def store(tmp_path):
    store = store_in(tmp_path / "judged.db")
    yield store
    store.close()


@pytest.fixture
async def client():
    client = Client(transport=ToNearby())
    yield client
    await client.close()
