"""Rubrics: what raters and judges are asked, on which scale, and what the levels of the scale mean.

A rubric is a TOML file in English and Chinese. Bundled are, in `annotations/rubrics/`: `character`, the rubric of the
CharacterBox paper (seven metrics in three dimensions: section 3.3, with the anchors and the rater's guide of appendix
G); `narrator` and `scene`, after its sections 6.5 and 3.1; `narrator_steps`, which asks the metrics of `narrator` of
each kind of step; and `neeko`, after the Neeko paper (section 4). Texts of a rubric are plain text: nothing in them is
markup. In `studies/` is that of a published study, by which nobody rates here.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from itertools import chain
from numbers import Real
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    StringConstraints,
    model_validator,
)

from annotations.errors import RatingError
from annotations.i18n.messages import Message, listed, to_say
from annotations.rubrics.rubric_file import Misfit, hold_together, read_toml

MOST_METRICS = 20
MOST_LEVELS = 100
"""Levels of a scale of whole numbers at most: each has a button."""
STUDY_RUBRIC = "studies/hanna"
"""The rubric of the study that comes with the app."""
RESERVED = "overall"
"""No metric is called so: it is the mean over the metrics of a rubric."""

FARTHEST = 1_000_000
"""The largest magnitude of a score (see `annotations.marking.rating.MOST`)."""

SCORE_NO_NUMBER = to_say("{metric}: {score} is not a number; {remedy}")
SCORE_REFUSED = to_say("{metric}: {score} {fault}; {remedy}")
NOT_A_NUMBER = to_say("is not a number")
NOT_WHOLE = to_say("is not a whole number")
OUTSIDE = to_say("is outside the scale")
NUMBER_WANTED = to_say("enter a number from {low} to {high}")
WHOLE_WANTED = to_say("enter a whole number from {low} to {high}")

_FOLDER = resources.files("annotations") / "rubrics"
_PLAIN = r"^[^\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]*$"
"""No control characters but tab and line feed, and none that turns the direction of writing."""


def _on_one_line(text: str) -> str:
    if len(text.splitlines()) > 1 or len(text) > 100:
        raise ValueError(Message("must be on one line with at most 100 characters"))
    if not any(map(str.isalnum, text)):
        raise ValueError(Message("contains no letter or digit"))
    return text


def _usable_key(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,39}", text):
        raise ValueError(
            Message("must start with a letter a to z, followed by letters, digits, - or _; at most 40 characters")
        )
    return text


def _usable_version(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,19}", text):
        raise ValueError(
            Message("may only contain letters a to z, digits, ., - and _; at most 20 characters, for example 1.0")
        )
    return text


Language = Literal["en", "zh"]
Subject = Literal["character", "narrator", "scene"]
"""What an item is: one character's trajectory; all that the narrator decided in a story; or a scene as it opens."""
NarratorStep = Literal["action_influence", "interaction_result", "character_update", "environment_update"]
"""A kind of the narrator's steps, called as the event is."""
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000, pattern=_PLAIN)]
Label = Annotated[Text, AfterValidator(_on_one_line)]
Key = Annotated[str, AfterValidator(_usable_key)]


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Wording(_Value):
    """One text in both languages."""

    en: Text
    zh: Text

    def text(self, language: Language) -> str:
        """The text in `language`."""
        return self.en if language == "en" else self.zh

    def __str__(self) -> str:
        return self.en


class Name(Wording):
    """What something is called in both languages, each on one line."""

    en: Label
    zh: Label


class Anchor(_Value):
    """What an item must look like to earn a score."""

    score: StrictInt
    text: Wording


class StepMetric(_Value):
    """What a metric asks, and of which of the narrator's steps alone."""

    metric: Key
    """The metric of the rubric `narrator`."""
    step: NarratorStep


class Metric(_Value):
    """One thing that is scored."""

    key: Key
    of: StepMetric | None = None
    """None where it is asked of all of the item."""
    name: Name
    question: Wording
    """What the rater answers, in one sentence."""
    anchors: Annotated[tuple[Anchor, ...], Field(max_length=MOST_LEVELS)]
    """By rising score; levels between two anchors have no wording of their own."""


class Dimension(_Value):
    """Metrics that are meant to measure the same thing."""

    name: Name
    metrics: Annotated[tuple[Key, ...], Field(min_length=1)]


