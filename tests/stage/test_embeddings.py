"""Recall by meaning: an embedding model is asked once for each text of a story, whatever becomes of the story."""

from collections import Counter, deque

import pytest

from characterbox.llm.embeddings import EMBEDDINGS, vectors_in
from characterbox.llm.endpoint import Endpoint
from characterbox.play.settings import MemorySettings, Settings
from characterbox.stage.forecast import loads
from characterbox.stage.step_details import behind_step, behind_steps
from characterbox.store.stories.stories import Branch
from tests.fakes.in_process_servers import nearby_mock
from tests.fakes.reasons import a_reason
from tests.stage.control import SCRIPT, place
from tests.stage.test_stage import at_rest

pytestmark = pytest.mark.process

LONGER = SCRIPT.model_copy(
    update={"rounds": 4, "settings": Settings(memory=MemorySettings(record_tokens=0, recalled=3))}
)
"""Of a story in which nothing stays in the record, so that all of it has to be recalled."""


@pytest.fixture
def embedder():
    with nearby_mock(models=("e",)) as server:
        yield server


@pytest.fixture
def recalling(casting, embedder):
    return casting.model_copy(update={"memory": Endpoint(url=embedder.url, model="e")})


@pytest.fixture
def recalled(stage, recalling):
    """A story with an embedding model, played to its end."""
    story = stage.launch(LONGER, recalling)
    assert at_rest(stage, story) == "ended"
    return story


def own(stage, story):
    return stage.store.stories.journal(story.id, under=EMBEDDINGS)


def texts_of(replies):
    return Counter(text for reply in replies for text in vectors_in(reply))


def test_each_text_is_asked_for_once_and_its_vector_is_journaled(stage, recalled, embedder):
    assert embedder.embedded
    assert set(Counter(embedder.embedded).values()) == {1}
    replies = own(stage, recalled)
    assert texts_of(replies) == Counter(embedder.embedded)
    assert [reply.path for reply in replies] == [f"{EMBEDDINGS}{n}" for n in range(1, len(replies) + 1)]
    assert all(reply.usage.prompt_tokens and reply.usage.completion_tokens == 0 for reply in replies)
    assert stage.store.stories.unanswered(recalled.id) == 0
    assert len(replies) <= LONGER.rounds, "what all characters need in a round is asked for at once"


def test_what_is_recalled_is_nearest_by_the_vectors_and_told_so(stage, recalled):
    known = {text: vector for reply in own(stage, recalled) for text, vector in vectors_in(reply).items()}
    found = behind_step(stage.store.stories, recalled, "r4/ann/action")
    assert found["measured"] == "e"
    back = [one for one in found["memory"] if one["recalled"]]
    assert len(back) == 3
    assert all(0 <= one["relevance"] <= 1 and one["text"] in known for one in back)
    assert all(one["relevance"] is None for one in found["memory"] if not one["recalled"])
    by_the_narrator = behind_step(stage.store.stories, recalled, "r4/ann/influence")
    assert by_the_narrator["measured"] is None
    whole = behind_steps(stage.store.stories, recalled)["steps"]["r4/ann/action"]
    assert whole["measured"] == "e"
    assert [one["relevance"] for one in whole["memory"]] == [one["relevance"] for one in found["memory"]]


def test_a_story_that_is_resumed_asks_for_no_text_twice(stage, recalling, embedder, server):
    story = stage.store.stories.create(LONGER, recalling, "app")
    turns = 0
    while stage.store.stories.story(story.id).status != "ended":
        stage.step(story.id, "turn")
        at_rest(stage, story)
        turns += 1
    assert turns > 4
    assert set(Counter(embedder.embedded).values()) == {1}
    calls = len(server.seen)
    stage.store.stories.move(story.id, "failed", a_reason("cut short"))
    stage.resume(story.id)
    assert at_rest(stage, story) == "ended"
    assert (len(server.seen), set(Counter(embedder.embedded).values())) == (calls, {1})


@pytest.mark.parametrize("anew", ["all", "this", "changed"])
def test_a_branch_asks_for_no_text_that_the_story_has_asked_for(stage, recalled, embedder, anew):
    before = Counter(embedder.embedded)
    at = place(stage, recalled, "r3/bob/action")
    child = stage.branch(Branch(parent=recalled.id, at=at, anew=anew))
    assert at_rest(stage, child) == "ended"
    assert set(Counter(embedder.embedded).values()) == {1}
    replies = own(stage, child)
    assert {reply.origin for reply in replies} <= {None, recalled.id}
    assert texts_of(replies)
    assert len(replies) == len({reply.path for reply in replies})
    if anew == "changed":
        assert Counter(embedder.embedded) == before
    grandchild = stage.branch(Branch(parent=child.id, at=at, anew="changed"))
    assert at_rest(stage, grandchild) == "ended"
    assert set(Counter(embedder.embedded).values()) == {1}
    asked_here = [reply for reply in own(stage, grandchild) if reply.origin is None]
    assert asked_here == []


