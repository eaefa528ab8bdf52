"""What there is to read of an item as plain text, for tools that show nothing else."""

from collections.abc import Iterable, Iterator
from typing import Any

from annotations.exchange.label_studio import Reading
from characterbox.campaigns.showing import Shown
from characterbox.prompts import Words, fill, words
from characterbox.values import Language

_NARRATED: dict[Language, dict[str, str]] = {
    "en": {"influence": "Influence", "result": "Result", "update": "Afterwards"},
    "zh": {"influence": "影响", "result": "结果", "update": "此后"},
}
"""Names of the steps in which the narrator decides."""


def reading_of(shown: Shown) -> Reading:
    """The item in the language of its scene."""
    scene = shown["scene"]
    language: Language = scene["language"]
    phrases = words(language)
    told = {name: scene[name] for name in ("time", "location", "description")}
    who = shown["cast"] if shown["character"] is None else [shown["character"]]
    return Reading(
        scene=f"{scene['work']} · {scene['title']}\n{fill(phrases.blocks.environment, **told).strip()}",
        character="\n\n".join(_person(one, phrases) for one in who),
        trajectory="\n".join(_steps(shown["steps"], language)),
    )


def _person(who: dict[str, Any], phrases: Words) -> str:
    standing = {name: who[name] for name in ("name", "position", "state")}
    return f"{fill(phrases.blocks.standing, **standing).strip()}\n{who['description']}"


def _steps(steps: Iterable[dict[str, Any]], language: Language) -> Iterator[str]:
    """One line each, under a heading for each round."""
    phrases = words(language)
    names = {**phrases.trajectory.model_dump(), **_NARRATED[language]}
    round = 0
    for step in steps:
        if step["round"] != round:
            round = step["round"]
            yield fill(phrases.memory.round, round=str(round))
        yield f"- {names[step['kind']]}: {step['text']}"
