"""What crafting is tested with: a database, and models that have their replies at hand."""

import pytest

from tests.crafting.at_work import BETTER, GOOD
from tests.fakes.crew import Crew
from tests.fakes.databases import store_in
from tests.fakes.nearby import nearby


@pytest.fixture
def store(tmp_path):
    store = store_in(tmp_path / "c.db")
    yield store
    store.close()


@pytest.fixture
def crew():
    crew = Crew(drafts=[GOOD, BETTER], scores=[2, 5])
    with nearby(crew.app()) as address:
        crew.url = f"{address}/v1"
        yield crew
