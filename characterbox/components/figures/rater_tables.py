"""Tables on the raters themselves: whether they agree, and whether what they score goes together."""

from collections.abc import Mapping, Sequence

from annotations.agreement import Agreement, Share
from annotations.clustered import Pearson
from annotations.consistency import Consistency, InterMetric, ResampledAlpha, SpearmanBrown
from annotations.improvised import judge_called
from annotations.intraclass import IntraclassCorrelation
from annotations.ordinal_alpha import KrippendorffAlpha
from annotations.rater_report import BetweenRaters, Part, PartReliability
from annotations.raters import RaterFigures, Spread
from annotations.reliability import Alpha
from annotations.repeats import Repeats
from annotations.report import dimension_name
from annotations.undefined import Undefined
from annotations.wording import say, say_count, to_say
from characterbox.components.figures.cells import Notes, data, group, no_figure, table, undefined_cells
from characterbox.components.figures.estimate_cells import (
    body,
    estimate_cell,
    limits,
    mark,
    row,
    undefined_cell,
    value_cell,
)
from characterbox.components.figures.words import (
    N_PAIRS,
    N_ROWS,
    decimal,
    interval_in_words,
    language_name,
    metric_label,
)

AGREEMENT_HEADS = (
    to_say("ICC(A,1)"),
    to_say("ICC(A,k)"),
    to_say("Krippendorff's alpha"),
    to_say("Within one point"),
    to_say("Equal"),
)
RATER_HEADS = (
    to_say("Severity"),
    to_say("Spread"),
    to_say("r with the others"),
    to_say("Within one point"),
    to_say("Equal on hidden repeats, all campaigns"),
)
CONSISTENCY_HEADS = (
    to_say("Cronbach's alpha, Feldt"),
    to_say("Interval as chosen"),
    to_say("Mean r between metrics"),
    to_say("If a metric is dropped"),
)
N_RATINGS = to_say("n = {n:,} ratings")


def agreement_table(found: Mapping[str, BetweenRaters]) -> str:
    """How far the experts agree, a metric a row."""
    notes = Notes()
    rows = [row(metric_label(metric), _agreement(one, notes)) for metric, one in found.items()]
    return table(
        say("Agreement between experts"), list(map(say, AGREEMENT_HEADS)), [f"<tbody>{''.join(rows)}</tbody>"], notes
    )


def consistency_table(
    found: Mapping[str | None, Mapping[str, Consistency | Undefined]], improvised: frozenset[str]
) -> str:
    """Whether the metrics of a dimension go together: of the experts, then of each judge.

    `improvised` are the judges of whose ratings the rehearsal gave some.
    """
    notes = Notes()
    groups = [
        group(
            say("Experts") if judge is None else _judge(judge, improvised),
            [row(dimension_name(name), _consistency(one, notes)) for name, one in of.items()],
            len(CONSISTENCY_HEADS),
        )
        for judge, of in found.items()
    ]
    return table(say("Consistency of metrics"), list(map(say, CONSISTENCY_HEADS)), groups, notes)


def rater_table(each: Mapping[str, RaterFigures], repeats: Mapping[str, Repeats | Undefined]) -> str:
    """Each expert beside the others; hidden repeats where there are any."""
    notes = Notes()
    heads = list(map(say, RATER_HEADS if repeats else RATER_HEADS[:-1]))
    rows = []
    for name, one in each.items():
        again = [_repeats(repeats.get(name), notes)] if repeats else []
        rows.append(row(name, [*_rater(one, notes), *again]))
    return table(say("Each expert"), heads, [f"<tbody>{''.join(rows)}</tbody>"], notes)


def part_table(found: Mapping[Part, PartReliability], dimensions: Sequence[str], *, improvised: bool) -> str:
    """Reliability by language and model: alpha of each dimension, and between experts on one metric.

    `improvised` says whether they are of a judge of whose ratings the rehearsal gave some.
    """
    notes = Notes()
    between = any(one.between is not None for one in found.values())
    alphas = (say("Alpha, {dimension}", dimension=dimension_name(name)) for name in dimensions)
    heads = [*alphas, *(map(say, AGREEMENT_HEADS[:4]) if between else ())]
    rows = []
    for part, one in found.items():
        cells = [_resampled(one.together[name], notes) for name in dimensions]
        cells += _agreement(one.between, notes)[:4] if one.between is not None else []
        rows.append(row(_named(part), cells))
    groups = [body(rows, len(heads), improvised=improvised)]
    return table(say("Reliability by language and model"), heads, groups, notes)


def _named(part: Part) -> str:
    if part.language is not None:
        return language_name(part.language)
    return part.model if part.model is not None else say("All ratings")


def _judge(judge: str, improvised: frozenset[str]) -> str:
    """The heading of a judge (HTML)."""
    if judge in improvised:
        return f"{data(judge_called(judge, True))}{mark()}"
    return data(say("Judge {judge}", judge=judge))


def _resampled(found: ResampledAlpha | Undefined, notes: Notes) -> str:
    if isinstance(found, Undefined):
        return undefined_cell(found, notes)
    alpha = found.chosen
    cell = estimate_cell(alpha, notes, of=N_ROWS)
    remarks = [interval_in_words(alpha)] if isinstance(found.interval, Undefined) else []
    return _marked(cell, [*remarks, *filter(None, [alpha.warning])], notes)


def _rater(one: RaterFigures, notes: Notes) -> list[str]:
    severity, spread, r, match = one.severity, one.spread, one.correlation, one.match
    return [
        estimate_cell(severity, notes, of=N_RATINGS),
        undefined_cell(spread, notes) if isinstance(spread, Undefined) else _spread(spread, notes),
        _correlation(r, notes),
        undefined_cell(match, notes)
        if isinstance(match, Undefined)
        else f'<td><b>{match.within_one:.0%}</b> <span class="cb-n">{say(N_PAIRS, n=match.n)}</span></td>',
    ]


