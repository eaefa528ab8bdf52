"""What answers come to: Rouge-L in each part, their mean, and how two manners differ on the same questions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from annotations.errors import Undefined, UndefinedStatistic, or_undefined
from annotations.resampling.crossed import crossed_mean
from annotations.resampling.estimates import Estimate
from characterbox.atomic_file import check_new
from characterbox.rolebench.answers.answering import Answering, Answers
from characterbox.rolebench.answers.questions import KINDS
from characterbox.rolebench.released import Key, Kind, Row, write_rows
from characterbox.rolebench.rouge import Answered, Policy
from characterbox.rolebench.scoring import PARTS, Asked, Part, Score, numbered, score_answers


@dataclass(frozen=True)
class Scores:
    """Rouge-L of the answers of a model."""

    parts: Mapping[Part, Score]
    """Those that there are answers for."""
    mean: Estimate | Undefined
    """Of the parts, each of which counts the same; undefined where one is missing, as it could be compared to none."""


def scores_of(wish: Answering, answers: Answers, policy: Policy = "best", *, processes: int = 1) -> Scores:
    """The scores of answers so far: a general answer counts in RAW and in CUS, as far as it has references there."""
    place = wish.questions.place
    found: dict[Part, Score] = {}
    for part in PARTS:
        asked = Asked(part, wish.language, policy, partial=True)
        given = {
            one.key: Answered(answer.text, one.references(part))
            for one, answer in answers.given
            if one.references(part)
        }
        if given:
            missing = sum(bool(one.references(part)) for one in wish.questions.questions) - len(given)
            stands = None if part == "spe" else place
            found[part] = score_answers(given, asked, stands, missing=missing, processes=processes)
    return Scores(found, or_undefined(_mean, {part: score.each for part, score in found.items()}))


def difference(first: Scores, second: Scores, part: Part | None = None) -> Estimate:
    """By how much the second are above the first, in a part or, for None, in the mean of all parts: on the questions
    that both have answered. Roles and questions are drawn for both together. n counts questions in a part.

    Raises UndefinedStatistic where there are none, or not in all parts.
    """
    parts = PARTS if part is None else (part,)
    return _mean({one: _differences(first, second, one) for one in parts}, parts)


def _differences(first: Scores, second: Scores, part: Part) -> Mapping[Key, float]:
    if part not in first.parts or part not in second.parts:
        return {}
    before, after = first.parts[part].each, second.parts[part].each
    return {key: after[key] - score for key, score in before.items() if key in after}


def _mean(scores: Mapping[Part, Mapping[Key, float]], parts: Sequence[Part] = PARTS) -> Estimate:
    """The mean of parts, each of which counts the same. Raises UndefinedStatistic where one has no scores."""
    if absent := [part.upper() for part in parts if not scores.get(part)]:
        raise UndefinedStatistic("there are no scores in {part}", part=absent[0])
    keys = [*chain.from_iterable(scores[part] for part in parts)]
    figures = np.array([*chain.from_iterable(scores[part].values() for part in parts)])
    roles, questions = (numbered(names) for names in zip(*keys, strict=True))
    return crossed_mean(
        figures, roles, questions, parts=np.repeat(np.arange(len(parts)), [len(scores[part]) for part in parts])
    )


def predictions(answers: Answers, kind: Kind) -> Iterator[Row]:
    """The answers to questions of a kind as rows in the released form, which `characterbox rolebench score` reads."""
    for question, answer in answers.given:
        if question.kind == kind:
            yield Row(role=question.role, question=question.text, generated=(answer.text,))


def write_predictions(file: Path, answers: Answers) -> dict[Path, int]:
    """Write the answers in the released form, and give the rows of each file.

    As references of general questions and of those about roles lie in different files, answers to both go into two,
    called after `file`, such as `answers.general.jsonl`. Raises FileError where one is there already, or can't be
    written.
    """
    kinds = [kind for kind in KINDS if any(question.kind == kind for question, _ in answers.given)]
    places = [file if len(kinds) == 1 else file.with_suffix(f".{kind}{file.suffix}") for kind in kinds]
    for place in places:
        check_new(place)
    return {place: write_rows(place, predictions(answers, kind)) for place, kind in zip(places, kinds, strict=True)}
