"""The ceiling: how well could a judge agree with these experts, and how well does one of them?

The experts' mean is itself measured with error. Even a judge that knew the true scores would not correlate with it by
more than the square root of its reliability (Spearman, 1904); r divided by that is what r would be against experts
without error. And an expert is no better than the others' mean allows: so each expert, and the judge, are set against
the mean of the other experts, on the same items, and the mean over the experts is told. The best of them would be too
high, as it is picked.

The reliability of the experts' mean is Cronbach's alpha of the experts as columns, which is ICC(C,k): whether one of
them is stricter takes nothing from r, and nothing here. Where the experts are slots that several persons filled in
turn, alpha is that of the slots.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from annotations.errors import Undefined, UndefinedStatistic, or_undefined
from annotations.i18n.messages import Message, Readable, joined, to_say
from annotations.marking.rating import places_of
from annotations.reliability.cronbach_alpha import SAME_SCORES, cronbach_alpha, rater_table
from annotations.reliability.pingouin_check import confirmed_correlations, confirmed_pearson
from annotations.resampling.estimates import Estimate, estimates, intervals, without_each
from annotations.resampling.jackknife import ALPHA, CORRELATION, USUAL, Drawn, Figures, Floats
from annotations.validity.judge_expert_correlation import Sides, check_varies, scores_on
from annotations.validity.pearson import pearson_matrix, pearson_of_sums, pearson_terms, shares

RELIABILITY = to_say(
    "reliability of the experts' mean: Cronbach's alpha with experts as columns, ICC(C,k), over items that all"
    " experts and the judge scored"
)
CEILING = to_say("ceiling: square root of the reliability of the experts' mean")
SINGLE_EXPERT = to_say(
    "r of a single expert and r of the judge: each with the mean of the other experts on the same items,"
    " averaged over the experts"
)
_ONE_EXPERT = to_say("the reliability of a mean needs two experts; found 1")
_NO_CEILING = to_say("the reliability of the experts' mean is {alpha:z.2f} over {n:,} items, so there is no ceiling")
DISATTENUATED = to_say(
    "r corrected for attenuation: r divided by the ceiling, that is, corrected for the experts' error (Spearman, 1904)"
)

FEWEST_ITEMS = 3


@dataclass(frozen=True, eq=False)
class Panel:
    """The scores of each single expert, and of one judge beside them."""

    sides: Sides
    """The judge beside the experts' mean."""
    metrics: tuple[str, ...]
    """One, or several whose mean is a score."""
    experts: pd.DataFrame
    """Item x expert; NaN where an expert did not score the item on all the metrics."""
    judged: pd.Series
    """By item; NaN alike."""

    def without_each(self) -> list["Panel"]:
        """The same without each expert; the sides keep their means."""
        return [replace(self, experts=self.experts.drop(columns=name)) for name in self.experts.columns]


@dataclass(frozen=True)
class Ceiling:
    """What the experts' reliability allows, and what the judge reaches, all over the same items."""

    reliability: Estimate
    """`RELIABILITY`."""
    ceiling: float | Undefined
    """`CEILING`; undefined where the reliability is not above 0."""
    pearson: Estimate | Undefined
    """r of the judge's scores and the experts' means; undefined for a judge whose scores do not vary."""
    disattenuated: float | Undefined
    """`DISATTENUATED`; undefined beyond 1, and where there is no r, or no ceiling."""
    n: int
    """Items scored by all experts and the judge."""
    experts: int
    left_out: int
    """Items that some of these scored, and not all."""


@dataclass(frozen=True)
class SingleExpert:
    """A single expert and the judge on the same footing: r with the mean of the other experts, on the same items; the
    mean over all experts who have one."""

    pearson: Estimate
    judge: Estimate
    n: int
    """Items scored by the judge and at least two experts."""
    experts: int
    """Over whom the means are."""


