"""Tables of judges beside the experts and beside each other, and of experiments on a judge.

`improvised` says whether the rehearsal gave some of the judge's ratings: then each table has the mark.
"""

from collections.abc import Callable, Mapping, Sequence

from annotations.design.planning import MOST_SCENES, UNREACHED, Design, LeastDesign
from annotations.errors import Undefined
from annotations.exchange.table import IMPROVISED, Cell, Column, Content, Group, Part, Row, Table, labelled, plain_table
from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, say_count
from annotations.leaderboard.prediction_powered import CorrectedMean, ModelMeans
from annotations.marking.rating import judge_called
from annotations.reliability.variance_components import VarianceComponents
from annotations.report.judge_report import BaselineValidity, JudgeReport, Judges, MetricValidity
from annotations.resampling.estimates import Estimate
from annotations.validity.baselines import NAMES
from annotations.validity.ceiling import Ceiling
from annotations.validity.compare_judges import Comparison
from annotations.validity.concordance import Concordance
from annotations.validity.halo import Contrast
from annotations.validity.holm import holm
from annotations.validity.judge_expert_correlation import OVERALL
from annotations.validity.judge_variations import Change, HaloContrast, Steadiness
from annotations.validity.levels import Level, Levels, OverallLevels
from annotations.validity.repeats import TIMES
from characterbox.components.figures.tables.text import (
    N_ITEMS,
    N_MODELS,
    N_PAIRS,
    counted,
    decimal,
    estimate_cell,
    figure_cell,
    language_name,
    limits,
    metric_label,
    metric_name,
    p_value,
    value_cell,
)
from characterbox.judging.experiments import TOLD, Findings

LEVEL_HEADS = (to_say("r over items"), to_say("r within scenes"), to_say("r between models"))
TESTED_HEADS = (LEVEL_HEADS[0], to_say("p of r over items (Holm)"), *LEVEL_HEADS[1:])
CONCORDANCE_HEADS = (
    to_say("Spearman's rho"),
    to_say("Bias"),
    to_say("Mean absolute error"),
    to_say("Lin's concordance correlation"),
    to_say("Limits of agreement"),
)
CEILING_HEADS = (
    to_say("Reliability of experts' mean"),
    to_say("Ceiling of r"),
    to_say("r"),
    to_say("r corrected for attenuation"),
    to_say("Single expert"),
    to_say("Judge, same items"),
)
MEAN_HEADS = (to_say("Corrected by experts"), to_say("Experts only"), to_say("Judge only"))


def level_table(report: JudgeReport, *, improvised: bool) -> Table:
    """Pearson's r at three levels, with p adjusted over the metrics of all judges."""
    return _by_metric(
        (to_say("Validity of {judge} by level"), TESTED_HEADS), report, (_tested, _levels_of_baseline), improvised
    )


def overall_table(overall: OverallLevels, *, improvised: bool) -> Table:
    """Overall, pooled and as row means, at three levels; as model means at that of models."""
    elsewhere = Cell((say("at the model level only"),), "quiet", columns=2)
    rows = [
        Row(say("Pooled"), _levels(overall.pooled)),
        Row(say("Row mean"), _levels(overall.row_mean)),
        Row(say("Model mean"), [elsewhere, _level(overall.model_mean, N_MODELS)]),
    ]
    return plain_table(say("Definitions of “overall”"), map(say, LEVEL_HEADS), rows, improvised=improvised)


def parts_table(report: JudgeReport, metric: str, *, improvised: bool) -> Table:
    """Pearson's r on a metric, or overall: within languages, in each language and of each model."""
    found, levels = report.parts[metric], report.by_metric[metric].levels
    rows = [Row(say("All items"), [_level(levels.items, N_PAIRS)])]
    rows += [Row(say("Within scenes"), [_level(levels.within_scenes, N_PAIRS)])]
    if found.within_languages is not None:
        rows.append(Row(say("Within languages"), [estimate_cell(found.within_languages, of=N_ITEMS)]))
    languages = [Row(language_name(name), [estimate_cell(r, of=N_ITEMS)]) for name, r in found.by_language.items()]
    models = [Row(name, [estimate_cell(r, of=N_ITEMS)]) for name, r in found.by_model.items()]
    groups = [Group(rows, IMPROVISED if improvised else ""), Group([*languages, *models])]
    return Table(
        say("r by language and model: {metric}", metric=metric_name(metric)), [Column(say("Pearson's r"))], groups
    )


