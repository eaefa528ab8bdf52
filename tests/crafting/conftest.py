"""What crafting is tested with: models that have their replies at hand."""

import pytest

from tests.crafting.running_craftings import BETTER, GOOD
from tests.fakes.crafting_models import Crew
from tests.fakes.in_process_servers import nearby


@pytest.fixture
def crew():
    crew = Crew(drafts=[GOOD, BETTER], scores=[2, 5])
    with nearby(crew.app()) as address:
        crew.url = f"{address}/v1"
        yield crew
