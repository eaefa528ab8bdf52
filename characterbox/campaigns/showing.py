"""What a rater is shown of an item: the scene, who is judged, and what happened. Never which model it was."""

from collections.abc import Iterable, Iterator
from typing import Any

from annotations.practice import AttentionCheck, PracticeItem
from annotations.rubric import Rubric
from characterbox.campaigns.training import check_item, practice_item
from characterbox.play.events import (
    ActionInfluence,
    CharacterUpdate,
    EnvironmentUpdate,
    Event,
    InteractionResult,
)
from characterbox.play.perception import line
from characterbox.play.trajectory import trajectory
from characterbox.scenes.scene import Scene
from characterbox.store import Store
from characterbox.store.campaign import Assignment, CampaignItem
from characterbox.store.stories import StoryStore
from characterbox.values import Language

Shown = dict[str, Any]
"""As JSON: `scene`, `character` (None where it is not a character that is judged), `cast` and `steps`."""


def shown_assignment(store: Store, assignment: Assignment, rubric: Rubric) -> Shown:
    """What there is to read of what an expert has to rate, be it from a story or from the practice set.

    Raises StoryError if its story can't be read, and CampaignError or RatingError if the practice set has it no more.
    """
    if assignment.purpose == "rate":
        return shown_item(store.stories, store.campaigns.item(assignment.campaign, assignment.item), rubric)
    find = practice_item if assignment.purpose == "practice" else check_item
    return shown_practice(find(assignment, rubric))


def shown_item(stories: StoryStore, item: CampaignItem, rubric: Rubric) -> Shown:
    """What there is to read before the item is rated. Raises StoryError if its story can't be read."""
    story = stories.story(item.story_id)
    scene = story.script.scene
    if item.character is not None:
        steps = list(_own_steps(stories.events(story.id), item.character, scene.language))
    elif rubric.subject == "narrator":
        steps = list(_narrated(stories.events(story.id), scene.language))
    else:
        steps = []
    return {**_opening(scene, item.character), "steps": steps}


def shown_practice(item: PracticeItem | AttentionCheck) -> Shown:
    """What there is to read of a practice item, or of an attention check, which looks like what is from a story."""
    hue = len(item.character.description) % (len(item.others) + 1)
    return {
        "scene": {**item.scene.model_dump(mode="json"), "language": item.language, "others": list(item.others)},
        "character": {**item.character.model_dump(mode="json"), "hue": hue},
        "cast": [],
        "steps": [{**step.model_dump(mode="json"), "degraded": False} for step in item.steps],
    }


def texts_of(shown: Shown) -> list[str]:
    """All that was written for the item by a model, as the rater reads it."""
    return [step["text"] for step in shown["steps"]]


def _opening(scene: Scene, character: str | None) -> Shown:
    told = scene.model_dump(mode="json", include={"title", "work", "language"})
    others = [name for name in scene.names if name != character]
    opening = {**told, **scene.environment.model_dump(mode="json"), "others": others}
    if character is None:
        return {"scene": opening, "character": None, "cast": [who.model_dump(mode="json") for who in scene.cast]}
    profile = scene.profile(character).model_dump(mode="json")
    return {"scene": opening, "character": {**profile, "hue": scene.names.index(character)}, "cast": []}


def _own_steps(events: Iterable[Event], character: str, language: Language) -> Iterator[Shown]:
    for step in trajectory(events, character, language):
        yield {"round": step.round, "kind": step.kind, "text": step.text, "degraded": step.degraded}


def _narrated(events: Iterable[Event], language: Language) -> Iterator[Shown]:
    """What the characters did, as what the narrator had to go by, and what it decided."""
    for event in events:
        match event:
            case ActionInfluence(affected=None):
                kind, text = "influence", "—"
            case ActionInfluence():
                kind, text = "influence", f"→ {event.affected}: {event.text}"
            case InteractionResult():
                kind, text = "result", event.text
            case CharacterUpdate():
                kind, text = "update", f"{event.character}: {event.position} / {event.state}"
            case EnvironmentUpdate():
                kind, text = "update", f"{event.time} / {event.location} / {event.description}"
            case _ if (observed := line(event, language)) is not None:
                kind, text = "observation", observed
            case _:
                continue
        yield {"round": event.round, "kind": kind, "text": text, "degraded": event.degraded}
