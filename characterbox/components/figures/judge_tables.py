"""Tables of one judge beside the experts, and of the models that it scored."""

from collections.abc import Mapping

from annotations.ceiling import Ceiling, SingleExpert
from annotations.concordance import Concordance
from annotations.corrected import CorrectedMean, ModelMeans, PlainMean
from annotations.judge_report import JudgeReport, MetricValidity
from annotations.levels import Level, Levels, OverallLevels
from annotations.undefined import Undefined
from characterbox.components.figures.cells import Notes, data, table
from characterbox.components.figures.estimate_cells import estimate_cell, p_value, row, text_cell, undefined_cell
from characterbox.components.figures.words import decimal, metric_label

LEVEL_HEADS = ("r over items", "r within scenes", "r of models", "p, Holm")
CONCORDANCE_HEADS = ("Spearman's rho", "Bias", "Mean absolute error", "Lin's concordance", "Limits of agreement")
CEILING_HEADS = ("Reliability of experts", "Ceiling of r", "r", "r corrected", "Best expert", "Judge, same items")
MEAN_HEADS = ("Corrected by experts", "Experts alone", "Judge alone")


def level_table(report: JudgeReport) -> str:
    """Pearson's r at three levels, with p adjusted over the metrics; then overall in each of its definitions."""
    notes = Notes()
    rows = [
        row(metric_label(metric), [*_levels(one.levels, notes), _p(one, notes)])
        for metric, one in report.by_metric.items()
    ]
    return table(f"Validity of {report.judge} by level", LEVEL_HEADS, [f"<tbody>{''.join(rows)}</tbody>"], notes)


def overall_table(overall: OverallLevels) -> str:
    """Overall, pooled and as row means, at three levels."""
    notes = Notes()
    named = {"Pooled": overall.pooled, "Row mean": overall.row_mean}
    rows = [row(name, _levels(levels, notes)) for name, levels in named.items()]
    return table("Overall in its definitions", LEVEL_HEADS[:3], [f"<tbody>{''.join(rows)}</tbody>"], notes)


def concordance_table(report: JudgeReport) -> str:
    """Whether the judge gives the same scores, and not only the same order."""
    notes = Notes()
    rows = [row(metric_label(metric), _concordance(one.concordance, notes)) for metric, one in report.by_metric.items()]
    caption = f"Agreement of {report.judge} in points"
    return table(caption, CONCORDANCE_HEADS, [f"<tbody>{''.join(rows)}</tbody>"], notes)


def ceiling_table(report: JudgeReport) -> str:
    """What the experts' own reliability allows, and what the best of them reaches."""
    notes = Notes()
    rows = [row(metric_label(metric), _ceiling(one, notes)) for metric, one in report.by_metric.items()]
    return table(f"Ceiling of {report.judge}", CEILING_HEADS, [f"<tbody>{''.join(rows)}</tbody>"], notes)


def leaderboard_table(found: Mapping[str, ModelMeans]) -> str:
    """The models' means, the best corrected mean first; those without one last."""
    notes = Notes()
    rows = [row(means.model, _means(means, notes)) for means in sorted(found.values(), key=_place)]
    return table("Models, corrected by experts", MEAN_HEADS, [f"<tbody>{''.join(rows)}</tbody>"], notes)


def _levels(levels: Levels, notes: Notes) -> list[str]:
    return [
        estimate_cell(level.pearson, notes, of=of) if isinstance(level, Level) else undefined_cell(level, notes)
        for level, of in (
            (levels.items, "pairs"),
            (levels.within_scenes, "pairs"),
            (levels.models, "models"),
        )
    ]


def _p(one: MetricValidity, notes: Notes) -> str:
    if isinstance(one.test, Undefined):
        return undefined_cell(one.test, notes)
    return text_cell(f"{p_value(one.test.p)} (alone)" if one.adjusted_p is None else p_value(one.adjusted_p))


def _concordance(found: Concordance | Undefined, notes: Notes) -> list[str]:
    if isinstance(found, Undefined):
        return [f'<td class="cb-undefined" colspan="{len(CONCORDANCE_HEADS)}">undefined: {data(found.reason)}</td>']
    low, high = found.limits.low.estimate, found.limits.high.estimate
    figures = (found.spearman, found.bias, found.mae, found.lin)
    return [*(estimate_cell(one, notes) for one in figures), text_cell(f"{decimal(low)} to {decimal(high)}")]


def _ceiling(one: MetricValidity, notes: Notes) -> list[str]:
    found, best = one.ceiling, one.best
    if isinstance(found, Ceiling):
        cells = [
            estimate_cell(each, notes)
            for each in (found.reliability, found.ceiling, found.pearson, found.disattenuated)
        ]
    else:
        cells = [f'<td class="cb-undefined" colspan="4">undefined: {data(found.reason)}</td>']
    if isinstance(best, SingleExpert):
        own = estimate_cell(best.pearson, notes).replace(
            "<td>", f'<td><span class="cb-quiet-cell">{data(best.expert)}</span> ', 1
        )
        return [*cells, own, estimate_cell(best.judge, notes)]
    return [*cells, f'<td class="cb-undefined" colspan="2">undefined: {data(best.reason)}</td>']


def _place(means: ModelMeans) -> tuple[bool, float, str]:
    corrected = means.corrected
    if isinstance(corrected, Undefined):
        return True, 0.0, means.model
    return False, -corrected.estimate, means.model


def _means(means: ModelMeans, notes: Notes) -> list[str]:
    judge = means.judge
    alone = (
        undefined_cell(judge, notes)
        if isinstance(judge, Undefined)
        else f'<td><b>{decimal(judge)}</b> <span class="cb-n">n = {means.n_judge:,} items</span></td>'
    )
    return [_corrected(means.corrected, notes), _plain(means.experts, notes), alone]


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
