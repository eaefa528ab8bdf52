"""What is said of judges beside the experts, one by one and in pairs, as figures."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import combinations, product

import pandas as pd

from annotations.design.planning import CorrelationPrecision
from annotations.errors import Undefined
from annotations.leaderboard.prediction_powered import CorrectedMean, ModelMeans
from annotations.report.figure import ALL_METRICS, EXPERTS, By, Figure, Of, figured, figures_or_reason, valued
from annotations.report.judge_report import (
    AcrossJudges,
    BaselineValidity,
    MetricValidity,
    across_judges,
    judge_report,
    judges_of,
)
from annotations.report.report import Design
from annotations.validity.alternative_annotator import AlternativeAnnotator
from annotations.validity.ceiling import (
    CEILING,
    DISATTENUATED,
    RELIABILITY,
    SINGLE_EXPERT,
    Ceiling,
    SingleExpert,
    expert_tables,
)
from annotations.validity.compare_judges import DIFFERENCE, P_OF_DIFFERENCE, Comparison
from annotations.validity.concordance import BIAS, LIMITS, LIN, MAE, SPEARMAN, Concordance
from annotations.validity.halo import Halo, MultitraitMultimethod
from annotations.validity.holm import HOLM, P_OF_R, CorrelationTest
from annotations.validity.judge_expert_correlation import OVERALL, sides_of
from annotations.validity.levels import ITEMS, MODEL_MEAN_OVERALL, Level, Levels, OverallLevels
from annotations.validity.parts import WITHIN_LANGUAGES, ValidityByPart
from annotations.validity.selective_rating import SelectiveRating
from annotations.validity.shared_teacher import EXCESS, EXPLAINED, Shared

OF_OVERALL = Of(metric=OVERALL)
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
BESIDE = "with the experts' means, on the items that the experts and both judges scored"
BETWEEN = "of their scores of the same items"
BESIDE_ALL = "of their scores of the items that all experts and both judges scored"
SAME_MODELS = "models are compared with themselves: least squares with an effect of each model"
WIDTH = (
    "of r overall, with the same models, were r to stay as it is; from the standard error of Fisher's z (1921) by the"
    " jackknife over scenes, scaled by the root of the scenes now over the scenes then"
)


def figures_of_judges(frame: pd.DataFrame, design: Design) -> Iterator[Figure]:
    """Each judge beside the experts, and every two judges, in ratings of this design."""
    across = across_judges(frame, design)
    for judge in design.judges:
        yield from figures_of_judge(frame, judge, design, across)
    yield from figures_of_two_judges(frame, design)


def figures_of_two_judges(frame: pd.DataFrame, design: Design) -> Iterator[Figure]:
    """Every two judges beside the experts: how they differ, and what they share."""
    sides, tables = sides_of(frame, design.judges), expert_tables(frame)
    for pair in combinations(design.judges, 2):
        found, by = judges_of(sides, pair, tables, design), By("judges", judge=pair[0], other_judge=pair[1])
        difference = Figure("difference of r", OF_OVERALL, by, definition=DIFFERENCE)
        yield from figures_or_reason(difference, found.comparison, partial(_comparison, difference))
        excess = Figure("excess of r of two judges", OF_OVERALL, by, definition=EXCESS)
        yield from figures_or_reason(excess, found.pair.shared, partial(_shared, excess))


def figures_of_judge(frame: pd.DataFrame, judge: str, design: Design, across: AcrossJudges) -> Iterator[Figure]:
    """One judge beside the experts."""
    report = judge_report(frame, judge, design, across)
    by = By("judge", judge=report.judge)
    for metric, one in report.by_metric.items():
        yield from _levels(one.levels, metric, by)
        yield from _in_points(one.concordance, metric, by)
        test = Figure("p of r", Of(metric=metric), by, definition=P_OF_R)
        yield from figures_or_reason(test, one.test, partial(_test, test, one.adjusted_p))
        yield from _ceiling(one, metric, by)
    if report.overall is not None:
        yield from _overall(report.overall, by)
    for name, of in report.baselines.items():
        yield from _baseline(of, By("baseline", judge=report.judge, baseline=name))
    for metric, parts in report.parts.items():
        yield from _parts(parts, metric, by)
    yield from _selective(report.selective, by)
    yield from figures_or_reason(Figure("discrimination", ALL_METRICS, by), report.halo, partial(_halo, by))
    alternative = Figure("alternative annotator test, winning rate", OF_OVERALL, by)
    yield from figures_or_reason(alternative, report.alternative, partial(_alternative, alternative))
    for name, tested in report.alternative_of_baselines.items():
        beside = replace(alternative, by=By("baseline", judge=report.judge, baseline=name))
        yield from figures_or_reason(beside, tested, partial(_alternative, beside))
    yield from _precision(report.precision, by)
    corrected = Figure("mean corrected by experts", OF_OVERALL, by)
    if isinstance(report.leaderboard, Undefined):
        yield replace(corrected, undefined=str(report.leaderboard.reason))
    else:
        for means in report.leaderboard.values():
            yield from _means(replace(corrected, model=means.model), means)


def _levels(levels: Levels, metric: str, by: By, overall: str = "") -> Iterator[Figure]:
    named = {"items": levels.items, "within scenes": levels.within_scenes, "models": levels.models}
    for name, level in named.items():
        base = Figure(f"Pearson's r, {name}{overall}", Of(metric=metric), by)
        if isinstance(level, Level):
            what = level.definition if levels.definition == metric else f"{level.definition}; {levels.definition}"
            yield figured(replace(base, definition=what), level.pearson, "models" if name == "models" else "pairs")
        else:
            yield replace(base, undefined=str(level.reason))


def _overall(found: OverallLevels, by: By) -> Iterator[Figure]:
    """Overall in those of its definitions that are no row of `overall` itself."""
    yield from _levels(found.pooled, OVERALL, by, ", pooled")
    level = found.model_mean
    base = Figure("Pearson's r, models, model mean", OF_OVERALL, by, definition=MODEL_MEAN_OVERALL)
    yield figured(base, level.pearson if isinstance(level, Level) else level, "models")


def _baseline(of: Mapping[str, BaselineValidity], by: By) -> Iterator[Figure]:
    for metric, one in of.items():
        yield from _levels(one.levels, metric, by)
        yield from _in_points(one.concordance, metric, by)
        yield from _below(one.ceiling, metric, by)


def _parts(parts: ValidityByPart, metric: str, by: By) -> Iterator[Figure]:
    """r within languages, in each language and of each model."""
    base = Figure("Pearson's r, items", Of(metric=metric), by, definition=ITEMS)
    for language, r in parts.by_language.items():
        yield figured(replace(base, language=language), r, "items")
    for model, r in parts.by_model.items():
        yield figured(replace(base, model=model), r, "items")
    if parts.within_languages is not None:
        within = replace(base, statistic="Pearson's r, within languages", definition=WITHIN_LANGUAGES)
        yield figured(within, parts.within_languages, "items")


def _selective(found: SelectiveRating, by: By) -> Iterator[Figure]:
    base = Figure("judge's mean where experts scored minus elsewhere", OF_OVERALL, by, definition=SAME_MODELS)
    yield figured(base, found.by_judge, "items")
    of_experts = "experts' mean where the judge scored minus elsewhere"
    yield figured(replace(base, statistic=of_experts, by=replace(by, side="experts")), found.by_experts, "items")


def _in_points(found: Concordance | Undefined, metric: str, by: By) -> Iterator[Figure]:
    base = Figure("concordance", Of(metric=metric), by)
    return figures_or_reason(base, found, partial(_concordance, base))


def _concordance(base: Figure, found: Concordance) -> Iterator[Figure]:
    for name, definition, one in (
        ("Spearman's rho", SPEARMAN, found.spearman),
        ("bias", BIAS, found.bias),
        ("mean absolute error", MAE, found.mae),
        ("Lin's concordance correlation", LIN, found.lin),
        ("lower limit of agreement", LIMITS, found.limits.low),
        ("upper limit of agreement", LIMITS, found.limits.high),
    ):
        yield figured(replace(base, statistic=name, definition=definition), one, "items")


def _test(base: Figure, adjusted_p: float | None, test: CorrelationTest) -> Iterator[Figure]:
    found = replace(valued(base, test.p, None, test.n, "items"), interval=test.way)
    yield found
    if adjusted_p is not None:
        yield replace(found, statistic="p of r, Holm", definition=HOLM, estimate=adjusted_p)


def _ceiling(one: MetricValidity, metric: str, by: By) -> Iterator[Figure]:
    found = one.ceiling
    n, reliability, highest = (
        (found.n, found.reliability, found.ceiling) if isinstance(found, Ceiling) else (0, found, found)
    )
    of = Figure("reliability of the experts", Of(metric=metric), by, definition=RELIABILITY)
    yield figured(of, reliability, "items")
    yield valued(replace(of, statistic="ceiling of r", definition=CEILING), highest, None, n, "items")
    yield from _below(found, metric, by)
    base = Figure("r of a single expert", Of(metric=metric), replace(by, side="experts"), definition=SINGLE_EXPERT)
    yield from figures_or_reason(base, one.single, partial(_single, base))


def _below(found: Ceiling | Undefined, metric: str, by: By) -> Iterator[Figure]:
    """r below the ceiling."""
    n, r, corrected = (found.n, found.pearson, found.disattenuated) if isinstance(found, Ceiling) else (0, found, found)
    yield figured(Figure("Pearson's r below the ceiling", Of(metric=metric), by), r, "items")
    disattenuated = Figure("r corrected for attenuation", Of(metric=metric), by, definition=DISATTENUATED)
    yield valued(disattenuated, corrected, None, n, "items")


def _single(base: Figure, single: SingleExpert) -> Iterator[Figure]:
    counts = f"items, {single.experts} experts"
    yield figured(base, single.pearson, counts)
    beside = replace(base, statistic="r beside a single expert", by=replace(base.by, side="judge"))
    yield figured(beside, single.judge, counts)


def _halo(by: By, found: Halo) -> Iterator[Figure]:
    for name, definition, contrast, of_means, sides in (
        ("discrimination", DISCRIMINATION, found.discrimination, WITHIN, ("within the judge", "within the experts")),
        ("convergence", CONVERGENCE, found.convergence, ACROSS, ("same metric", "different metrics")),
    ):
        base = Figure(name, ALL_METRICS, by, definition=definition)
        yield valued(base, contrast.difference, contrast.interval, contrast.n, "items")
        for side, mean in zip(sides, (contrast.first, contrast.second), strict=True):
            base = Figure(f"{MATRIX}, mean {side}", ALL_METRICS, by, definition=of_means)
            yield valued(base, mean, None, contrast.n, "items")
    yield from _matrix(found.matrix, by)


def _matrix(found: MultitraitMultimethod, by: By) -> Iterator[Figure]:
    """Every r of the multitrait-multimethod matrix, once."""
    metrics = [*enumerate(found.metrics)]
    within = ((by, found.within_judge), (replace(by, side="experts"), found.within_experts))
    cells = [
        *((one, whose, block) for one in combinations(metrics, 2) for whose, block in within),
        *((one, replace(by, side="judge and experts"), found.between) for one in product(metrics, repeat=2)),
    ]
    for ((i, one), (j, other)), whose, block in cells:
        base = Figure(MATRIX, Of(metric=one, other_metric=other), whose, definition=CELLS)
        yield valued(base, block[i][j], None, found.n, "items")


def _alternative(base: Figure, found: AlternativeAnnotator) -> Iterator[Figure]:
    n = min(each.n for each in found.experts)
    counts = f"items or more, {len(found.experts)} experts, {found.tests} p adjusted together"
    base = replace(base, definition=f"Calderon et al. (2025), epsilon {found.epsilon:g}")
    yield valued(base, found.winning_rate, None, n, counts)
    advantage = replace(base, statistic="alternative annotator test, average advantage")
    yield valued(advantage, found.average_advantage, None, n, counts)


def _precision(found: CorrelationPrecision | Undefined, by: By) -> Iterator[Figure]:
    """How wide the interval of a judge's r overall is to be with the scenes of now, and with twice as many."""
    for name, times in (("as now", 1), ("twice the scenes", 2)):
        base = Figure(f"expected width of the interval of r, {name}", OF_OVERALL, by, definition=WIDTH)
        if isinstance(found, Undefined):
            yield replace(base, undefined=str(found.reason))
            continue
        then = found.expected(times * found.scenes)
        yield valued(base, then.width, None, found.n, f"items, for {then.scenes} scenes and {found.models} models")


