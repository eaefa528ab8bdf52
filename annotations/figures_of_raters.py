"""What the ratings say of those who gave them, as figures."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations

import pandas as pd

from annotations.agreement import CHANCE, Agreement
from annotations.components import VarianceComponents, variance_components
from annotations.consistency import (
    Consistency,
    InterMetric,
    SpearmanBrown,
    inter_metric_correlations,
)
from annotations.figure import ALL_METRICS, EXPERTS, By, Figure, Of, valued
from annotations.figures_of_planning import figures_of_designs
from annotations.intraclass import IntraclassCorrelation
from annotations.ordinal_alpha import KrippendorffAlpha
from annotations.parts import Part, parts_of
from annotations.rater_report import BetweenRaters, alphas_of_sides, between_experts, consistencies, scores_of_side
from annotations.raters import RaterFigures, Spread, rater_figures
from annotations.reliability import BETWEEN_RATERS, Alpha
from annotations.report import AlphaOf, Design, Report
from annotations.resampling import Interval
from annotations.undefined import Undefined, or_undefined
from annotations.validity import OVERALL

MEAN_R = "of r between metrics, over the dimension's pairs of metrics that have one"
OF_ALL = "over rated trajectories with a score for every metric, whatever its dimension, but for a rated overall"
SEVERITY = "mean of the rater's score minus the mean of the others"
RATIO = "standard deviation of the rater's scores over the mean of the other raters'"
NEAR = "of all pairs of the rater's score and another's of the same metric of the item"


def figures_of_raters(frame: pd.DataFrame, report: Report) -> Iterator[Figure]:
    """Reliability of all ratings, and of those of each language and model; each rater; variance components.

    `frame` holds the ratings that `report` is of, without those that it leaves out of all statistics.
    """
    design = report.design
    yield from _alphas(report)
    together = consistencies(frame, design)
    for part, own in parts_of(frame).items():
        for figure in _of_part(own, design, part):
            yield replace(figure, language=part.language, model=part.model)
    for side, of in together.items():
        for name, one in of.items():
            yield from _metrics_together(one, Of(name), _by(side))
        yield from _all_metrics(_heat_map(frame, design, side, of), _by(side))
    yield from _raters(frame)
    for metric in design.metrics:
        found = or_undefined(variance_components, frame, metric)
        yield from _components(found, metric)
        yield from figures_of_designs(found, metric)


def _alphas(report: Report) -> Iterator[Figure]:
    """Those of the paper's table 2: of all ratings, and of each language."""
    design = report.design
    for judge in (None, *design.judges):
        for language in (None, *design.languages):
            keys = [AlphaOf(name, language=language, judge=judge) for name in design.dimensions]
            keys += [] if judge else [AlphaOf(metric=metric, language=language) for metric in design.metrics]
            for key in keys:
                base = Figure("Cronbach's alpha", Of(key.dimension or "", key.metric or ""), _by(judge), language)
                yield _alpha(base, report.reliability[key])


def _alpha(base: Figure, found: Alpha | Undefined) -> Figure:
    if isinstance(found, Undefined):
        return replace(base, undefined=found.reason)
    counts = "items" if found.definition == BETWEEN_RATERS else "rows"
    base = replace(base, definition=found.definition)
    interval = Interval(found.low, found.high, found.interval, found.draws, found.seed if found.draws else None)
    return valued(base, found.estimate, interval, (found.n, counts))


def _of_part(frame: pd.DataFrame, design: Design, part: Part) -> Iterator[Figure]:
    for side, found in alphas_of_sides(frame, design).items() if part.model else ():  # the report has the others
        for name, one in found.items():
            alpha = one if isinstance(one, Undefined) else one.chosen
            yield _alpha(Figure("Cronbach's alpha", Of(name), _by(side)), alpha)
    for metric, between in between_experts(frame, design).items():
        yield from _between(between, metric)


def _metrics_together(found: Consistency | Undefined, of: Of, by: By) -> Iterator[Figure]:
    base = Figure("Cronbach's alpha, Feldt's interval", of, by)
    if isinstance(found, Undefined):
        yield replace(base, undefined=found.reason)
        return
    yield _alpha(base, found.alpha)
    for metric, alpha in found.without.items():
        yield _alpha(Figure("Cronbach's alpha without a metric", replace(of, other_metric=metric), by), alpha)
    two = found.spearman_brown
    base = Figure("Spearman-Brown coefficient", of, by)
    if isinstance(two, SpearmanBrown):
        yield valued(base, two.estimate, two.interval, (two.n, "rows"))
    elif two is not None:
        yield replace(base, undefined=two.reason)
    between = found.correlations
    base = Figure("mean r between metrics", of, by, definition=MEAN_R)
    if isinstance(between.mean, Undefined):
        yield replace(base, undefined=between.mean.reason)
    else:
        pairs = f"{between.pairs} pair{'' if between.pairs == 1 else 's'} of metrics"
        yield valued(base, between.mean, None, (between.n, f"rows, {pairs}"))
    yield from _correlations(between, Figure("Pearson's r between metrics", of, by))


def _correlations(found: InterMetric, start: Figure) -> Iterator[Figure]:
    for (i, one), (j, other) in combinations(enumerate(found.metrics), 2):
        base, r = replace(start, of=replace(start.of, metric=one, other_metric=other)), found.matrix[i][j]
        if isinstance(r, Undefined):
            yield replace(base, undefined=r.reason)
        else:
            yield valued(base, r, None, (found.n, "rows"))


