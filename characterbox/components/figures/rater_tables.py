"""Tables on the raters themselves: whether they agree, and whether what they score goes together."""

from collections.abc import Mapping, Sequence

from annotations.agreement import Agreement, Share
from annotations.consistency import Consistency, InterMetric, ResampledAlpha, SpearmanBrown
from annotations.intraclass import IntraclassCorrelation
from annotations.ordinal_alpha import KrippendorffAlpha
from annotations.parts import Part
from annotations.rater_report import BetweenRaters, PartReliability
from annotations.raters import RaterFigures, Spread
from annotations.reliability import Alpha
from annotations.repeats import Repeats
from annotations.resampling import Interval
from annotations.undefined import Undefined
from characterbox.components.figures.cells import Notes, data, group, table
from characterbox.components.figures.estimate_cells import MARK, body, limits, row, undefined_cell, value_cell
from characterbox.components.figures.words import counted, decimal, interval_in_words, language_name, metric_label

AGREEMENT_HEADS = ("ICC(A,1)", "ICC(A,k)", "Krippendorff's alpha", "Within one point", "Equal")
RATER_HEADS = ("Severity", "Spread", "r with the others", "Within one point", "Equal on hidden repeats, all campaigns")
CONSISTENCY_HEADS = (
    "Cronbach's alpha, Feldt",
    "Interval as chosen",
    "Mean r between metrics",
    "If a metric is dropped",
)


def agreement_table(found: Mapping[str, BetweenRaters]) -> str:
    """How far the experts agree, a metric a row."""
    notes = Notes()
    rows = [row(metric_label(metric), _agreement(one, notes)) for metric, one in found.items()]
    return table("Agreement between experts", AGREEMENT_HEADS, [f"<tbody>{''.join(rows)}</tbody>"], notes)


def consistency_table(
    found: Mapping[str | None, Mapping[str, Consistency | Undefined]], improvised: frozenset[str]
) -> str:
    """Whether the metrics of a dimension go together: of the experts, then of each judge.

    `improvised` are the judges of whose ratings the rehearsal gave some.
    """
    notes = Notes()
    groups = [
        group(
            "Experts" if judge is None else f"Judge {data(judge)}{MARK if judge in improvised else ''}",
            [row(name, _consistency(one, notes)) for name, one in of.items()],
            len(CONSISTENCY_HEADS),
        )
        for judge, of in found.items()
    ]
    return table("Consistency of metrics", CONSISTENCY_HEADS, groups, notes)


def rater_table(each: Mapping[str, RaterFigures], repeats: Mapping[str, Repeats | Undefined]) -> str:
    """Each expert beside the others; hidden repeats where there are any."""
    notes = Notes()
    heads = RATER_HEADS if repeats else RATER_HEADS[:-1]
    rows = []
    for name, one in each.items():
        again = [_repeats(repeats.get(name), notes)] if repeats else []
        rows.append(row(name, [*_rater(one, notes), *again]))
    return table("Each expert", heads, [f"<tbody>{''.join(rows)}</tbody>"], notes)


def part_table(found: Mapping[Part, PartReliability], dimensions: Sequence[str], *, improvised: bool) -> str:
    """Reliability by language and model: alpha of each dimension, and between experts on one metric.

    `improvised` says whether they are of a judge of whose ratings the rehearsal gave some.
    """
    notes = Notes()
    between = any(one.between is not None for one in found.values())
    heads = [*(f"Alpha, {name}" for name in dimensions), *(AGREEMENT_HEADS[:4] if between else ())]
    rows = []
    for part, one in found.items():
        cells = [_resampled(one.together[name], notes) for name in dimensions]
        cells += _agreement(one.between, notes)[:4] if one.between is not None else []
        rows.append(row(_named(part), cells))
    groups = [body(rows, len(heads), improvised=improvised)]
    return table("Reliability by language and model", heads, groups, notes)


def _named(part: Part) -> str:
    if part.language is not None:
        return language_name(part.language)
    return part.model if part.model is not None else "All ratings"


def _resampled(found: ResampledAlpha | Undefined, notes: Notes) -> str:
    if isinstance(found, Undefined):
        return undefined_cell(found, notes)
    alpha = found.chosen
    cell = value_cell(alpha.estimate, Interval(alpha.low, alpha.high, alpha.interval), alpha.n, notes, of="rows")
    remarks = [interval_in_words(alpha)] if isinstance(found.interval, Undefined) else []
    return _marked(cell, [*remarks, *filter(None, [alpha.warning])], notes)


def _rater(one: RaterFigures, notes: Notes) -> list[str]:
    severity, spread, r, match = one.severity, one.spread, one.correlation, one.match
    return [
        undefined_cell(severity, notes)
        if isinstance(severity, Undefined)
        else _told(severity.estimate, severity.low, severity.high, f"n = {severity.n:,} ratings"),
        undefined_cell(spread, notes) if isinstance(spread, Undefined) else _spread(spread, notes),
        undefined_cell(r, notes)
        if isinstance(r, Undefined)
        else _told(r.r, r.low, r.high, f"n = {r.n:,} ratings of {r.items:,} items"),
        undefined_cell(match, notes)
        if isinstance(match, Undefined)
        else f'<td><b>{match.within_one:.0%}</b> <span class="cb-n">n = {match.n:,} pairs</span></td>',
    ]


