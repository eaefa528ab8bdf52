"""What the ratings say of those who gave them, as figures."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import pandas as pd

from annotations.agreement import CHANCE, Agreement
from annotations.components import VarianceComponents, variance_components
from annotations.consistency import Consistency, ResampledAlpha, SpearmanBrown
from annotations.figure import EXPERTS, Figure, valued
from annotations.intraclass import IntraclassCorrelation
from annotations.ordinal_alpha import KrippendorffAlpha
from annotations.parts import WHOLE, parts_of
from annotations.rater_report import BetweenRaters, alphas_of_sides, between_experts, consistencies
from annotations.raters import RaterFigures, Spread, rater_figures
from annotations.reliability import ACROSS_METRICS, BETWEEN_RATERS, Alpha
from annotations.report import Design, Report
from annotations.resampling import Interval
from annotations.undefined import Undefined, or_undefined


def figures_of_raters(frame: pd.DataFrame, report: Report) -> Iterator[Figure]:
    """Reliability of all ratings, and of those of each language and model; each rater; variance components.

    `frame` holds the ratings that `report` is of, without those that it leaves out of all statistics.
    """
    design = report.design
    yield from _alphas(report)
    for part, own in parts_of(frame).items():
        for figure in _reliability(own, design, whole=part == WHOLE):
            yield replace(figure, language=part.language, model=part.model)
    yield from _raters(frame)
    for metric in design.metrics:
        yield from _components(or_undefined(variance_components, frame, metric), metric)


def _alphas(report: Report) -> Iterator[Figure]:
    """Those of the paper's table 2: with Feldt's interval."""
    design = report.design
    for judge in (None, *design.judges):
        for language in (None, *design.languages):
            for of in (*design.dimensions, *(() if judge else design.metrics)):
                base = Figure("Cronbach's alpha", of, judge or EXPERTS, language)
                yield _alpha(base, report.alpha(of, language, judge))


def _alpha(base: Figure, found: Alpha | Undefined) -> Figure:
    if isinstance(found, Undefined):
        return replace(base, undefined=found.reason)
    counts = "items" if found.definition == BETWEEN_RATERS else "rows"
    base = replace(base, definition=found.definition)
    return valued(base, found.estimate, Interval(found.low, found.high, found.interval), (found.n, counts))


def _reliability(frame: pd.DataFrame, design: Design, *, whole: bool) -> Iterator[Figure]:
    for side, found in (consistencies if whole else alphas_of_sides)(frame, design).items():
        for name, one in found.items():
            yield _resampled(one, name, side or EXPERTS)
            if isinstance(one, Consistency):
                yield from _metrics_together(one, name, side or EXPERTS)
    for metric, between in between_experts(frame, design).items():
        yield from _between(between, metric)


def _resampled(found: ResampledAlpha | Undefined, name: str, by: str) -> Figure:
    base = Figure("Cronbach's alpha, interval by resampling", name, by, definition=ACROSS_METRICS)
    if isinstance(found, Undefined):
        return replace(base, undefined=found.reason)
    return valued(base, found.alpha.estimate, found.interval, (found.alpha.n, "rows"))


def _metrics_together(found: Consistency, name: str, by: str) -> Iterator[Figure]:
    for metric, alpha in found.without.items():
        yield _alpha(Figure(f"Cronbach's alpha without {metric}", name, by), alpha)
    two = found.spearman_brown
    base = Figure("Spearman-Brown coefficient", name, by)
    if isinstance(two, SpearmanBrown):
        yield valued(base, two.estimate, two.interval, (two.n, "rows"))
    elif two is not None:
        yield replace(base, undefined=two.reason)
    between = found.correlations
    for (i, one), (j, other) in combinations(enumerate(between.metrics), 2):
        base, r = Figure("Pearson's r between metrics", f"{one} and {other}", by), between.matrix[i][j]
        if isinstance(r, Undefined):
            yield replace(base, undefined=r.reason)
        else:
            yield valued(base, r, None, (between.n, "rows"))


def _between(found: BetweenRaters, metric: str) -> Iterator[Figure]:
    for name, icc in (("ICC(A,1)", found.single), ("ICC(A,k)", found.mean)):
        base = Figure(name, metric, EXPERTS)
        if isinstance(icc, IntraclassCorrelation):
            yield valued(base, icc.estimate, icc.interval, (icc.n, f"items, {icc.raters} raters"))
        else:
            yield replace(base, undefined=icc.reason)
    base, alpha = Figure("Krippendorff's alpha, ordinal", metric, EXPERTS), found.alpha
    if isinstance(alpha, KrippendorffAlpha):
        yield valued(base, alpha.estimate, alpha.interval, (alpha.items, f"items, {alpha.ratings} ratings"))
    else:
        yield replace(base, undefined=alpha.reason)
    for name in ("within one point", "equal"):
        base = Figure(f"share of pairs {name}", metric, EXPERTS)
        if not isinstance(found.agreement, Agreement):
            yield replace(base, undefined=found.agreement.reason)
            continue
        share = found.agreement.within_one if name == "within one point" else found.agreement.exact
        yield valued(base, share.observed, share.interval, (found.agreement.pairs, "pairs of scores"))
        by_chance = Figure(f"share of pairs {name} by chance", metric, EXPERTS, definition=CHANCE)
        yield valued(by_chance, share.by_chance, None, (found.agreement.pairs, "pairs of scores"))


def _raters(frame: pd.DataFrame) -> Iterator[Figure]:
    found = or_undefined(rater_figures, frame)
    if isinstance(found, Undefined):
        yield Figure("severity", "all metrics", EXPERTS, undefined=found.reason)
        return
    for rater, own in found.figures.items():
        yield from _rater(own, rater)


def _rater(own: RaterFigures, rater: str) -> Iterator[Figure]:
    base = Figure("severity", "all metrics", rater, definition="mean of the rater's score minus the mean of the others")
    if isinstance(own.severity, Undefined):
        yield replace(base, undefined=own.severity.reason)
    else:
        interval = Interval(own.severity.low, own.severity.high, "Student's t, items as clusters")
        yield valued(base, own.severity.estimate, interval, (own.severity.n, "ratings"))
    base = Figure("standard deviation of the scores", "all metrics", rater)
    yield (
        valued(base, own.spread.sd, None, (own.spread.n, "ratings"))
        if isinstance(own.spread, Spread)
        else replace(base, undefined=own.spread.reason)
    )
    base = Figure("Pearson's r with the mean of the others", "all metrics", rater)
    if isinstance(own.correlation, Undefined):
        yield replace(base, undefined=own.correlation.reason)
    else:
        r = own.correlation
        yield valued(base, r.r, Interval(r.low, r.high, "Fisher's z, items as clusters"), (r.n, "ratings"))


def _components(found: VarianceComponents | Undefined, metric: str) -> Iterator[Figure]:
    if isinstance(found, Undefined):
        yield Figure("variance components", metric, EXPERTS, undefined=found.reason)
        return
    for source, one in found.components.items():
        base = Figure(f"share of variance, {source}", metric, EXPERTS)
        yield valued(base, one.share, None, (found.n, "ratings"))
