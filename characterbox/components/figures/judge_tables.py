"""Tables of one judge beside the experts, and of the models that it scored.

`improvised` says whether the rehearsal gave some of the judge's ratings: then each table has the mark.
"""

from collections.abc import Mapping

from annotations.ceiling import Ceiling, SingleExpert
from annotations.concordance import Concordance, LimitsOfAgreement
from annotations.corrected import CorrectedMean, ModelMeans, PlainMean
from annotations.improvised import judge_called
from annotations.judge_report import JudgeReport, MetricValidity
from annotations.levels import Level, Levels, OverallLevels
from annotations.undefined import Undefined
from annotations.wording import say, to_say
from characterbox.components.figures.cells import Notes, data, table, undefined_cells
from characterbox.components.figures.estimate_cells import (
    body,
    estimate_cell,
    limits,
    p_value,
    row,
    text_cell,
    undefined_cell,
    value_cell,
)
from characterbox.components.figures.words import N_ITEMS, N_MODELS, N_PAIRS, decimal, metric_label

LEVEL_HEADS = (to_say("r over items"), to_say("r within scenes"), to_say("r of models"))
TESTED_HEADS = (LEVEL_HEADS[0], to_say("p of r over items, Holm"), *LEVEL_HEADS[1:])
CONCORDANCE_HEADS = (
    to_say("Spearman's rho"),
    to_say("Bias"),
    to_say("Mean absolute error"),
    to_say("Lin's concordance"),
    to_say("Limits of agreement"),
)
CEILING_HEADS = (
    to_say("Reliability of experts"),
    to_say("Ceiling of r"),
    to_say("r"),
    to_say("r corrected"),
    to_say("Best expert"),
    to_say("Judge, same items"),
)
MEAN_HEADS = (to_say("Corrected by experts"), to_say("Experts alone"), to_say("Judge alone"))


def level_table(report: JudgeReport, *, improvised: bool) -> str:
    """Pearson's r at three levels, with p adjusted over the metrics; then overall in each of its definitions."""
    notes, called = Notes(), judge_called(report.judge, improvised)
    rows = [row(metric_label(metric), _tested(one, notes)) for metric, one in report.by_metric.items()]
    groups = [body(rows, len(TESTED_HEADS), improvised=improvised)]
    return table(
        say("Validity of {judge} by level", judge=called),
        list(map(say, TESTED_HEADS)),
        groups,
        notes,
    )


def overall_table(overall: OverallLevels, *, improvised: bool) -> str:
    """Overall, pooled and as row means, at three levels; as model means at that of models."""
    notes = Notes()
    named = {say("Pooled"): overall.pooled, say("Row mean"): overall.row_mean}
    rows = [row(name, _levels(levels, notes)) for name, levels in named.items()]
    models_only = say("at the level of models only")
    elsewhere = f'<td class="cb-quiet-cell" colspan="2">{models_only}</td>'
    rows.append(row(say("Model mean"), [elsewhere, _level(overall.model_mean, N_MODELS, notes)]))
    groups = [body(rows, len(LEVEL_HEADS), improvised=improvised)]
    return table(say("Overall in its definitions"), list(map(say, LEVEL_HEADS)), groups, notes)


def concordance_table(report: JudgeReport, *, improvised: bool) -> str:
    """Whether the judge gives the same scores, and not only the same order."""
    notes, called = Notes(), judge_called(report.judge, improvised)
    rows = [row(metric_label(metric), _concordance(one.concordance, notes)) for metric, one in report.by_metric.items()]
    groups = [body(rows, len(CONCORDANCE_HEADS), improvised=improvised)]
    return table(
        say("Agreement of {judge} in points", judge=called),
        list(map(say, CONCORDANCE_HEADS)),
        groups,
        notes,
    )


def ceiling_table(report: JudgeReport, *, improvised: bool) -> str:
    """What the experts' own reliability allows, and what the best of them reaches."""
    notes, called = Notes(), judge_called(report.judge, improvised)
    rows = [row(metric_label(metric), _ceiling(one, notes)) for metric, one in report.by_metric.items()]
    groups = [body(rows, len(CEILING_HEADS), improvised=improvised)]
    return table(
        say("Ceiling of {judge}", judge=called),
        list(map(say, CEILING_HEADS)),
        groups,
        notes,
    )


