"""Scenes improvised for crafting: put together of stock, refined by leaving them as they are, evaluated by chance.

What is to be translated is not: another scene of stock takes its place, as large as it, in the other language.
"""

import json
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from annotations.rubric import load_rubric
from characterbox.llm.rehearsal.brief import Brief
from characterbox.llm.rehearsal.chance import Chance
from characterbox.prompts import fill
from characterbox.values import Language, Value

_WRITTEN = ("craft_extract", "craft_generate", "craft_back")
_LOWEST, _SPREAD = 2, 4
"""Scores lie between 2 and 5, so that of the scenes some are accepted and some go back."""


class _Opening(Value):
    title: str
    time: str
    location: str
    description: str


class _Person(Value):
    name: str
    gender: str
    description: str
    knows: str
    unaware: str


class _Place(Value):
    position: str
    state: str


class _Stock(Value):
    plot: str
    reasons: str
    untranslated: str
    openings: tuple[_Opening, ...]
    people: tuple[_Person, ...]
    places: tuple[_Place, ...]


def staged(brief: Brief, model: str, seed: int | None) -> str | None:
    """The reply to a task of crafting; None if it is another task."""
    chance = Chance(model, str(seed), brief.told)
    if brief.task in _WRITTEN:
        return _draft(brief, chance)
    if brief.task == "craft_refine":
        return brief.values.get("draft") or _draft(brief, chance)
    if brief.task == "craft_translate":
        return _translation(brief, chance)
    return _evaluation(brief, chance) if brief.task == "craft_evaluate" else None


def _draft(brief: Brief, chance: Chance) -> str:
    stock = _stock(brief.language)
    fewest, most = (_number(brief, name) for name in ("fewest", "most"))
    count = min(fewest + chance.number("cast", most - fewest + 1), len(stock.people))
    opening = chance.pick("opening", stock.openings)
    people, places = chance.shuffled("people", stock.people), chance.shuffled("places", stock.places)
    characters = [
        {
            "name": who.name,
            "gender": who.gender,
            "description": who.description,
            "knowledge": [who.knows],
            "unaware": [who.unaware],
            "position": where.position,
            "state": where.state,
        }
        for who, where in zip(people[:count], places, strict=False)
    ]
    fields = {**opening.model_dump(), "characters": characters, "plot": stock.plot}
    return json.dumps(fields, ensure_ascii=False)


def _translation(brief: Brief, chance: Chance) -> str:
    """A scene of stock with as many characters and notes as the one to be translated; what it leaves empty is empty."""
    stock = _stock(brief.language)
    try:
        scene = json.loads(brief.values.get("scene", ""))
        characters = [_stand_in(stock, number, one, chance) for number, one in enumerate(scene["characters"])]
        work, plot = str(scene["work"]), stock.plot if scene["plot"] else ""
    except (ValueError, KeyError, TypeError):
        return _draft(brief, chance)
    fields = {"work": fill(stock.untranslated, work=work), **chance.pick("opening", stock.openings).model_dump()}
    return json.dumps({**fields, "characters": characters, "plot": plot}, ensure_ascii=False)


def _stand_in(stock: _Stock, number: int, original: dict[str, Any], chance: Chance) -> dict[str, Any]:
    """One of the stock in the place of a character, with a number where the stock is used up."""
    people, places = chance.shuffled("people", stock.people), chance.shuffled("places", stock.places)
    who, where, again = people[number % len(people)], places[number % len(places)], number // len(people)
    knows, unaware = (len(original[kind]) for kind in ("knowledge", "unaware"))
    return {
        "original": original["name"],
        "name": f"{who.name} {again + 1}" if again else who.name,
        "gender": who.gender if original["gender"] else "",
        "description": who.description,
        "knowledge": [people[(number + place) % len(people)].knows for place in range(knows)],
        "unaware": [people[(number + place) % len(people)].unaware for place in range(unaware)],
        "position": where.position,
        "state": where.state,
    }


def _evaluation(brief: Brief, chance: Chance) -> str:
    metrics = load_rubric("scene").metrics
    told = _stock(brief.language).reasons
    reasons = "\n".join(fill(told, metric=one.name.text(brief.language)) for one in metrics)
    scores = {one.key: _LOWEST + chance.number(one.key, _SPREAD) for one in metrics}
    return json.dumps({"reasons": reasons, **scores}, ensure_ascii=False)


def _number(brief: Brief, name: str) -> int:
    told = brief.values.get(name, "")
    return int(told) if told.isdigit() and int(told) else 2


@cache
def _stock(language: Language) -> _Stock:
    source = files(__package__).joinpath(f"stagecraft_{language}.toml").read_text(encoding="utf-8")
    return _Stock.model_validate(tomllib.loads(source))