class Scale(_Value):
    """The numbers from `low` to `high`, both included; higher is better."""

    low: Annotated[StrictInt, Field(ge=-FARTHEST)]
    high: Annotated[StrictInt, Field(le=FARTHEST)]
    fractions: StrictBool
    """Whether the numbers between the whole ones are scores, too."""

    @model_validator(mode="after")
    def _usable(self) -> Self:
        if self.low >= self.high:
            raise ValueError(Message("low ({low}) must be less than high ({high})", low=self.low, high=self.high))
        if not self.fractions and len(self.levels) > MOST_LEVELS:
            levels = len(self.levels)
            raise ValueError(
                Message(
                    "has {levels} levels; the maximum is {most} unless fractions = true",
                    levels=levels,
                    most=MOST_LEVELS,
                )
            )
        return self

    @property
    def levels(self) -> range:
        """The whole numbers on the scale; without fractions, these are all the scores there are."""
        return range(self.low, self.high + 1)

    def fault(self, number: int | float) -> Message | None:
        """What is wrong with the number as a score, as a predicate; None when nothing is."""
        if isinstance(number, float) and (math.isnan(number) if self.fractions else not number.is_integer()):
            return Message(NOT_A_NUMBER if self.fractions else NOT_WHOLE)
        return None if self.low <= number <= self.high else Message(OUTSIDE)

    @property
    def wanted(self) -> Message:
        """What a score must be, as advice."""
        return Message(NUMBER_WANTED if self.fractions else WHOLE_WANTED, low=self.low, high=self.high)


class GuideField(_Value):
    """One thing that the rater sees or fills in."""

    name: Name
    meaning: Wording


class Guide(_Value):
    """What a rater reads before starting."""

    background: Wording
    fields: tuple[GuideField, ...]
    steps: tuple[Wording, ...]


