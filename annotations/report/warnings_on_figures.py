"""Caveats: what a reader must know before trusting the figures of a table of ratings, each beside its numbers.

Every caveat has a rule with thresholds, and says in its sentence what was found; none is a verdict on a person or
a model. What makes a figure impossible is no caveat but its `UndefinedStatistic`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from annotations.errors import Undefined
from annotations.i18n.messages import Message, Readable, joined, to_say
from annotations.marking.rating import raters_called
from annotations.reliability.cronbach_alpha import Alpha
from annotations.reliability.item_analysis import SpearmanBrown
from annotations.resampling.estimates import Estimate
from annotations.resampling.jackknife import Floats, Interval
from annotations.validity.halo import Halo
from annotations.validity.judge_expert_correlation import Sides
from annotations.validity.levels import Level, Levels
from annotations.validity.parts import ValidityByPart, run_apart
from annotations.validity.selective_rating import SelectiveRating, selected
from annotations.validity.shared_teacher import JudgePair

Kind = Literal[
    "constant",
    "restricted range",
    "outside the experts' range",
    "off the scale",
    "negative alpha",
    "halo",
    "convergence",
    "pooled",
    "selection",
    "shared teacher",
    "dropped",
]

NARROW = 0.6
"""A side's standard deviation over the other's. Were the other's range cut to this share, an r of .6 would fall to .41
(Thorndike's formula for direct restriction of range, 1949): a third of it lost, enough to change what one concludes."""
CROWDED = 0.9
"""The share of scores on two neighbouring points of the scale: with nine of ten there, the scale is used as yes and no,
and the tenth that is elsewhere decides the correlation."""
MANY_OUTSIDE = 0.01
"""The share of a rater's scores for a metric beyond which it is told that they lie outside; fewer move little."""
FEW_OUTSIDE = 0.2
"""The share of a judge's scores up to which those beyond all of the experts' are told: of a judge on another scale,
more are."""
_TINY = 1e-9

Scale = tuple[float, float]
"""Its lowest and its highest point."""

_BEYOND = to_say("{metric} {outside:,} of {n:,} ({ends})")
_NEGATIVE_ALPHA = to_say(
    "{of}: alpha is negative ({estimate:z.2f}, n = {n} rows). What was to be added up runs against each other: look for"
    " a reversed scale, or do not add it up."
)
_NEGATIVE_COEFFICIENT = to_say(
    "{of}: the Spearman-Brown coefficient is negative ({estimate:z.2f}, n = {n} rows). What was to be added up runs"
    " against each other: look for a reversed scale, or do not add it up."
)
_CROWDED = to_say(
    "{of}: {share:.0%} of {n} scores lie on {low:g} to {high:g} of the scale {first:g} to {last:g}. Correlations rest"
    " on the few others."
)
_ALL_CROWDED = to_say(
    "{of}: {share:.0%} of {n} scores lie on {low:g} to {high:g} of the scale {first:g} to {last:g}. The rest of it was"
    " not used."
)


@dataclass(frozen=True)
class Caveat:
    """Something to know about a figure or a column of scores."""

    kind: Kind
    of: Readable
    """Whose and of what, such as `gpt-4, KA`."""
    sentence: Readable
    numbers: Mapping[str, float]
    """What the sentence rests on, by name."""


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
            found += _spread(Message("{rater}, {metric}", rater=name, metric=metric), given[name], scale)
            found += _narrow(name, other, metric, given) if scale else ()
    return tuple(found)


def score_caveats(frame: pd.DataFrame, rater: str, metrics: Sequence[str], scale: Scale | None) -> tuple[Caveat, ...]:
    """What limits the scores of one rater, metric by metric: all the same, or crowded on two points of a `scale` that
    is known."""
    own = frame[(frame["rater"] == rater) & frame["score"].notna()]
    found: list[Caveat] = []
    called = raters_called(frame)(rater)
    for metric in metrics:
        scores = own.loc[own["metric"] == metric, "score"].to_numpy(dtype=float)
        of = Message("{rater}, {metric}", rater=called, metric=metric)
        found += _spread(of, scores, scale)
    return tuple(found)


def off_scale_caveats(frame: pd.DataFrame, scale: Scale) -> tuple[Caveat, ...]:
    """Raters of whose scores for a metric more than `MANY_OUTSIDE` lie off the scale; these are left out, and may stand
    for something. The worst metric comes first, and so does the worst rater."""
    scored = frame[frame["score"].notna()]
    off = scored.assign(off=(scored["score"] < scale[0]) | (scored["score"] > scale[1]))
    counts = off.groupby(["rater", "metric"], observed=True)["off"].agg(["sum", "size"])
    counts["share"] = counts["sum"] / counts["size"]
    many = counts[counts["share"] > MANY_OUTSIDE]
    worst = many.groupby(level="rater", observed=True)["share"].max().sort_values(ascending=False, kind="stable")
    return tuple(_off_scale(raters_called(frame)(str(rater)), many.loc[rater], scale) for rater in worst.index)


def _off_scale(called: Readable, by_metric: pd.DataFrame, scale: Scale) -> Caveat:
    by_metric = by_metric.sort_values("share", ascending=False, kind="stable")
    told = joined(_share_of(str(metric), int(one["sum"]), int(one["size"])) for metric, one in by_metric.iterrows())
    sentence = Message(
        "{rater}: scores lie off the scale from {low:g} to {high:g}, and are left out: {told}. Look whether another"
        " scale was used, or whether they stand for replies that could not be read.",
        rater=called,
        low=scale[0],
        high=scale[1],
        told=told,
    )
    outside, n = int(by_metric["sum"].sum()), int(by_metric["size"].sum())
    return Caveat("off the scale", called, sentence, {"outside": outside, "n": n, "share": outside / n})


def _share_of(metric: str, outside: int, n: int) -> Message:
    told = to_say("{metric} {outside:,} of {n:,} ({share:.1%})")
    return Message(told, metric=metric, outside=outside, n=n, share=outside / n)


def outside_caveats(frame: pd.DataFrame, judge: str, metrics: Sequence[str], scale: Scale | None) -> tuple[Caveat, ...]:
    """Scores of a judge below, or above, all of the experts' on the same metric: some stand for failed replies. Told
    are the metrics on which more than `MANY_OUTSIDE` are, the worst first.

    Only where no `scale` is known, and not of a metric on which so many are that the judge has another scale.
    """
    scored = frame[frame["score"].notna()]
    found: list[tuple[float, str, int, int, str]] = []
    for metric in metrics if scale is None else ():
        of_metric = scored[scored["metric"] == metric]
        own = of_metric.loc[of_metric["rater"] == judge, "score"].to_numpy(dtype=float)
        experts = of_metric.loc[of_metric["kind"] == "expert", "score"].to_numpy(dtype=float)
        if not len(own) or not len(experts):
            continue
        beyond = own[(own < experts.min() - _TINY) | (own > experts.max() + _TINY)]
        if MANY_OUTSIDE * len(own) < len(beyond) <= FEW_OUTSIDE * len(own):
            ends = str(joined(dict.fromkeys(f"{end:g}" for end in (beyond.min(), beyond.max())), Message(" to ")))
            found.append((len(beyond) / len(own), metric, len(beyond), len(own), ends))
    if not found:
        return ()
    found.sort(key=lambda one: -one[0])
    called = raters_called(frame)(judge)
    sentence = Message(
        "{judge}: scores lie below or above all of the experts' on the same metric: {told}. If they stand for replies"
        " that could not be read, leave their cells empty in the file: they change means and correlations.",
        judge=called,
        told=joined(
            Message(_BEYOND, metric=metric, outside=outside, n=n, ends=ends) for _, metric, outside, n, ends in found
        ),
    )
    outside, given = sum(one[2] for one in found), sum(one[3] for one in found)
    numbers = {"outside": outside, "n": given, "share": outside / given}
    return (Caveat("outside the experts' range", called, sentence, numbers),)


_BETWEEN = to_say(
    "{judge}, overall: r over all items is {pooled:z.2f}, and within {what} {within:z.2f}. What both sides agree about"
    " is which {what} are better, and not which items."
)
_HIDDEN = to_say(
    "{judge}, overall: r over all items is {pooled:z.2f}, and within {what} {within:z.2f}. Both sides agree about items"
    " within {what}, which differences between {what} hide."
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
                "{judge}, overall: its scores of the items that experts rated differ from those of the other items of"
                " the same models by {difference:+.2f} points [{low:z.2f}, {high:z.2f}]. The experts' items are no"
                " random sample, and means that they correct may be off."
            ),
        ),
        (
            chosen.by_experts,
            to_say(
                "{judge}, overall: the experts' scores of the items that it rated differ from those of the other items"
                " of the same models by {difference:+.2f} points [{low:z.2f}, {high:z.2f}]. Its figures hold for"
                " these items, not for all."
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


def dropped_caveats(of: Readable, dropped: int, there: int) -> tuple[Caveat, ...]:
    """Ratings that a figure could not use: `dropped` of the `there` ratings that it was to rest on."""
    if not dropped:
        return ()
    share = dropped / there
    sentence = Message(
        "{of}: {dropped:,} of {there:,} ratings ({share:.1%}) are left out. If they are not missing by chance, the"
        " figures hold for the others only.",
        of=of,
        dropped=dropped,
        there=there,
        share=share,
    )
    return (Caveat("dropped", of, sentence, {"dropped": dropped, "ratings": there, "share": share}),)


def _names(sides: Sides) -> dict[Readable, str]:
    """The two sides, and their columns in a table of means."""
    return {sides.called: "judge", Message("the experts' mean"): "expert"}


def _spread(of: Readable, scores: Floats, scale: Scale | None) -> Iterator[Caveat]:
    """A constant column, or one with nearly all scores on two neighbouring points."""
    n = len(scores)
    if n < 2:
        return
    if np.ptp(scores) < _TINY:
        sentence = Message(
            "{of}: all {n} scores are {score:g}. No correlation, and no reliability, can be computed.",
            of=of,
            n=n,
            score=scores[0],
        )
        yield Caveat("constant", of, sentence, {"score": float(scores[0]), "n": n})
        return
    if scale is None:
        return
    low, share = _crowd(scores, scale)
    if share >= CROWDED:
        message = _CROWDED if share < 1 else _ALL_CROWDED
        ends = {"low": low, "high": low + 1, "first": scale[0], "last": scale[1]}
        sentence = Message(message, of=of, share=share, n=n, **ends)
        yield Caveat("restricted range", of, sentence, {"share": share, "low": low, "high": low + 1, "n": n})


def _crowd(scores: Floats, scale: Scale) -> tuple[float, float]:
    """The lower of the two neighbouring points with the most scores on or between them, and their share."""
    points = np.arange(scale[0], scale[1] - 1 + _TINY)
    shares = [float(((scores > low - _TINY) & (scores < low + 1 + _TINY)).mean()) for low in points]
    return float(points[int(np.argmax(shares))]), max(shares)


def _narrow(name: Readable, other: Readable, metric: str, given: Mapping[Readable, Floats]) -> Iterator[Caveat]:
    own, wide = given[name], given[other]
    if len(own) < 2 or np.ptp(own) < _TINY or own.std(ddof=1) >= NARROW * wide.std(ddof=1):
        return
    sd, others = float(own.std(ddof=1)), float(wide.std(ddof=1))
    of = Message("{rater}, {metric}", rater=name, metric=metric)
    sentence = Message(
        "{of}: on the same {n} items the scores spread {share:.0%} as far as those of {other} (standard deviations"
        " {sd:z.2f} and {others:z.2f}). A restricted range lowers correlations.",
        of=of,
        n=len(own),
        share=sd / others,
        other=other,
        sd=sd,
        others=others,
    )
    numbers = {"sd": sd, "other sd": others, "ratio": sd / others, "n": len(own)}
    yield Caveat("restricted range", of, sentence, numbers)