def _means(base: Figure, means: ModelMeans) -> Iterator[Figure]:
    yield figured(base, means.corrected, _labelled)
    yield figured(replace(base, statistic="mean of the experts", by=EXPERTS), means.experts, "items")
    yield valued(replace(base, statistic="mean of the judge"), means.judge, None, means.n_judge, "items")


def _labelled(corrected: CorrectedMean) -> str:
    return f"items scored by both, {corrected.unlabelled} by the judge alone"


def _comparison(difference: Figure, one: Comparison) -> Iterator[Figure]:
    base = replace(difference, definition=BESIDE)
    yield figured(replace(base, statistic="Pearson's r of the first judge"), one.first_r, "items")
    yield figured(replace(base, statistic="Pearson's r of the second judge"), one.second_r, "items")
    yield figured(difference, one.difference, "items")
    between = replace(base, statistic="Pearson's r of two judges", definition=BETWEEN)
    yield valued(between, one.between, None, one.n, "items")
    p = replace(difference, statistic="p of the difference of r", definition=P_OF_DIFFERENCE)
    yield valued(p, one.p, None, one.n, "items")


def _shared(excess: Figure, found: Shared) -> Iterator[Figure]:
    counts = f"items, {found.experts} experts"
    yield figured(excess, found.excess, counts)
    beside = replace(excess, statistic="r of two judges beside all experts", definition=BESIDE_ALL)
    yield figured(beside, found.between, counts)
    explained = replace(excess, statistic="r of two judges that experts explain", definition=EXPLAINED)
    yield valued(explained, found.explained, None, found.n, counts)
    experts = replace(excess.by, side="experts")
    reliability = Figure("reliability of the experts", OF_OVERALL, experts, definition=RELIABILITY)
    yield figured(reliability, found.reliability, counts)
