"""A real server, and an English and a Chinese story that were played through it."""

import os
from pathlib import Path

import pytest

from characterbox.llm.calls.client import Client
from tests.vllm.played import play_story
from tests.vllm.server import ENVIRONMENT, serving

SCENES = ("treasure-watch", "honglou-shigao")


@pytest.fixture(scope="session")
def python():
    """The Python that has a real vLLM, in an environment in which the server works."""
    python = os.environ.get("CHARACTERBOX_VLLM")
    if python is None:
        pytest.skip("no real vLLM is set up here: make test-vllm")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        yield Path(python).absolute()


@pytest.fixture(scope="session")
def server(python, tmp_path_factory):
    """The server; it is loaded once."""
    with serving(python, tmp_path_factory.mktemp("vllm")) as server:
        yield server


@pytest.fixture(scope="session")
def database(tmp_path_factory):
    return tmp_path_factory.mktemp("stories") / "vllm.db"


@pytest.fixture(scope="session")
def stories(server, database):
    """The stories, played one after the other."""
    return {name: play_story(server, name, database) for name in SCENES}


@pytest.fixture(params=SCENES)
def story(request, stories):
    return stories[request.param]


@pytest.fixture
async def client():
    client = Client()
    yield client
    await client.close()