def _heat_map(
    frame: pd.DataFrame, design: Design, side: str | None, of: Mapping[str, Consistency | Undefined]
) -> InterMetric | Undefined:
    """Of all metrics but a rated overall, in rows with a score for each; where a dimension has them all, that of the
    dimension, which is known."""
    single = tuple(metric for metric in design.metrics if metric != OVERALL)
    for name, metrics in design.dimensions.items():
        known = of[name]
        if metrics == single and isinstance(known, Consistency):
            return known.correlations
    return or_undefined(inter_metric_correlations, scores_of_side(frame, side), single)


def _all_metrics(found: InterMetric | Undefined, by: By) -> Iterator[Figure]:
    base = Figure("Pearson's r between metrics, of all", ALL_METRICS, by, definition=OF_ALL)
    if isinstance(found, Undefined):
        yield replace(base, undefined=found.reason)
    else:
        yield from _correlations(found, base)


def _between(found: BetweenRaters, metric: str) -> Iterator[Figure]:
    for name, icc in (("ICC(A,1)", found.single), ("ICC(A,k)", found.mean)):
        base = Figure(name, Of(metric=metric), EXPERTS)
        if isinstance(icc, IntraclassCorrelation):
            yield valued(base, icc.estimate, icc.interval, (icc.n, f"items, {icc.raters} raters"))
        else:
            yield replace(base, undefined=icc.reason)
    base, alpha = Figure("Krippendorff's alpha, ordinal", Of(metric=metric), EXPERTS), found.alpha
    if isinstance(alpha, KrippendorffAlpha):
        yield valued(base, alpha.estimate, alpha.interval, (alpha.items, f"items, {alpha.ratings} ratings"))
    else:
        yield replace(base, undefined=alpha.reason)
    for name in ("within one point", "equal"):
        base = Figure(f"share of pairs {name}", Of(metric=metric), EXPERTS)
        if not isinstance(found.agreement, Agreement):
            yield replace(base, undefined=found.agreement.reason)
            continue
        share = found.agreement.within_one if name == "within one point" else found.agreement.exact
        yield valued(base, share.observed, share.interval, (found.agreement.pairs, "pairs of scores"))
        by_chance = Figure(f"share of pairs {name} by chance", Of(metric=metric), EXPERTS, definition=CHANCE)
        yield valued(by_chance, share.by_chance, None, (found.agreement.pairs, "pairs of scores"))


def _raters(frame: pd.DataFrame) -> Iterator[Figure]:
    found = or_undefined(rater_figures, frame)
    if isinstance(found, Undefined):
        yield Figure("severity", ALL_METRICS, EXPERTS, undefined=found.reason)
        return
    for rater, own in found.figures.items():
        yield from _rater(own, rater)


def _rater(own: RaterFigures, rater: str) -> Iterator[Figure]:
    base = Figure("severity", ALL_METRICS, By("expert", rater), definition=SEVERITY)
    if isinstance(own.severity, Undefined):
        yield replace(base, undefined=own.severity.reason)
    else:
        interval = Interval(own.severity.low, own.severity.high, "Student's t, items as clusters")
        yield valued(base, own.severity.estimate, interval, (own.severity.n, "ratings"))
    yield from _spread(own.spread, rater)
    base = Figure("Pearson's r with the mean of the others", ALL_METRICS, By("expert", rater))
    if isinstance(own.correlation, Undefined):
        yield replace(base, undefined=own.correlation.reason)
    else:
        r = own.correlation
        yield valued(base, r.r, Interval(r.low, r.high, "Fisher's z, items as clusters"), (r.n, "ratings"))
    base = Figure("share within one point of others", ALL_METRICS, By("expert", rater), definition=NEAR)
    if isinstance(own.match, Undefined):
        yield replace(base, undefined=own.match.reason)
    else:
        yield valued(base, own.match.within_one, None, (own.match.n, "pairs of scores"))


def _spread(found: Spread | Undefined, rater: str) -> Iterator[Figure]:
    sd = Figure("standard deviation of the scores", ALL_METRICS, By("expert", rater))
    ratio = Figure("ratio of standard deviations", ALL_METRICS, By("expert", rater), definition=RATIO)
    if isinstance(found, Undefined):
        yield from (replace(base, undefined=found.reason) for base in (sd, ratio))
        return
    yield valued(sd, found.sd, None, (found.n, "ratings"))
    if isinstance(found.ratio, Undefined):
        yield replace(ratio, undefined=found.ratio.reason)
    else:
        yield valued(ratio, found.ratio, None, (found.n, f"ratings, beside {found.others} other raters"))


def _components(found: VarianceComponents | Undefined, metric: str) -> Iterator[Figure]:
    if isinstance(found, Undefined):
        yield Figure("variance components", Of(metric=metric), EXPERTS, undefined=found.reason)
        return
    for source, one in found.components.items():
        base = Figure(f"share of variance, {source}", Of(metric=metric), EXPERTS)
        yield valued(base, one.share, None, (found.n, "ratings"))


def _by(judge: str | None) -> By:
    """The judge's scores, or, where none is named, those of the experts."""
    return By("judge", judge=judge) if judge else EXPERTS
