"""What the browser is told for rating: the rubric, the parts and one trajectory. Never which model plays."""

from typing import Any

from annotations.rubric import load_rubric
from characterbox.judging.parts import Part, ended_parts, scores
from characterbox.play.trajectory import trajectory
from characterbox.store import Store
from characterbox.store.tables import now
from characterbox.values import Language


def list_data(store: Store, rater: str, language: Language) -> dict[str, Any]:
    """Every part that can be rated, with the number of metrics that the rater has scored."""
    done = store.ratings.items_of_rater(rater)
    rows = [
        {
            "item": part.item,
            "title": part.story.script.scene.title,
            "work": part.story.script.scene.work,
            "character": part.name,
            "language": part.story.script.scene.language,
            "scored": done.get(part.item, 0),
        }
        for part in ended_parts(store.stories)
    ]
    return {**_common(store, rater, language), "view": "list", "rows": rows}


def part_data(store: Store, rater: str, part: Part, language: Language) -> dict[str, Any]:
    """One part with its scene and character, what the rater has scored, and the parts before and after it."""
    items = [one.item for one in ended_parts(store.stories)]
    place = items.index(part.item)
    scene = part.story.script.scene
    as_of = milliseconds()
    return {
        **_common(store, rater, language),
        "view": "part",
        "item": part.item,
        "place": place + 1,
        "count": len(items),
        "previous": items[place - 1] if place else None,
        "next": items[place + 1] if place + 1 < len(items) else None,
        "scene": {
            **scene.model_dump(mode="json", include={"title", "work", "language"}),
            **scene.environment.model_dump(mode="json"),
            "others": [name for name in scene.names if name != part.name],
        },
        "character": {**scene.profile(part.name).model_dump(mode="json"), "hue": scene.names.index(part.name)},
        "steps": [
            {"round": step.round, "kind": step.kind, "text": step.text, "degraded": step.degraded}
            for step in trajectory(store.stories.events(part.story.id), part.name, scene.language)
        ],
        "scores": scores(store.ratings, part.item, rater),
        "as_of": as_of,
    }


def milliseconds() -> int:
    """The server's time in milliseconds: tells a browser which of two states of a score is the newer one."""
    return int(now().timestamp() * 1000)


def _common(store: Store, rater: str, language: Language) -> dict[str, Any]:
    """What both views are told. Whether any story is improvised is said, but not which: that would tell the model."""
    rubric = load_rubric().model_dump(mode="json", include={"scale", "guide", "dimensions", "metrics"})
    improvised = any(story.casting.improvised for story in store.stories.stories("ended"))
    return {"rater": rater, "language": language, "rubric": rubric, "improvised": improvised}
