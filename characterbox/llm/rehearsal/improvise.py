"""Improvises the answer to a request: a pure function of the model's name, the messages, the seed and the form.

Scenes for crafting are put together of stock, refined by leaving them as they are, evaluated by chance. What is to be
translated is not: another scene of stock takes its place, as large as it, in the other language.
"""

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from annotations.rubrics.rubric import load_rubric
from characterbox.llm.rehearsal.brief import Brief, Turn, brief_of
from characterbox.llm.rehearsal.grammar import Chance, Voice, grammar
from characterbox.llm.rehearsal.interview import interviewed
from characterbox.llm.rehearsal.judge import critique, review, scores
from characterbox.llm.rehearsal.portrait import portrayed
from characterbox.llm.rehearsal.reflection import reflected
from characterbox.llm.rehearsal.role_play import in_role
from characterbox.prompts import fill, words
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
    face: str
    called: str
    """By those who do not know the name."""
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
            "public_face": who.face,
            "description": who.description,
            "knowledge": [who.knows],
            "unaware": [who.unaware],
            "other_names": [],
            "known_as": [],
            "unseen_by": [],
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
        originals = scene["characters"]
        names = _names_for([one["name"] for one in originals], chance.shuffled("people", stock.people))
        characters = [_stand_in(stock, number, one, names, chance) for number, one in enumerate(originals)]
        work, plot = str(scene["work"]), stock.plot if scene["plot"] else ""
    except (ValueError, KeyError, TypeError):
        return _draft(brief, chance)
    fields = {"work": fill(stock.untranslated, work=work), **chance.pick("opening", stock.openings).model_dump()}
    return json.dumps({**fields, "characters": characters, "plot": plot}, ensure_ascii=False)


def _names_for(originals: Sequence[str], people: Sequence[_Person]) -> dict[str, str]:
    """Names of stock, with a number where the stock is used up."""
    found = {}
    for number, original in enumerate(originals):
        name, again = people[number % len(people)].name, number // len(people)
        found[original] = f"{name} {again + 1}" if again else name
    return found