def _told(value: float, low: float, high: float, n: str) -> str:
    return (
        f'<td><b>{decimal(value)}</b> <span class="cb-interval">[{decimal(low)}, {decimal(high)}]</span>'
        f' <span class="cb-n">{n}</span></td>'
    )


def _spread(spread: Spread, notes: Notes) -> str:
    if isinstance(spread.ratio, Undefined):
        beside = f"no ratio{notes.mark(spread.ratio.reason)}"
    else:
        beside = f"{decimal(spread.ratio)} of the others'"
    return f'<td><b>{decimal(spread.sd)}</b> <span class="cb-n">{beside}, n = {spread.n:,} ratings</span></td>'


def _repeats(found: Repeats | Undefined | None, notes: Notes) -> str:
    if found is None:
        return undefined_cell(Undefined("no item came back to this expert"), notes)
    if isinstance(found, Undefined):
        return undefined_cell(found, notes)
    same = found.overall
    return (
        f'<td><b>{same.exact:.0%}</b> <span class="cb-n">within one {same.within_one:.0%}, n = {same.n:,} pairs</span>'
        "</td>"
    )


def _agreement(one: BetweenRaters, notes: Notes) -> list[str]:
    cells = [_intraclass(icc, notes) for icc in (one.single, one.mean)]
    alpha = one.alpha
    if isinstance(alpha, KrippendorffAlpha):
        of = f"items, {alpha.ratings:,} ratings"
        cells.append(_warned(value_cell(alpha.estimate, alpha.interval, alpha.items, notes, of=of), alpha, notes))
    else:
        cells.append(undefined_cell(alpha, notes))
    if not isinstance(one.agreement, Agreement):
        return [*cells, *[undefined_cell(one.agreement, notes)] * 2]
    shares = (one.agreement.within_one, one.agreement.exact)
    return [*cells, *(_share(share, one.agreement.pairs, notes) for share in shares)]


def _intraclass(icc: IntraclassCorrelation | Undefined, notes: Notes) -> str:
    if isinstance(icc, Undefined):
        return undefined_cell(icc, notes)
    cell = value_cell(icc.estimate, icc.interval, icc.n, notes, of=f"items, {icc.raters} raters")
    return _warned(cell, icc, notes)


def _warned(cell: str, found: IntraclassCorrelation | KrippendorffAlpha, notes: Notes) -> str:
    return _marked(cell, [] if found.warning is None else [found.warning], notes)


def _marked(cell: str, remarks: Sequence[str], notes: Notes) -> str:
    """With remarks on its figure among the notes."""
    return cell.replace("</b>", f"</b>{''.join(map(notes.mark, remarks))}", 1)


def _share(share: Share, pairs: int, notes: Notes) -> str:
    interval = f'<span class="cb-interval">{limits(share.interval, notes, "{:.0%}".format)}</span>'
    beside = f"by chance {share.by_chance:.0%}, n = {pairs:,} pairs"
    return f'<td><b>{share.observed:.0%}</b> {interval} <span class="cb-n">{beside}</span></td>'


def _consistency(found: Consistency | Undefined, notes: Notes) -> list[str]:
    if isinstance(found, Undefined):
        return [f'<td class="cb-undefined" colspan="{len(CONSISTENCY_HEADS)}">undefined: {data(found.reason)}</td>']
    alpha = found.alpha
    feldt = (
        f'<td><b>{decimal(alpha.estimate)}</b> <span class="cb-interval">[{decimal(alpha.low)}, {decimal(alpha.high)}]'
        f'</span> <span class="cb-n">n = {alpha.n:,} rows</span></td>'
    )
    chosen = value_cell(alpha.estimate, found.interval, None, notes)
    return [feldt, chosen, _mean(found.correlations, notes), _dropped(found, notes)]


def _mean(found: InterMetric, notes: Notes) -> str:
    if isinstance(found.mean, Undefined):
        return undefined_cell(found.mean, notes)
    pairs = counted(found.pairs, "pair")
    return f'<td><b>{decimal(found.mean)}</b> <span class="cb-n">over {pairs}, n = {found.n:,} rows</span></td>'


def _dropped(found: Consistency, notes: Notes) -> str:
    """Alpha without each metric; for two metrics the Spearman-Brown coefficient, since one alone has no alpha."""
    if found.spearman_brown is None:
        parts = (f"without {data(metric_label(name))} {_alpha(one, notes)}" for name, one in found.without.items())
        return f"<td>{'<br>'.join(parts)}</td>"
    brown = found.spearman_brown
    if isinstance(brown, SpearmanBrown):
        cell = value_cell(brown.estimate, brown.interval, brown.n, notes, of="rows")
        return cell.replace("<td>", '<td><span class="cb-quiet-cell">Spearman-Brown</span> ', 1)
    return undefined_cell(brown, notes)


def _alpha(alpha: Alpha | Undefined, notes: Notes) -> str:
    """With Feldt's interval, in one line."""
    if isinstance(alpha, Undefined):
        return f'<span class="cb-undefined">undefined{notes.mark(alpha.reason)}</span>'
    beside = f"[{decimal(alpha.low)}, {decimal(alpha.high)}], n = {alpha.n:,} rows"
    return f'<b>{decimal(alpha.estimate)}</b> <span class="cb-quiet-cell">{beside}</span>'
