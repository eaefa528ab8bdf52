"""What a rater is shown: nothing of it tells an attention check from an item of a story."""

import json

import pytest

from annotations.design.practice import load_practice
from annotations.rubrics.rubric import load_rubric
from characterbox.campaigns.blinded_item import shown_item, shown_practice
from characterbox.play.events import Action
from tests.fakes.campaigns import campaign_item
from tests.fakes.databases import store_in
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_story

RUBRIC = load_rubric()
SET = load_practice(RUBRIC)


class OneStory:
    """A story in which somebody bows, and no database."""

    def __init__(self, story):
        self.stories = self
        self._story = story

    def story(self, id):
        return self._story

    def events(self, id):
        return [Action(path="r1/ann/action", text="Ann bows.", round=1, turn="Ann", character="Ann")]


@pytest.fixture
def of_story(tmp_path):
    """What there is to read of Ann in a story."""
    store = store_in(tmp_path / "characterbox.db")
    story = a_story(store, a_scene("Ann", "Bob"))
    store.close()
    return shown_item(OneStory(story), campaign_item(story, "Ann"), RUBRIC)


def keys(shown):
    """The keys in their order, with those of scene, character and a step, as the network carries them."""
    inner = [list(shown["scene"]), list(shown["character"]), list(shown["steps"][0])]
    return json.dumps([list(shown), *inner])


@pytest.mark.parametrize("item", [*SET.items, *SET.checks], ids=lambda item: item.key)
def test_what_is_practised_and_what_is_checked_come_in_the_order_of_an_item_of_a_story(of_story, item):
    assert keys(shown_practice(item)) == keys(of_story)