def concordance_table(report: JudgeReport, *, improvised: bool) -> Table:
    """Whether the judge gives the same scores, and not only the same order."""
    return _by_metric(
        (to_say("Agreement of {judge} with the experts, in points"), CONCORDANCE_HEADS),
        report,
        (_concordance, _concordance),
        improvised,
    )


def ceiling_table(report: JudgeReport, *, improvised: bool) -> Table:
    """What the experts' own reliability allows, and what the best of them reaches."""
    return _by_metric(
        (to_say("Ceiling of r for {judge}"), CEILING_HEADS), report, (_ceiling, _ceiling_of_baseline), improvised
    )


def leaderboard_table(found: Mapping[str, ModelMeans], *, improvised: bool) -> Table:
    """The models' means, the best corrected mean first, then those without one by the experts' mean; without the column
    of corrected means where there is none."""
    first = 0 if any(isinstance(means.corrected, CorrectedMean) for means in found.values()) else 1
    rows = [Row(means.model, _means(means)[first:]) for means in sorted(found.values(), key=_place)]
    heads = map(say, MEAN_HEADS[first:])
    return plain_table(say("Model means, corrected by experts"), heads, rows, improvised=improvised)


Cells = Sequence[Content] | Undefined


def _by_metric(
    named: tuple[str, Sequence[str]],
    report: JudgeReport,
    cells: tuple[Callable[[MetricValidity], Cells], Callable[[BaselineValidity], Cells]],
    improvised: bool,
) -> Table:
    """The judge on each metric, and below, in grey, judges that look at no item, on overall; `named` are title and
    heads, and `cells` makes the cells of either."""
    (title, heads), (of_judge, of_baseline) = named, cells
    rows = [Row(metric_label(metric), of_judge(one)) for metric, one in report.by_metric.items()]
    grey = [Row(say(NAMES[name]), of_baseline(one[OVERALL]), beside=True) for name, one in report.baselines.items()]
    groups = [Group(rows, IMPROVISED if improvised else ""), Group(grey, Part(say("Baselines, overall"), "quiet"))]
    return Table(
        say(title, judge=judge_called(report.judge, improvised)), [Column(say(head)) for head in heads], groups
    )


def _levels_of_baseline(one: BaselineValidity) -> Sequence[Content]:
    items, *others = _levels(one.levels)
    return [items, "", *others]


def _ceiling_of_baseline(one: BaselineValidity) -> Sequence[Content]:
    found = one.ceiling
    if isinstance(found, Undefined):
        return ["", "", found, found, "", ""]
    return ["", "", _r(found), _bare(found.disattenuated), "", ""]


def _r(found: Ceiling) -> Content:
    r = found.pearson
    return r if isinstance(r, Undefined) else estimate_cell(r, of=N_ITEMS)


def _bare(figure: float | Undefined) -> Content:
    """A figure without an interval."""
    return figure if isinstance(figure, Undefined) else Part(decimal(figure), "figure")


def _tested(one: MetricValidity) -> Sequence[Content]:
    """The levels, with p beside the r that it is of."""
    items, *others = _levels(one.levels)
    p: Content
    if isinstance(one.test, Undefined):
        p = one.test
    elif one.adjusted_p is None:
        p = say("{p} (unadjusted)", p=p_value(one.test.p))
    else:
        p = p_value(one.adjusted_p)
    return [items, p, *others]


def _levels(levels: Levels) -> list[Content]:
    return [_level(levels.items, N_PAIRS), _level(levels.within_scenes, N_PAIRS), _level(levels.models, N_MODELS)]


def _level(level: Level | Undefined, of: str) -> Content:
    """`of` is what is said of its n."""
    return estimate_cell(level.pearson, of=of) if isinstance(level, Level) else level


def _concordance(one: MetricValidity | BaselineValidity) -> Cells:
    found = one.concordance
    if not isinstance(found, Concordance):
        return found
    low, high = found.limits.low, found.limits.high
    between = Cell(
        (
            Part(decimal(low.estimate), "figure"),
            limits(low.interval, kind="quiet"),
            Part(say("{low} to {high}", low="", high="").rstrip(), "line"),
            Part(decimal(high.estimate), "figure"),
            limits(high.interval, kind="quiet"),
            Part(say(N_ITEMS, n=low.n), "counted"),
        )
    )
    figures = (found.spearman, found.bias, found.mae, found.lin)
    return [*(estimate_cell(each, of=N_ITEMS) for each in figures), between]


