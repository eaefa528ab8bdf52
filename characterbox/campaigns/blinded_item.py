"""What a rater is shown of an item, as values and as plain text. Never which model it was."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, fields
from typing import Any

from annotations.design.practice import AttentionCheck, PracticeItem
from annotations.exchange.label_studio import Reading
from annotations.rubrics.rubric import Rubric
from characterbox.campaigns.assignments import check_item, practice_item
from characterbox.judging.presentation import Person, judged_person, person, person_text
from characterbox.llm.endpoint import is_improvised
from characterbox.play.trajectory import Step, as_text, narration, trajectory
from characterbox.prompts import fill, words
from characterbox.scenes.scene import Scene
from characterbox.store import Store
from characterbox.store.campaigns.campaign import Assignment, CampaignItem, stories_of
from characterbox.store.ratings.ratings import maker_of, scene_item_of, scene_name
from characterbox.store.stories.stories import Heading
from characterbox.values import Language


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


Shown = dict[str, Any]
"""As JSON: `scene`, `character` (None where it is not a character that is judged), `cast` and `steps`."""

_SCENE = ("title", "work", "language", "time", "location", "description", "others")
_CHARACTER = (*(field.name for field in fields(Person)), "hue")
_STEP = ("round", "kind", "text", "degraded")


def shown_assignment(store: Store, assignment: Assignment, rubric: Rubric) -> Shown:
    """What there is to read of what an expert has to rate, be it from a story or from the practice set.

    Raises StoryError or CampaignError if its story, or the scene, can't be read, and CampaignError or RatingError if
    the practice set has it no more.
    """
    if assignment.purpose == "rate":
        return shown_item(store, store.campaigns.item(assignment.campaign, assignment.item), rubric)
    find = practice_item if assignment.purpose == "practice" else check_item
    return shown_practice(find(assignment, rubric))


def shown_item(store: Store, item: CampaignItem, rubric: Rubric) -> Shown:
    """What there is to read before the item is rated.

    Raises StoryError or CampaignError if its story, or the scene, can't be read.
    """
    scene = scene_of(store, item)
    steps = [asdict(step) for step in _steps(store, item, scene, rubric)]
    told = {
        **scene.model_dump(mode="json", include={"title", "work", "language"}),
        **scene.environment.model_dump(mode="json"),
        "others": [name for name in scene.names if name != item.character],
    }
    if item.character is None:
        cast = [asdict(person(who, scene.language)) for who in scene.cast]
        return {"scene": _in_order(told, _SCENE), "character": None, "cast": cast, "steps": steps}
    judged = asdict(judged_person(scene, item.character))
    return _of_character(told, {**judged, "hue": scene.names.index(item.character)}, steps)


def _steps(store: Store, item: CampaignItem, scene: Scene, rubric: Rubric) -> tuple[Step, ...]:
    if item.story_id is None or rubric.subject == "scene":
        return ()
    events = store.stories.events(item.story_id)
    return narration(events, scene) if item.character is None else trajectory(events, item.character, scene)


def shown_practice(item: PracticeItem | AttentionCheck) -> Shown:
    """What there is to read of a practice item, or of an attention check, which looks like what is from a story."""
    hue = len(item.character.description) % (len(item.others) + 1)
    told = {**item.scene.model_dump(mode="json"), "language": item.language, "others": list(item.others)}
    steps = [{**step.model_dump(mode="json"), "degraded": False} for step in item.steps]
    judged = asdict(Person(**item.character.model_dump()))
    return _of_character(told, {**judged, "hue": hue}, steps)


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


def reading_of(shown: Shown) -> Reading:
    """The item in the language of its scene."""
    scene = shown["scene"]
    language: Language = scene["language"]
    phrases = words(language)
    told = {name: scene[name] for name in ("time", "location", "description")}
    if (judged := shown["character"]) is None:
        people = [_person_text(one, language) for one in shown["cast"]]
    else:
        people = [_person_text(judged, language, scene["others"])]
    return Reading(
        scene=f"{scene['work']} · {scene['title']}\n{fill(phrases.blocks.environment, **told).strip()}",
        character="\n\n".join(people),
        trajectory=as_text((Step(**step) for step in shown["steps"]), language),
    )


def _person_text(who: Shown, language: Language, others: Iterable[str] = ()) -> str:
    told = Person(**{field.name: who[field.name] for field in fields(Person)})
    return f"{told.name}\n{person_text(told, language, others)}"
