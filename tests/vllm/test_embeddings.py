"""Recall by meaning with real encoders: it finds what letters don't, and no text of a story is asked for twice."""

from collections import Counter
from contextlib import ExitStack

import pytest

from characterbox.llm.asking import OpenDoor
from characterbox.llm.calls.client import Client
from characterbox.llm.embeddings import EMBEDDINGS, EmbeddingRecord, JournaledEmbedder, vectors_in
from characterbox.llm.endpoint import Endpoint
from characterbox.play.memory import embedding
from characterbox.play.settings import MemorySettings, Settings
from characterbox.play.world import Script
from characterbox.scenes.library import bundled_scene
from characterbox.scenes.scene import slug_of
from characterbox.stage.stage import Stage
from characterbox.stage.step_details import behind_step
from characterbox.store.stories.stories import Branch
from tests.fakes.databases import store_in
from tests.fakes.journal import MemoryJournal
from tests.fakes.stories import casting_at
from tests.play.paraphrases.pairs import KEPT, pairs, recall
from tests.stage.control import place
from tests.stage.test_stage import REHEARSAL, at_rest
from tests.vllm.recall import recall_by
from tests.vllm.server import serving_encoder

pytestmark = pytest.mark.process

SCRIPT = Script(
    scene=bundled_scene("honglou-shigao"),
    rounds=4,
    settings=Settings(memory=MemorySettings(record_tokens=0, recalled=3)),
)
"""Of a story in which nothing stays in the record, so that all of it has to be recalled."""
WINDOW = 512
"""Tokens that E5 has room for."""
WORDS = " ".join(f"Ann counts the {number}th stair." for number in range(600))
"""A text of 3,000 words."""
HARDLY = 0.2
"""What is brought back by chance, and some more."""
ANSWERED = "vllm:request_success_total"
"""What a server counts the texts in that it has measured."""


@pytest.fixture(scope="module")
def e5(python, tmp_path_factory):
    """A server with multilingual-e5-small."""
    with serving_encoder(python, tmp_path_factory.mktemp("e5"), "e5") as server:
        yield server


@pytest.fixture(scope="module")
def minilm(python, tmp_path_factory):
    """A server with all-MiniLM-L6-v2, which knows English alone."""
    with serving_encoder(python, tmp_path_factory.mktemp("minilm"), "minilm") as server:
        yield server


@pytest.fixture
def recalling(e5):
    """A casting in which the rehearsal plays, and E5 measures what is recalled."""
    casting = casting_at(REHEARSAL, SCRIPT.scene)
    return casting.model_copy(update={"memory": Endpoint.parse(e5.at("e5"))})


@pytest.fixture
def open_stage(tmp_path):
    """Opens stages on one database, one after the other."""
    with ExitStack() as opened:

        def open_next():
            opened.close()
            stage = Stage(store_in(tmp_path / "stories.db"), Client())
            opened.callback(stage.close)
            return stage

        yield open_next


@pytest.fixture
def recalled_by(client, capsys):
    """Tells what a model brings back, in a language, beside what letters do, and gives both."""

    async def measured(model, language):
        by_letters, by_meaning = recall(embedding, pairs(language)), await recall_by(client, model, language)
        with capsys.disabled():
            print(f"\n{model.model}, {language}: recall at {KEPT} {by_meaning:.3f}, by letters {by_letters:.3f}")
        return by_meaning, by_letters

    return measured


@pytest.mark.parametrize(("language", "least"), [("en", 0.75), ("zh", 0.65)])
async def test_an_encoder_of_many_languages_finds_what_letters_miss(e5, recalled_by, language, least):
    by_meaning, by_letters = await recalled_by(Endpoint.parse(e5.at("e5")), language)
    assert by_meaning >= least > HARDLY > by_letters


async def test_an_encoder_of_english_finds_it_in_english_alone(minilm, recalled_by):
    model = Endpoint.parse(minilm.at("minilm"))
    by_meaning, by_letters = await recalled_by(model, "en")
    assert by_meaning >= 0.85 > HARDLY > by_letters
    assert (await recalled_by(model, "zh"))[0] < HARDLY


def own(stage, story):
    """The replies of the encoder in a story's journal."""
    return stage.store.stories.journal(story.id, under=EMBEDDINGS)


def asked_for(stage, story):
    """The texts that the story has asked for, each as often as it did."""
    return Counter(text for reply in own(stage, story) if reply.origin is None for text in vectors_in(reply))


def test_a_story_that_is_resumed_and_branched_has_no_text_measured_twice(open_stage, recalling, e5):
    before, stage = e5.count(ANSWERED), open_stage()
    story = stage.store.stories.create(SCRIPT, recalling, "app")
    for _ in range(3):
        stage.step(story.id, "round")
        assert at_rest(stage, story) == "paused"
    assert asked_for(stage, story)
    stage = open_stage()
    stage.resume(story.id)
    assert at_rest(stage, story) == "ended"
    texts = asked_for(stage, story)
    assert set(texts.values()) == {1}
    assert e5.count(ANSWERED) - before == len(texts)
    action = f"r3/{slug_of(SCRIPT.scene.names[0])}/action"
    assert behind_step(stage.store.stories, story, action)["measured"] == "e5"
    stage = open_stage()
    child = stage.branch(Branch(parent=story.id, at=place(stage, story, action), anew="all"))
    assert at_rest(stage, child) == "ended"
    new = asked_for(stage, child)
    assert new
    assert set(new.values()) == {1}
    assert not new.keys() & texts.keys()
    assert {reply.origin for reply in own(stage, child)} == {None, story.id}
    assert e5.count(ANSWERED) - before == len(texts) + len(new)


async def test_a_text_that_is_too_long_is_measured_by_its_beginning(e5, client):
    journal, endpoint = MemoryJournal(), Endpoint.parse(e5.at("e5"))
    embedder = JournaledEmbedder(journal, EmbeddingRecord(endpoint), client, OpenDoor(), None, "en")
    vectors = await embedder([WORDS, "Ann is out of breath."], "r1/ann/action")
    cut, whole = journal.kept
    [beginning], [rest] = cut.messages, cut.dropped
    assert WORDS.startswith(beginning.content)
    assert WORDS.endswith(rest)
    assert len(beginning.content) + len(rest) == len(WORDS)
    assert WINDOW / 3 < cut.usage.prompt_tokens <= WINDOW
    assert not whole.dropped
    again = await embedder([beginning.content], "r1/ann/action")
    assert vectors[WORDS] @ again[beginning.content] == pytest.approx(1, abs=0.001)