def _correlation(r: Pearson | Undefined, notes: Notes) -> str:
    if isinstance(r, Undefined):
        return undefined_cell(r, notes)
    return value_cell(r.estimate, r.interval, say("n = {n:,} ratings of {items:,} items", n=r.n, items=r.items), notes)


def _spread(spread: Spread, notes: Notes) -> str:
    if isinstance(spread.ratio, Undefined):
        told = say("no ratio{mark}, n = {n:,} ratings", mark=notes.mark(spread.ratio.reason), n=spread.n)
    else:
        told = say("{ratio} of the others', n = {n:,} ratings", ratio=decimal(spread.ratio), n=spread.n)
    return f'<td><b>{decimal(spread.sd)}</b> <span class="cb-n">{told}</span></td>'


def _repeats(found: Repeats | Undefined | None, notes: Notes) -> str:
    if found is None:
        return undefined_cell(Undefined(say("no item came back to this expert")), notes)
    if isinstance(found, Undefined):
        return undefined_cell(found, notes)
    same = found.overall
    told = say("within one {share:.0%}, n = {n:,} pairs", share=same.within_one, n=same.n)
    return f'<td><b>{same.exact:.0%}</b> <span class="cb-n">{told}</span></td>'


def _agreement(one: BetweenRaters, notes: Notes) -> list[str]:
    cells = [_intraclass(icc, notes) for icc in (one.single, one.mean)]
    alpha = one.alpha
    if isinstance(alpha, KrippendorffAlpha):
        n = say("n = {n:,} items, {ratings:,} ratings", n=alpha.n, ratings=alpha.ratings)
        cells.append(_warned(value_cell(alpha.estimate, alpha.interval, n, notes), alpha, notes))
    else:
        cells.append(undefined_cell(alpha, notes))
    if not isinstance(one.agreement, Agreement):
        return [*cells, *[undefined_cell(one.agreement, notes)] * 2]
    shares = (one.agreement.within_one, one.agreement.exact)
    return [*cells, *(_share(share, one.agreement.pairs, notes) for share in shares)]


def _intraclass(icc: IntraclassCorrelation | Undefined, notes: Notes) -> str:
    if isinstance(icc, Undefined):
        return undefined_cell(icc, notes)
    n = say("n = {n:,} items, {raters} raters", n=icc.n, raters=icc.raters)
    cell = value_cell(icc.estimate, icc.interval, n, notes)
    return _warned(cell, icc, notes)


def _warned(cell: str, found: IntraclassCorrelation | KrippendorffAlpha, notes: Notes) -> str:
    return _marked(cell, [] if found.warning is None else [found.warning], notes)


def _marked(cell: str, remarks: Sequence[str], notes: Notes) -> str:
    """With remarks on its figure among the notes."""
    return cell.replace("</b>", f"</b>{''.join(map(notes.mark, remarks))}", 1)


def _share(share: Share, pairs: int, notes: Notes) -> str:
    interval = f'<span class="cb-interval">{limits(share.interval, notes, "{:.0%}".format)}</span>'
    beside = say("by chance {share:.0%}, n = {n:,} pairs", share=share.by_chance, n=pairs)
    return f'<td><b>{share.observed:.0%}</b> {interval} <span class="cb-n">{beside}</span></td>'


def _consistency(found: Consistency | Undefined, notes: Notes) -> list[str]:
    if isinstance(found, Undefined):
        return [undefined_cells(found.reason, len(CONSISTENCY_HEADS))]
    alpha = found.alpha
    feldt = estimate_cell(alpha, notes, of=N_ROWS)
    chosen = value_cell(alpha.estimate, found.interval, "", notes)
    return [feldt, chosen, _mean(found.correlations, notes), _dropped(found, notes)]


def _mean(found: InterMetric, notes: Notes) -> str:
    if isinstance(found.mean, Undefined):
        return undefined_cell(found.mean, notes)
    told = say_count(
        "over {count:,} pair, n = {n:,} rows", "over {count:,} pairs, n = {n:,} rows", found.pairs, n=found.n
    )
    return f'<td><b>{decimal(found.mean)}</b> <span class="cb-n">{told}</span></td>'


def _dropped(found: Consistency, notes: Notes) -> str:
    """Alpha without each metric; for two metrics the Spearman-Brown coefficient, since one alone has no alpha."""
    if found.spearman_brown is None:
        parts = (
            say("without {metric} {alpha}", metric=data(metric_label(name)), alpha=_alpha(one, notes))
            for name, one in found.without.items()
        )
        return f"<td>{'<br>'.join(parts)}</td>"
    brown = found.spearman_brown
    if isinstance(brown, SpearmanBrown):
        cell = value_cell(brown.estimate, brown.interval, say(N_ROWS, n=brown.n), notes)
        return cell.replace("<td>", '<td><span class="cb-quiet-cell">Spearman-Brown</span> ', 1)
    return undefined_cell(brown, notes)


def _alpha(alpha: Alpha | Undefined, notes: Notes) -> str:
    """With Feldt's interval, in one line."""
    if isinstance(alpha, Undefined):
        return f'<span class="cb-undefined">{no_figure(alpha.reason, notes)}</span>'
    n = say(N_ROWS, n=alpha.n)
    beside = say("{interval}, {n}", interval=limits(alpha.interval, notes), n=n)
    return f'<b>{decimal(alpha.estimate)}</b> <span class="cb-quiet-cell">{beside}</span>'
