"""Tables on the raters themselves: whether they agree, and whether what they score goes together."""

from collections.abc import Mapping

from annotations.agreement import Agreement
from annotations.consistency import Consistency, SpearmanBrown
from annotations.intraclass import IntraclassCorrelation
from annotations.ordinal_alpha import KrippendorffAlpha
from annotations.rater_report import BetweenRaters
from annotations.reliability import Alpha
from annotations.undefined import Undefined
from characterbox.components.figures.cells import Notes, data, group, table
from characterbox.components.figures.estimate_cells import row, undefined_cell, value_cell
from characterbox.components.figures.words import decimal, metric_label

AGREEMENT_HEADS = ("ICC(A,1)", "ICC(A,k)", "Krippendorff's alpha", "Within one point", "Equal")
CONSISTENCY_HEADS = ("Cronbach's alpha, Feldt", "Resampled", "Mean r between metrics", "If a metric is dropped")


def agreement_table(found: Mapping[str, BetweenRaters]) -> str:
    """How far the experts agree, a metric a row."""
    notes = Notes()
    rows = [row(metric_label(metric), _agreement(one, notes)) for metric, one in found.items()]
    return table("Agreement between experts", AGREEMENT_HEADS, [f"<tbody>{''.join(rows)}</tbody>"], notes)


def consistency_table(found: Mapping[str | None, Mapping[str, Consistency | Undefined]]) -> str:
    """Whether the metrics of a dimension go together: of the experts, then of each judge."""
    notes = Notes()
    groups = [
        group(
            "Experts" if judge is None else f"Judge {data(judge)}",
            [row(name, _consistency(one, notes)) for name, one in of.items()],
            len(CONSISTENCY_HEADS),
        )
        for judge, of in found.items()
    ]
    return table("Consistency of metrics", CONSISTENCY_HEADS, groups, notes)


def _agreement(one: BetweenRaters, notes: Notes) -> list[str]:
    cells = [_intraclass(icc, notes) for icc in (one.single, one.mean)]
    alpha = one.alpha
    if isinstance(alpha, KrippendorffAlpha):
        counted = f"items, {alpha.ratings:,} ratings"
        cells.append(_warned(value_cell(alpha.estimate, alpha.interval, alpha.items, notes, of=counted), alpha, notes))
    else:
        cells.append(undefined_cell(alpha, notes))
    if not isinstance(one.agreement, Agreement):
        return [*cells, *[undefined_cell(one.agreement, notes)] * 2]
    return [*cells, _share(one.agreement, "within_one"), _share(one.agreement, "exact")]


def _intraclass(icc: IntraclassCorrelation | Undefined, notes: Notes) -> str:
    if isinstance(icc, Undefined):
        return undefined_cell(icc, notes)
    cell = value_cell(icc.estimate, icc.interval, icc.n, notes, of=f"items, {icc.raters} raters")
    return _warned(cell, icc, notes)


def _warned(cell: str, found: IntraclassCorrelation | KrippendorffAlpha, notes: Notes) -> str:
    return cell if found.warning is None else cell.replace("</b>", f"</b>{notes.mark(found.warning)}", 1)


def _share(found: Agreement, which: str) -> str:
    share = found.within_one if which == "within_one" else found.exact
    limits = "" if isinstance(share.interval, Undefined) else f" [{share.interval.low:.0%}, {share.interval.high:.0%}]"
    return (
        f'<td><b>{share.observed:.0%}</b><span class="cb-interval">{limits}</span>'
        f' <span class="cb-n">by chance {share.by_chance:.0%}, n = {found.pairs:,} pairs</span></td>'
    )


def _consistency(found: Consistency | Undefined, notes: Notes) -> list[str]:
    if isinstance(found, Undefined):
        return [f'<td class="cb-undefined" colspan="{len(CONSISTENCY_HEADS)}">undefined: {data(found.reason)}</td>']
    alpha = found.alpha
    feldt = (
        f'<td><b>{decimal(alpha.estimate)}</b> <span class="cb-interval">[{decimal(alpha.low)}, {decimal(alpha.high)}]'
        f'</span> <span class="cb-n">n = {alpha.n:,} rows</span></td>'
    )
    mean = found.correlations.mean
    between = undefined_cell(mean, notes) if isinstance(mean, Undefined) else f"<td><b>{decimal(mean)}</b></td>"
    return [feldt, value_cell(alpha.estimate, found.interval, None, notes), between, _dropped(found, notes)]


def _dropped(found: Consistency, notes: Notes) -> str:
    """Alpha without each metric; for two metrics the Spearman-Brown coefficient, since one alone has no alpha."""
    if found.spearman_brown is None:
        parts = (f"{metric_label(metric)} {_alpha(alpha)}" for metric, alpha in found.without.items())
        return f'<td class="cb-text">{data("without " + ", ".join(parts))}</td>'
    if isinstance(found.spearman_brown, SpearmanBrown):
        cell = value_cell(found.spearman_brown.estimate, found.spearman_brown.interval, None, notes)
        return cell.replace("<td>", '<td><span class="cb-quiet-cell">Spearman-Brown</span> ', 1)
    return undefined_cell(found.spearman_brown, notes)


def _alpha(alpha: Alpha | Undefined) -> str:
    return "undefined" if isinstance(alpha, Undefined) else decimal(alpha.estimate)
