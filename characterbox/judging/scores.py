"""Scores in a judge's reply: what is asked for, and how it is read."""

from collections.abc import Mapping, Sequence

from annotations.errors import RatingError
from annotations.rubric import Metric, Rubric
from characterbox.errors import ReplyError
from characterbox.llm.loose_json import json_objects
from characterbox.llm.reading import number_alone, plain, read_fields
from characterbox.llm.request import Form
from characterbox.reasons import Reason, several
from characterbox.values import Language

Verdict = Mapping[str, float | Reason]
"""For each metric its score, or the reason why there is none."""


def read_scores(text: str, rubric: Rubric, keys: Sequence[str], work: str) -> Verdict:
    """For each of the metrics the score that the reply gives, or why it gives none; never a rounded or made up one.

    A reply may hold scores in several places, such as a draft and then the final ones: as long as they agree. One that
    is asked for a single metric may be that number and nothing else. Scores that stand in the `work` under judgement
    don't count where a reply repeats them.
    """
    if _repeats(text, work, rubric):
        return dict.fromkeys(keys, Reason("scores_repeated"))
    return _read(text, rubric, keys)


def read_all_scores(text: str, rubric: Rubric, keys: Sequence[str], work: str) -> Mapping[str, float]:
    """The score of every one of the metrics. Raises ReplyError, naming each that is missing or cannot be used."""
    verdict = read_scores(text, rubric, keys, work)
    if problems := [problem for problem in verdict.values() if isinstance(problem, Reason)]:
        raise ReplyError(several(problems), reply=text)
    return {key: score for key, score in verdict.items() if not isinstance(score, Reason)}


def _read(text: str, rubric: Rubric, keys: Sequence[str]) -> Verdict:
    if len(keys) == 1 and isinstance(alone := number_alone(plain(text), rubric.scale.high), int):
        return {keys[0]: _score(keys[0], [alone], rubric)}
    try:
        ways = read_fields(text, {key: _labels(rubric.metric(key)) for key in keys})
    except ReplyError as error:
        return dict.fromkeys(keys, Reason.of(error))
    return {key: _score(key, [value for way in ways for value in way.fields.get(key, ())], rubric) for key in keys}


def _labels(metric: Metric) -> tuple[str, ...]:
    """The words for a metric: its key, its names, and both together as the rubric shows them."""
    names = (metric.name.en, metric.name.zh)
    forms = ("{}", f"{metric.key} {{}}", f"{metric.key} ({{}})", f"{{}} ({metric.key})", f"{{}}（{metric.key}）")
    return tuple(form.format(name) for name in names for form in forms)


def _score(key: str, found: Sequence[object], rubric: Rubric) -> float | Reason:
    """The one score that is found for a metric, or why there is none."""
    scores: list[float] = []
    problems: list[Reason] = []
    for value in found:
        try:
            scores.append(rubric.check(key, _number(value, rubric.scale.high)))
        except RatingError as error:
            problems.append(Reason.of(error))
    if len(set(scores)) > 1:
        return Reason("several_scores", metric=key, scores=", ".join(map(str, scores)))
    if scores:
        return scores[0]
    return problems[0] if problems else Reason("score_missing", metric=key)


def _repeats(text: str, work: str, rubric: Rubric) -> bool:
    """Whether a reply repeats scores that stand in the work under judgement, so that nobody can tell whose they are.

    One that is a JSON object and nothing else is the judge's own, whatever the work says.
    """
    content = plain(text)
    found = [content[one.start : one.end] for one in json_objects(content)]
    if found == [content]:
        return False
    known = _squeezed(work)
    repeated = (piece for piece in (*found, *content.splitlines()) if _squeezed(piece) in known)
    return any(piece.strip() and _holds_score(piece, rubric) for piece in repeated)


def _holds_score(piece: str, rubric: Rubric) -> bool:
    return any(not isinstance(score, Reason) for score in _read(piece, rubric, rubric.keys).values())


def _squeezed(text: str) -> str:
    return "".join(text.casefold().split())


def scores_form(rubric: Rubric, keys: Sequence[str]) -> Form:
    """The JSON form of a reply that scores these metrics: one number per metric."""
    kind = "number" if rubric.scale.fractions else "integer"
    score = {"type": kind, "minimum": rubric.scale.low, "maximum": rubric.scale.high}
    schema = {
        "type": "object",
        "properties": dict.fromkeys(keys, score),
        "required": [*keys],
        "additionalProperties": False,
    }
    return Form("scores", schema)


def rubric_text(rubric: Rubric, language: Language, keys: Sequence[str]) -> str:
    """These metrics with their questions and anchors, as text."""
    lines: list[str] = []
    for metric in map(rubric.metric, keys):
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
