"""Tables of one judge beside the experts, and of the models that it scored.

`improvised` says whether the rehearsal gave some of the judge's ratings: then each table has the mark.
"""

from collections.abc import Mapping

from annotations.ceiling import Ceiling, SingleExpert
from annotations.concordance import Concordance, LimitsOfAgreement
from annotations.corrected import CorrectedMean, ModelMeans, PlainMean
from annotations.judge_report import JudgeReport, MetricValidity
from annotations.levels import Level, Levels, OverallLevels
from annotations.undefined import Undefined
from characterbox.components.figures.cells import Notes, data, table
from characterbox.components.figures.estimate_cells import (
    body,
    estimate_cell,
    limits,
    p_value,
    row,
    text_cell,
    undefined_cell,
)
from characterbox.components.figures.words import decimal, metric_label

LEVEL_HEADS = ("r over items", "r within scenes", "r of models")
TESTED_HEADS = ("r over items", "p of r over items, Holm", "r within scenes", "r of models")
CONCORDANCE_HEADS = ("Spearman's rho", "Bias", "Mean absolute error", "Lin's concordance", "Limits of agreement")
CEILING_HEADS = ("Reliability of experts", "Ceiling of r", "r", "r corrected", "Best expert", "Judge, same items")
MEAN_HEADS = ("Corrected by experts", "Experts alone", "Judge alone")


def level_table(report: JudgeReport, *, improvised: bool) -> str:
    """Pearson's r at three levels, with p adjusted over the metrics; then overall in each of its definitions."""
    notes = Notes()
    rows = [row(metric_label(metric), _tested(one, notes)) for metric, one in report.by_metric.items()]
    groups = [body(rows, len(TESTED_HEADS), improvised=improvised)]
    return table(f"Validity of {report.judge} by level", TESTED_HEADS, groups, notes)


def overall_table(overall: OverallLevels, *, improvised: bool) -> str:
    """Overall, pooled and as row means, at three levels; as model means at that of models."""
    notes = Notes()
    named = {"Pooled": overall.pooled, "Row mean": overall.row_mean}
    rows = [row(name, _levels(levels, notes)) for name, levels in named.items()]
    elsewhere = '<td class="cb-quiet-cell" colspan="2">at the level of models only</td>'
    rows.append(row("Model mean", [elsewhere, _level(overall.model_mean, "models", notes)]))
    return table(
        "Overall in its definitions", LEVEL_HEADS, [body(rows, len(LEVEL_HEADS), improvised=improvised)], notes
    )


def concordance_table(report: JudgeReport, *, improvised: bool) -> str:
    """Whether the judge gives the same scores, and not only the same order."""
    notes = Notes()
    rows = [row(metric_label(metric), _concordance(one.concordance, notes)) for metric, one in report.by_metric.items()]
    groups = [body(rows, len(CONCORDANCE_HEADS), improvised=improvised)]
    return table(f"Agreement of {report.judge} in points", CONCORDANCE_HEADS, groups, notes)


def ceiling_table(report: JudgeReport, *, improvised: bool) -> str:
    """What the experts' own reliability allows, and what the best of them reaches."""
    notes = Notes()
    rows = [row(metric_label(metric), _ceiling(one, notes)) for metric, one in report.by_metric.items()]
    groups = [body(rows, len(CEILING_HEADS), improvised=improvised)]
    return table(f"Ceiling of {report.judge}", CEILING_HEADS, groups, notes)


def leaderboard_table(found: Mapping[str, ModelMeans], *, improvised: bool) -> str:
    """The models' means, the best corrected mean first, then those without one by the experts' mean; without the column
    of corrected means where there is none."""
    notes, corrected = Notes(), any(isinstance(means.corrected, CorrectedMean) for means in found.values())
    heads = MEAN_HEADS if corrected else MEAN_HEADS[1:]
    rows = [row(means.model, _means(means, notes, corrected)) for means in sorted(found.values(), key=_place)]
    return table("Models, corrected by experts", heads, [body(rows, len(heads), improvised=improvised)], notes)


def _tested(one: MetricValidity, notes: Notes) -> list[str]:
    """The levels, with p beside the r that it is of."""
    items, *others = _levels(one.levels, notes)
    return [items, _p(one, notes), *others]


