"""What crafting is tested with: models that have their replies at hand."""

import pytest

from tests.crafting.at_work import BETTER, GOOD
from tests.fakes.crew import Crew
from tests.fakes.nearby import nearby


@pytest.fixture
def crew():
    crew = Crew(drafts=[GOOD, BETTER], scores=[2, 5])
    with nearby(crew.app()) as address:
        crew.url = f"{address}/v1"
        yield crew
