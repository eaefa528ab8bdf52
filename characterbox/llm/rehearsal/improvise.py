"""Improvises the answer to a request: a pure function of the model's name, the messages, the seed and the form."""

import json
import re
from collections.abc import Callable, Mapping, Sequence

from characterbox.llm.rehearsal.brief import Turn, brief_of
from characterbox.llm.rehearsal.chance import Chance
from characterbox.llm.rehearsal.grammar import grammar
from characterbox.llm.rehearsal.judge import critique, scores
from characterbox.llm.rehearsal.reviewer import review
from characterbox.llm.rehearsal.skill import stock
from characterbox.llm.rehearsal.stagecraft import staged
from characterbox.llm.rehearsal.voice import Voice
from characterbox.prompts import fill, words

_NOBODY_IN, _SILENT_IN, _DRIFT_IN = 4, 9, 4
"""One influence in four touches nobody, one dialogue in nine is silence, one environment in four changes."""


def improvise(model: str, turns: Sequence[Turn], seed: int | None, form: str | None) -> str:
    """The reply to a chat. A request that is none of this project's tasks gets a sentence that says so."""
    key = (model, str(seed), *(part for turn in turns for part in (turn.role, turn.content)))
    brief = brief_of(turns, form)
    if brief is None:
        return grammar("zh").unknown if _is_chinese(turns) else grammar("en").unknown
    if (given := review(brief, model, seed)) is not None:
        return given if isinstance(given, str) else _json(given)
    if (written := staged(brief, model, seed)) is not None:
        return written
    if brief.task == "critique":
        return critique(brief, model, seed)
    if brief.task in ("scores", "scores_of", "score_directly"):
        given = scores(brief, model, seed)
        wanted = re.findall(r"\w+", brief.values.get("wanted", "")) or [*given]
        return _json({key: given[key] for key in wanted if key in given})
    voice = Voice(brief, Chance(*key))
    answer = stock(model, voice) or _ANSWERS[brief.task](voice)
    return _json(answer) if isinstance(answer, dict) else answer


def _json(answer: Mapping[str, object]) -> str:
    return json.dumps(answer, ensure_ascii=False)


def _is_chinese(turns: Sequence[Turn]) -> bool:
    return bool(re.search("[\u4e00-\u9fff]", turns[-1].content))


def _action(voice: Voice) -> str:
    return voice.speak("acts", voice.grammar.acts, name=voice.name)


def _dialogue(voice: Voice) -> str:
    if voice.chance.number("silence", _SILENT_IN) == 0:
        return words(voice.brief.language).silence
    return voice.speak("lines", voice.grammar.lines, name=voice.name, other=voice.addressed())


def _reaction(voice: Voice) -> str:
    return voice.speak("reactions", voice.grammar.reactions, name=voice.name, actor=voice.value("actor"))


def _influence(voice: Voice) -> dict[str, object]:
    actor, choices = voice.value("actor"), voice.brief.choices
    importance = 2 + voice.chance.number("importance", 7)
    if not choices or voice.chance.number("nobody", _NOBODY_IN) == 0:
        effect = voice.speak("effects", voice.grammar.effects_nobody, actor=actor)
        return {"affected": None, "effect": effect, "importance": importance}
    affected = voice.addressed(choices)
    effect = voice.speak("effects", voice.grammar.effects, actor=actor, affected=affected)
    return {"affected": affected, "effect": effect, "importance": importance}


def _result(voice: Voice) -> dict[str, object]:
    text = voice.speak("results", voice.grammar.results, actor=voice.value("actor"), affected=voice.value("affected"))
    return {"result": text, "importance": 2 + voice.chance.number("importance", 7)}


def _character_update(voice: Voice) -> dict[str, object]:
    speech, near = voice.grammar, voice.named
    nearby = tuple(frame for frame in speech.positions if "$fixed" in frame or "$solid" in frame)
    company = nearby if near.fixed else speech.positions
    frames = company if voice.others else speech.positions_alone
    position = voice.speak("position", frames, things=near, other=voice.addressed())
    state = fill(
        speech.state,
        mood=voice.speak("mood", speech.moods),
        body=voice.speak("body", speech.bodies),
    )
    return {"position": position, "state": state}


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
    if stem and stem[-1] not in ".!?。！？…”\"'）)":
        stem += voice.grammar.stop
    return f"{stem}{voice.grammar.space}{drift}".strip()


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
    "character_update": _character_update,
    "environment_update": _environment_update,
    "self_belief": _self_belief,
    "environment_belief": _environment_belief,
}
