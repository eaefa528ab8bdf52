"""A judge's critique and scores, improvised: who repeats itself has lower ones, and the rest is chance."""

import re
from collections.abc import Mapping

from characterbox.llm.rehearsal.brief import Brief
from characterbox.llm.rehearsal.chance import Chance
from characterbox.llm.rehearsal.grammar import grammar
from characterbox.llm.rehearsal.repetition import repetition
from characterbox.prompts import fill

_FRESH, _UNKNOWN = 4.0, 3.0
"""About what a metric gets where a character never repeats itself, and where nothing of its own can be found."""
_FALL: Mapping[str, float] = {"KA": 3.0, "BA": 4.5, "EE": 5.5, "PT": 4.0, "IM": 5.0, "AD": 4.5, "BC": 5.5}
"""How far each metric would fall if all were repeated: feeling and coherence suffer most, knowledge least."""
_LENIENCY, _LIKING = 0.8, 1.0
"""How far apart judges lie, and the views that one judge has of trajectories that are equally good."""
_QUOTE_LENGTH = {"en": 70, "zh": 30}
_LEAD = re.compile(r"^[\s\-*#>\d.、]*(?:[^:：|｜]{1,40}[:：])?\s*")


def scores(brief: Brief, model: str, seed: int | None) -> dict[str, int]:
    """A whole number from 1 to 5 for each metric, in line with the critique of the same trajectory.

    On average it is what the metric deserves, moved by how lenient the judge is and how it likes the trajectory.
    """
    chance = _grading(brief, model, seed)
    leaning = _LENIENCY * _within(Chance(model), "leniency") + _LIKING * _within(chance, "trajectory")
    given = {key: round(due + leaning + _within(chance, key)) for key, due in _deserved(brief).items()}
    return {key: min(5, max(1, score)) for key, score in given.items()}


def critique(brief: Brief, model: str, seed: int | None) -> str:
    """Strengths and weaknesses by metric, each with a line of the trajectory, if there is one."""
    speech, chance = grammar(brief.language), _grading(brief, model, seed)
    name = brief.trajectory.get("name") or speech.someone
    quotes = chance.shuffled("quotes", _quotes(brief))
    paragraphs = [fill(chance.pick("opening", speech.critique.opening), name=name)]
    for number, (key, grade) in enumerate(scores(brief, model, seed).items()):
        metric = speech.metrics[key]
        verdict = metric.weak if grade < 3 else metric.mixed if grade == 3 else metric.strong
        values = {"metric": metric.name, "verdict": _about(verdict, name)}
        if quotes:
            paragraphs.append(fill(speech.critique.quoted, quote=quotes[number % len(quotes)], **values))
        else:
            paragraphs.append(fill(speech.critique.plain, **values))
    return "\n\n".join(paragraphs)


def _about(verdict: str, name: str) -> str:
    return fill(verdict, name=name) if "$name" in verdict else verdict


def _deserved(brief: Brief) -> dict[str, float]:
    """What each metric deserves, before any chance."""
    repeated = repetition(brief.trajectory.get("trajectory", ""))
    if repeated is None:
        return dict.fromkeys(_FALL, _UNKNOWN)
    return {key: _FRESH - fall * repeated for key, fall in _FALL.items()}


def _within(chance: Chance, purpose: str) -> float:
    """A number between -1/2 and 1/2."""
    return (chance.number(purpose, 1000) + 0.5) / 1000 - 0.5


def _grading(brief: Brief, model: str, seed: int | None) -> Chance:
    """Chance that is the same for the critique and the scores of a trajectory."""
    return Chance(model, str(seed), brief.trajectory.get("name", ""), brief.trajectory.get("trajectory", brief.told))


def _quotes(brief: Brief) -> list[str]:
    """Pieces of the trajectory without the labels before them, shortened."""
    longest = _QUOTE_LENGTH[brief.language]
    lines = (_LEAD.sub("", line).strip(' “”"') for line in brief.trajectory.get("trajectory", "").splitlines())
    found = dict.fromkeys(line for line in lines if len(line) > longest // 6)
    return [line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…" for line in found]
