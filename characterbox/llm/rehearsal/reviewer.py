"""Critique and scores of a narrator or a scene, improvised: they depend on what is shown, metric, model and seed."""

import re

from annotations.rubric import Metric, load_rubric
from characterbox.llm.rehearsal.brief import Brief
from characterbox.llm.rehearsal.chance import Chance
from characterbox.llm.rehearsal.shape import shape

_SUBJECT = re.compile("(critique|scores?)_(narrator|scene)")


def review(brief: Brief, model: str, seed: int | None) -> str | dict[str, int] | None:
    """A critique, or a whole number from 1 to 5 for each metric that is asked for; None if neither is the task."""
    if (asked := _SUBJECT.fullmatch(brief.task)) is None:
        return None
    wish, subject = asked.groups()
    metrics = load_rubric(subject).metrics
    chance = Chance(model, str(seed), *_shown(brief, subject))
    scores = {metric.key: 1 + chance.number(metric.key, 5) for metric in metrics}
    if wish == "critique":
        mark = ": " if brief.language == "en" else "："
        told = (f"{one.name.text(brief.language)}{mark}{_level(one, scores[one.key], brief)}" for one in metrics)
        return "\n\n".join(told)
    wanted = re.findall(r"\w+", brief.values.get("wanted", "")) or [*scores]
    return {key: scores[key] for key in wanted if key in scores}


def _shown(brief: Brief, subject: str) -> list[str]:
    """What is under judgement, which is the same for the critique and the scores."""
    for task in (f"critique_{subject}", f"score_{subject}"):
        if (values := shape(task, brief.language).read(brief.told)) is not None:
            return [value for name, value in sorted(values.items()) if name != "wanted"]
    return [brief.told]


def _level(metric: Metric, score: int, brief: Brief) -> str:
    """How the rubric describes the level that the score is nearest to."""
    nearest = min(metric.anchors, key=lambda anchor: abs(anchor.score - score))
    return nearest.text.text(brief.language)
