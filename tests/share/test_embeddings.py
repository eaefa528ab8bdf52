"""A story with an embedding model as a file: its vectors come along, and damaged ones are refused."""

import asyncio
import json

import numpy as np
import pytest

from characterbox.errors import StoreError, StoryError
from characterbox.llm.embeddings import EMBEDDINGS, vectors_in
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.request import ChatMessage
from characterbox.llm.vectors import packed_vectors
from characterbox.share.story_file import bring_in, file_of, read_story_file
from characterbox.stage.playback_control import record_of
from tests.fakes.databases import store_in
from tests.fakes.stories import a_reply, a_story

E5 = Endpoint(url="http://127.0.0.1:8001/v1", model="e5")


def embedded(number, texts, size=4, model="e5"):
    return a_reply(
        f"{EMBEDDINGS}{number}",
        messages=tuple(ChatMessage("user", text) for text in texts),
        text=packed_vectors(np.arange(1.0, len(texts) * size + 1).reshape(len(texts), size)),
        endpoint=E5.model_copy(update={"model": model}),
    )


def put(store, story, *replies):
    """Write replies into the journal of a story."""

    async def write():
        with store.stories.claimed(story.id) as claimed:
            for reply in replies:
                await claimed.answered(reply)

    asyncio.run(write())


@pytest.fixture
def kept(tmp_path):
    """A store, and a story with the vectors of three texts."""
    store = store_in(tmp_path / "kept.db")
    story = a_story(store)
    store.stories.recast(story.id, story.casting.model_copy(update={"memory": E5}))
    put(store, story, embedded(1, ["Ann opens the safe.", "Bob shouts."]), embedded(2, ["Rain falls."]))
    yield store, store.stories.story(story.id)
    store.close()


def exported(kept):
    store, story = kept
    return json.loads(json.dumps(file_of(store.stories, story)))


def test_vectors_come_along_and_are_known_where_the_story_is_imported(kept, tmp_path):
    other = store_in(tmp_path / "other.db")
    story = bring_in(other.stories, read_story_file(json.dumps(exported(kept)).encode()))
    record = record_of(other.stories, story).embeddings
    assert story.casting.memory == E5
    assert {*record.vectors} == {"Ann opens the safe.", "Bob shouts.", "Rain falls."}
    assert record.next_path() == f"{EMBEDDINGS}3"
    other.close()


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ({"text": "????"}, "reply 2 of the journal, text: it holds no embeddings of its messages"),
        ({"text": ""}, "it holds no embeddings"),
        ({"messages": []}, "it holds no embeddings"),
        ({"text": packed_vectors(np.ones((1, 5)))}, "its embeddings have another size than those before"),
        ({"path": f"{EMBEDDINGS}0"}, "path: its format is not valid"),
        ({"path": f"{EMBEDDINGS}../x"}, "path: its format is not valid"),
    ],
)
def test_damaged_vectors_are_refused_with_their_place(kept, damage, said):
    content = exported(kept)
    content["journal"][1] |= damage
    with pytest.raises(StoryError, match="reply 2 of the journal") as refused:
        read_story_file(json.dumps(content).encode())
    assert said in str(refused.value)


def test_vectors_of_two_sizes_in_a_database_stop_the_story_with_a_reason(kept):
    store, story = kept
    put(store, story, embedded(3, ["Snow."], size=5))
    with pytest.raises(StoreError, match="vectors of one model have 4 and 5 numbers"):
        record_of(store.stories, story)


def test_those_of_another_model_are_left_alone(kept):
    store, story = kept
    put(store, story, embedded(3, ["Snow."], size=5, model="other"))
    assert "Snow." not in record_of(store.stories, story).embeddings.vectors


def test_what_was_too_long_is_known_by_its_whole_text():
    reply = a_reply(
        f"{EMBEDDINGS}1",
        messages=(ChatMessage("user", "The be"),),
        text=packed_vectors(np.ones((1, 4))),
        dropped=("ginning.",),
    )
    assert [*vectors_in(reply)] == ["The beginning."]
