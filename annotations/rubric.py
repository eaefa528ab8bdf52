"""Rubrics: what raters and judges are asked, on which scale, and what the levels of the scale mean.

A rubric is a TOML file in English and Chinese. Bundled are, in `annotations/rubrics/`: `character`, the rubric of the
CharacterBox paper (seven metrics in three dimensions: section 3.3, with the anchors and the rater's guide of appendix
G); `narrator` and `scene`, after its sections 6.5 and 3.1; and `neeko`, after the Neeko paper (section 4). Texts of a
rubric are plain text: nothing in them is markup.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator
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
from annotations.toml_file import Misfit, hold_together, read_toml

MOST_METRICS = 20
MOST_LEVELS = 100
"""Levels of a scale of whole numbers at most: each has a button."""
RESERVED = "overall"
"""No metric is called so: it is the mean over the metrics of a rubric."""

FARTHEST = 1_000_000
"""The largest magnitude of a score (see `annotations.rating.MOST`)."""

_FOLDER = resources.files("annotations") / "rubrics"
_PLAIN = r"^[^\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]*$"
"""No control characters but tab and line feed, and none that turns the direction of writing."""


def _on_one_line(text: str) -> str:
    if len(text.splitlines()) > 1 or len(text) > 100:
        raise ValueError("must stand on one line, of 100 characters at most")
    if not any(map(str.isalnum, text)):
        raise ValueError("has no letter and no digit")
    return text


def _usable_key(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,39}", text):
        raise ValueError("must begin with a letter a to z and go on with letters, digits, - or _, 40 at most")
    return text


def _usable_version(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,19}", text):
        raise ValueError("must be made of letters a to z, digits, . - or _, 20 at most, such as 1.0")
    return text


Language = Literal["en", "zh"]
Subject = Literal["character", "narrator", "scene"]
"""What an item is: one character's trajectory; all that the narrator decided in a story; or a scene as it opens."""
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


class Name(Wording):
    """What something is called in both languages, each on one line."""

    en: Label
    zh: Label


class Anchor(_Value):
    """What an item must look like to earn a score."""

    score: StrictInt
    text: Wording


