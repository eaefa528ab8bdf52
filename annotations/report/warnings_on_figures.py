"""Caveats: what a reader must know before trusting the figures of a table of ratings, each beside its numbers.

Every caveat has a rule with thresholds, and says in its sentence what was found; none is a verdict on a person or
a model. What makes a figure impossible is no caveat but its `UndefinedStatistic`.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from scipy.special import stdtrit

from annotations.errors import Undefined
from annotations.i18n.messages import Message, Readable, to_say
from annotations.reliability.cronbach_alpha import Alpha
from annotations.reliability.item_analysis import SpearmanBrown
from annotations.report.caveat import Caveat, Kind, Scale
from annotations.report.warnings_on_scores import spread_caveats
from annotations.resampling.estimates import Estimate
from annotations.resampling.jackknife import UPPER, Floats, Interval
from annotations.validity.halo import Halo
from annotations.validity.judge_expert_correlation import Sides
from annotations.validity.levels import Level, Levels
from annotations.validity.parts import ValidityByPart, run_apart
from annotations.validity.selective_rating import SelectiveRating, selected
from annotations.validity.shared_teacher import JudgePair

NARROW = 0.6
"""A side's standard deviation over the other's. Were the other's range cut to this share, an r of .6 would fall to .41
(Thorndike's formula for direct restriction of range, 1949): a third of it lost, enough to change what one concludes."""
SURELY_NARROW = 0.8
"""What the upper end of that ratio's interval must not exceed (95 %; Morgan, 1939, and Pitman, 1939, who take items as
independent): of few items, one side's scores spread less by chance."""
_TINY = 1e-9
_NEGATIVE_ALPHA = to_say(
    "{of}: alpha is negative ({estimate:z.2f}, n = {n} rows). The items to be summed correlate negatively:"
    " check for a reversed scale, or do not sum them."
)
_NEGATIVE_COEFFICIENT = to_say(
    "{of}: the Spearman-Brown coefficient is negative ({estimate:z.2f}, n = {n} rows). The items to be summed"
    " correlate negatively: check for a reversed scale, or do not sum them."
)


def side_caveats(sides: Sides, metrics: Sequence[str], scale: Scale | None) -> tuple[Caveat, ...]:
    """What limits the comparison of a judge with the experts' mean, metric by metric.

    For each metric over the items that both sides scored: a constant side, and a narrow side; the last only where both
    are known to be on one `scale`.
    """
    found: list[Caveat] = []
    for metric in metrics:
        pairs = sides.pairs([metric])
        given = {name: pairs[side].to_numpy(dtype=float) for name, side in _names(sides).items()}
        for name, other in zip(given, reversed(given), strict=True):
            found += spread_caveats(Message("{rater}, {metric}", rater=name, metric=metric), given[name], scale)
            found += _narrow(name, other, metric, given) if scale else ()
    return tuple(found)


_BETWEEN = to_say(
    "{judge}, overall: r over all items is {pooled:z.2f}, but {within:z.2f} within {what}. Judge and experts"
    " agree on which {what} are better, not on which items are."
)
_HIDDEN = to_say(
    "{judge}, overall: r over all items is {pooled:z.2f}, but {within:z.2f} within {what}. Judge and experts"
    " agree on the items within {what}; differences between {what} mask this."
)


def part_caveats(judge: Readable, levels: Levels, parts: ValidityByPart) -> tuple[Caveat, ...]:
    """r over all items that says something else than r within scenes, or within languages, does."""
    pooled = levels.items
    if isinstance(pooled, Undefined):
        return ()
    found: list[Caveat] = []
    within = levels.within_scenes.pearson if isinstance(levels.within_scenes, Level) else None
    for what, r in ((to_say("scenes"), within), (to_say("languages"), parts.within_languages)):
        if isinstance(r, Estimate) and run_apart(pooled.pearson, r):
            sentence = Message(
                _HIDDEN if r.estimate > pooled.pearson.estimate else _BETWEEN,
                judge=judge,
                what=Message(what),
                pooled=pooled.pearson.estimate,
                within=r.estimate,
            )
            numbers = {"pooled": pooled.pearson.estimate, "within": r.estimate, "n": r.n}
            found.append(Caveat("pooled", judge, sentence, numbers))
    return tuple(found)


def selection_caveats(judge: Readable, chosen: SelectiveRating) -> tuple[Caveat, ...]:
    """Items that one side scored, and that are not like the rest."""
    found: list[Caveat] = []
    told = (
        (
            chosen.by_judge,
            to_say(
                "{judge}, overall: its scores of the items that experts rated differ from its scores of other"
                " items of the same models by {difference:+.2f} points [{low:z.2f}, {high:z.2f}]. The experts'"
                " items are not a random sample, so corrected means may be biased."
            ),
        ),
        (
            chosen.by_experts,
            to_say(
                "{judge}, overall: the experts' scores of the items that it rated differ from their scores of"
                " other items of the same models by {difference:+.2f} points [{low:z.2f}, {high:z.2f}]. Its"
                " statistics hold for these items only."
            ),
        ),
    )
    for one, message in told:
        if isinstance(one, Estimate) and isinstance(one.interval, Interval) and selected(one):
            numbers = {"difference": one.estimate, "low": one.interval.low, "high": one.interval.high}
            sentence = Message(message, judge=judge, **numbers)
            found.append(Caveat("selection", judge, sentence, {**numbers, "n": one.n}))
    return tuple(found)


def consistency_caveats(of: Readable, coefficient: Alpha | SpearmanBrown) -> tuple[Caveat, ...]:
    """A negative alpha, or Spearman-Brown coefficient, is no reliability: the columns run against each other. Only
    where it is below 0 by more than chance."""
    if isinstance(coefficient.interval, Undefined) or coefficient.interval.high >= 0:
        return ()
    message = _NEGATIVE_ALPHA if isinstance(coefficient, Alpha) else _NEGATIVE_COEFFICIENT
    sentence = Message(message, of=of, estimate=coefficient.estimate, n=coefficient.n)
    return (Caveat("negative alpha", of, sentence, {"estimate": coefficient.estimate, "n": coefficient.n}),)


def halo_caveats(halo: Halo) -> tuple[Caveat, ...]:
    """A judge whose metrics correlate more with each other than the experts' do, or hardly more with the experts' same
    metric than with others."""
    found: list[Caveat] = []
    contrasts: tuple[tuple[Kind, bool, Message, float, float], ...] = (
        ("halo", halo.discrimination.positive, halo.verdict, halo.discrimination.first, halo.discrimination.second),
        (
            "convergence",
            halo.no_convergence,
            halo.convergence_verdict,
            halo.convergence.first,
            halo.convergence.second,
        ),
    )
    for kind, applies, sentence, first, second in contrasts:
        if applies:
            numbers = {"first": first, "second": second, "difference": first - second, "n": halo.matrix.n}
            found.append(Caveat(kind, halo.matrix.judge, sentence, numbers))
    return tuple(found)


def pair_caveats(pair: JudgePair) -> tuple[Caveat, ...]:
    """Two judges that are known to share a teacher, or agree as if they did."""
    if not pair.closer and pair.taught is None:
        return ()
    shared = pair.shared
    numbers = (
        {}
        if isinstance(shared, Undefined)
        else {
            "between": shared.between.estimate,
            "explained": shared.explained,
            "excess": shared.excess.estimate,
            "n": shared.n,
        }
    )
    of = Message("{first} and {second}", first=pair.first, second=pair.second)
    return (Caveat("shared teacher", of, pair.verdict, numbers),)


def _names(sides: Sides) -> dict[Readable, str]:
    """The two sides, and their columns in a table of means."""
    return {sides.called: "judge", Message("the experts' mean"): "expert"}


def _at_most(r: float, n: int) -> float:
    """By what the ratio of two standard deviations of the same `n` items, whose scores correlate by `r`, is multiplied
    at the upper end of its interval."""
    if n < 3:
        return np.inf
    k = 1 + 2 * max(1 - r * r, 0) * float(stdtrit(n - 2, UPPER)) ** 2 / (n - 2)
    return float(np.sqrt(k + np.sqrt(k * k - 1)))


def _narrow(name: Readable, other: Readable, metric: str, given: Mapping[Readable, Floats]) -> Iterator[Caveat]:
    own, wide = given[name], given[other]
    n = len(own)
    if n < 2 or np.ptp(own) < _TINY:
        return
    sd, others = float(own.std(ddof=1)), float(wide.std(ddof=1))
    if sd >= NARROW * others or sd * _at_most(float(np.corrcoef(own, wide)[0, 1]), n) >= SURELY_NARROW * others:
        return
    of = Message("{rater}, {metric}", rater=name, metric=metric)
    sentence = Message(
        "{of}: on the same {n} items, the standard deviation of the scores is {share:.0%} of that of {other}"
        " ({sd:z.2f} and {others:z.2f}). Range restriction lowers correlations.",
        of=of,
        n=n,
        share=sd / others,
        other=other,
        sd=sd,
        others=others,
    )
    numbers = {"sd": sd, "other sd": others, "ratio": sd / others, "n": n}
    yield Caveat("restricted range", of, sentence, numbers)
