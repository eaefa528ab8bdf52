"""Judges that share a teacher: do two judges agree because both are right, or because one learned from the other?

Two judges with nothing in common but the items should agree with each other about as well as each agrees with the
experts, not better. Where they agree better than either does with the experts, they share something that the experts
do not see: the model that one was trained on, a common base, or a liking for the same style. They then do not count as
two independent witnesses.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from annotations.covariances import correlations, item_sums, pearson_matrix
from annotations.errors import UndefinedStatistic
from annotations.resampling import USUAL, Drawing, Floats, Interval, resampling
from annotations.undefined import Undefined
from annotations.validity import Sides

TAUGHT = {"characterrm": "gpt-4"}
"""Judges known to be trained on the scores of another, as names in small letters. CharacterRM is ChatGLM3-6B,
fine-tuned on the scores that GPT-4 gave to 100 scenes (CharacterBox, section 5)."""
FEWEST_ITEMS = 10
"""With fewer items three correlations cannot be told apart."""


@dataclass(frozen=True)
class JudgePair:
    """How two judges agree with each other, and each with the experts' mean: Pearson's r over items."""

    judges: tuple[str, str]
    metrics: tuple[str, ...]
    """Each side's score of an item is its mean over these."""
    between: float
    """r of the two judges."""
    with_experts: tuple[float, float]
    """r of each with the experts."""
    excess: float
    """`between` minus the larger of both; positive where the judges agree better with each other."""
    interval: Interval | Undefined
    """Of the excess, by resampling."""
    taught: str | None
    """What is known of how one was trained on the other, as a sentence."""
    n: int
    """Items with a score from all three on every metric."""
    scenes: int
    models: int

    @property
    def closer(self) -> bool:
        """Whether the whole interval of the excess lies above 0."""
        return isinstance(self.interval, Interval) and self.interval.low > 0

    @property
    def verdict(self) -> str:
        """What this says about the independence of both, in sentences."""
        first, second = self.judges
        limits = (
            f"[{self.interval.low:.2f}, {self.interval.high:.2f}]"
            if isinstance(self.interval, Interval)
            else "no interval"
        )
        figures = (
            f"r = {self.between:.2f}; with the experts {self.with_experts[0]:.2f} and {self.with_experts[1]:.2f};"
            f" excess over the larger {self.excess:.2f} {limits}, n = {self.n} items"
        )
        alike = "agree" if self.closer else "are not shown to agree"
        seen = f"{first} and {second} {alike} better with each other than either does with the experts ({figures})"
        seen += ": they may share a teacher, and do not count as two independent judges." if self.closer else "."
        return seen if self.taught is None else f"{self.taught} {seen}"


def judge_pair(first: Sides, second: Sides, metrics: Sequence[str], drawing: Drawing = USUAL) -> JudgePair:
    """The agreement of two judges of the same ratings beside their agreement with the experts.

    Raises UndefinedStatistic for fewer than `FEWEST_ITEMS` items scored by all three, and where one does not vary.
    """
    three = _three(first, second, metrics)
    scores = three[["first", "second", "expert"]].to_numpy(dtype=float)
    names = (first.judge, second.judge, "the experts")
    for name, own in zip(names, scores.T, strict=True):
        if np.isclose(np.ptp(own), 0):
            raise UndefinedStatistic(f"{name} gave all {len(own)} items the same score, {own[0]:g}")
    r = pearson_matrix(scores)
    return JudgePair(
        (first.judge, second.judge),
        tuple(metrics),
        between=float(r[0, 1]),
        with_experts=(float(r[0, 2]), float(r[1, 2])),
        excess=float(_excess(r[None])[0]),
        interval=_interval(three, scores, drawing),
        taught=taught(first.judge, second.judge),
        n=len(three),
        scenes=three["scene"].nunique(),
        models=three["model"].nunique(),
    )


def taught(first: str, second: str) -> str | None:
    """A sentence where one of these judges is known (`TAUGHT`) to be trained on the other's scores."""
    for pupil, teacher in ((first, second), (second, first)):
        if any(_is(pupil, name) and _is(teacher, source) for name, source in TAUGHT.items()):
            return f"{pupil} was trained on scores of {teacher} (CharacterBox, section 5)."
    return None


def _is(name: str, known: str) -> bool:
    """Whether `name` stands for `known`: `openai/GPT-4-turbo` does for gpt-4, gpt-4o and gpt-4.1 do not."""
    return f"-{known}-" in "-" + re.sub(r"[^\w.]+|_", "-", name.casefold()) + "-"


def _three(first: Sides, second: Sides, metrics: Sequence[str]) -> pd.DataFrame:
    one, other = (sides.means(metrics).set_index("item") for sides in (first, second))
    columns = {"scene": one["scene"], "model": one["model"], "expert": one["expert"], "first": one["judge"]}
    three = pd.DataFrame(columns).assign(second=other["judge"]).dropna().sort_index()
    if len(three) < FEWEST_ITEMS:
        raise UndefinedStatistic(
            f"comparing two judges needs at least {FEWEST_ITEMS} items scored by the experts, {first.judge} and"
            f" {second.judge}; there are {len(three)}"
        )
    return three


def _excess(r: Floats) -> Floats:
    """From matrices of correlations (draws x 3 x 3) of the judges and the experts."""
    return np.asarray(r[:, 0, 1] - np.maximum(r[:, 0, 2], r[:, 1, 2]), dtype=float)


def _interval(three: pd.DataFrame, scores: Floats, drawing: Drawing) -> Interval | Undefined:
    sums = item_sums(scores, np.arange(len(scores)), len(scores))
    try:
        drawn = resampling(three["scene"], three["model"], drawing)
        return drawn.interval(lambda counts: _excess(correlations(sums.covariances(counts))))[0]
    except UndefinedStatistic as undefined:
        return Undefined(str(undefined))