def _stand_in(
    stock: _Stock, number: int, original: dict[str, Any], names: Mapping[str, str], chance: Chance
) -> dict[str, Any]:
    """One of the stock in the place of a character; `names` are those of all, by their originals."""
    people, places = chance.shuffled("people", stock.people), chance.shuffled("places", stock.places)
    who, where = people[number % len(people)], places[number % len(places)]
    knows, unaware, others = (len(original[kind]) for kind in ("knowledge", "unaware", "other_names"))
    return {
        "original": original["name"],
        "name": names[original["name"]],
        "gender": who.gender if original["gender"] else "",
        "public_face": who.face if original["public_face"] else "",
        "description": who.description,
        "knowledge": [people[(number + place) % len(people)].knows for place in range(knows)],
        "unaware": [people[(number + place) % len(people)].unaware for place in range(unaware)],
        "other_names": [f"{who.name} ({number + 1}.{place + 1})" for place in range(others)],
        "known_as": [
            {"name": who.called, "by": [names[name] for name in alias["by"]]} for alias in original["known_as"]
        ],
        "unseen_by": [names[name] for name in original["unseen_by"]],
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


_NOBODY_IN, _SILENT_IN, _DRIFT_IN, _STAYS_IN = 4, 9, 4, 2
"""One influence in four touches nobody, one dialogue in nine is silence, one environment in four changes, and one
character in two stays where it is."""


def improvise(model: str, turns: Sequence[Turn], seed: int | None, form: str | None) -> str:
    """The reply to a chat. A request that is none of this project's tasks gets a sentence that says so."""
    key = (model, str(seed), *(part for turn in turns for part in (turn.role, turn.content)))
    line, brief = in_role(turns, model, seed), brief_of(turns, form)
    if line is not None or brief is None:
        return line or grammar("zh" if _is_chinese(turns) else "en").unknown
    if (given := review(brief, model, seed)) is not None:
        return given if isinstance(given, str) else _json(given)
    written = staged(brief, model, seed) or reflected(brief, model, seed)
    written = written or interviewed(brief, model, seed) or portrayed(brief, model, seed)
    if written is not None:
        return written
    if brief.task == "critique":
        return critique(brief, model, seed)
    if brief.task in ("scores", "scores_of", "score_directly"):
        given = scores(brief, model, seed)
        wanted = re.findall(r"\w+", brief.values.get("wanted", "")) or [*given]
        return _json({key: given[key] for key in wanted if key in given})
    answer = _ANSWERS[brief.task](Voice(brief, Chance(*key), model))
    return _json(answer) if isinstance(answer, dict) else answer


def _json(answer: Mapping[str, object]) -> str:
    return json.dumps(answer, ensure_ascii=False)


def _is_chinese(turns: Sequence[Turn]) -> bool:
    return bool(re.search("[\u4e00-\u9fff]", turns[-1].content))


def _action(voice: Voice) -> dict[str, object]:
    speech, other = voice.grammar, voice.addressed()
    action = voice.stock("acts", speech.stock_acts) or voice.speak("acts", speech.acts, name=voice.name)
    said = _speech(voice)
    to = other if said is not None and other in voice.others else None
    return {"action": action, "dialogue": said, "to": to, "whispered": False, "unseen": False}


def _dialogue(voice: Voice) -> str:
    return _speech(voice) or words(voice.brief.language).silence


def _speech(voice: Voice) -> str | None:
    """What is said; None for silence."""
    if (line := voice.stock("lines", voice.grammar.stock_lines)) is not None:
        return line
    if voice.chance.number("silence", _SILENT_IN) == 0:
        return None
    line = voice.speak("lines", voice.grammar.lines, name=voice.name, other=voice.addressed())
    for name in voice.others:
        line = line.replace(f", {name}", f", {name.removeprefix('the ')}")  # nobody is addressed as the stranger
    return line


def _reaction(voice: Voice) -> str:
    speech = voice.grammar
    stock = voice.stock("acts", speech.stock_acts)
    return stock or voice.speak("reactions", speech.reactions, name=voice.name, actor=voice.on_turn)


def _influence(voice: Voice) -> dict[str, object]:
    actor, choices = voice.value("actor"), voice.others
    importance = 2 + voice.chance.number("importance", 7)
    if not choices or voice.chance.number("nobody", _NOBODY_IN) == 0:
        effect = voice.speak("effects", voice.grammar.effects_nobody, actor=actor)
        return {"affected": None, "effect": effect, "importance": importance, "seen_by": None, "heard_by": None}
    affected = voice.addressed(choices)
    effect = voice.speak("effects", voice.grammar.effects, actor=actor, affected=affected)
    return {"affected": affected, "effect": effect, "importance": importance, "seen_by": None, "heard_by": None}


def _result(voice: Voice) -> dict[str, object]:
    text = voice.speak("results", voice.grammar.results, actor=voice.value("actor"), affected=voice.value("affected"))
    return {"result": text, "felt": None, "importance": 2 + voice.chance.number("importance", 7), "seen_by": None}


def _updates(voice: Voice) -> dict[str, object]:
    """How things are: the actor, the one affected, and now and then something new in the surroundings."""
    actor, other = voice.value("actor"), voice.value("affected")
    told = _changed(voice, actor)
    if other in voice.brief.cast:
        told |= {f"other_{key}": value for key, value in _changed(voice, other).items()}
    description = None
    if voice.chance.number("drift", _DRIFT_IN) == 0:
        description = _drifted(voice.brief.environment["description"] or voice.grammar.plain, voice)
    return {**told, "time": None, "location": None, "description": description, "concluded": False, "hidden": None}


def _changed(voice: Voice, name: str) -> dict[str, object]:
    """How somebody is, and where, unless it stays where it is."""
    told: dict[str, object] = {**_placed(voice, name), "visible": None}
    return {**told, "position": None} if voice.chance.number(f"stays {name}", _STAYS_IN) == 0 else told


def _placed(voice: Voice, name: str) -> dict[str, object]:
    """Where and how somebody is."""
    speech, near = voice.grammar, voice.named
    others = tuple(other for other in voice.brief.cast if other != name)
    nearby = tuple(frame for frame in speech.positions if "$fixed" in frame or "$solid" in frame)
    company = nearby if near.fixed else speech.positions
    frames = company if others else speech.positions_alone
    other = voice.addressed(others) if others else ""
    position = voice.speak(f"position {name}", frames, things=near, other=other)
    state = fill(
        speech.state,
        mood=voice.speak(f"mood {name}", speech.moods),
        body=voice.speak(f"body {name}", speech.bodies),
    )
    return {"position": position, "state": state}


def _character_update(voice: Voice) -> dict[str, object]:
    return _placed(voice, voice.name)


def _environment_update(voice: Voice) -> dict[str, object]:
    environment, speech = dict(voice.brief.environment), voice.grammar
    for key, unknown in (("time", speech.now), ("location", speech.here), ("description", speech.plain)):
        environment[key] = environment[key] or unknown
    if voice.chance.number("drift", _DRIFT_IN) == 0:
        environment["description"] = _drifted(environment["description"], voice)
    return {**environment, "concluded": False}


def _drifted(description: str, voice: Voice) -> str:
    """The description with another last sentence of ours, in the place of the one that may stand there."""
    drifts = voice.grammar.drifts
    present = [drift for drift in drifts if description.endswith(drift)]
    stem = description.removesuffix(present[0]).rstrip() if present else description.rstrip()
    drift = voice.chance.pick("which drift", [drift for drift in drifts if drift not in present])
    return voice.grammar.followed(stem, drift)


def _self_belief(voice: Voice) -> dict[str, object]:
    speech = voice.grammar
    parts = {"belief": speech.belief, "desire": speech.desire, "intention": speech.intention}
    return {key: voice.speak(key, frames, name=voice.name) for key, frames in parts.items()}


def _environment_belief(voice: Voice) -> dict[str, object]:
    speech = voice.grammar
    seen = voice.chance.shuffled("seen", voice.others)[:2] or [speech.someone]
    others = [voice.speak(f"others {who}", speech.others, other=who) for who in seen]
    return {
        "others": speech.space.join(dict.fromkeys(others)),
        "scene": voice.speak("scene", speech.scene),
        "bearing": voice.speak("bearing", speech.bearing),
    }


_ANSWERS: dict[str, Callable[[Voice], str | dict[str, object]]] = {
    "action": _action,
    "dialogue": _dialogue,
    "reaction": _reaction,
    "influence": _influence,
    "result": _result,
    "updates": _updates,
    "character_update": _character_update,
    "environment_update": _environment_update,
    "self_belief": _self_belief,
    "environment_belief": _environment_belief,
}