def expert_tables(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The experts' scores by metric, item x expert, from a table of ratings; NaN where there is none.

    All of these tables have all items and all experts.
    """
    scored = frame[frame["score"].notna()]
    experts = scored[scored["kind"] == "expert"]
    items, names = places_of(scored).index, sorted(experts["rater"].unique())
    return {
        str(metric): rater_table(experts, str(metric)).reindex(index=items, columns=names)
        for metric in sorted(experts["metric"].unique())
    }


def panel(sides: Sides, tables: Mapping[str, pd.DataFrame], metrics: Sequence[str]) -> Panel:
    """The experts of `tables` (see `expert_tables`, of the same ratings) who scored anything of a metric, or of several
    whose mean is a score, beside one judge."""
    items = sides.items.index
    if any(not table.index.equals(items) for table in tables.values()):
        raise ValueError("the tables of the experts are of other items than the judge's scores")
    names = next((table.columns for table in tables.values()), pd.Index([]))
    blank = np.full((len(items), len(names)), np.nan)
    scores = np.stack([tables[name].to_numpy(dtype=float) if name in tables else blank for name in metrics])
    there = ~np.isnan(scores).all(axis=(0, 1))
    experts = pd.DataFrame(scores[:, :, there].mean(axis=0), index=items, columns=names[there])
    judged = pd.Series(scores_on(sides.judged, metrics).mean(axis=1), index=items)
    return Panel(sides, tuple(metrics), experts, judged)


def ceiling(scores: Panel, drawn: Drawn = USUAL) -> Ceiling:
    """The ceiling and the judge below it, over the items that all experts and the judge scored.

    Raises UndefinedStatistic where alpha is undefined.
    """
    complete = (scores.experts.notna().all(axis=1) & scores.judged.notna()).to_numpy()
    started = (scores.experts.notna().any(axis=1) | scores.judged.notna()).to_numpy()
    alpha = cronbach_alpha(scores.experts[complete])
    judged = scores.judged[complete].to_numpy(dtype=float)
    same = or_undefined(check_varies, judged, scores.sides.called)
    figures = _ceiling_figures(scores.experts[complete].to_numpy(dtype=float), judged)
    means = scores.experts[complete].mean(axis=1).to_numpy(dtype=float)
    by_expert = without_each(scores.without_each, _ceiling_of, 2)
    reliability, r = estimates(scores.sides.items[complete], figures, drawn, (ALPHA, CORRELATION), by_expert)
    pearson = same or replace(r, estimate=confirmed_pearson(r.estimate, means, judged))
    highest: float | Undefined
    if alpha.estimate <= 0:
        highest = Undefined(Message(_NO_CEILING, alpha=alpha.estimate, n=alpha.n))
    else:
        highest = alpha.estimate**0.5
    return Ceiling(
        replace(reliability, estimate=alpha.estimate),
        highest,
        pearson,
        pearson if isinstance(pearson, Undefined) else _disattenuated(pearson.estimate, highest),
        n=alpha.n,
        experts=alpha.items,
        left_out=int(started.sum()) - alpha.n,
    )


def single_expert(scores: Panel, drawn: Drawn = USUAL) -> SingleExpert:
    """A single expert, and the judge, against the mean of the other experts.

    Raises UndefinedStatistic for fewer than two experts, and where none of them has an r.
    """
    names = [str(name) for name in scores.experts.columns]
    if len(names) < 2:
        if not names:
            raise UndefinedStatistic("an expert is compared with the other experts, and there are no experts")
        raise UndefinedStatistic(
            "an expert is compared with the other experts, and there is only {name}", name=names[0]
        )
    trios = {name: _trio(scores, name) for name in names}
    reasons = {name: _undefined(trio, name, scores.sides.called) for name, trio in trios.items()}
    defined = [trios[name] for name in names if not reasons[name]]
    if not defined:
        told = joined(
            Message("{name}: {reason}", name=name, reason=reason) for name, reason in reasons.items() if reason
        )
        raise UndefinedStatistic("no expert can be compared with the other experts ({reasons})", reasons=told)
    used = np.flatnonzero(np.isfinite(np.stack(defined)).all(axis=1).any(axis=0))
    means, n = np.mean([_confirmed(trio) for trio in defined], axis=0), len(used)
    figures = _single_figures([trio[:, used] for trio in defined])
    by_expert = without_each(scores.without_each, _single_of, 2)
    ranges = intervals(scores.sides.items.iloc[used], figures, drawn, [CORRELATION, CORRELATION], by_expert)
    own, judge = (Estimate(float(value), interval, n) for value, interval in zip(means, ranges, strict=True))
    return SingleExpert(own, judge, n, len(defined))


def _single_of(scores: Panel) -> tuple[Figures, int]:
    names = [str(name) for name in scores.experts.columns]
    trios = {name: _trio(scores, name) for name in names} if len(names) > 1 else {}
    defined = [trio for name, trio in trios.items() if not _undefined(trio, name, scores.sides.called)]
    if not defined:
        raise UndefinedStatistic("an expert is compared with the other experts, and there are no experts")
    return _single_figures(defined), len(scores.sides.items)


def _confirmed(trio: Floats) -> Floats:
    """r of the expert, and of the judge, with the others' mean."""
    scores = trio[:, ~np.isnan(trio).any(axis=0)].T
    return np.asarray(confirmed_correlations(pearson_matrix(scores), scores)[:2, 2], dtype=float)


def _disattenuated(r: float, highest: float | Undefined) -> float | Undefined:
    """r over the ceiling, where it does not go beyond that."""
    if isinstance(highest, Undefined):
        return highest
    return Undefined(_beyond(r, highest)) if abs(r) > highest else r / highest


def _trio(scores: Panel, expert: str) -> Floats:
    """The scores of the expert, the judge and the others' mean (3 x items); all NaN where one of the three has none."""
    others = scores.experts.drop(columns=expert).mean(axis=1)
    trio = np.stack([side.to_numpy(dtype=float) for side in (scores.experts[expert], scores.judged, others)])
    return np.where(np.isnan(trio).any(axis=0), np.nan, trio)


def _undefined(trio: Floats, expert: str, judge: Readable) -> Message | None:
    scored = trio[:, ~np.isnan(trio).any(axis=0)]
    n = scored.shape[1]
    if n < FEWEST_ITEMS:
        return Message(
            "r needs at least {fewest} items scored by {expert}, {judge} and another expert; found {n}",
            fewest=FEWEST_ITEMS,
            expert=expert,
            judge=judge,
            n=n,
        )
    names = (expert, judge, Message("the other experts"))
    same = [name for name, each in zip(names, scored, strict=True) if np.isclose(np.ptp(each), 0)]
    return Message(SAME_SCORES, n=n, name=same[0]) if same else None


def _single_figures(trios: Sequence[Floats]) -> Figures:
    """The mean over the trios of r of the expert, and of the judge, with the others' mean."""
    terms = np.concatenate([pearson_terms(each, trio[2]) for trio in trios for each in trio[:2]], axis=1)

    def figures(counts: Floats) -> Floats:
        r = np.stack([pearson_of_sums(sums) for sums in np.split((counts @ terms).T, 2 * len(trios))])
        return np.asarray(r.reshape(len(trios), 2, -1).mean(axis=0), dtype=float)

    return figures


def _ceiling_of(scores: Panel) -> tuple[Figures, int]:
    complete = (scores.experts.notna().all(axis=1) & scores.judged.notna()).to_numpy()
    if scores.experts.shape[1] < 2:
        raise UndefinedStatistic(_ONE_EXPERT)
    experts, judged = scores.experts[complete].to_numpy(dtype=float), scores.judged[complete].to_numpy(dtype=float)
    return _ceiling_figures(experts, judged), int(complete.sum())


def _ceiling_figures(experts: Floats, judged: Floats) -> Figures:
    """Alpha, and r with the experts' means."""
    centred = experts - experts.mean(axis=0)
    total = centred.sum(axis=1)
    k = experts.shape[1]
    terms = np.column_stack([pearson_terms(total, judged), centred, total, centred**2, total**2])

    def figures(counts: Floats) -> Floats:
        sums = (counts @ terms).T
        mean, square = np.split(shares(sums[6:], sums[0]), 2)
        variance = square - mean**2
        with np.errstate(divide="ignore", invalid="ignore"):
            alpha = k / (k - 1) * (1 - variance[:-1].sum(axis=0) / variance[-1])
        return np.stack([alpha, pearson_of_sums(sums[:6])])

    return figures


def _beyond(r: float, highest: float) -> Message:
    return Message(
        "r = {r:.3f} exceeds the ceiling of {highest:.3f}, which cannot happen when errors are independent:"
        " either this is chance, or judge and experts share errors",
        r=r,
        highest=highest,
    )
