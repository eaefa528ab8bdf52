"""A database, and a client, for what is judged."""

import pytest

from characterbox.llm.client import Client
from characterbox.store import Store


@pytest.fixture
def store(tmp_path):
    store = Store(f"sqlite:///{tmp_path}/judged.db")
    yield store
    store.close()


@pytest.fixture
async def client():
    client = Client()
    yield client
    await client.close()
