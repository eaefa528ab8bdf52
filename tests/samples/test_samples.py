"""The sample stories: whole, readable, and in the database once."""

import asyncio
from dataclasses import replace

import pytest

from characterbox.errors import AddressError, EndpointError
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import HANDWRITTEN, Endpoint
from characterbox.llm.request import ChatMessage, Request
from characterbox.play.settings import Settings
from characterbox.samples import bring, bring_samples, samples
from characterbox.stage.step_details import behind_steps
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_story

pytestmark = pytest.mark.slow

KINDS = {"action", "dialogue", "action_influence", "reaction", "interaction_result", "character_update",
         "environment_update", "self_belief", "environment_belief", "story_ended"}  # fmt: skip


def test_there_are_two_in_each_language_of_three_rounds():
    assert [one.script.scene.language for one in samples()] == ["en", "en", "zh", "zh"]
    assert {one.script.rounds for one in samples()} == {3}


@pytest.mark.parametrize("sample", samples(), ids=lambda one: one.id)
def test_a_sample_is_a_whole_story_with_all_steps_of_the_narrator(store, sample):
    bring(store.stories, sample)
    story, events = store.stories.story(sample.id), store.stories.events(sample.id)
    assert story.status == "ended"
    assert {event.kind for event in events} == KINDS
    assert [event.path for event in events if event.degraded] == []
    assert {reply.path for reply in store.stories.journal(story.id)} == sample.replies.keys()
    for name in sample.script.scene.names:
        believed = [event.round for event in events if event.kind == "self_belief" and event.character == name]
        assert believed == [0, 1, 2, 3]


@pytest.mark.parametrize("sample", samples(), ids=lambda one: one.id)
def test_chinese_is_set_in_chinese_and_english_in_english(sample):
    text = str(sample.replies)
    han = sum("\u4e00" <= letter <= "\u9fff" for letter in text) / len(text)
    assert han > 0.5 if sample.script.scene.language == "zh" else han == 0


def test_they_are_brought_once_and_to_databases_without_stories_only(store):
    bring_samples(store)
    bring_samples(store)
    assert [story.id for story in store.stories.stories()] == [sample.id for sample in samples()]
    events = {sample.id: store.stories.events(sample.id) for sample in samples()}
    bring_samples(store)
    assert {id: store.stories.events(id) for id in events} == events


def test_a_database_with_a_story_is_left_alone(store):
    story = a_story(store, a_scene())
    bring_samples(store)
    assert [one.id for one in store.stories.stories()] == [story.id]


def test_one_that_was_cut_off_is_completed(store, monkeypatch):
    sample = samples()[0]
    with pytest.raises(KeyError, match="r2"):
        bring(store.stories, replace(sample, replies=_before(sample, "r2/mr-darcy/action")))
    assert store.stories.story(sample.id).status == "running"
    bring_samples(store)
    assert store.stories.story(sample.id).status == "ended"
    events = store.stories.events(sample.id)
    assert events[-1].kind == "story_ended"
    assert len({event.path for event in events}) == len(events)
    assert len(store.stories.journal(sample.id)) == len(sample.replies)


def _before(sample, path):
    """The replies up to one of them."""
    return dict(list(sample.replies.items())[: [*sample.replies].index(path)])


def test_what_an_earlier_version_stored_stays_as_it_is(store):
    """Also where its start was ended in the middle of it: the replies of today do not go on from there."""
    sample = samples()[0]
    earlier = replace(sample, script=sample.script.model_copy(update={"settings": Settings(prompts=1)}))
    with pytest.raises(KeyError, match="dialogue"):
        bring(store.stories, earlier)
    told = store.stories.events(sample.id)
    bring_samples(store)
    assert store.stories.story(sample.id).script == earlier.script
    assert store.stories.events(sample.id) == told
    assert store.stories.count() == len(samples())


def test_they_are_marked_as_written_by_hand(store):
    sample = samples()[0]
    bring(store.stories, sample)
    story = store.stories.story(sample.id)
    assert story.casting.handwritten
    assert story.casting.improvised == "all"  # no result of a language model
    steps = behind_steps(store.stories, story)["steps"].values()
    assert {take["author"] for step in steps for take in step["takes"]} == {"human"}


def test_nobody_answers_in_their_place():
    with pytest.raises(AddressError, match="it has no model to call"):
        Endpoint.parse(HANDWRITTEN)
    request = Request("r1/ann/action", "Ann", "en", (ChatMessage("user", "?"),))
    with pytest.raises(EndpointError, match="written by hand"):
        asyncio.run(Client().complete(Endpoint(url=HANDWRITTEN, model=HANDWRITTEN), request, seed=1))
