"""Scores in a judge's reply: what is asked for, and how it is read."""

from collections.abc import Mapping, Sequence

from annotations.errors import RatingError
from annotations.rubric import Metric, Rubric
from characterbox.errors import ReplyError
from characterbox.llm.reading import number_alone, read_fields
from characterbox.llm.request import Form
from characterbox.values import Language

Verdict = Mapping[str, float | str]
"""For each metric its score, or the reason why there is none."""


def read_scores(text: str, rubric: Rubric) -> Verdict:
    """For each metric the score that the reply gives, or why it gives none. A score is never rounded or made up.

    A reply may hold scores in several places, such as a draft and then the final ones: as long as they agree.
    """
    try:
        ways = read_fields(text, {metric.key: _labels(metric) for metric in rubric.metrics})
    except ReplyError as error:
        return dict.fromkeys(rubric.keys, str(error))
    return {
        key: _score(key, [value for way in ways for value in way.fields.get(key, ())], rubric) for key in rubric.keys
    }


def _labels(metric: Metric) -> tuple[str, ...]:
    """The words for a metric: its key, its names, and both together as the rubric shows them."""
    names = (metric.name.en, metric.name.zh)
    forms = ("{}", f"{metric.key} {{}}", f"{metric.key} ({{}})", f"{{}} ({metric.key})", f"{{}}（{metric.key}）")
    return tuple(form.format(name) for name in names for form in forms)


def _score(key: str, found: Sequence[object], rubric: Rubric) -> float | str:
    """The one score that is found for a metric, or why there is none."""
    scores: list[float] = []
    problems: list[str] = []
    for value in found:
        try:
            scores.append(rubric.check(key, _number(value, rubric.scale.high)))
        except RatingError as error:
            problems.append(str(error))
    if len(set(scores)) > 1:
        return f"{key}: the reply gives several scores ({', '.join(map(str, scores))}); give one"
    if scores:
        return scores[0]
    return problems[0] if problems else f"{key}: the score is missing"


def read_all_scores(text: str, rubric: Rubric) -> Verdict:
    """The score of every metric. Raises ReplyError, naming each that is missing or cannot be used."""
    verdict = read_scores(text, rubric)
    if problems := [problem for problem in verdict.values() if isinstance(problem, str)]:
        raise ReplyError("; ".join(dict.fromkeys(problems)), reply=text)
    return verdict


def scores_form(rubric: Rubric) -> Form:
    """The JSON form of a scoring reply: one number per metric."""
    kind = "number" if rubric.scale.fractions else "integer"
    score = {"type": kind, "minimum": rubric.scale.low, "maximum": rubric.scale.high}
    keys = list(rubric.keys)
    schema = {
        "type": "object",
        "properties": dict.fromkeys(keys, score),
        "required": keys,
        "additionalProperties": False,
    }
    return Form("scores", schema)


def rubric_text(rubric: Rubric, language: Language) -> str:
    """The metrics with their questions and anchors, as text."""
    lines: list[str] = []
    for metric in rubric.metrics:
        lines.append(f"{metric.key} {metric.name.text(language)}: {metric.question.text(language)}")
        lines.extend(f"  {anchor.score} = {anchor.text.text(language)}" for anchor in metric.anchors)
    return "\n".join(lines)


_SCORE = {"score", "rating", "value", "分数", "评分", "得分"}


def _number(value: object, high: int) -> object:
    """A whole number that stands there as text, or beside its reasons in an object, as a number."""
    if isinstance(value, tuple):
        scores = [one for key, one in value if key.strip().casefold() in _SCORE]
        value = scores[0] if len(scores) == 1 else value
    return number_alone(value, high)