def _ceiling(one: MetricValidity) -> Sequence[Content]:
    found, single = one.ceiling, one.single
    cells: list[Content]
    if isinstance(found, Undefined):
        cells = [Cell((found,), columns=4)]
    else:
        reliability = estimate_cell(found.reliability, of=N_ITEMS)
        cells = [reliability, _bare(found.ceiling), _r(found), _bare(found.disattenuated)]
    if isinstance(single, Undefined):
        return [*cells, Cell((single,), columns=2)]
    return [*cells, *(estimate_cell(each, of=N_ITEMS) for each in (single.pearson, single.judge))]


def _place(means: ModelMeans) -> tuple[int, float, str]:
    corrected, experts = means.corrected, means.experts
    if isinstance(corrected, CorrectedMean):
        return 0, -corrected.estimate, means.model
    if not isinstance(experts, Undefined):
        return 1, -experts.estimate, means.model
    return 2, 0.0, means.model


def _means(means: ModelMeans) -> list[Content]:
    found, judge = means.corrected, means.judge
    corrected: Content
    if isinstance(found, Undefined):
        corrected = found
    else:
        n = say("n = {both:,} by both, {alone:,} by judge only", both=found.n, alone=found.unlabelled)
        corrected = value_cell(found.estimate, found.interval, n)
    alone = judge if isinstance(judge, Undefined) else figure_cell(decimal(judge), say(N_ITEMS, n=means.n_judge))
    return [corrected, estimate_cell(means.experts, of=N_ITEMS), alone]


PAIR_HEADS = (
    to_say("r, first judge"),
    to_say("r, second judge"),
    to_say("Difference"),
    to_say("p"),
    to_say("p (Holm)"),
)
SOURCES = {
    "model": to_say("Model"),
    "scene": to_say("Scene"),
    "rater": to_say("Rater"),
    "model x scene": to_say("Model x scene"),
    "model x rater": to_say("Model x rater"),
    "scene x rater": to_say("Scene x rater"),
}
SOURCE_HEADS = (*SOURCES.values(), to_say("Remainder"), to_say("Ratings (n)"))
NEGATIVE = to_say("the estimate is negative and set to 0: there are too few data to distinguish it from 0")


def comparison_table(found: Mapping[tuple[str, str], Judges], improvised: frozenset[str]) -> Table:
    """Two judges a row, on overall. `improvised` are the judges of whose ratings the rehearsal gave some."""
    tested = {pair: one.p for pair, both in found.items() if isinstance(one := both.comparison, Comparison)}
    adjusted = holm({pair: p for pair, p in tested.items() if isinstance(p, float)})
    rows = []
    for pair, both in found.items():
        first, second = (judge_called(judge, judge in improvised) for judge in pair)
        label = labelled(
            say("{first} and {second}", first=first, second=second), improvised=not improvised.isdisjoint(pair)
        )
        rows.append(Row(label, _pair(both, adjusted.get(pair))))
    return plain_table(say("Judge comparison"), map(say, PAIR_HEADS), rows)


def components_table(found: Mapping[str, VarianceComponents | Undefined]) -> Table:
    """What the experts' scores vary by, in shares."""
    rows = [Row(metric_label(metric), _components(one)) for metric, one in found.items()]
    return plain_table(say("Variance components"), map(say, SOURCE_HEADS), rows)


def design_table(found: Mapping[str, LeastDesign | Undefined], experts: Sequence[int]) -> Table:
    """With so many experts, how many scenes reach the wished reliability."""
    rows = []
    for metric, one in found.items():
        if isinstance(one, Undefined):
            rows.append(Row(metric_label(metric), one))
        else:
            needed = {design.experts: design for design in one.choices}
            rows.append(Row(metric_label(metric), [_needed(needed.get(number)) for number in experts]))
    return plain_table(say("Scenes needed"), [counted(number, "expert") for number in experts], rows)


def _pair(both: Judges, adjusted_p: float | None) -> Sequence[Content] | Undefined:
    found = both.comparison
    if isinstance(found, Undefined):
        return found
    return [
        *(estimate_cell(one, of=N_ITEMS) for one in (found.first_r, found.second_r, found.difference)),
        found.p if isinstance(found.p, Undefined) else p_value(found.p),
        "" if adjusted_p is None else p_value(adjusted_p),
    ]


def _components(found: VarianceComponents | Undefined) -> Sequence[Content] | Undefined:
    if isinstance(found, Undefined):
        return found
    shares: list[Content] = []
    for name in SOURCES:
        one = found.components[name]
        shares.append(Part(f"{one.share:.0%}", notes=(say(NEGATIVE),) if one.unbiased < 0 else ()))
    rest = sum(one.share for name, one in found.components.items() if name not in SOURCES)
    return [*shares, f"{rest:.0%}", f"{found.n:,}"]


