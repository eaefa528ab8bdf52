"""Tables on the raters themselves: whether they agree, and whether what they score goes together."""

from collections.abc import Mapping, Sequence

from annotations.errors import Undefined
from annotations.exchange.table import (
    MARK,
    Cell,
    Column,
    Content,
    Group,
    Part,
    Piece,
    Row,
    Table,
    labelled,
    plain_table,
)
from annotations.i18n.messages import Message, to_say
from annotations.i18n.translation import say, say_count
from annotations.marking.rating import judge_called
from annotations.reliability.agreement import Agreement, Repeats, Share
from annotations.reliability.intraclass import IntraclassCorrelation
from annotations.reliability.item_analysis import Consistency, InterMetric, ResampledAlpha
from annotations.reliability.krippendorff import KrippendorffAlpha
from annotations.reliability.raters import RaterFigures, Spread
from annotations.report.per_metric import BetweenRaters, PartReliability
from annotations.report.per_metric import Part as RatedPart
from annotations.report.report import dimension_name
from characterbox.components.figures.tables.text import (
    N_PAIRS,
    N_ROWS,
    decimal,
    estimate_cell,
    figure_cell,
    language_name,
    limits,
    metric_label,
    value_cell,
)

AGREEMENT_HEADS = (
    to_say("ICC(A,1)"),
    to_say("ICC(A,k)"),
    to_say("Krippendorff's alpha"),
    to_say("Within one point"),
    to_say("Exact agreement"),
)
RATER_HEADS = (
    to_say("Severity"),
    to_say("Spread"),
    to_say("r with the other experts"),
    to_say("Within one point"),
    to_say("Exact agreement on hidden repeats (all campaigns)"),
)
CONSISTENCY_HEADS = (
    to_say("Cronbach's alpha (Feldt)"),
    to_say("Selected interval"),
    to_say("Mean r between metrics"),
    to_say("If a metric is dropped"),
)
N_RATINGS = to_say("n = {n:,} ratings")
N_RATINGS_OF_SCENES = to_say("n = {n:,} ratings of {clusters:,} scenes")
N_ITEMS_OF_RATERS = to_say("n = {n:,} items, {raters} raters")
N_ITEMS_AND_RATINGS = to_say("n = {n:,} items, {ratings:,} ratings")


def agreement_table(found: Mapping[str, BetweenRaters]) -> Table:
    """How far the experts agree, a metric a row."""
    rows = [Row(metric_label(metric), _agreement(one)) for metric, one in found.items()]
    return plain_table(say("Agreement between experts"), map(say, AGREEMENT_HEADS), rows)


def consistency_table(
    found: Mapping[str | None, Mapping[str, Consistency | Undefined]], improvised: frozenset[str]
) -> Table:
    """Whether the metrics of a dimension go together: of the experts, then of each judge.

    `improvised` are the judges of whose ratings the rehearsal gave some.
    """
    groups = []
    for judge, of in found.items():
        made = judge in improvised
        whose = say("Experts") if judge is None else say("Judge {judge}", judge=judge)
        title = judge_called(judge, improvised=True) if judge is not None and made else whose
        rows = [Row(dimension_name(name), _consistency(one)) for name, one in of.items()]
        groups.append(Group(rows, labelled(title, improvised=made)))
    return Table(say("Internal consistency of metrics"), [Column(say(head)) for head in CONSISTENCY_HEADS], groups)


def rater_table(each: Mapping[str, RaterFigures], repeats: Mapping[str, Repeats | Undefined]) -> Table:
    """Each expert beside the others; hidden repeats where there are any."""
    columns = len(RATER_HEADS) if repeats else len(RATER_HEADS) - 1
    rows = [Row(name, [*_rater(one), _repeats(repeats.get(name))][:columns]) for name, one in each.items()]
    return plain_table(say("Each expert"), map(say, RATER_HEADS[:columns]), rows)


def part_table(found: Mapping[RatedPart, PartReliability], dimensions: Sequence[str], *, improvised: bool) -> Table:
    """Reliability by language and model: alpha of each dimension, and between experts on one metric.

    `improvised` says whether they are of a judge of whose ratings the rehearsal gave some.
    """
    between = any(one.between is not None for one in found.values())
    heads = [say("Alpha, {dimension}", dimension=dimension_name(name)) for name in dimensions]
    rows = []
    for part, one in found.items():
        cells = [_resampled(one.together[name]) for name in dimensions]
        cells += _agreement(one.between)[:4] if one.between is not None else []
        label = say("All ratings") if part.model is None else part.model
        rows.append(Row(label if part.language is None else language_name(part.language), cells))
    heads += map(say, AGREEMENT_HEADS[:4] if between else ())
    return plain_table(say("Reliability by language and model"), heads, rows, improvised=improvised)


