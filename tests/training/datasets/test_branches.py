"""What a branch has taken over from other stories counts by who wrote it."""

from dataclasses import replace

import pytest

from characterbox.errors import TrainingError
from characterbox.llm.endpoint import Endpoint
from characterbox.training.datasets.calls import ReadingRules, Source, character_calls, narrator_calls
from characterbox.training.datasets.example import Example
from characterbox.training.datasets.recipe import DatasetRecipe
from characterbox.training.datasets.writing import write_dataset
from tests.training.datasets.random_replies import MODEL, drawn_story

pytestmark = pytest.mark.slow
OTHER = Endpoint(url="http://127.0.0.1:9/v1", model="other")


async def branch(store, **taken_over):
    """A story whose first round has replies that were taken over; gives it with the paths of these."""
    story, _ = await drawn_story(store, 5)
    events, journal = store.stories.events(story.id), store.stories.journal(story.id)
    first = [reply.path.startswith("r1/") for reply in journal]
    changed = [replace(reply, **taken_over) if old else reply for reply, old in zip(journal, first, strict=True)]
    copy = story.model_copy(update={"id": store.stories.new_id()})
    store.stories.bring(copy, events, changed, [])
    return store.stories.story(copy.id), {reply.path for reply in journal if reply.path.startswith("r1/")}


@pytest.mark.parametrize(
    "taken_over",
    [
        {"endpoint": Endpoint.parse("rehearsal")},
        {"endpoint": Endpoint.parse("http://127.0.0.1:9/v1#rehearsal-plain")},
        {"endpoint": Endpoint(url="handwritten", model="handwritten")},
        {"origin": "sample"},
    ],
)
async def test_with_some_of_the_rehearsal_or_of_a_sample_it_is_left_out_or_marked(store, tmp_path, taken_over):
    store.samples.note("sample")
    story, _ = await branch(store, **taken_over)
    recipe = DatasetRecipe(kind="narrator", stories=(story.id,))
    with pytest.raises(TrainingError, match="1 story: the built-in rehearsal or a sample wrote some of it"):
        write_dataset(store, recipe, tmp_path / "data")
    report = write_dataset(store, recipe.model_copy(update={"improvised": True}), tmp_path / "data")
    assert report.splits["train"].improvised == report.splits["train"].examples > 0


async def test_only_replies_of_the_chosen_models_are_learnt(store):
    story, old = await branch(store, endpoint=OTHER)
    source, cast = Source.of(store, story, ReadingRules()), story.script.scene.names
    for model, wanted in ((MODEL, False), (OTHER, True)):
        for found in (
            [*narrator_calls(store, source, [model.model])],
            [*character_calls(store, source, cast, [model.model])],
        ):
            examples = [one.provenance for one in found if isinstance(one, Example)]
            assert {one.path in old for one in examples} == {wanted}
            assert "other_model" in found