def _needed(design: Design | None) -> Content:
    if design is None:
        return Part(say("none"), notes=(say(UNREACHED, most=MOST_SCENES),))
    return figure_cell(counted(design.scenes, "scene"), say("{n:,} ratings per model", n=design.ratings))


CHANGES = (
    to_say("Mean difference"), to_say("Exact agreement"), to_say("Mean absolute difference"), to_say("Pearson's r"),
    "ICC(A,1)", to_say("Items"),
)  # fmt: skip
STEADINESS = (to_say("Within-item SD"), to_say("Identical in all repeats"), "ICC(1,1)", to_say("Items"))
HALO = (to_say("One reply for all metrics"), to_say("One reply per metric"), to_say("Difference"))
VALIDITY = (to_say("r (variation)"), to_say("r (original)"), to_say("Difference"))


def variation_name(name: str) -> str:
    """What a variation is called."""
    kind, _, time = name.partition(" ")
    return say("repeat {time}", time=time) if time else say(TOLD[kind])


def changes_table(found: Findings, metric: str) -> Table:
    """How the scores of each variation stand to the judge's own, on a metric or overall."""
    rows = [Row(variation_name(name), _change(one[metric])) for name, one in found.changes.items()]
    return _table(say("Variations compared with the original judge"), CHANGES, rows, found)


def steadiness_table(found: Findings) -> Table:
    """How alike scores are when the judge is asked again, by metric."""
    rows = [Row(metric_label(metric), _steady(one)) for metric, one in found.steadiness.items()]
    return _table(say("Repeats"), STEADINESS, rows, found)


def repeats_table(found: Findings) -> Table:
    """What the mean of several scores of the judge for one item is worth, by metric."""
    heads = [*(say("Mean of {times} scores", times=times) for times in TIMES), say("Useful number of scores")]
    rows = [Row(metric_label(metric), _repeats(one)) for metric, one in found.steadiness.items()]
    return plain_table(say("Reliability of the mean of repeated scores"), heads, rows, improvised=found.improvised)


def halo_table(halo: HaloContrast, found: Findings) -> Table:
    """How much the metrics hang together both ways."""
    parts = {say("Mean r between metrics"): halo.correlation, say("Cronbach's alpha"): halo.alpha}
    return _table(say("Halo"), HALO, [Row(name, _contrast(one)) for name, one in parts.items()], found)


def varied_validity_table(found: Findings) -> Table:
    """How each variation goes with the experts, overall, and the judge as it is on the same items."""
    rows = [Row(variation_name(name), _validity(one)) for name, one in found.validity.items()]
    return _table(say("Validity of the variations"), VALIDITY, rows, found)


def _table(caption: str, heads: Sequence[str], rows: Sequence[Row], found: Findings) -> Table:
    return plain_table(caption, map(say, heads), rows, improvised=found.improvised)


def _change(found: Change | Undefined) -> Sequence[Content] | Undefined:
    if isinstance(found, Undefined):
        return found
    figures = (found.difference, found.exact, found.apart, found.pearson, found.icc)
    return [*map(_figure, figures), counted(found.n, "item")]


def _steady(found: Steadiness | Undefined) -> Sequence[Content] | Undefined:
    if isinstance(found, Undefined):
        return found
    items = say("{items}, {times:,} scores each", items=counted(found.n, "item"), times=found.times)
    return [*map(_figure, (found.sd, found.identical, found.icc)), items]


def _repeats(found: Steadiness | Undefined) -> Sequence[Content] | Undefined:
    if isinstance(found, Undefined):
        return found
    if isinstance(found.repeats, Undefined):
        return found.repeats
    means = [value_cell(one.estimate, one.interval, say("r {gain:+.1%}", gain=one.gain)) for one in found.repeats.means]
    return [*means, say_count("{count:,} score", "{count:,} scores", found.repeats.worth)]


def _validity(found: Comparison | Undefined) -> Sequence[Content] | Undefined:
    if isinstance(found, Undefined):
        return found
    return list(map(_figure, (found.first_r, found.second_r, found.difference)))


def _contrast(found: Contrast) -> Sequence[Content]:
    difference = value_cell(found.difference, found.interval, counted(found.n, "item"))
    return [decimal(found.first), decimal(found.second), difference]


def _figure(found: Estimate | Undefined) -> Content:
    return found if isinstance(found, Undefined) else value_cell(found.estimate, found.interval)
