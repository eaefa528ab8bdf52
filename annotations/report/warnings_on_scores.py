"""Caveats on scores: constant, crowded, off the scale, outside the others' range, or left out."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from scipy.special import betaincinv

from annotations.i18n.messages import Message, Readable, joined, to_say
from annotations.marking.rating import raters_called
from annotations.report.caveat import Caveat, Scale
from annotations.resampling.jackknife import UPPER, Floats

_TINY = 1e-9
CROWDED = 0.9
"""The share of scores on two neighbouring points of the scale: with nine of ten there, the scale is used as yes and no,
and the tenth that is elsewhere decides the correlation."""
SURELY_CROWDED = 0.8
"""What the lower end of that share's interval must reach (95 %, Clopper & Pearson, 1934, who take scores as
independent): of twenty scores, eighteen come to lie on two points by chance."""
MANY_OUTSIDE = 0.01
"""The share of a rater's scores for a metric beyond which it is told that they lie outside; fewer move little."""
FEW_OUTSIDE = 0.2
"""The share of a judge's scores up to which those beyond all of the experts' are told: of a judge on another scale,
more are."""
_BEYOND = to_say("{metric} {outside:,} of {n:,} ({ends})")
_CROWDED = to_say(
    "{of}: {share:.0%} of {n} scores lie between {low:g} and {high:g} on the scale from {first:g} to {last:g}."
    " Correlations depend on the few other scores."
)
_ALL_CROWDED = to_say(
    "{of}: {share:.0%} of {n} scores lie between {low:g} and {high:g} on the scale from {first:g} to {last:g}."
    " The rest of the scale was not used."
)


def score_caveats(frame: pd.DataFrame, rater: str, metrics: Sequence[str], scale: Scale | None) -> tuple[Caveat, ...]:
    """What limits the scores of one rater, metric by metric: all the same, or crowded on two points of a `scale` that
    is known."""
    own = frame[(frame["rater"] == rater) & frame["score"].notna()]
    found: list[Caveat] = []
    called = raters_called(frame)(rater)
    for metric in metrics:
        scores = own.loc[own["metric"] == metric, "score"].to_numpy(dtype=float)
        of = Message("{rater}, {metric}", rater=called, metric=metric)
        found += spread_caveats(of, scores, scale)
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
        "{rater}: scores outside the scale from {low:g} to {high:g} are left out: {told}. Check whether another"
        " scale was used, or whether they stand for unreadable replies.",
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
        "{judge}: scores outside the experts' range on the same metric: {told}. If they stand for unreadable"
        " replies, leave these cells empty in the file: such scores change means and correlations.",
        judge=called,
        told=joined(
            Message(_BEYOND, metric=metric, outside=outside, n=n, ends=ends) for _, metric, outside, n, ends in found
        ),
    )
    outside, given = sum(one[2] for one in found), sum(one[3] for one in found)
    numbers = {"outside": outside, "n": given, "share": outside / given}
    return (Caveat("outside the experts' range", called, sentence, numbers),)


def dropped_caveats(of: Readable, dropped: int, there: int) -> tuple[Caveat, ...]:
    """Ratings that a figure could not use: `dropped` of the `there` ratings that it was to rest on."""
    if not dropped:
        return ()
    share = dropped / there
    sentence = Message(
        "{of}: {dropped:,} of {there:,} ratings ({share:.1%}) are left out. Unless they are missing completely"
        " at random, the statistics hold for the remaining ratings only.",
        of=of,
        dropped=dropped,
        there=there,
        share=share,
    )
    return (Caveat("dropped", of, sentence, {"dropped": dropped, "ratings": there, "share": share}),)


def spread_caveats(of: Readable, scores: Floats, scale: Scale | None) -> Iterator[Caveat]:
    """A constant column, or one with nearly all scores on two neighbouring points."""
    n = len(scores)
    if n < 2:
        return
    if np.ptp(scores) < _TINY:
        sentence = Message(
            "{of}: all {n} scores are {score:g}. Correlations and reliabilities cannot be computed.",
            of=of,
            n=n,
            score=scores[0],
        )
        yield Caveat("constant", of, sentence, {"score": float(scores[0]), "n": n})
        return
    if scale is None:
        return
    low, share = _crowd(scores, scale)
    there = round(share * n)
    if share >= CROWDED and betaincinv(there, n - there + 1, 1 - UPPER) >= SURELY_CROWDED:
        message = _CROWDED if share < 1 else _ALL_CROWDED
        ends = {"low": low, "high": low + 1, "first": scale[0], "last": scale[1]}
        sentence = Message(message, of=of, share=share, n=n, **ends)
        yield Caveat("restricted range", of, sentence, {"share": share, "low": low, "high": low + 1, "n": n})


def _crowd(scores: Floats, scale: Scale) -> tuple[float, float]:
    """The lower of the two neighbouring points with the most scores on or between them, and their share."""
    points = np.arange(scale[0], scale[1] - 1 + _TINY)
    shares = [float(((scores > low - _TINY) & (scores < low + 1 + _TINY)).mean()) for low in points]
    return float(points[int(np.argmax(shares))]), max(shares)
