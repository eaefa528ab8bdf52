"""All figures of a table of ratings as rows: those of the raters, then those of the judges."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import combinations

import pandas as pd

from annotations.design.planning import EXPERTS_TO_FIND, MOST_SCENES, UNREACHED, WISHED, design_study, least_design
from annotations.errors import Undefined, or_undefined
from annotations.i18n.messages import Message
from annotations.marking.rating import COLUMNS, leave_out_missing, leave_out_of_scale
from annotations.reliability.agreement import CHANCE, Agreement
from annotations.reliability.cronbach_alpha import BETWEEN_RATERS, Alpha
from annotations.reliability.item_analysis import Consistency, InterMetric, inter_metric_correlations
from annotations.reliability.raters import RaterFigures, Raters, Spread, rater_figures
from annotations.reliability.variance_components import VarianceComponents, variance_components
from annotations.report.figure import ALL_METRICS, EXPERTS, By, Figure, Of, figured, figures_or_reason, valued
from annotations.report.judge_figures import figures_of_judges
from annotations.report.per_metric import (
    BetweenRaters,
    Part,
    alphas_of_sides,
    between_experts,
    consistencies,
    parts_of,
    scores_of_side,
)
from annotations.report.report import AlphaOf, Design, Report
from annotations.validity.judge_expert_correlation import OVERALL

MEAN_R = "of r between metrics, over the dimension's pairs of metrics that have one"
OF_ALL = "over rated trajectories with a score for every metric, whatever its dimension, but for a rated overall"
SEVERITY = "mean of the rater's score minus the mean of the others"
RATIO = "standard deviation of the rater's scores over the mean of the other raters'"
NEAR = "of all pairs of the rater's score and another's of the same metric of the item"
PRESENT = (
    "reliability of the order of the models' means over as many scenes as now, and as many experts as rate an item now,"
    " if every expert scores every model in every scene (Brennan, 2001)"
)
NEEDED = f"the least that reach it, from the estimated variance components; not looked for beyond {MOST_SCENES:,}"


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
            base = Figure("Cronbach's alpha, Feldt's interval", Of(name), _by(side))
            yield from figures_or_reason(base, one, partial(_metrics_together, base))
        base = Figure("Pearson's r between metrics, of all", ALL_METRICS, _by(side), definition=OF_ALL)
        yield from figures_or_reason(base, _heat_map(frame, design, side, of), partial(_correlations, base))
    severity = Figure("severity", ALL_METRICS, EXPERTS)
    yield from figures_or_reason(severity, or_undefined(rater_figures, frame), _raters)
    for metric in design.metrics:
        found = or_undefined(variance_components, frame, metric)
        base = Figure("variance components", Of(metric=metric), EXPERTS)
        yield from figures_or_reason(base, found, partial(_components, base))
        yield from _designs(found, metric)


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
    if isinstance(found, Alpha):
        base = replace(base, definition=found.definition)
    return figured(base, found, lambda alpha: "items" if alpha.definition == BETWEEN_RATERS else "rows")


def _of_part(frame: pd.DataFrame, design: Design, part: Part) -> Iterator[Figure]:
    for side, found in alphas_of_sides(frame, design).items() if part.model else ():  # the report has the others
        for name, one in found.items():
            alpha = one if isinstance(one, Undefined) else one.chosen
            yield _alpha(Figure("Cronbach's alpha", Of(name), _by(side)), alpha)
    for metric, between in between_experts(frame, design).items():
        yield from _between(between, metric)


def _metrics_together(base: Figure, found: Consistency) -> Iterator[Figure]:
    yield _alpha(base, found.alpha)
    for metric, alpha in found.without.items():
        without = replace(base, statistic="Cronbach's alpha without a metric", of=replace(base.of, other_metric=metric))
        yield _alpha(without, alpha)
    if found.spearman_brown is not None:
        yield figured(replace(base, statistic="Spearman-Brown coefficient"), found.spearman_brown, "rows")
    mean = replace(base, statistic="mean r between metrics", definition=MEAN_R)
    between = found.correlations
    if isinstance(between, Undefined):
        yield figured(mean, between, "rows")
        return
    counts = f"rows, {between.pairs} pair{'' if between.pairs == 1 else 's'} of metrics"
    yield valued(mean, between.mean, None, between.n, counts)
    yield from _correlations(replace(base, statistic="Pearson's r between metrics"), between)


def _correlations(base: Figure, found: InterMetric) -> Iterator[Figure]:
    for (i, one), (j, other) in combinations(enumerate(found.metrics), 2):
        of = replace(base.of, metric=one, other_metric=other)
        yield valued(replace(base, of=of), found.matrix[i][j], None, found.n, "rows")


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


def _between(found: BetweenRaters, metric: str) -> Iterator[Figure]:
    base = Figure("ICC(A,1)", Of(metric=metric), EXPERTS)
    for name, icc in (("ICC(A,1)", found.single), ("ICC(A,k)", found.mean)):
        yield figured(replace(base, statistic=name), icc, lambda icc: f"items, {icc.raters} raters")
    alpha = replace(base, statistic="Krippendorff's alpha, ordinal")
    yield figured(alpha, found.alpha, lambda alpha: f"items, {alpha.ratings} ratings")
    for name in ("within one point", "equal"):
        share = replace(base, statistic=f"share of pairs {name}")
        yield from figures_or_reason(share, found.agreement, partial(_share, share))


def _share(base: Figure, agreement: Agreement) -> Iterator[Figure]:
    share = agreement.within_one if "within one point" in base.statistic else agreement.exact
    yield valued(base, share.observed, share.interval, agreement.pairs, "pairs of scores")
    by_chance = replace(base, statistic=f"{base.statistic} by chance", definition=CHANCE)
    yield valued(by_chance, share.by_chance, None, agreement.pairs, "pairs of scores")


def _raters(found: Raters) -> Iterator[Figure]:
    for rater, own in found.figures.items():
        yield from _rater(own, By("expert", rater))


def _rater(own: RaterFigures, by: By) -> Iterator[Figure]:
    base = Figure("severity", ALL_METRICS, by)
    yield figured(replace(base, definition=SEVERITY), own.severity, "ratings")
    yield from _spread(own.spread, base)
    yield figured(replace(base, statistic="Pearson's r with the mean of the others"), own.correlation, "ratings")
    near = replace(base, statistic="share within one point of others", definition=NEAR)
    yield from figures_or_reason(
        near, own.match, lambda match: iter([valued(near, match.within_one, None, match.n, "pairs of scores")])
    )


def _spread(found: Spread | Undefined, base: Figure) -> Iterator[Figure]:
    sd, ratio, n, counts = (
        (found, found, 0, "")
        if isinstance(found, Undefined)
        else (found.sd, found.ratio, found.n, f"ratings, beside {found.others} other raters")
    )
    yield valued(replace(base, statistic="standard deviation of the scores"), sd, None, n, "ratings")
    ratios = replace(base, statistic="ratio of standard deviations", definition=RATIO)
    yield valued(ratios, ratio, None, n, counts)


def _components(base: Figure, found: VarianceComponents) -> Iterator[Figure]:
    for source, one in found.components.items():
        yield valued(replace(base, statistic=f"share of variance, {source}"), one.share, None, found.n, "ratings")


def _designs(found: VarianceComponents | Undefined, metric: str) -> Iterator[Figure]:
    """The generalizability of the present design, and the least scenes that reach each wished one."""
    present = Figure("generalizability of the present design", Of(metric=metric), EXPERTS, definition=PRESENT)
    yield from figures_or_reason(present, found, partial(_present, present))
    for wished in WISHED:
        least = found if isinstance(found, Undefined) else or_undefined(least_design, found, wished)
        for experts in EXPERTS_TO_FIND:
            name = f"scenes for a generalizability of {wished:g}, {experts} expert{'s' if experts > 1 else ''}"
            base = replace(present, statistic=name, definition=NEEDED)
            scenes = (
                least
                if isinstance(least, Undefined)
                else {design.experts: design.scenes for design in least.choices}.get(
                    experts, Undefined(Message(UNREACHED, most=MOST_SCENES))
                )
            )
            yield valued(base, scenes, None, 0 if isinstance(found, Undefined) else found.n, "ratings")


def _present(base: Figure, found: VarianceComponents) -> Iterator[Figure]:
    now = or_undefined(design_study, found, round(found.n / found.items), found.scenes)
    if isinstance(now, Undefined):
        yield replace(base, undefined=str(now.reason))
    else:
        counts = f"ratings, for {now.experts} experts and {now.scenes} scenes"
        yield valued(base, now.generalizability, None, found.n, counts)


def _by(judge: str | None) -> By:
    """The judge's scores, or, where none is named, those of the experts."""
    return By("judge", judge=judge) if judge else EXPERTS


def every_figure(frame: pd.DataFrame, report: Report) -> tuple[Figure, ...]:
    """The figures of the ratings that `report` was made of, in an order that does not depend on theirs."""
    usable = usable_ratings(frame, report.design.scale)
    return all_of(figures_of_raters(usable, report), figures_of_judges(usable, report.design))


def all_of(of_raters: Iterable[Figure], of_judges: Iterable[Figure]) -> tuple[Figure, ...]:
    """The figures of the raters and those of the judges as one list."""
    return tuple(dict.fromkeys((*of_raters, *of_judges)))  # the experts' own means come with every judge


def usable_ratings(frame: pd.DataFrame, scale: tuple[float, float] | None) -> pd.DataFrame:
    """The ratings without what all statistics leave out: those without a score, or off the scale.

    Sorted, since sums depend on the order in their last digits. All but the scores are categories: many a figure picks
    and groups the same ratings again.
    """
    usable = leave_out_missing(frame)[0]
    if scale is not None:
        usable = leave_out_of_scale(usable, *scale)[0]
    usable = usable.astype({column: "category" for column in COLUMNS if column != "score"})
    return usable.sort_values(["item", "metric", "rater"])
