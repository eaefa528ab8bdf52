"""A client for what is judged."""

import pytest

from characterbox.llm.calls.client import Client
from tests.fakes.in_process_servers import ToNearby


@pytest.fixture
async def client():
    client = Client(transport=ToNearby())
    yield client
    await client.close()
