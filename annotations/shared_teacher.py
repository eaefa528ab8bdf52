"""Judges that share a teacher: do two judges agree because both are right, or because one learned from the other?

Two judges with nothing in common but the items should agree with each other about as well as each agrees with the
experts, not better. Where they agree better than either does with the experts, they share something that the experts
do not see: the model that one was trained on, a common base, or a liking for the same style. They then do not count as
two independent witnesses.
"""

import re
from dataclasses import dataclass

from annotations.comparing import Comparison
from annotations.errors import UndefinedStatistic
from annotations.resampling import Interval

TAUGHT = {"characterrm": "gpt-4"}
"""Judges known to be trained on the scores of another, as names in small letters. CharacterRM is ChatGLM3-6B,
fine-tuned on the scores that GPT-4 gave to 100 scenes (CharacterBox, section 5)."""
FEWEST_ITEMS = 10
"""With fewer items three correlations cannot be told apart."""


@dataclass(frozen=True)
class JudgePair:
    """How two judges agree with each other, beside how each agrees with the experts' mean."""

    comparison: Comparison
    taught: str | None
    """What is known of how one was trained on the other, as a sentence."""

    @property
    def closer(self) -> bool:
        """Whether the judges agree better with each other: the whole interval of the excess lies above 0."""
        interval = self.comparison.excess.interval
        return isinstance(interval, Interval) and interval.low > 0

    @property
    def verdict(self) -> str:
        """What this says about the independence of both, in sentences."""
        both = self.comparison
        interval = both.excess.interval
        limits = f"[{interval.low:.2f}, {interval.high:.2f}]" if isinstance(interval, Interval) else "no interval"
        figures = (
            f"r = {both.between:.2f}; with the experts {both.first_r.estimate:.2f} and {both.second_r.estimate:.2f};"
            f" excess over the larger {both.excess.estimate:.2f} {limits}, n = {both.n} items"
        )
        alike = "agree" if self.closer else "are not shown to agree"
        seen = f"{both.first} and {both.second} {alike} better with each other than either does with the experts"
        seen += f" ({figures})"
        seen += ": they may share a teacher, and do not count as two independent judges." if self.closer else "."
        return seen if self.taught is None else f"{self.taught} {seen}"


def judge_pair(comparison: Comparison) -> JudgePair:
    """What a comparison of two judges says about their independence.

    Raises UndefinedStatistic for fewer than `FEWEST_ITEMS` items scored by both and the experts.
    """
    if comparison.n < FEWEST_ITEMS:
        raise UndefinedStatistic(
            f"whether {comparison.first} and {comparison.second} share a teacher takes at least {FEWEST_ITEMS} items"
            f" scored by both and the experts; there are {comparison.n}"
        )
    return JudgePair(comparison, taught(comparison.first, comparison.second))


def taught(first: str, second: str) -> str | None:
    """A sentence where one of these judges is known (`TAUGHT`) to be trained on the other's scores."""
    for pupil, teacher in ((first, second), (second, first)):
        if any(_is(pupil, name) and _is(teacher, source) for name, source in TAUGHT.items()):
            return f"{pupil} was trained on scores of {teacher} (CharacterBox, section 5)."
    return None


def _is(name: str, known: str) -> bool:
    """Whether `name` stands for `known`: `openai/GPT-4-turbo` does for gpt-4, gpt-4o and gpt-4.1 do not."""
    return f"-{known}-" in "-" + re.sub(r"[^\w.]+|_", "-", name.casefold()) + "-"
