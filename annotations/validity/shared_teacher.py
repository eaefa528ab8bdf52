"""Judges that share a teacher: do two judges agree because both are right, or because one learned from the other?

The more of the truth two judges see, the better they agree, and they may well agree better with each other than with
experts who err much. What they owe to the truth can be told apart: of judges that share nothing but what the experts
see, the correlation is the product of both correlations with the experts' mean, divided by the reliability of that mean
(Spearman's correction for attenuation, 1904). Where two judges agree better than that, they share something that the
experts do not see: the model that one was trained on, a common base, a liking for the same style, or something true
that escapes these experts. They then do not count as two independent witnesses.

All this holds as long as each expert's errors are their own. Reliability is Cronbach's alpha of the experts (see
`annotations.validity.ceiling`). Where experts err alike, alpha is too high and so is the excess; where some of them
are better than others, alpha is rather too low, and the verdict careful.
"""

import re
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from annotations.errors import Undefined, UndefinedStatistic, or_undefined
from annotations.i18n.messages import Message, Readable, to_say
from annotations.reliability.cronbach_alpha import cronbach_alpha
from annotations.resampling.estimates import Estimate, estimates, without_each
from annotations.resampling.jackknife import ALPHA, CORRELATION, PLAIN, USUAL, Drawn, Figures, Floats, Interval
from annotations.validity.ceiling import Panel
from annotations.validity.judge_expert_correlation import check_varies
from annotations.validity.pearson import correlations, item_sums

EXPLAINED = (
    "explained: product of both judges' r with the experts' mean, divided by the reliability of that mean; the r of"
    " judges that share nothing but what the experts see (Spearman, 1904)"
)
EXCESS = (
    "excess: r of two judges minus what the experts explain of it, over items that all experts and both judges scored;"
    " shows what judges share beyond the experts, as long as each expert's errors are their own"
)
TAUGHT = {"characterrm": "gpt-4"}
"""Judges known to be trained on the scores of another, as names in small letters. CharacterRM is ChatGLM3-6B,
fine-tuned on the scores that GPT-4 gave to 100 scenes (CharacterBox, section 5)."""
FEWEST_ITEMS = 10
"""With fewer items correlations cannot be told apart."""
_SCALE = replace(PLAIN, fewest=40)
"""Of fewer items the excess, which rests on a reliability, has intervals that are too wide: they hold .97 to .98."""
_CLOSER = to_say(
    "{first} and {second} agree more with each other than their agreement with the experts explains"
    " ({figures}). If each expert's errors are independent, the judges share something that the experts do not"
    " see, such as a teacher model, and do not count as two independent judges."
)
_NOT_CLOSER = to_say(
    "There is no evidence that {first} and {second} agree more with each other than their agreement with the"
    " experts explains ({figures})."
)


@dataclass(frozen=True)
class Shared:
    """How well two judges agree with each other, and what of it the experts explain, all over the same items."""

    between: Estimate
    """r of the two judges."""
    reliability: Estimate
    """Of the experts' mean: Cronbach's alpha of the experts."""
    explained: float
    """`EXPLAINED`."""
    excess: Estimate
    """`EXCESS`."""
    n: int
    """Items that all experts and both judges scored."""
    experts: int
    left_out: int
    """Items that some of these scored, and not all."""


@dataclass(frozen=True)
class JudgePair:
    """What is known of the independence of two judges."""

    first: Readable
    second: Readable
    """Both as sentences name them."""
    shared: Shared | Undefined
    taught: Readable | None
    """What is known of how one was trained on the other, as a sentence."""

    @property
    def closer(self) -> bool:
        """Whether the judges agree better than the experts explain: the whole interval of the excess lies above 0."""
        if isinstance(self.shared, Undefined):
            return False
        interval = self.shared.excess.interval
        return isinstance(interval, Interval) and interval.low > 0

    @property
    def verdict(self) -> Message:
        """What this says about the independence of both, in sentences."""
        if isinstance(self.shared, Undefined):
            seen = Message(
                "It cannot be determined whether {first} and {second} agree more with each other than their"
                " agreement with the experts explains: {reason}.",
                first=self.first,
                second=self.second,
                reason=self.shared.reason,
            )
        else:
            seen = self._told(self.shared)
        return seen if self.taught is None else Message("{sentence} {next}", sentence=self.taught, next=seen)

    def _told(self, shared: Shared) -> Message:
        interval = shared.excess.interval
        limits = (
            f"[{interval.low:z.2f}, {interval.high:z.2f}]" if isinstance(interval, Interval) else Message("no interval")
        )
        figures = Message(
            "r = {between:z.2f}, of which {explained:z.2f} is explained at a reliability of the experts' mean"
            " of {reliability:z.2f}; excess {excess:z.2f} {limits}, n = {n:,} items",
            between=shared.between.estimate,
            explained=shared.explained,
            reliability=shared.reliability.estimate,
            excess=shared.excess.estimate,
            limits=limits,
            n=shared.n,
        )
        return Message(_CLOSER if self.closer else _NOT_CLOSER, first=self.first, second=self.second, figures=figures)


def judge_pair(panels: tuple[Panel, Panel], drawn: Drawn = USUAL) -> JudgePair:
    """The independence of two judges beside the same experts, of panels (see `annotations.validity.ceiling`) of one
    table of ratings and the same metrics.
    """
    first, second = (each.sides for each in panels)
    known = None if first.improvised or second.improvised else taught(first.judge, second.judge)
    return JudgePair(first.called, second.called, or_undefined(shared_beyond_experts, panels, drawn), known)


