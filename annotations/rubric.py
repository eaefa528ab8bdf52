"""Rubrics: what raters and judges are asked, on which scale, and what the levels of the scale mean.

A rubric is a TOML file in `annotations/rubrics/`, in English and Chinese. `character` is the rubric of the CharacterBox
paper: seven metrics in three dimensions (section 3.3), with the anchors and the rater's guide of appendix G.
"""

import re
import tomllib
from collections import Counter
from functools import cache
from importlib import resources
from numbers import Real
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from annotations.errors import RatingError

Language = Literal["en", "zh"]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Key = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$")]


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Wording(_Value):
    """One text in both languages."""

    en: Text
    zh: Text

    def text(self, language: Language) -> str:
        """The text in `language`."""
        return self.en if language == "en" else self.zh


class Anchor(_Value):
    """What a trajectory must look like to earn a score."""

    score: int
    text: Wording


class Metric(_Value):
    """One thing that is scored."""

    key: Key
    name: Wording
    question: Wording
    """What the rater answers, in one sentence."""
    anchors: tuple[Anchor, ...]
    """By rising score; levels between two anchors have no wording of their own."""


class Dimension(_Value):
    """Metrics that are meant to measure the same thing."""

    name: Wording
    metrics: Annotated[tuple[Key, ...], Field(min_length=1)]


class Scale(_Value):
    """Whole numbers from `low` to `high`, both included; higher is better."""

    low: int
    high: int


class GuideField(_Value):
    """One thing that the rater sees or fills in."""

    name: Wording
    meaning: Wording


class Guide(_Value):
    """What a rater reads before starting."""

    background: Wording
    fields: tuple[GuideField, ...]
    steps: tuple[Wording, ...]


class Rubric(_Value):
    """Metrics, grouped into dimensions, on one integer scale."""

    name: Key
    version: Text
    """Kept with each rating: scores given under different wordings are not the same measurement."""
    title: Wording
    scale: Scale
    guide: Guide
    dimensions: tuple[Dimension, ...]
    metrics: Annotated[tuple[Metric, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _hangs_together(self) -> Self:
        if self.scale.low >= self.scale.high:
            raise ValueError(f"scale: low ({self.scale.low}) must be less than high ({self.scale.high})")
        times = Counter(self.keys)
        if twice := [key for key, count in times.items() if count > 1]:
            raise ValueError(f"metrics: {', '.join(twice)} stands there more than once")
        members = Counter(key for dimension in self.dimensions for key in dimension.metrics)
        if strange := sorted(members.keys() - times.keys()):
            raise ValueError(f"dimensions: {', '.join(strange)} is no metric of this rubric")
        if misplaced := [key for key in self.keys if members[key] != 1]:
            raise ValueError(f"dimensions: {', '.join(misplaced)} must belong to one dimension, and only one")
        for metric in self.metrics:
            self._check_anchors(metric)
        return self

    def _check_anchors(self, metric: Metric) -> None:
        levels = [anchor.score for anchor in metric.anchors]
        if levels != sorted(set(levels)) or levels[:1] != [self.scale.low] or levels[-1:] != [self.scale.high]:
            raise ValueError(
                f"metrics.{metric.key}.anchors: scores must rise from {self.scale.low} to {self.scale.high},"
                f" got {levels}"
            )

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

    def check(self, metric: str, score: object) -> int:
        """`score` as a whole number on the scale, for the metric called `metric`.

        A whole number that comes as a float (4.0, as from a table) is taken. Text, booleans, fractions and what lies
        outside the scale raise RatingError: a score is never rounded, cut or guessed. So does an unknown metric.
        """
        key = self.metric(metric).key
        wanted = f"give a whole number from {self.scale.low} to {self.scale.high}"
        if not isinstance(score, Real) or isinstance(score, bool):
            raise RatingError(f"{key}: {score!r} is not a number; {wanted}")
        number = score if isinstance(score, int) else float(score)
        if number not in range(self.scale.low, self.scale.high + 1):
            fault = (
                "lies outside the scale" if isinstance(number, int) or number.is_integer() else "is not a whole number"
            )
            raise RatingError(f"{key}: {score} {fault}; {wanted}")
        return int(number)


@cache
def load_rubric(name: str = "character") -> Rubric:
    """The bundled rubric called `name`. Raises RatingError for an unknown name or a faulty file."""
    folder = resources.files("annotations") / "rubrics"
    known = sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))
    if name not in known:
        raise RatingError(f"there is no rubric {name!r}; there are: {', '.join(known)}")
    file = folder / f"{name}.toml"
    return parse_rubric(file.read_text(encoding="utf-8"), file=file.name)


def parse_rubric(toml: str, *, file: str) -> Rubric:
    """The rubric that the text of a TOML file describes. Raises RatingError naming `file` and the faulty fields."""
    try:
        return Rubric.model_validate(tomllib.loads(toml))
    except tomllib.TOMLDecodeError as error:
        raise RatingError(f"{file} is not valid TOML: {error}") from error
    except ValidationError as error:
        faults = "; ".join(_fault(fault["loc"], fault["msg"]) for fault in error.errors(include_url=False))
        raise RatingError(f"{file}: {faults}") from error


def _fault(place: tuple[int | str, ...], message: str) -> str:
    message = re.sub(r"^Value error, ", "", message)
    return f"{'.'.join(map(str, place))}: {message}" if place else message