def _levels(levels: Levels, notes: Notes) -> list[str]:
    counted = ((levels.items, "pairs"), (levels.within_scenes, "pairs"), (levels.models, "models"))
    return [_level(level, of, notes) for level, of in counted]


def _level(level: Level | Undefined, of: str, notes: Notes) -> str:
    """`of` names what its n counts."""
    return estimate_cell(level.pearson, notes, of=of) if isinstance(level, Level) else undefined_cell(level, notes)


def _p(one: MetricValidity, notes: Notes) -> str:
    if isinstance(one.test, Undefined):
        return undefined_cell(one.test, notes)
    return text_cell(f"{p_value(one.test.p)} (alone)" if one.adjusted_p is None else p_value(one.adjusted_p))


def _concordance(found: Concordance | Undefined, notes: Notes) -> list[str]:
    if isinstance(found, Undefined):
        return [f'<td class="cb-undefined" colspan="{len(CONCORDANCE_HEADS)}">undefined: {data(found.reason)}</td>']
    figures = (found.spearman, found.bias, found.mae, found.lin)
    return [*(estimate_cell(one, notes, of="items") for one in figures), _between(found.limits, notes)]


def _between(found: LimitsOfAgreement, notes: Notes) -> str:
    """The lower limit to the upper, each with its interval."""
    low, high = (
        f'<b>{decimal(one.estimate)}</b> <span class="cb-quiet-cell">{limits(one.interval, notes)}</span>'
        for one in (found.low, found.high)
    )
    return f'<td>{low}<br> to {high} <span class="cb-n">n = {found.low.n:,} items</span></td>'


def _ceiling(one: MetricValidity, notes: Notes) -> list[str]:
    found, best = one.ceiling, one.best
    if isinstance(found, Ceiling):
        cells = [
            estimate_cell(each, notes, of="items")
            for each in (found.reliability, found.ceiling, found.pearson, found.disattenuated)
        ]
    else:
        cells = [f'<td class="cb-undefined" colspan="4">undefined: {data(found.reason)}</td>']
    if isinstance(best, SingleExpert):
        own = estimate_cell(best.pearson, notes, of="items").replace(
            "<td>", f'<td><span class="cb-quiet-cell">{data(best.expert)}</span> ', 1
        )
        return [*cells, own, estimate_cell(best.judge, notes, of="items")]
    return [*cells, f'<td class="cb-undefined" colspan="2">undefined: {data(best.reason)}</td>']


def _place(means: ModelMeans) -> tuple[int, float, str]:
    corrected, experts = means.corrected, means.experts
    if isinstance(corrected, CorrectedMean):
        return 0, -corrected.estimate, means.model
    if isinstance(experts, PlainMean):
        return 1, -experts.estimate, means.model
    return 2, 0.0, means.model


def _means(means: ModelMeans, notes: Notes, corrected: bool) -> list[str]:
    """Its cells, with that of the corrected mean or without."""
    judge, first = means.judge, [_corrected(means.corrected, notes)] if corrected else []
    alone = (
        undefined_cell(judge, notes)
        if isinstance(judge, Undefined)
        else f'<td><b>{decimal(judge)}</b> <span class="cb-n">n = {means.n_judge:,} items</span></td>'
    )
    return [*first, _plain(means.experts, notes), alone]


def _corrected(found: CorrectedMean | Undefined, notes: Notes) -> str:
    if isinstance(found, Undefined):
        return undefined_cell(found, notes)
    return (
        f'<td><b>{decimal(found.estimate)}</b> <span class="cb-interval">[{decimal(found.low)}, {decimal(found.high)}]'
        f'</span> <span class="cb-n">n = {found.labelled:,} by both, {found.unlabelled:,} by judge alone</span></td>'
    )


def _plain(found: PlainMean | Undefined, notes: Notes) -> str:
    if isinstance(found, Undefined):
        return undefined_cell(found, notes)
    return (
        f'<td><b>{decimal(found.estimate)}</b> <span class="cb-interval">[{decimal(found.low)}, {decimal(found.high)}]'
        f'</span> <span class="cb-n">n = {found.n:,} items</span></td>'
    )