def shared_beyond_experts(panels: tuple[Panel, Panel], drawn: Drawn = USUAL) -> Shared:
    """What two judges share beyond what the experts see.

    Raises UndefinedStatistic for a single expert, fewer than `FEWEST_ITEMS` items that all scored, a judge whose scores
    do not vary, a reliability that is undefined or not above 0, and where more than a correlation of 1 is explained, so
    that no agreement of the judges would be too much.
    """
    first, second = panels
    scores = pd.concat([first.experts, first.judged, second.judged], axis=1)
    scored = scores.notna()
    complete = scores[scored.all(axis=1)]
    n, experts = len(complete), first.experts.shape[1]
    _check(complete, (first.sides.called, second.sides.called))
    sums = item_sums(complete.to_numpy(dtype=float), np.arange(n), n)
    _, reliability, product = map(float, _parts(sums.covariances(np.ones((1, n))))[:, 0])
    _check_explained(reliability, product, n)

    def beside(panel: Panel) -> tuple[Figures, int]:
        kept = pd.concat([panel.experts, first.judged, second.judged], axis=1).dropna()
        if panel.experts.shape[1] < 2:
            raise UndefinedStatistic("the reliability of the experts' mean is needed, and that takes two experts")
        return _figures(kept.to_numpy(dtype=float)), len(kept)

    places, scales = first.sides.items.loc[complete.index], (CORRELATION, ALPHA, CORRELATION, _SCALE)
    by_expert = without_each(first.without_each, beside, 4)
    figures = _figures(complete.to_numpy(dtype=float))
    between, alpha, explained, excess = estimates(places, figures, drawn, scales, by_expert)
    return Shared(between, alpha, explained.estimate, excess, n, experts, int(scored.any(axis=1).sum()) - n)


def taught(first: str, second: str) -> Message | None:
    """A sentence where one of these judges is known (`TAUGHT`) to be trained on the other's scores."""
    for pupil, teacher in ((first, second), (second, first)):
        if any(_is(pupil, name) and _is(teacher, source) for name, source in TAUGHT.items()):
            return Message(
                "{pupil} was trained on scores of {teacher} (CharacterBox, section 5).", pupil=pupil, teacher=teacher
            )
    return None


def _check(complete: pd.DataFrame, judges: tuple[Readable, Readable]) -> None:
    """Raises UndefinedStatistic where the scores of the experts, and of both judges in the last two columns, say
    nothing of what the judges share."""
    n, names = len(complete), [str(name) for name in complete.columns[:-2]]
    if len(names) < 2:
        raise UndefinedStatistic(
            "the reliability of the experts' mean needs two experts; found {name}",
            name=names[0] if names else Message("none"),
        )
    if n < FEWEST_ITEMS:
        raise UndefinedStatistic(
            "at least {fewest} items scored by all experts and both judges are needed; found {n}",
            fewest=FEWEST_ITEMS,
            n=n,
        )
    for judge, scores in zip(judges, complete.to_numpy(dtype=float)[:, -2:].T, strict=True):
        check_varies(scores, judge)
    cronbach_alpha(complete.iloc[:, :-2])


def _check_explained(alpha: float, product: float, n: int) -> None:
    if alpha <= 0:
        raise UndefinedStatistic(
            "the reliability of the experts' mean is {alpha:z.2f} over {n:,} items, so it explains no agreement",
            alpha=alpha,
            n=n,
        )
    if abs(product / alpha) > 1:
        raise UndefinedStatistic(
            "at a reliability of the experts' mean of {alpha:z.2f} over {n:,} items, the agreement with the experts"
            " explains an r of {r:z.2f}, which is outside -1 to 1, so there is no excess",
            alpha=alpha,
            n=n,
            r=product / alpha,
        )


def _figures(scores: Floats) -> Figures:
    """r of the judges, the reliability of the experts, what that explains, and the excess."""
    sums = item_sums(scores, np.arange(len(scores)), len(scores))

    def figures(counts: Floats) -> Floats:
        between, alpha, product = _parts(sums.covariances(counts))
        with np.errstate(divide="ignore", invalid="ignore"):
            explained = np.where(alpha > 0, np.clip(product / alpha, -1, 1), np.sign(product))
        return np.stack([between, alpha, explained, between - explained])

    return figures


def _parts(covariances: Floats) -> Floats:
    """r of two judges, alpha of the experts, and the product of the judges' r with the experts' mean (3 x draws), from
    covariances (draws x columns x columns) of the experts and, in the last two columns, the judges."""
    k = covariances.shape[1] - 2
    own = np.trace(covariances[:, :k, :k], axis1=1, axis2=2)
    weights = np.zeros((3, k + 2))
    weights[0, :k] = 1 / k
    weights[[1, 2], [k, k + 1]] = 1
    of_three = weights @ covariances @ weights.T
    with np.errstate(divide="ignore", invalid="ignore"):
        alpha = k / (k - 1) * (1 - own / (k**2 * of_three[:, 0, 0]))
        r = correlations(of_three)
    return np.stack([r[:, 1, 2], alpha, r[:, 0, 1] * r[:, 0, 2]])


def _is(name: str, known: str) -> bool:
    """Whether `name` stands for `known`: `openai/GPT-4-turbo` does for gpt-4, gpt-4o and gpt-4.1 do not."""
    return f"-{known}-" in "-" + re.sub(r"[^\w.]+|_", "-", name.casefold()) + "-"