def test_a_branch_by_another_embedding_model_measures_anew(stage, recalled, recalling, embedder):
    other = recalling.model_copy(update={"memory": Endpoint(url=embedder.url, model="f")})
    before = len(embedder.embedded)
    at = place(stage, recalled, "r3/bob/action")
    child = stage.branch(Branch(parent=recalled.id, at=at, anew="changed"), other)
    assert at_rest(stage, child) == "ended"
    assert len(embedder.embedded) > before
    assert {reply.endpoint.model for reply in own(stage, child)} == {"f"}
    events = stage.store.stories.events
    assert events(child.id)[: at - 1] == events(recalled.id)[: at - 1]


def test_what_an_endpoint_takes_at_once_is_found_out(stage, recalling, embedder):
    embedder.most_texts = 3
    story = stage.launch(LONGER, recalling)
    assert at_rest(stage, story) == "ended"
    assert set(Counter(embedder.embedded).values()) == {1}
    assert max(len(reply.messages) for reply in own(stage, story)) <= 3
    assert stage.store.stories.unanswered(story.id) == 0, "what was refused for its size is asked under the same mark"


def test_of_a_text_that_is_too_long_its_beginning_is_measured_and_the_rest_is_told(stage, recalling, embedder):
    embedder.text_window = 40
    story = stage.launch(LONGER, recalling)
    assert at_rest(stage, story) == "ended"
    cut = [reply for reply in own(stage, story) if reply.dropped]
    assert cut
    for reply in cut:
        [message], [rest] = reply.messages, reply.dropped
        assert len(message.content) <= 40
        assert list(vectors_in(reply)) == [message.content + rest]
    at = place(stage, story, "r3/bob/action")
    asked = len(embedder.embedded)
    child = stage.branch(Branch(parent=story.id, at=at, anew="changed"))
    assert at_rest(stage, child) == "ended"
    assert len(embedder.embedded) == asked


def test_an_endpoint_that_fails_stops_the_story_which_goes_on_later(stage, recalling, embedder):
    embedder.faults_at["embeddings"] = deque(["401"])
    story = stage.launch(LONGER, recalling)
    assert at_rest(stage, story) == "failed"
    assert "401" in str(stage.store.stories.story(story.id).reason)
    stage.resume(story.id)
    assert at_rest(stage, story) == "ended"
    assert set(Counter(embedder.embedded).values()) == {1}


@pytest.mark.parametrize("fault", ["malformed", "no_choices", "html"])
def test_what_holds_no_embeddings_is_asked_again(stage, recalling, embedder, fault):
    embedder.faults_at["embeddings"] = deque([fault])
    story = stage.launch(LONGER, recalling)
    assert at_rest(stage, story) == "ended"
    assert own(stage, story)[0].usage.attempts == 2


def test_vectors_of_another_size_stop_the_story(stage, recalling, embedder):
    story = stage.store.stories.create(LONGER, recalling, "app")
    for _ in range(3):
        stage.step(story.id, "round")
        at_rest(stage, story)
    assert own(stage, story)
    embedder.dimensions = 9
    stage.resume(story.id)
    assert at_rest(stage, story) == "failed"
    assert "9 numbers now and had 8 before" in str(stage.store.stories.story(story.id).reason)


def test_the_forecast_counts_the_calls_for_vectors(recalling, stage, recalled):
    load = loads(LONGER, recalling, dict.fromkeys(recalling.endpoints))[recalling.memory]
    assert load.calls == len(own(stage, recalled))
    assert load.prompt_tokens > 0
    assert load.completion_tokens == 0
    plain = recalling.model_copy(update={"memory": None})
    assert {*loads(LONGER, plain, dict.fromkeys(plain.endpoints))} == {recalling.narrator}


def test_its_calls_are_told_as_those_of_an_embedding_model(stage, recalled):
    calls = [call for call in stage.store.spending.calls() if call.role == "embedding model"]
    assert [call.path for call in calls] == [reply.path for reply in own(stage, recalled)]
    [spent] = stage.store.spending.spending()
    assert spent.embeddings.spent.calls == len(calls)
    assert spent.characters.spent.calls + spent.narrator.spent.calls == len(
        stage.store.stories.journal(recalled.id, "r")
    )


def test_one_text_that_is_too_long_does_not_part_the_others_for_good(stage, recalling, recalled, embedder):
    embedder.text_window = max(map(len, embedder.embedded)) - 1
    story = stage.launch(LONGER, recalling)
    assert at_rest(stage, story) == "ended"
    replies = own(stage, story)
    cut = [number for number, reply in enumerate(replies) if reply.dropped]
    assert cut
    assert max(len(reply.messages) for reply in replies[cut[0] :]) > 1
