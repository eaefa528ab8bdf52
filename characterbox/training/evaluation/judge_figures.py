"""A trained judge beside its base: Pearson's r with the experts, and with its teacher, on the held-out trajectories, as
in a row of the paper's table 3; and whether both differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import pandas as pd

from annotations.errors import Undefined, or_undefined
from annotations.i18n.messages import Message, to_say
from annotations.resampling.jackknife import Interval
from annotations.rubrics.rubric import load_rubric
from annotations.validity.compare_judges import Comparison, compare
from annotations.validity.judge_expert_correlation import (
    OVERALL,
    Correlation,
    Sides,
    correlate,
    correlate_overall,
    sides_of,
)
from annotations.validity.overlapping_correlations import Williams, williams, zou
from characterbox.judging.judge import as_known
from characterbox.judging.provenance import marked
from characterbox.store import Store
from characterbox.store.ratings.ratings import item_of
from characterbox.training.evaluation.plan import BASE, TEACHER, TUNED, EvaluationPlan
from characterbox.training.evaluation.progress import ended_story

T = TypeVar("T")

METRICS = load_rubric().keys
OF_TEACHER = to_say("{reason} (the teacher, {teacher}, stands in the place of the experts)")


@dataclass(frozen=True)
class JudgesCompared:
    """Tuned and base beside the same standard, on one metric or overall."""

    difference: Comparison
    """Tuned first; its interval takes scenes as drawn."""
    williams: Williams | Undefined
    zou: Interval | Undefined
    """Both take items as independent (`annotations.validity.overlapping_correlations.INDEPENDENT`)."""


@dataclass(frozen=True)
class Standard:
    """Judges beside a standard: the experts' means, or the scores of the teacher."""

    r: Mapping[str, Mapping[str, Correlation | Undefined]]
    """By part, then by metric, `overall` last."""
    compared: Mapping[str, JudgesCompared | Undefined]
    """By metric."""


@dataclass(frozen=True)
class JudgeFigures:
    """Judges beside each other."""

    experts: Standard
    teacher: Standard | None
    """None where the experts are the teacher."""
    taught_by: str | None
    """The teacher, where it is a judge."""
    unended: int
    """Held-out stories that are not there any more, or have not ended: nobody is asked about them."""


def judge_figures(store: Store, plan: EvaluationPlan) -> JudgeFigures:
    """What the scores of base and tuned on the held-out trajectories show."""
    stories = [story for id in plan.stories if (story := ended_story(store, id)) is not None]
    unended = len(plan.stories) - len(stories)
    items = [item_of(story, name).label for story in stories for name in story.script.scene.names]
    frame = marked(store, store.ratings.frame(items).astype({"score": float}))
    known = {part: as_known(store, judge) for part, judge in plan.trained_judges.items()}
    raters = {part: judge.rater for part, judge in known.items() if judge is not None}
    if plan.taught_by is None:
        return JudgeFigures(_standard(frame, raters), None, None, unended)
    by_teacher = (frame["kind"] == "judge") & (frame["rater"] == plan.taught_by)
    in_their_place = pd.concat([frame[frame["kind"] == "judge"], frame[by_teacher].assign(kind="expert")])
    return JudgeFigures(
        _standard(frame, raters | {TEACHER: plan.taught_by}),
        _standard(in_their_place, raters, plan.taught_by),
        plan.taught_by,
        unended,
    )


def _standard(frame: pd.DataFrame, raters: Mapping[str, str], teacher: str | None = None) -> Standard:
    """The judges of these parts beside the experts of the frame, or a teacher who stands there in their place."""
    sides = sides_of(frame, [*raters.values()])

    def told(found: T | Undefined) -> T | Undefined:
        if teacher is None or not isinstance(found, Undefined):
            return found
        return Undefined(Message(OF_TEACHER, reason=found.reason, teacher=teacher))

    def r_of(rater: str) -> dict[str, Correlation | Undefined]:
        by_metric = {metric: told(or_undefined(correlate, sides[rater], metric)) for metric in METRICS}
        return by_metric | {OVERALL: told(or_undefined(correlate_overall, sides[rater], METRICS))}

    asked = {metric: (metric,) for metric in METRICS} | {OVERALL: METRICS}
    both = (sides[raters[TUNED]], sides[raters[BASE]]) if {TUNED, BASE} <= raters.keys() else None
    return Standard(
        {part: r_of(rater) for part, rater in raters.items()},
        {metric: told(or_undefined(_compared, both, keys)) for metric, keys in asked.items()} if both else {},
    )


def _compared(both: tuple[Sides, Sides], metrics: Sequence[str]) -> JudgesCompared:
    found = compare(both, metrics)
    three = found.first_r.estimate, found.second_r.estimate, found.between
    return JudgesCompared(found, or_undefined(williams, *three, found.n), or_undefined(zou, *three, found.n))
