"""A database, and a client, for what is judged."""

import pytest

from characterbox.llm.client import Client
from tests.fakes.databases import store_in


@pytest.fixture
def store(tmp_path):
    store = store_in(tmp_path / "judged.db")
    yield store
    store.close()


@pytest.fixture
async def client():
    client = Client()
    yield client
    await client.close()
