"""A stage on a server that answers nearby, and stories on it."""

import pytest

from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.journal import Record
from characterbox.stage.stage import Stage
from tests.fakes.databases import store_in
from tests.fakes.in_process_servers import ToNearby, nearby_mock
from tests.fakes.stories import casting_at
from tests.stage.control import BELIEFS_OF, SCRIPT
from tests.stage.test_stage import at_rest


@pytest.fixture
def server():
    with nearby_mock() as server:
        yield server


@pytest.fixture
def casting(server):
    return casting_at(Endpoint(url=server.url, model="m"), SCRIPT.scene)


@pytest.fixture
def stage(tmp_path):
    stage = Stage(store_in(tmp_path / "control.db"), Client(transport=ToNearby()))
    yield stage
    stage.close()


@pytest.fixture
def ended(stage, casting):
    """A story that was played to its end."""
    story = stage.launch(SCRIPT, casting)
    assert at_rest(stage, story) == "ended"
    return story


@pytest.fixture
def cued(stage, casting):
    """Starts a story in which people play, up to their first cue after the beliefs before the first round."""

    def start(*people):
        story = stage.launch(SCRIPT, casting, people)
        assert at_rest(stage, story) == "cued"
        for question in stage.questions(story.id):
            if question.path.startswith("r0/"):
                stage.answer(story.id, question.path, BELIEFS_OF[question.path.split("/")[-1]])
                assert at_rest(stage, story) == "cued"
        return story

    return start


@pytest.fixture
def looked_up(monkeypatch):
    """The paths of the questions that were put to a record, and so had their whole prompts made."""
    paths = []
    find = Record.find

    def heard(record, request):
        paths.append(request.path)
        return find(record, request)

    monkeypatch.setattr(Record, "find", heard)
    return paths