def _resampled(found: ResampledAlpha | Undefined) -> Content:
    if isinstance(found, Undefined):
        return found
    alpha = found.chosen
    return estimate_cell(alpha, of=N_ROWS, remarks=(alpha.warning,))


def _rater(one: RaterFigures) -> list[Content]:
    spread, match = one.spread, one.match
    return [
        estimate_cell(one.severity, of=N_RATINGS),
        spread if isinstance(spread, Undefined) else _spread(spread),
        estimate_cell(one.correlation, of=N_RATINGS_OF_SCENES),
        match if isinstance(match, Undefined) else figure_cell(f"{match.within_one:.0%}", say(N_PAIRS, n=match.n)),
    ]


def _spread(spread: Spread) -> Content:
    figure = Part(decimal(spread.sd), "figure")
    if isinstance(spread.ratio, Undefined):
        told = say("no ratio{mark}, n = {n:,} ratings", mark=MARK, n=spread.n)
        return Cell((figure, Part(told, "counted", (spread.ratio.reason,))))
    told = say("{ratio} times that of the others, n = {n:,} ratings", ratio=decimal(spread.ratio), n=spread.n)
    return Cell((figure, Part(told, "counted")))


def _repeats(found: Repeats | Undefined | None) -> Content:
    if found is None:
        return Undefined(Message("no hidden repeats for this expert"))
    if isinstance(found, Undefined):
        return found
    same = found.overall
    told = say("within one point {share:.0%}, n = {n:,} pairs", share=same.within_one, n=same.n)
    return figure_cell(f"{same.exact:.0%}", told)


def _agreement(one: BetweenRaters) -> list[Content]:
    single, mean, alpha, agreement = one.single, one.mean, one.alpha, one.agreement
    return [
        *(estimate_cell(icc, of=N_ITEMS_OF_RATERS, remarks=_warnings(icc)) for icc in (single, mean)),
        estimate_cell(alpha, of=N_ITEMS_AND_RATINGS, remarks=_warnings(alpha)),
        *(
            (_share(agreement.within_one, agreement.pairs), _share(agreement.exact, agreement.pairs))
            if isinstance(agreement, Agreement)
            else (agreement, agreement)
        ),
    ]


def _warnings(found: IntraclassCorrelation | KrippendorffAlpha | Undefined) -> tuple[Message | None, ...]:
    return () if isinstance(found, Undefined) else (found.warning,)


def _share(share: Share, pairs: int) -> Content:
    beside = say("by chance {share:.0%}, n = {n:,} pairs", share=share.by_chance, n=pairs)
    interval = limits(share.interval, "{:.0%}".format)
    return Cell((Part(f"{share.observed:.0%}", "figure"), interval, Part(beside, "counted")))


def _consistency(found: Consistency | Undefined) -> Sequence[Content] | Undefined:
    if isinstance(found, Undefined):
        return found
    alpha = found.alpha
    chosen = value_cell(alpha.estimate, found.interval)
    return [estimate_cell(alpha, of=N_ROWS), chosen, _mean(found.correlations), _dropped(found)]


def _mean(found: InterMetric | Undefined) -> Content:
    if isinstance(found, Undefined):
        return found
    if isinstance(found.mean, Undefined):
        return found.mean
    told = say_count(
        "over {count:,} pair, n = {n:,} rows", "over {count:,} pairs, n = {n:,} rows", found.pairs, n=found.n
    )
    return figure_cell(decimal(found.mean), told)


def _dropped(found: Consistency) -> Content:
    """Alpha without each metric; for two metrics the Spearman-Brown coefficient, since one alone has no alpha."""
    brown = found.spearman_brown
    if isinstance(brown, Undefined):
        return brown
    if brown is not None:
        cell = value_cell(brown.estimate, brown.interval, say(N_ROWS, n=brown.n))
        return Cell((Part("Spearman-Brown", "quiet"), *cell.parts))
    parts: list[Piece] = []
    for number, (name, alpha) in enumerate(found.without.items()):
        told = say("without {metric} {alpha}", metric=metric_label(name), alpha="").strip()
        parts.append(Part(told, "line" if number else "plain"))
        if isinstance(alpha, Undefined):
            parts.append(alpha)
        else:
            beside = say("{interval}, {n}", interval=limits(alpha.interval).text, n=say(N_ROWS, n=alpha.n))
            parts += [Part(decimal(alpha.estimate), "figure"), Part(beside, "quiet")]
    return Cell(tuple(parts))
