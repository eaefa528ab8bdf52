"""Scenes as items of campaigns: those that stories were played from, and those of the library."""

from collections.abc import Collection, Iterable

from characterbox.llm.crafters import is_improvised
from characterbox.scenes.scene import Scene
from characterbox.store import Store
from characterbox.store.campaign import CampaignItem, stories_of
from characterbox.store.ratings import maker_of, scene_item_of, scene_name
from characterbox.store.stories import Heading


def scene_item(scene: Scene) -> CampaignItem:
    """A scene of the library as an item of a campaign, which finds it as it is now if it is kept."""
    return CampaignItem(
        identity=scene_item_of(scene),
        story_id=None,
        character=None,
        scene=scene_name(scene),
        model=maker_of(scene),
        language=scene.language,
    )


def scene_of(store: Store, item: CampaignItem) -> Scene:
    """The scene of an item. Raises StoryError or CampaignError if its story, or the scene itself, can't be read."""
    if item.story_id is None:
        return store.scene_ratings.kept(item.identity.owner)
    return store.stories.story(item.story_id).script.scene


def headings_of(store: Store, items: Iterable[CampaignItem]) -> dict[str, Heading]:
    """Under what the items are listed, by their names; what is not there any more is passed over."""
    wanted = list(items)
    kept = store.scene_ratings.headings([item.identity.owner for item in wanted if item.story_id is None])
    played = store.stories.headings(stories_of(wanted))
    found = {
        item.item: kept.get(item.identity.owner) if item.story_id is None else played.get(item.story_id)
        for item in wanted
    }
    return {name: heading for name, heading in found.items() if heading is not None}


def without_model(store: Store, items: Collection[CampaignItem]) -> frozenset[str]:
    """The names of the items that the rehearsal had a part in: it played in the story, or crafted the scene.

    Who played a scene makes no difference to the scene.
    """
    scenes = [item for item in items if item.identity.kind == "scene"]
    parts = [item for item in items if item.identity.kind != "scene"]
    castings = store.stories.castings(stories_of(parts))
    played = {id for id, casting in castings.items() if casting.improvised}
    crafted = [item.item for item in scenes if is_improvised(item.model)]
    return frozenset([*crafted, *(item.item for item in parts if item.story_id in played)])
