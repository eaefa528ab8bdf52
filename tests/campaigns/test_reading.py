"""An item as plain text: the scene, who is judged, and what happened, in the language of the scene."""

import pytest

from annotations.rubrics.rubric import load_rubric
from characterbox.campaigns.blinded_item import reading_of, shown_item
from characterbox.play.events import Action, ActionInfluence, CharacterUpdate, Event, InteractionResult
from characterbox.store.campaigns.campaign import CampaignItem
from characterbox.store.tables.ratings import Item
from tests.fakes.databases import store_in
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_story

AT = {"round": 1, "turn": "Ann", "character": "Ann"}
EVENTS: list[Event] = [
    Action(path="r1/ann/action", text="Ann bows.\n<b>low</b>", **AT),
    ActionInfluence(path="r1/ann/influence", affected="Bob", text="Bob sees it.", importance=None, **AT),
    InteractionResult(path="r1/ann/result", affected="Bob", text="They nod.", importance=None, **AT),
    ActionInfluence(path="r1/bob/influence", affected=None, text="A door creaks.", importance=None, seen_by=(), **AT),
    CharacterUpdate(path="r1/ann/update/ann", position="at the door", state="calm", visible="in tears", **AT),
]


class OneStory:
    """A story with these events, and no database."""

    def __init__(self, story):
        self.stories = self
        self._story = story

    def story(self, id):
        return self._story

    def events(self, id):
        return EVENTS


@pytest.fixture
def reading(tmp_path):
    """What there is to read of a story's part, or of the narrator where no character is named."""

    def reading(character, rubric="character", language="en"):
        store = store_in(tmp_path / "characterbox.db")
        story = a_story(store, a_scene("Ann", "Bob", language=language))
        store.close()
        item = CampaignItem(
            identity=Item(kind="character", owner="i"),
            story_id=story.id,
            character=character,
            scene="s",
            model="m",
            language=language,
        )
        return reading_of(shown_item(OneStory(story), item, load_rubric(rubric)))

    return reading


def test_a_character_in_a_scene(reading):
    found = reading("Ann")
    assert found.scene.splitlines() == [
        "The Hotel · A watch goes missing", "Time: Midnight", "Location: The lobby", "Description: An open safe."
    ]  # fmt: skip
    assert found.character.splitlines() == [
        "Ann", "Profile: SECRET-MARK-OF-ANN", "Position: place of Ann", "State: state of Ann", "Others on stage: Bob"
    ]  # fmt: skip
    assert found.trajectory.splitlines()[1:3] == ["- Action: Ann bows.", "  <b>low</b>"]


def test_what_the_narrator_decided_among_the_whole_cast(reading):
    found = reading(None, "narrator")
    assert "SECRET-MARK-OF-ANN" in found.character
    assert "SECRET-MARK-OF-BOB" in found.character
    assert found.trajectory.splitlines()[1:] == [
        "- Character: Ann acts: Ann bows.",
        "  <b>low</b>",
        "- Narrator, influence: Effect on Bob: Bob sees it.",
        "- Narrator, result: They nod.",
        "- Narrator, influence: Effect on nobody in particular: A door creaks.",
        "  Who sees it: nobody.",
        "- Narrator, update: Ann | at the door | State: calm | Seen by others: in tears",
    ]


def test_a_scene_before_it_is_played(reading):
    found = reading(None, "scene")
    assert found.trajectory == ""
    assert "An open safe." in found.scene


def test_in_chinese(reading):
    found = reading(None, "narrator", "zh")
    assert found.scene.splitlines()[1] == "时间：Midnight"
    assert found.trajectory.splitlines()[-4:] == [
        "- 叙述者·结果：They nod.",
        "- 叙述者·影响：没有特别影响到谁：A door creaks.",
        "  看见的人：无人。",
        "- 叙述者·更新：Ann｜at the door｜状态：calm｜旁人看得出：in tears",
    ]
