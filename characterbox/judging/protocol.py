"""How a judge judges (paper, section 3.3): its protocol, and the scores that it is asked for."""

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from annotations.errors import RatingError
from annotations.rubrics.rubric import Metric, Rubric, Subject
from characterbox.errors import ReplyError
from characterbox.llm.replies.loose_json import json_objects
from characterbox.llm.replies.reading import number_alone, plain, read_fields
from characterbox.llm.request import Form
from characterbox.llm.sampling import Sampling, Temperature
from characterbox.pause_reasons import Reason, several
from characterbox.prompts import template, words
from characterbox.values import Language, Value

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


def guide_texts(rubric: Rubric, language: Language) -> dict[str, str]:
    """What experts read before they rate: the variables of the prompt that has a judge rate by the same guide."""
    guide, mark = rubric.guide, ": " if language == "en" else "："
    return {
        "background": guide.background.text(language),
        "fields": "\n".join(f"- {one.name.text(language)}{mark}{one.meaning.text(language)}" for one in guide.fields),
        "steps": "\n".join(f"{number}. {step.text(language)}" for number, step in enumerate(guide.steps, 1)),
    }


_SCORE = {"score", "rating", "value", "分数", "评分", "得分"}


def _number(value: object, high: int) -> object:
    """A whole number that stands there as text, or beside its reasons in an object, as a number."""
    if isinstance(value, tuple):
        scores = [one for key, one in value if key.strip().casefold() in _SCORE]
        value = scores[0] if len(scores) == 1 else value
    return number_alone(value, high)


Manner = Literal["critique", "direct", "brief"]
"""A critique first, which goes into the prompt for the scores; the scores at once, by the same rubric; or the scores at
once from a short prompt that only names the metrics, for models that were trained to score."""

Replies = Literal["one", "each"]
"""Whether one reply scores all metrics, or each metric has a reply of its own."""
Order = Literal["rubric", "shuffled"]
"""The order in which the metrics are asked for: the rubric's, or another for each item, drawn by the seed."""
Spoken = Literal["scene", "en", "zh"]
"""The language of the prompts; what is judged is in that of its scene."""


@dataclass(frozen=True, slots=True)
class Prompts:
    """The names of the prompts by which something is judged."""

    rules: Mapping[Manner, str]
    """The system message of each manner."""
    critique: str
    scores: str
    """After a critique: all metrics in the order of the rubric."""
    scores_of: str
    """After a critique: some metrics, or all in another order."""
    at_once: str
    """Scores without a critique."""

    def of(self, manner: Manner) -> tuple[str, ...]:
        """All prompts of a manner."""
        rest = (self.critique, self.scores, self.scores_of) if manner == "critique" else (self.at_once,)
        return tuple(dict.fromkeys((self.rules[manner], *rest)))


def _rules(brief: str) -> Mapping[Manner, str]:
    """The experts' guide, whatever is judged, with and without a critique; only a short prompt is without it."""
    return {"critique": "judge", "direct": "judge", "brief": brief}


def _prompts_of(subject: Subject) -> Prompts:
    """The prompts for what is no character."""
    after = f"scores_{subject}"
    return Prompts(_rules(f"judge_{subject}_brief"), f"critique_{subject}", after, after, f"score_{subject}")


PROMPTS: Mapping[Subject, Prompts] = {
    "character": Prompts(_rules("judge_brief"), "critique", "scores", "scores_of", "score_directly"),
    "narrator": _prompts_of("narrator"),
    "scene": _prompts_of("scene"),
}
"""By what is judged."""


class Protocol(Value):
    """The settings of a judge. The defaults are those of judges of before; `NEW` is what a new one begins with."""

    manner: Manner = "critique"
    replies: Replies = "one"
    order: Order = "rubric"
    language: Spoken = "scene"
    temperature: Temperature | None = None
    """None leaves it to the endpoint."""

    @property
    def sampling(self) -> Sampling:
        """How its replies are drawn."""
        return Sampling(temperature=self.temperature, top_p=None)

    def spoken(self, scene: Language) -> Language:
        """The language of the prompts for a scene in this language."""
        return scene if self.language == "scene" else self.language

    def ordered(self, rubric: Rubric, seed: str) -> tuple[str, ...]:
        """The keys of the metrics in the order in which they are asked for."""
        if self.order == "rubric":
            return tuple(rubric.keys)
        draw = random.Random(seed)  # noqa: S311 # nosec B311 # an order, no secret
        return tuple(draw.sample(rubric.keys, len(rubric.keys)))

    def asked_together(self, keys: Sequence[str]) -> list[tuple[str, ...]]:
        """The metrics of each reply."""
        return [tuple(keys)] if self.replies == "one" else [(key,) for key in keys]

    def prompts_digest(self, rubric: Rubric) -> str:
        """The version of the prompts: a fingerprint of all their wording in both languages, and of the rubric.

        The experts' guide is part of it where the judge reads it.
        """
        languages: tuple[Language, ...] = ("en", "zh")
        names = PROMPTS[rubric.subject].of(self.manner)
        texts = [template(name, language) for name in names for language in languages]
        texts += [rubric_text(rubric, language, rubric.keys) for language in languages]
        told = [words(language) for language in languages]
        texts += [
            part.model_dump_json() for one in told for part in (one.profile, one.trajectory, one.narration, one.memory)
        ]
        if self.manner != "brief":
            texts += [text for language in languages for text in guide_texts(rubric, language).values()]
        return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]


NEW = Protocol(temperature=0.0)
"""As the paper's GPT-4, always with the likeliest words, so that it says the same of the same."""
PRESETS: Mapping[str, Protocol] = {
    "GPT-4": NEW,
    "CharacterRM": Protocol(manner="brief", temperature=0.0),
    "ChatGLM": Protocol(manner="direct", temperature=0.0),
}
"""The paper's judges: GPT-4 writes a critique first; CharacterRM was trained to score; ChatGLM, which it was made of,
is the baseline. Each can be asked at any endpoint."""