def leaderboard_table(found: Mapping[str, ModelMeans], *, improvised: bool) -> str:
    """The models' means, the best corrected mean first, then those without one by the experts' mean; without the column
    of corrected means where there is none."""
    notes, corrected = Notes(), any(isinstance(means.corrected, CorrectedMean) for means in found.values())
    heads = list(map(say, MEAN_HEADS if corrected else MEAN_HEADS[1:]))
    rows = [row(means.model, _means(means, notes, corrected)) for means in sorted(found.values(), key=_place)]
    return table(say("Models, corrected by experts"), heads, [body(rows, len(heads), improvised=improvised)], notes)


def _tested(one: MetricValidity, notes: Notes) -> list[str]:
    """The levels, with p beside the r that it is of."""
    items, *others = _levels(one.levels, notes)
    return [items, _p(one, notes), *others]


def _levels(levels: Levels, notes: Notes) -> list[str]:
    counted = ((levels.items, N_PAIRS), (levels.within_scenes, N_PAIRS), (levels.models, N_MODELS))
    return [_level(level, of, notes) for level, of in counted]


def _level(level: Level | Undefined, of: str, notes: Notes) -> str:
    """`of` is what is said of its n."""
    return estimate_cell(level.pearson, notes, of=of) if isinstance(level, Level) else undefined_cell(level, notes)


def _p(one: MetricValidity, notes: Notes) -> str:
    if isinstance(one.test, Undefined):
        return undefined_cell(one.test, notes)
    if one.adjusted_p is None:
        return text_cell(say("{p} (alone)", p=p_value(one.test.p)))
    return text_cell(p_value(one.adjusted_p))


def _concordance(found: Concordance | Undefined, notes: Notes) -> list[str]:
    if isinstance(found, Undefined):
        return [undefined_cells(found.reason, len(CONCORDANCE_HEADS))]
    figures = (found.spearman, found.bias, found.mae, found.lin)
    return [*(estimate_cell(one, notes, of=N_ITEMS) for one in figures), _between(found.limits, notes)]


def _between(found: LimitsOfAgreement, notes: Notes) -> str:
    """The lower limit to the upper, each with its interval."""
    low, high = (
        f'<b>{decimal(one.estimate)}</b> <span class="cb-quiet-cell">{limits(one.interval, notes)}</span>'
        for one in (found.low, found.high)
    )
    ends = say("{low} to {high}", low=f"{low}<br>", high=high)
    return f'<td>{ends} <span class="cb-n">{say(N_ITEMS, n=found.low.n)}</span></td>'


def _ceiling(one: MetricValidity, notes: Notes) -> list[str]:
    found, best = one.ceiling, one.best
    if isinstance(found, Ceiling):
        cells = [
            estimate_cell(each, notes, of=N_ITEMS)
            for each in (found.reliability, found.ceiling, found.pearson, found.disattenuated)
        ]
    else:
        cells = [undefined_cells(found.reason, 4)]
    if isinstance(best, SingleExpert):
        own = estimate_cell(best.pearson, notes, of=N_ITEMS).replace(
            "<td>", f'<td><span class="cb-quiet-cell">{data(best.expert)}</span> ', 1
        )
        return [*cells, own, estimate_cell(best.judge, notes, of=N_ITEMS)]
    return [*cells, undefined_cells(best.reason, 2)]


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
        else f'<td><b>{decimal(judge)}</b> <span class="cb-n">{say(N_ITEMS, n=means.n_judge)}</span></td>'
    )
    return [*first, estimate_cell(means.experts, notes, of=N_ITEMS), alone]


def _corrected(found: CorrectedMean | Undefined, notes: Notes) -> str:
    if isinstance(found, Undefined):
        return undefined_cell(found, notes)
    n = say("n = {both:,} by both, {alone:,} by judge alone", both=found.n, alone=found.unlabelled)
    return value_cell(found.estimate, found.interval, n, notes)
