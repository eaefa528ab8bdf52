"""A judge's critique and scores, improvised: they depend on trajectory, metric, model and seed."""

import re

from characterbox.llm.rehearsal.brief import Brief
from characterbox.llm.rehearsal.chance import Chance
from characterbox.llm.rehearsal.grammar import grammar
from characterbox.prompts import fill

_QUOTE_LENGTH = {"en": 70, "zh": 30}
_LEAD = re.compile(r"^[\s\-*#>\d.、]*(?:[^:：|｜]{1,40}[:：])?\s*")


def scores(brief: Brief, model: str, seed: int | None) -> dict[str, int]:
    """A whole number from 1 to 5 for each metric, in line with the critique of the same trajectory."""
    chance = _grading(brief, model, seed)
    base = 2 + Chance(model).number("level", 3)
    shift = chance.number("trajectory", 3) - 1
    metrics = grammar(brief.language).metrics
    return {key: min(5, max(1, base + shift + chance.number(key, 3) - 1)) for key in metrics}


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


def _grading(brief: Brief, model: str, seed: int | None) -> Chance:
    """Chance that is the same for the critique and the scores of a trajectory."""
    return Chance(model, str(seed), brief.trajectory.get("name", ""), brief.trajectory.get("trajectory", brief.told))


def _quotes(brief: Brief) -> list[str]:
    """Pieces of the trajectory without the labels before them, shortened."""
    longest = _QUOTE_LENGTH[brief.language]
    lines = (_LEAD.sub("", line).strip(' “”"') for line in brief.trajectory.get("trajectory", "").splitlines())
    found = dict.fromkeys(line for line in lines if len(line) > longest // 6)
    return [line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…" for line in found]
