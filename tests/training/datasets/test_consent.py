"""What people wrote, and what was asked after it, is no example unless they have agreed to that."""

from dataclasses import replace

import pytest

from characterbox.accounts.account import COMMAND_LINE
from characterbox.training.datasets.calls import ReadingRules
from characterbox.training.datasets.example import Example
from characterbox.training.datasets.recipe import DatasetRecipe
from characterbox.training.datasets.writing import write_dataset
from tests.training.datasets.random_replies import drawn_story
from tests.training.datasets.test_calls import calls

pytestmark = pytest.mark.slow


async def edited_story(store, person):
    """A story in which somebody wrote one reply; gives it with the path of that reply."""
    story, _ = await drawn_story(store, 5)
    events, journal = store.stories.events(story.id), store.stories.journal(story.id)
    place = next(number for number, one in enumerate(journal) if one.path.startswith("r2/") and "influence" in one.path)
    written = replace(journal[place], author="edit", person=person)
    copy = story.model_copy(update={"id": store.stories.new_id()})
    store.stories.bring(copy, events, [*journal[:place], written, *journal[place + 1 :]], [])
    return store.stories.story(copy.id), written


def paths(found):
    return {one.provenance.path for one in found if isinstance(one, Example)}


async def test_without_consent_the_reply_and_all_that_came_after_it_are_left_out(store):
    story, written = await edited_story(store, "a" * 12)
    came = {reply.path: reply.came_at for reply in store.stories.journal(story.id)}
    everything = paths(calls(store, story, ReadingRules(lenders=frozenset({"a" * 12}))))
    assert written.path in everything
    found = calls(store, story, ReadingRules(lenders=frozenset({"b" * 12})))
    assert paths(found) == {path for path in everything if came[path] < came[written.path]}
    assert found.count("written") == 1
    assert found.count("after_written") == len(everything) - len(paths(found)) - 1


async def test_a_reply_of_nobody_who_is_known_is_left_out(store):
    story, written = await edited_story(store, None)
    assert written.path not in paths(calls(store, story, ReadingRules(lenders=frozenset({"a" * 12}))))


async def test_what_a_person_lends_is_marked(store):
    story, written = await edited_story(store, "a" * 12)
    found = calls(store, story, ReadingRules(lenders=frozenset({"a" * 12})))
    marked = [one.provenance.path for one in found if isinstance(one, Example) and one.provenance.by_person]
    assert marked == [written.path]


async def test_a_dataset_asks_for_the_consent_of_now(store, admin_account, tmp_path):
    story, _ = await edited_story(store, admin_account.id)
    recipe = DatasetRecipe(kind="narrator", stories=(story.id,))
    report = write_dataset(store, recipe, tmp_path / "before")
    assert report.left_out["written"] == 1
    store.accounts.lend_writing(admin_account, True)
    report = write_dataset(store, recipe, tmp_path / "after")
    assert "written" not in report.left_out
    assert report.splits["train"].by_people == 1


@pytest.fixture
def admin_account(store):
    return store.accounts.add(COMMAND_LINE, "Ada", "admin")
