"""How models stand on the questions of a benchmark: the scores of their answers, with all that these rest on."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotations.errors import Undefined, or_undefined
from annotations.resampling.estimates import Estimate
from characterbox.errors import StoryError
from characterbox.rolebench.answers.answering import Answering, Answers, Trial
from characterbox.rolebench.answers.scores import Scores, difference, scores_of
from characterbox.rolebench.running import Generated
from characterbox.rolebench.scoring import Part
from characterbox.roles.prompting import Strategy
from characterbox.values import Language

MEAN = "mean"
"""In place of a part: the mean of all."""
COLUMNS: tuple[Part, ...] = ("cus", "raw", "spe")
"""The parts in the order of the paper's tables."""
Rouge = Mapping[str, Estimate | Undefined | None]
"""Rouge-L by part, from 0 to 1, and the mean of the parts; None where a part has no answers."""


@dataclass(frozen=True)
class AnswersStanding:
    """How the answers of a generation stand."""

    id: str
    model: str
    """As people know it."""
    language: Language
    benchmark: str
    strategy: Strategy
    batch: str | None
    """The experiment that it belongs to."""
    trial: Trial | None
    improvised: bool
    """Whether no language model answered."""
    given: int
    asked: int
    unread: int
    """Questions whose replies could not be read: they are not scored."""
    cut_off: int
    """Answers that did not come to their end: they are scored as they are."""
    rouge: Rouge
    references: Mapping[str, str]
    """The reference policy by part, such as `best of 5`."""
    tokenizer: str | None
    """What split the texts; None where there is no answer."""


def scored(generated: Generated) -> tuple[AnswersStanding, Scores]:
    """The scores of answers so far, and how they stand. Raises StoryError for a generation of another kind."""
    wish, answers = generated.wish, generated.result
    if not isinstance(wish, Answering) or not isinstance(answers, Answers):
        raise StoryError("generation {id}: it is of another kind; it has no answers to score", id=generated.id)
    scores = scores_of(wish, answers)
    parts = scores.parts
    standing = AnswersStanding(
        generated.id,
        wish.model.label,
        wish.language,
        wish.questions.benchmark,
        wish.strategy,
        wish.batch,
        wish.trial,
        wish.improvised,
        len(answers.given),
        len(wish.questions.questions),
        len(answers.unread),
        answers.cut_off,
        rouge_of(scores),
        {part: parts[part].references for part in COLUMNS if part in parts},
        next((one.tokenizer for one in parts.values()), None),
    )
    return standing, scores


def rouge_of(scores: Scores) -> Rouge:
    """The mean of each part, and of all."""
    found: dict[str, Estimate | Undefined | None] = dict.fromkeys(COLUMNS)
    found |= {part: score.mean for part, score in scores.parts.items()}
    return {**found, MEAN: scores.mean}


def above(first: Scores, other: Scores) -> Rouge:
    """By how much others are above the first, on the questions that both have answered."""
    parts: dict[str, Part | None] = {**{part: part for part in COLUMNS}, MEAN: None}
    return {name: or_undefined(difference, first, other, part) for name, part in parts.items()}
