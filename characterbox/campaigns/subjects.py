"""What stories have to rate: a character's part, what the narrator decided, or the scene, as the rubric asks for."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from annotations.rubric import Rubric
from characterbox.store.campaign import CampaignItem
from characterbox.store.items import Item
from characterbox.store.ratings import item_and_model, scene_name
from characterbox.store.stories import Story


@dataclass(frozen=True, slots=True)
class Subject:
    """One thing that can be rated."""

    item: Item
    story: Story
    character: str | None
    model: str
    """The model whose work it is."""

    @property
    def campaign_item(self) -> CampaignItem:
        """The subject as an item of a campaign."""
        return CampaignItem(
            identity=self.item,
            story_id=self.story.id,
            character=self.character,
            scene=scene_name(self.story.script.scene),
            model=self.model,
            language=self.story.script.scene.language,
        )


def subjects(stories: Iterable[Story], rubric: Rubric) -> list[Subject]:
    """What there is to rate of stories that have ended, in their order; a scene that several share is there once."""
    ended = (story for story in stories if story.status == "ended")
    found: dict[Item, Subject] = {}
    for story in ended:
        for subject in _of_story(story, rubric):
            found.setdefault(subject.item, subject)
    return list(found.values())


def _of_story(story: Story, rubric: Rubric) -> Iterator[Subject]:
    names = story.script.scene.names if rubric.subject == "character" else (None,)
    for name in names:
        item, model = item_and_model(story, name, rubric.subject)
        yield Subject(item, story, name, model)
