"""Each example of a call is what the journal holds: what was sent, and what was read of the reply."""

import asyncio
import json
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from characterbox.llm.request import AGAIN
from characterbox.play.paths import NARRATED, parse_path
from characterbox.prompts import words
from characterbox.training.datasets.calls import ReadingRules, Source, character_calls, narrator_calls
from characterbox.training.datasets.example import Example
from tests.training.datasets.random_replies import MODEL, drawn_story


def calls(store, story, reading=None):
    """All that the calls of a story give, those of the narrator first."""
    source = Source.of(store, story, reading or ReadingRules())
    return [*narrator_calls(store, source), *character_calls(store, source, story.script.scene.names)]


def told(value, form, language):
    """What was read, as a reply in the form."""
    if form is None:
        return value or words(language).silence
    fields = value.model_dump(mode="json")
    return {name: fields[name] for name in form.schema["properties"]}


def as_asked(story, value, form):
    """An action as it was asked for: by the names that the one who acts has for others."""
    if form is None or form.name != "action" or value.to is None:
        return value
    names = next(one["enum"] for one in form.schema["properties"]["to"]["anyOf"] if "enum" in one)
    masks = {alias.name: who.name for who in story.script.scene.cast for alias in who.known_as}
    return value.model_copy(update={"to": next(name for name in names if masks.get(name, name) == value.to)})


@given(seed=st.integers(0, 10_000))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.slow
def test_an_example_is_what_was_asked_and_what_was_read(store, seed):
    story, read = asyncio.run(drawn_story(store, seed))
    journal = {reply.path: reply for reply in store.stories.journal(story.id, "r")}
    found = calls(store, story)
    examples = {one.provenance.path: one for one in found if isinstance(one, Example)}
    for path, example in examples.items():
        reply, (value, form) = journal[path], read[path]
        assert example.messages[:-1] == reply.messages
        assert (example.provenance.story, example.provenance.take) == (story.id, 0)
        assert example.provenance.prompt == reply.digest
        answer = example.messages[-1]
        assert answer.role == "assistant"
        wanted = told(as_asked(story, value, form), form, story.script.scene.language)
        assert (answer.content if form is None else json.loads(answer.content)) == wanted
    again = {path.removesuffix(AGAIN) for path in journal if path.endswith(AGAIN)}
    assert not again & examples.keys()
    asked = {path for path in journal if not path.endswith(AGAIN)}
    degraded = {path for path in asked if read[path][0] is None}
    incomplete = {path for path in asked - again - degraded if _says_nothing_of_words(*read[path])}
    assert examples.keys() == asked - again - degraded - incomplete, "all others have a reason why they are none"
    left_out = Counter(one for one in found if not isinstance(one, Example))
    assert left_out == +Counter(asked_again=len(again - degraded), degraded=len(degraded), incomplete=len(incomplete))


def _says_nothing_of_words(value, form):
    """Whether an action was read without the field of its words."""
    return form is not None and form.name == "action" and "dialogue" not in value.model_fields_set


async def test_the_narrator_and_the_characters_have_calls_of_their_own(store):
    story, _ = await drawn_story(store, 3)
    source = Source.of(store, story, ReadingRules())
    narrated = [one for one in narrator_calls(store, source) if isinstance(one, Example)]
    acted = [one for one in character_calls(store, source, ["Ann"]) if isinstance(one, Example)]
    assert narrated
    assert acted
    assert all(parse_path(one.provenance.path)[0].step in NARRATED for one in narrated)
    assert all(parse_path(one.provenance.path)[0].character == "ann" for one in acted)
    assert {tuple(one.provenance.models) for one in narrated} == {("narrator",)}
    assert acted[0].provenance.models == {"narrator": MODEL.model, "character": MODEL.model}
