"""What is said of judges beside the experts, as figures."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product

import pandas as pd

from annotations.alternative_annotator import AlternativeAnnotator
from annotations.ceiling import CEILING, DISATTENUATED, RELIABILITY, Ceiling, SingleExpert, expert_tables
from annotations.concordance import BIAS, LIMITS, LIN, MAE, SPEARMAN, Concordance
from annotations.corrected import CorrectedMean, ModelMeans, PlainMean
from annotations.figure import ALL_METRICS, EXPERTS, By, Figure, Of, figured, valued
from annotations.figures_of_pairs import figures_of_pair
from annotations.figures_of_planning import figures_of_precision
from annotations.halo import Halo, MultitraitMultimethod
from annotations.holm import HOLM, WALD, Wald
from annotations.judge_report import MetricValidity, judge_report, judges_of
from annotations.levels import MODEL_MEAN_OVERALL, Level, Levels, OverallLevels
from annotations.report import Design
from annotations.resampling import Interval
from annotations.undefined import Undefined
from annotations.validity import OVERALL, sides_of

MATRIX = "multitrait-multimethod r"
DISCRIMINATION = "mean r between metrics of the judge minus that of the experts"
CONVERGENCE = "mean r on the same metric minus that on different ones"
CELLS = (
    "Pearson's r between metrics of the judge, between metrics of the experts' mean, or between a metric of the judge"
    " and one of the experts' mean, over items that both scored on every metric; without metrics on which a side gave"
    " all items the same score"
)
WITHIN = "over pairs of different metrics of one side"
ACROSS = "between a metric of the judge and the same, or another, of the experts' mean"


def figures_of_judges(frame: pd.DataFrame, design: Design) -> Iterator[Figure]:
    """Each judge beside the experts, and every two judges, in ratings of this design."""
    for judge in design.judges:
        yield from figures_of_judge(frame, judge, design)
    yield from figures_of_two_judges(frame, design)


def figures_of_two_judges(frame: pd.DataFrame, design: Design) -> Iterator[Figure]:
    """Every two judges beside the experts."""
    sides, tables = sides_of(frame, design.judges), expert_tables(frame)
    for pair in combinations(design.judges, 2):
        yield from figures_of_pair(
            judges_of(sides, pair, tables, design), By("judges", judge=pair[0], other_judge=pair[1])
        )


def figures_of_judge(frame: pd.DataFrame, judge: str, design: Design) -> Iterator[Figure]:
    """One judge beside the experts."""
    report = judge_report(frame, judge, design)
    by = By("judge", judge=report.judge)
    for metric, one in report.by_metric.items():
        yield from _levels(one.levels, metric, by)
        yield from _concordance(one.concordance, metric, by)
        yield from _test(one, metric, by)
        yield from _ceiling(one, metric, by)
    if report.overall is not None:
        yield from _overall(report.overall, by)
    yield from _halo(report.halo, by)
    yield from _alternative(report.alternative, by)
    yield from figures_of_precision(report.precision, by)
    if isinstance(report.leaderboard, Undefined):
        yield Figure("mean corrected by experts", Of(metric=OVERALL), by, undefined=report.leaderboard.reason)
    else:
        for means in report.leaderboard.values():
            yield from _means(means, by)


def _levels(levels: Levels, metric: str, by: By, overall: str = "") -> Iterator[Figure]:
    named = {"items": levels.items, "within scenes": levels.within_scenes, "models": levels.models}
    for name, level in named.items():
        base = Figure(f"Pearson's r, {name}{overall}", Of(metric=metric), by)
        if isinstance(level, Level):
            what = level.definition if levels.definition == metric else f"{level.definition}; {levels.definition}"
            yield figured(replace(base, definition=what), level.pearson, "models" if name == "models" else "pairs")
        else:
            yield replace(base, undefined=level.reason)


def _overall(found: OverallLevels, by: By) -> Iterator[Figure]:
    """Overall in those of its definitions that are no row of `overall` itself."""
    yield from _levels(found.pooled, OVERALL, by, ", pooled")
    level = found.model_mean
    base = Figure("Pearson's r, models, model mean", Of(metric=OVERALL), by, definition=MODEL_MEAN_OVERALL)
    yield figured(base, level.pearson if isinstance(level, Level) else level, "models")


def _concordance(found: Concordance | Undefined, metric: str, by: By) -> Iterator[Figure]:
    if isinstance(found, Undefined):
        yield Figure("concordance", Of(metric=metric), by, undefined=found.reason)
        return
    rows = (
        ("Spearman's rho", SPEARMAN, found.spearman),
        ("bias", BIAS, found.bias),
        ("mean absolute error", MAE, found.mae),
        ("Lin's concordance correlation", LIN, found.lin),
        ("lower limit of agreement", LIMITS, found.limits.low),
        ("upper limit of agreement", LIMITS, found.limits.high),
    )
    for name, definition, one in rows:
        yield figured(Figure(name, Of(metric=metric), by, definition=definition), one, "items")


def _test(one: MetricValidity, metric: str, by: By) -> Iterator[Figure]:
    base = Figure("p of r", Of(metric=metric), by, definition=WALD)
    if not isinstance(one.test, Wald):
        yield replace(base, undefined=one.test.reason)
        return
    found = replace(base, estimate=one.test.p, n=one.test.n, counts="items", draws=one.test.draws, seed=one.test.seed)
    yield found
    if one.adjusted_p is not None:
        yield replace(found, statistic="p of r, Holm", definition=HOLM, estimate=one.adjusted_p)


def _ceiling(one: MetricValidity, metric: str, by: By) -> Iterator[Figure]:
    names = (
        ("reliability of the experts", RELIABILITY),
        ("ceiling of r", CEILING),
        ("Pearson's r below the ceiling", ""),
        ("r corrected for attenuation", DISATTENUATED),
    )
    found = one.ceiling
    for at, (name, definition) in enumerate(names):
        base = Figure(name, Of(metric=metric), by, definition=definition)
        each = (
            (found.reliability, found.ceiling, found.pearson, found.disattenuated)[at]
            if isinstance(found, Ceiling)
            else found
        )
        yield figured(base, each, "items")
    best = one.best
    if isinstance(best, SingleExpert):
        told = f"against the means of the others; the best single expert is {best.expert}"
        own = replace(by, side="expert", expert=best.expert)
        yield figured(Figure("r of the best expert", Of(metric=metric), own, definition=told), best.pearson, "items")
        yield figured(Figure("r beside the best expert", Of(metric=metric), by, definition=told), best.judge, "items")
    else:
        yield Figure("r of the best expert", Of(metric=metric), replace(by, side="experts"), undefined=best.reason)


def _halo(found: Halo | Undefined, by: By) -> Iterator[Figure]:
    if isinstance(found, Undefined):
        yield Figure("discrimination", ALL_METRICS, by, undefined=found.reason)
        return
    rows = (
        ("discrimination", DISCRIMINATION, found.discrimination, WITHIN, ("within the judge", "within the experts")),
        ("convergence", CONVERGENCE, found.convergence, ACROSS, ("same metric", "different metrics")),
    )
    for name, definition, contrast, of_means, sides in rows:
        base = Figure(name, ALL_METRICS, by, definition=definition)
        yield valued(base, contrast.difference, contrast.interval, (contrast.n, "items"))
        for side, mean in zip(sides, (contrast.first, contrast.second), strict=True):
            base = Figure(f"{MATRIX}, mean {side}", ALL_METRICS, by, definition=of_means)
            yield valued(base, mean, None, (contrast.n, "items"))
    yield from _matrix(found.matrix, by)


def _matrix(found: MultitraitMultimethod, by: By) -> Iterator[Figure]:
    """Every r of the multitrait-multimethod matrix, once."""
    n, metrics, both = (found.n, "items"), [*enumerate(found.metrics)], replace(by, side="judge and experts")
    for (i, one), (j, other) in combinations(metrics, 2):
        for whose, block in ((by, found.within_judge), (replace(by, side="experts"), found.within_experts)):
            base = Figure(MATRIX, Of(metric=one, other_metric=other), whose, definition=CELLS)
            yield valued(base, block[i][j], None, n)
    for (i, one), (j, other) in product(metrics, repeat=2):
        base = Figure(MATRIX, Of(metric=one, other_metric=other), both, definition=CELLS)
        yield valued(base, found.between[i][j], None, n)


def _alternative(found: AlternativeAnnotator | Undefined, by: By) -> Iterator[Figure]:
    base = Figure("alternative annotator test, winning rate", Of(metric=OVERALL), by)
    if isinstance(found, Undefined):
        yield replace(base, undefined=found.reason)
        return
    n = min(each.n for each in found.experts)
    definition = f"Calderon et al. (2025), epsilon {found.epsilon:g}"
    counts = f"items or more, {len(found.experts)} experts"
    yield valued(replace(base, definition=definition), found.winning_rate, None, (n, counts))
    base = Figure("alternative annotator test, average advantage", Of(metric=OVERALL), by, definition=definition)
    yield valued(base, found.average_advantage, None, (n, counts))


def _means(means: ModelMeans, by: By) -> Iterator[Figure]:
    base = Figure("mean corrected by experts", Of(metric=OVERALL), by, model=means.model)
    corrected = means.corrected
    if isinstance(corrected, CorrectedMean):
        counts = f"items scored by both, {corrected.unlabelled} by the judge alone"
        interval = Interval(corrected.low, corrected.high, "prediction-powered, scenes as clusters")
        yield valued(base, corrected.estimate, interval, (corrected.labelled, counts))
    else:
        yield replace(base, undefined=corrected.reason)
    base = Figure("mean of the experts", Of(metric=OVERALL), EXPERTS, model=means.model)
    plain = means.experts
    if isinstance(plain, PlainMean):
        interval = Interval(plain.low, plain.high, "Student's t, scenes as clusters")
        yield valued(base, plain.estimate, interval, (plain.n, "items"))
    else:
        yield replace(base, undefined=plain.reason)
    base = Figure("mean of the judge", Of(metric=OVERALL), by, model=means.model)
    if isinstance(means.judge, Undefined):
        yield replace(base, undefined=means.judge.reason)
    else:
        yield valued(base, means.judge, None, (means.n_judge, "items"))