class Rubric(_Value):
    """Metrics, grouped into dimensions, on one scale."""

    name: Key
    version: Annotated[str, AfterValidator(_usable_version)]
    """Kept with each rating: scores given under different wordings are not the same measurement."""
    subject: Subject
    evidence: Literal["optional", "required"]
    """Whether each score must rest on marked places of the item before the item can be submitted."""
    title: Name
    scale: Scale
    guide: Guide
    dimensions: tuple[Dimension, ...]
    metrics: Annotated[tuple[Metric, ...], Field(min_length=1, max_length=MOST_METRICS)]

    @model_validator(mode="after")
    def _hangs_together(self) -> Self:
        parts = (
            *(self._evidence_misfits(), self._metric_misfits(), self._step_misfits()),
            *(self._dimension_misfits(), self._anchor_misfits()),
        )
        hold_together(chain.from_iterable(parts))
        return self

    def _evidence_misfits(self) -> Iterator[Misfit]:
        if self.subject == "scene" and self.evidence == "required":
            yield ("evidence",), Message('an opening scene has no steps to mark as evidence; use "optional"')

    def _metric_misfits(self) -> Iterator[Misfit]:
        """Metrics that cannot be told apart, in a table or on the screen."""
        grouped = {key for dimension in self.dimensions for key in dimension.metrics}
        for number, metric in enumerate(self.metrics):
            earlier, place = self.metrics[:number], ("metrics", number)
            if metric.key.casefold() in {one.key.casefold() for one in earlier}:
                said = Message(
                    "the key {key!r} is already used by an earlier metric; change one of the two", key=metric.key
                )
                yield (*place, "key"), said
            if metric.key.casefold() == RESERVED:
                said = Message("{key!r} is reserved for the mean of all metrics; choose another key", key=metric.key)
                yield (*place, "key"), said
            if metric.key not in grouped:
                yield (*place, "key"), Message("{key!r} belongs to no dimension; add it to one", key=metric.key)
            alike = Message(
                "the name {name!r} is already used by an earlier metric; change one of the two", name=metric.name.en
            )
            if metric.name.en in {one.name.en for one in earlier}:
                yield (*place, "name", "en"), alike
            alike = Message(
                "the name {name!r} is already used by an earlier metric; change one of the two", name=metric.name.zh
            )
            if metric.name.zh in {one.name.zh for one in earlier}:
                yield (*place, "name", "zh"), alike

    def _step_misfits(self) -> Iterator[Misfit]:
        """Metrics of kinds of step, in a rubric where some are of all of the item, or where there are no such steps."""
        if not any(metric.of for metric in self.metrics):
            return
        asked: set[StepMetric] = set()
        for number, metric in enumerate(self.metrics):
            place = ("metrics", number, "of")
            if self.subject != "narrator":
                if metric.of is not None:
                    yield place, Message("only narrators have such steps; remove this entry")
            elif metric.of is None:
                yield place, Message("is missing")  # other metrics have it
            elif metric.of in asked:
                yield (
                    place,
                    Message("an earlier metric scores the same maxim for the same kind of step; change one of the two"),
                )
            else:
                asked.add(metric.of)

    def _dimension_misfits(self) -> Iterator[Misfit]:
        taken = Counter(self.keys)  # the names that figures go by
        grouped: set[str] = set()
        for number, dimension in enumerate(self.dimensions):
            place = ("dimensions", number)
            if dimension.name.en in taken:
                said = Message(
                    "the name {name!r} is already used elsewhere; change one of the two", name=dimension.name.en
                )
                yield (*place, "name", "en"), said
            taken[dimension.name.en] += 1
            for index, key in enumerate(dimension.metrics):
                if key not in self.keys:
                    known = listed(self.keys)
                    said = Message(
                        "{key!r} is not a metric of this rubric; its metrics are {known}", key=key, known=known
                    )
                    yield (*place, "metrics", index), said
                if key in grouped:
                    said = Message("{key!r} already belongs to a dimension; list it only once", key=key)
                    yield (*place, "metrics", index), said
                grouped.add(key)

    def _anchor_misfits(self) -> Iterator[Misfit]:
        low, high = self.scale.low, self.scale.high
        for number, metric in enumerate(self.metrics):
            levels = [anchor.score for anchor in metric.anchors]
            if levels != sorted(set(levels)) or levels[:1] != [low] or levels[-1:] != [high]:
                said = Message(
                    "anchor scores must increase from {low} to {high}, not {levels}", low=low, high=high, levels=levels
                )
                yield ("metrics", number, "anchors"), said

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the metrics, in the rubric's order."""
        return tuple(metric.key for metric in self.metrics)

    def metric(self, key: str) -> Metric:
        """The metric called `key`. Raises RatingError, naming the known keys, if there is none."""
        for metric in self.metrics:
            if metric.key == key:
                return metric
        raise RatingError(
            "the rubric {rubric!r} has no metric {key!r}; its metrics are {known}",
            rubric=self.name,
            key=key,
            known=listed(self.keys),
        )

    def check(self, metric: str, score: object) -> int | float:
        """`score` as a number on the scale, for the metric called `metric`: an int, or a float where fractions count.

        A whole number that comes as a float (4.0, as from a table) is taken. Text, booleans, what lies outside the
        scale and, unless the scale has them, fractions raise RatingError: a score is never rounded, cut or guessed. So
        does an unknown metric.
        """
        key = self.metric(metric).key
        if not isinstance(score, Real) or isinstance(score, bool):
            raise RatingError(SCORE_NO_NUMBER, metric=key, score=repr(score), remedy=self.scale.wanted)
        number = score if isinstance(score, int) else float(score)
        if fault := self.scale.fault(number):
            raise RatingError(SCORE_REFUSED, metric=key, score=score, fault=fault, remedy=self.scale.wanted)
        return float(number) if self.scale.fractions else int(number)


def bundled_rubrics() -> tuple[str, ...]:
    """The names of the bundled rubrics, in alphabetical order."""
    return tuple(sorted(file.name.removesuffix(".toml") for file in _FOLDER.iterdir() if file.name.endswith(".toml")))


@cache
def load_rubric(name: str = "character") -> Rubric:
    """The bundled rubric called `name`. Raises RatingError for an unknown name or a faulty file."""
    if name not in (known := bundled_rubrics()):
        raise RatingError("there is no rubric {name!r}; available: {known}", name=name, known=listed(known))
    return parse_rubric(bundled_text(name), file=f"{name}.toml")


@cache
def metric_names() -> Mapping[str, Name]:
    """What the metrics of `character`, and of the study, are called, by key."""
    study = parse_rubric(bundled_text(STUDY_RUBRIC), file=f"{STUDY_RUBRIC}.toml")
    return {metric.key: metric.name for rubric in (study, load_rubric()) for metric in rubric.metrics}


def bundled_text(name: str) -> str:
    """The file of the bundled rubric, or the study, called `name`, which there must be."""
    return (_FOLDER / f"{name}.toml").read_text(encoding="utf-8")


def parse_rubric(toml: str, *, file: str) -> Rubric:
    """The rubric that the text of a TOML file describes.

    Raises FaultyFile (a RatingError), naming `file` and each fault with its line, for what is no usable rubric.
    """
    return read_toml(toml, Rubric, file=file)