class Metric(_Value):
    """One thing that is scored."""

    key: Key
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
            raise ValueError(f"low ({self.low}) must be less than high ({self.high})")
        if not self.fractions and len(self.levels) > MOST_LEVELS:
            raise ValueError(f"has {len(self.levels)} levels; {MOST_LEVELS} are allowed unless fractions = true")
        return self

    @property
    def levels(self) -> range:
        """The whole numbers on the scale; without fractions, these are all the scores there are."""
        return range(self.low, self.high + 1)

    def fault(self, number: int | float) -> str | None:
        """What is wrong with the number as a score, as a predicate; None when nothing is."""
        if isinstance(number, float) and (math.isnan(number) if self.fractions else not number.is_integer()):
            return "is not a number" if self.fractions else "is not a whole number"
        return None if self.low <= number <= self.high else "lies outside the scale"


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
        parts = (self._evidence_misfits(), self._metric_misfits(), self._dimension_misfits(), self._anchor_misfits())
        hold_together(chain.from_iterable(parts))
        return self

    def _evidence_misfits(self) -> Iterator[Misfit]:
        if self.subject == "scene" and self.evidence == "required":
            yield ("evidence",), "a scene as it opens has no places to mark; write optional"

    def _metric_misfits(self) -> Iterator[Misfit]:
        """Metrics that cannot be told apart, in a table or on the screen."""
        grouped = {key for dimension in self.dimensions for key in dimension.metrics}
        for number, metric in enumerate(self.metrics):
            earlier, place = self.metrics[:number], ("metrics", number)
            if metric.key.casefold() in {one.key.casefold() for one in earlier}:
                yield (*place, "key"), f"{metric.key!r} is the key of an earlier metric, too; change one of them"
            if metric.key.casefold() == RESERVED:
                yield (*place, "key"), f"{metric.key!r} is kept for the mean of all metrics; choose another key"
            if metric.key not in grouped:
                yield (*place, "key"), f"{metric.key!r} belongs to no dimension; name it in one"
            if alike := {metric.name.en} & {one.name.en for one in earlier}:
                yield (*place, "name", "en"), f"an earlier metric is called {alike.pop()!r}, too; change one of them"
            if alike := {metric.name.zh} & {one.name.zh for one in earlier}:
                yield (*place, "name", "zh"), f"an earlier metric is called {alike.pop()!r}, too; change one of them"

    def _dimension_misfits(self) -> Iterator[Misfit]:
        taken = Counter(self.keys)  # the names that figures go by
        grouped: set[str] = set()
        for number, dimension in enumerate(self.dimensions):
            place = ("dimensions", number)
            if dimension.name.en in taken:
                yield (*place, "name", "en"), f"{dimension.name.en!r} is the name of something else, too; change one"
            taken[dimension.name.en] += 1
            for index, key in enumerate(dimension.metrics):
                if key not in self.keys:
                    yield (
                        (*place, "metrics", index),
                        f"{key!r} is no metric of this rubric; it has {', '.join(self.keys)}",
                    )
                if key in grouped:
                    yield (*place, "metrics", index), f"{key!r} belongs to a dimension already; name it once"
                grouped.add(key)

    def _anchor_misfits(self) -> Iterator[Misfit]:
        low, high = self.scale.low, self.scale.high
        for number, metric in enumerate(self.metrics):
            levels = [anchor.score for anchor in metric.anchors]
            if levels != sorted(set(levels)) or levels[:1] != [low] or levels[-1:] != [high]:
                yield ("metrics", number, "anchors"), f"scores must rise from {low} to {high}, got {levels}"

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the metrics, in the rubric's order."""
        return tuple(metric.key for metric in self.metrics)

    def metric(self, key: str) -> Metric:
        """The metric called `key`. Raises RatingError, naming the known keys, if there is none."""
        for metric in self.metrics:
            if metric.key == key:
                return metric
        raise RatingError(f"the rubric {self.name!r} has no metric {key!r}; its metrics are {', '.join(self.keys)}")

    def check(self, metric: str, score: object) -> int | float:
        """`score` as a number on the scale, for the metric called `metric`: an int, or a float where fractions count.

        A whole number that comes as a float (4.0, as from a table) is taken. Text, booleans, what lies outside the
        scale and, unless the scale has them, fractions raise RatingError: a score is never rounded, cut or guessed. So
        does an unknown metric.
        """
        key = self.metric(metric).key
        kind = "number" if self.scale.fractions else "whole number"
        wanted = f"give a {kind} from {self.scale.low} to {self.scale.high}"
        if not isinstance(score, Real) or isinstance(score, bool):
            raise RatingError(f"{key}: {score!r} is not a number; {wanted}")
        number = score if isinstance(score, int) else float(score)
        if fault := self.scale.fault(number):
            raise RatingError(f"{key}: {score} {fault}; {wanted}")
        return float(number) if self.scale.fractions else int(number)


def bundled_rubrics() -> tuple[str, ...]:
    """The names of the bundled rubrics, in alphabetical order."""
    return tuple(sorted(file.name.removesuffix(".toml") for file in _FOLDER.iterdir() if file.name.endswith(".toml")))


@cache
def load_rubric(name: str = "character") -> Rubric:
    """The bundled rubric called `name`. Raises RatingError for an unknown name or a faulty file."""
    if name not in (known := bundled_rubrics()):
        raise RatingError(f"there is no rubric {name!r}; there are: {', '.join(known)}")
    return parse_rubric(bundled_text(name), file=f"{name}.toml")


def bundled_text(name: str) -> str:
    """The file of the bundled rubric called `name`, which there must be."""
    return (_FOLDER / f"{name}.toml").read_text(encoding="utf-8")


def parse_rubric(toml: str, *, file: str) -> Rubric:
    """The rubric that the text of a TOML file describes.

    Raises FaultyFile (a RatingError), naming `file` and each fault with its line, for what is no usable rubric.
    """
    return read_toml(toml, Rubric, file=file)
