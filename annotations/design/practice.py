"""Practice: trajectories with gold scores on which raters learn a rubric, and attention checks for their real work.

A practice set is a TOML file in `annotations/design/practice_sets/`, tied to one version of one rubric. The paper
trained its experts together before they began (appendix G); here each rater scores the practice items of a language
alone, reads the gold score and its reason after each, and qualifies by how close the scores came.

Gold is given under one wording, so that a set serves the very version of the rubric that is bundled with it. Where that
changes, a campaign that runs under an earlier version loses its practice set and its attention checks: whoever has not
qualified yet cannot, and whether those who have did well can no longer be told. So change a rubric between campaigns,
and close those that train raters first.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StrictFloat, StrictInt, model_validator

from annotations.errors import RatingError
from annotations.i18n.messages import Message, listed, to_say
from annotations.rubrics.rubric import Key, Label, Language, Rubric, Text, Wording, load_rubric
from annotations.rubrics.rubric_file import Misfit, Place, hold_together, read_toml, refused

CLOSE = 1
"""Points: as far from the gold as a score may lie and still count as close to it."""
THRESHOLD = 0.8
"""The share of practice scores that must be close, unless a campaign sets another.

On the bundled set neither the same score throughout nor the best possible single score for each item (a perfect halo)
comes so far: they reach 69 and 79 % at most. Scores drawn at random get there once in 40,000 times. Untrained crowds
stay below as well: in the HANNA collection, two human scores of one story are close in 63 % of cases.
"""

_FOLDER = resources.files("annotations") / "design" / "practice_sets"


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PracticeScene(_Value):
    """What the rater is told of the scene."""

    title: Label
    work: Label
    time: Text
    location: Text
    description: Text


class PracticeCharacter(_Value):
    """Who is played."""

    name: Label
    gender: Label
    description: Text
    position: Text
    state: Text


class PracticeStep(_Value):
    """What the character observed, or what it did or said."""

    round: Annotated[StrictInt, Field(ge=1)]
    kind: Literal["observation", "action", "dialogue", "reaction"]
    text: Text


class Gold(_Value):
    """The score that a metric should get, and why."""

    metric: Key
    score: StrictInt | StrictFloat
    reason: Wording


class CheckGold(Gold):
    """The score that anybody who reads gives, and by how many points it may be missed."""

    tolerance: Annotated[StrictInt, Field(ge=0)]


class _Trajectory(_Value):
    key: Key
    language: Language
    scene: PracticeScene
    character: PracticeCharacter
    others: tuple[Label, ...]
    """The names of the other characters in the scene."""
    steps: Annotated[tuple[PracticeStep, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _rounds_rise(self) -> Self:
        """The first step is of round 1, and each other of the round of the one before or of the next."""
        before = (0, *(step.round for step in self.steps))
        hold_together(
            (
                ("steps", number, "round"),
                Message("round {round} cannot follow round {before}", round=step.round, before=before[number]),
            )
            for number, step in enumerate(self.steps)
            if step.round not in ((1,) if number == 0 else (before[number], before[number] + 1))
        )
        return self


class PracticeItem(_Trajectory):
    """A trajectory with a gold score for each metric, to learn from."""

    gold: tuple[Gold, ...]


class AttentionCheck(_Trajectory):
    """A trajectory whose right scores are unmistakable, at least on some metrics; it comes unannounced."""

    gold: Annotated[tuple[CheckGold, ...], Field(min_length=1)]


class PracticeSet(_Value):
    """The practice items and attention checks for one version of a rubric."""

    rubric: Key
    version: Text
    items: Annotated[tuple[PracticeItem, ...], Field(min_length=1)]
    checks: tuple[AttentionCheck, ...]

    @model_validator(mode="after")
    def _keys_differ(self) -> Self:
        places: list[Place] = [("items", number, "key") for number in range(len(self.items))]
        places += [("checks", number, "key") for number in range(len(self.checks))]
        keys = [one.key for one in (*self.items, *self.checks)]
        hold_together(
            (place, Message("the key {key!r} is already used by an earlier item; change one of the two", key=key))
            for number, (place, key) in enumerate(zip(places, keys, strict=True))
            if key in keys[:number]
        )
        return self

    def items_in(self, language: Language) -> tuple[PracticeItem, ...]:
        """The practice items in `language`, in the order in which they are to be learned from."""
        return tuple(item for item in self.items if item.language == language)

    def checks_in(self, language: Language) -> tuple[AttentionCheck, ...]:
        """The attention checks in `language`."""
        return tuple(check for check in self.checks if check.language == language)


@cache
def load_practice(rubric: Rubric) -> PracticeSet:
    """The bundled practice set for `rubric`. Raises RatingError if there is none for this version of it."""
    file = _FOLDER / f"{rubric.name}.toml"
    if not file.is_file():
        raise RatingError(
            "there is no practice set for the rubric {rubric!r}, version {version}; start the campaign without"
            " practice and attention checks",
            rubric=rubric.name,
            version=rubric.version,
        )
    if (bundled := load_rubric(rubric.name)) != rubric:
        raise RatingError(
            "there is no practice set for the rubric {rubric!r}, version {version}: this version of the app has"
            " one for {bundled}. A campaign that has started can no longer offer practice or attention checks;"
            " copy it with version {bundled}, or go back to the version of the app that it was started with",
            rubric=rubric.name,
            version=rubric.version,
            bundled=bundled.version,
        )
    return parse_practice(file.read_text(encoding="utf-8"), rubric, file=file.name)


def parse_practice(toml: str, rubric: Rubric, *, file: str) -> PracticeSet:
    """The practice set for `rubric` that the text of a TOML file describes.

    Raises FaultyFile (a RatingError), naming `file` and each fault with its line, also for gold that is not on the
    rubric's scale or of its metrics.
    """
    practice = read_toml(toml, PracticeSet, file=file)
    if misfits := tuple(_misfits(practice, rubric)):
        raise refused(misfits, toml, file=file)
    return practice


def _misfits(practice: PracticeSet, rubric: Rubric) -> Iterator[Misfit]:
    """What in the set does not fit the rubric."""
    if practice.rubric != rubric.name:
        yield ("rubric",), Message("is for {other!r}, not for {rubric!r}", other=practice.rubric, rubric=rubric.name)
    if practice.version != rubric.version:
        told = Message("is for version {other}, not for {version}", other=practice.version, version=rubric.version)
        yield ("version",), told
    for number, item in enumerate(practice.items):
        place = ("items", number, "gold")
        if missing := [key for key in rubric.keys if key not in {gold.metric for gold in item.gold}]:
            yield place, Message("no gold score for {metrics}", metrics=listed(missing))
        yield from _gold_misfits(item.gold, rubric, place)
    for number, check in enumerate(practice.checks):
        yield from _gold_misfits(check.gold, rubric, ("checks", number, "gold"))


def _gold_misfits(golds: Sequence[Gold], rubric: Rubric, place: Place) -> Iterator[Misfit]:
    metrics = [gold.metric for gold in golds]
    for number, gold in enumerate(golds):
        if gold.metric in metrics[:number]:
            yield (*place, number, "metric"), Message("{metric} already has a gold score", metric=gold.metric)
        try:
            rubric.check(gold.metric, gold.score)
        except RatingError as error:
            yield (*place, number, "score" if gold.metric in rubric.keys else "metric"), error.message


@dataclass(frozen=True)
class Feedback:
    """How one score compares with the gold."""

    metric: str
    given: float
    gold: float
    difference: float
    """Given minus gold, in points: positive where the rater was too lenient."""
    reason: Wording
    """Why the gold is what it is."""

    @property
    def close(self) -> bool:
        """Whether the score lies within `CLOSE` points of the gold."""
        return _within(self.difference, CLOSE)


def feedback(item: PracticeItem, scores: Mapping[str, float]) -> tuple[Feedback, ...]:
    """How the scores that a rater gave to a practice item compare with the gold, metric by metric.

    Raises RatingError if a metric has no score.
    """
    return tuple(_compared(gold, scores) for gold in item.gold)


def passed_check(check: AttentionCheck, scores: Mapping[str, float]) -> bool:
    """Whether the scores show that the rater has read: each that has gold lies within its tolerance.

    Raises RatingError if such a metric has no score.
    """
    return all(_within(_compared(gold, scores).difference, gold.tolerance) for gold in check.gold)


@dataclass(frozen=True)
class Qualification:
    """How close a rater came to the gold of the practice items, and whether that is enough."""

    n: int
    """Scores: metrics times items."""
    close: float
    """The share of scores within `CLOSE` points of the gold."""
    exact: float
    """The share of scores that are the gold."""
    mean_absolute_difference: float
    """In points."""
    misread: tuple[str, ...]
    """Metrics on which fewer than half of the scores are close: one that is misunderstood hides in the share of all."""
    unvaried: tuple[str, ...]
    """Metrics that got the same score on every item, although the gold differs: such a score says nothing."""
    threshold: float

    @property
    def passed(self) -> bool:
        """Whether enough scores are close, and no metric is misread or unvaried."""
        return self.close >= self.threshold and not self.misread and not self.unvaried


def qualification(
    items: Sequence[PracticeItem], given: Mapping[str, Mapping[str, float]], threshold: float = THRESHOLD
) -> Qualification:
    """How a rater did on practice items; `given` holds the scores by the key of the item and the metric.

    Raises RatingError if an item or a metric has no score, or if there are no items.
    """
    if not items:
        raise RatingError(
            "qualification: there are no practice items in this language; choose a language that has some"
        )
    if missing := [item.key for item in items if item.key not in given]:
        message = to_say("qualification: practice items without a score: {items}; score every practice item")
        raise RatingError(message, items=listed(missing))
    compared = [one for item in items for one in feedback(item, given[item.key])]
    by_metric: dict[str, list[Feedback]] = {}
    for one in compared:
        by_metric.setdefault(one.metric, []).append(one)
    return Qualification(
        n=len(compared),
        close=sum(one.close for one in compared) / len(compared),
        exact=sum(one.difference == 0 for one in compared) / len(compared),
        mean_absolute_difference=sum(abs(one.difference) for one in compared) / len(compared),
        misread=tuple(metric for metric, ones in by_metric.items() if sum(one.close for one in ones) * 2 < len(ones)),
        unvaried=tuple(metric for metric, ones in by_metric.items() if _unvaried(ones)),
        threshold=threshold,
    )


def _compared(gold: Gold, scores: Mapping[str, float]) -> Feedback:
    if gold.metric not in scores:
        raise RatingError("{metric} has no score yet; score every metric", metric=gold.metric)
    given = scores[gold.metric]
    return Feedback(gold.metric, given, gold.score, given - gold.score, gold.reason)


def _within(difference: float, points: float) -> bool:
    return abs(difference) <= points + 1e-9  # fractions such as 3.3 - 2.3 miss a whole number by a hair


def _unvaried(ones: Sequence[Feedback]) -> bool:
    return len({one.given for one in ones}) == 1 and len({one.gold for one in ones}) > 1
