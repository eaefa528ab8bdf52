"""What a rater is shown of an item: the scene, who is judged, and what happened. Never which model it was."""

from collections.abc import Iterable, Iterator, Mapping
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
from characterbox.store import Store
from characterbox.store.campaign import Assignment, CampaignItem
from characterbox.store.stories import StoryStore
from characterbox.values import Language

Shown = dict[str, Any]
"""As JSON: `scene`, `character` (None where it is not a character that is judged), `cast` and `steps`."""

_SCENE = ("title", "work", "language", "time", "location", "description", "others")
_CHARACTER = ("name", "description", "position", "state", "gender", "hue")
_STEP = ("round", "kind", "text", "degraded")


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
    told = {
        **scene.model_dump(mode="json", include={"title", "work", "language"}),
        **scene.environment.model_dump(mode="json"),
        "others": [name for name in scene.names if name != item.character],
    }
    if item.character is None:
        cast = [who.model_dump(mode="json") for who in scene.cast]
        return {"scene": _in_order(told, _SCENE), "character": None, "cast": cast, "steps": steps}
    profile = scene.profile(item.character).model_dump(mode="json")
    return _of_character(told, {**profile, "hue": scene.names.index(item.character)}, steps)


def shown_practice(item: PracticeItem | AttentionCheck) -> Shown:
    """What there is to read of a practice item, or of an attention check, which looks like what is from a story."""
    hue = len(item.character.description) % (len(item.others) + 1)
    told = {**item.scene.model_dump(mode="json"), "language": item.language, "others": list(item.others)}
    steps = [{**step.model_dump(mode="json"), "degraded": False} for step in item.steps]
    return _of_character(told, {**item.character.model_dump(mode="json"), "hue": hue}, steps)


def texts_of(shown: Shown) -> list[str]:
    """All that was written for the item by a model, as the rater reads it."""
    return [step["text"] for step in shown["steps"]]


def _of_character(scene: Shown, character: Shown, steps: Iterable[Shown]) -> Shown:
    """What is judged of a character, wherever it is from: even the order of the keys tells no attention check."""
    return {
        "scene": _in_order(scene, _SCENE),
        "character": _in_order(character, _CHARACTER),
        "cast": [],
        "steps": [_in_order(step, _STEP) for step in steps],
    }


def _in_order(told: Mapping[str, Any], keys: Iterable[str]) -> Shown:
    return {key: told[key] for key in keys}


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
