"""The tables of reliability and validity, after tables 2 and 3 of the paper, and those of the paper by themselves."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import pandas as pd

from annotations.errors import Undefined
from annotations.exchange.latex import latex_file
from annotations.exchange.table import Cell, Column, Content, Group, Part, Row, Table, labelled, plain_table
from annotations.i18n.messages import Message, Readable, joined
from annotations.i18n.translation import say
from annotations.marking.rating import improvised_judges, judge_called
from annotations.reliability.cronbach_alpha import ACROSS_METRICS, BETWEEN_RATERS, Alpha
from annotations.report.published import TABLE_2, TABLE_3, WHOSE_ALPHA
from annotations.report.report import AlphaOf, Report, dimension_name
from annotations.validity.judge_expert_correlation import Correlation
from characterbox.components.figures.background.selection import Selection
from characterbox.components.figures.files.methods import rehearsed, selected
from characterbox.components.figures.tables.captions import JUDGES, follows_paper, published_alpha, published_pearson
from characterbox.components.figures.tables.text import (
    N_ITEMS,
    N_ROWS,
    capital,
    decimal,
    estimate_cell,
    interval_in_words,
    language_name,
    metric_label,
    metric_name,
    overall_in_words,
)
from characterbox.judging.provenance import DEMO_NOTE


def reliability_table(report: Report, improvised: frozenset[str]) -> Table:
    """Cronbach's alpha of the experts by dimension and by metric, then of each judge; one column per language.

    `improvised` are the judges of whose ratings the rehearsal gave some.
    """
    design, usual = report.design, _usual(_alphas(report))
    languages = list(design.languages) if len(design.languages) == 1 else [None, *design.languages]

    def row(label: Content, of: AlphaOf) -> Row:
        cells = []
        for language in languages:
            alpha = report.reliability[replace(of, language=language)]
            paper = "" if of.judge in improvised else _paper_alpha(report, of, language)
            counts = N_ITEMS if isinstance(alpha, Alpha) and alpha.definition == BETWEEN_RATERS else N_ROWS
            remark = "" if isinstance(alpha, Undefined) else _remark(interval_in_words(alpha), usual, alpha.warning)
            cells.append(_with_paper(estimate_cell(alpha, of=counts, remarks=[remark]), paper))
        return Row(label, one_reason(cells))

    dimensions = {
        name: Cell((dimension_name(name), Part(say(", ").join(map(metric_label, metrics)), "quiet")))
        for name, metrics in design.dimensions.items()
    }
    metrics = [row(_metric_label(metric), AlphaOf(metric=metric)) for metric in design.metrics]
    groups = [
        Group(
            [row(label, AlphaOf(name)) for name, label in dimensions.items()],
            say("Experts: do the metrics of a dimension agree?"),
        ),
        Group(metrics, say("Experts: do the raters agree on a metric?")),
    ]
    called = {judge: judge_called(judge, judge in improvised) for judge in design.judges}
    if len(dimensions) == 1 and called:
        (only,) = dimensions
        rows = [row(labelled(name, judge in improvised), AlphaOf(only, judge=judge)) for judge, name in called.items()]
        groups.append(Group(rows, say("Judges: do the metrics of a judge agree?")))
    else:
        for judge, name in called.items():
            rows = [row(label, AlphaOf(dimension, judge=judge)) for dimension, label in dimensions.items()]
            title = say("{judge}: do its metrics agree?", judge=name)
            groups.append(Group(rows, labelled(title, judge in improvised)))
    heads = [language_name(language) if language else say("All ratings") for language in languages]
    return Table(say("Reliability: Cronbach's alpha"), list(map(Column, heads)), groups)


def validity_table(report: Report, improvised: frozenset[str]) -> Table:
    """Pearson's r of each judge with the experts' mean, by metric; the paper's rows below, in grey."""
    metrics = list(next(iter(report.validity.values())))
    usual = _usual(_correlations(report))
    rows = []
    for judge, found in report.validity.items():
        cells = []
        for r in (found[metric] for metric in metrics):
            remark = "" if isinstance(r, Undefined) else _remark(interval_in_words(r), usual)
            cells.append(estimate_cell(r, of=N_ITEMS, remarks=[remark]))
        rows.append(Row(labelled(judge_called(judge, judge in improvised), judge in improvised), one_reason(cells)))
    groups = [Group(rows)]
    if follows_paper(report):
        groups.append(Group(_published_pearsons(metrics), Part(say("Paper, table 3"), "paper")))
    return Table(say("Validity: Pearson's r"), [Column(metric_label(metric)) for metric in metrics], groups)


def paper_reliability() -> Table:
    """Cronbach's alpha in the paper, by dimension and language."""
    languages = tuple(dict.fromkeys(published.language for published in TABLE_2))
    rows = [
        published_row(dimension_name(name), [published_alpha(name, language) for language in languages])
        for name in dict.fromkeys(published.dimension for published in TABLE_2)
    ]
    return plain_table(say("Paper, table 2"), map(language_name, languages), rows)


def paper_validity() -> Table:
    """Pearson's r of the paper's judges with its experts' mean, by metric."""
    metrics = tuple(dict.fromkeys(published.metric for published in TABLE_3))
    return plain_table(say("Paper, table 3"), map(metric_label, metrics), _published_pearsons(metrics))


def published_row(label: Readable, values: Iterable[float | None]) -> Row:
    """A row of the paper's figures; it gives neither interval nor n."""
    return Row(label, ["" if value is None else decimal(value) for value in values], beside=True)


def _published_pearsons(metrics: Sequence[str]) -> list[Row]:
    return [published_row(judge, [published_pearson(judge, metric) for metric in metrics]) for judge in JUDGES]


def intervals_of_alphas(report: Report) -> str:
    """How most intervals of the alphas were made; "" where none has one."""
    return _usual(_alphas(report))


def intervals_of_correlations(report: Report) -> str:
    """How most intervals of the correlations were made; "" where none has one."""
    return _usual(_correlations(report))


def _usual(statistics: Sequence[Alpha | Correlation]) -> str:
    made = Counter(filter(None, map(interval_in_words, statistics)))
    return made.most_common(1)[0][0] if made else ""


def _alphas(report: Report) -> list[Alpha]:
    return [alpha for alpha in report.reliability.values() if isinstance(alpha, Alpha)]


def _correlations(report: Report) -> list[Correlation]:
    return [r for found in report.validity.values() for r in found.values() if isinstance(r, Correlation)]


def one_reason(cells: Sequence[Content]) -> Sequence[Content] | Undefined:
    """The reason itself where it is the same for a whole row."""
    first = cells[0]
    return first if isinstance(first, Undefined) and all(cell == first for cell in cells) else cells


def _with_paper(content: Content, paper: str) -> Content:
    if not paper:
        return content
    parts = content.parts if isinstance(content, Cell) else (content,)
    return Cell((*parts, Part(say("paper {figure}", figure=paper), "paper")))


def _paper_alpha(report: Report, of: AlphaOf, language: str | None) -> str:
    """The paper's alpha for a cell; both of them where the ratings name no languages."""
    if of.dimension is None or not follows_paper(report) or (language is None and report.design.languages):
        return ""
    if language:
        value = published_alpha(of.dimension, language)
        return "" if value is None else decimal(value)
    values = {name: published_alpha(of.dimension, name) for name in ("en", "zh")}
    return say(", ").join(
        say("{figure} {language}", figure=decimal(value), language=language_name(name))
        for name, value in values.items()
        if value is not None
    )


def _remark(made: str, usual: str, warning: Message | None = None) -> Message | None:
    """What is said of a figure: a warning, and how its interval was made where that is not as for most."""
    other = None if made in (usual, "") else Message("interval: {made}", made=made)
    told = [one for one in (warning, other) if one is not None]
    return joined(told) if told else None


def _metric_label(metric: str) -> Content:
    name, label = metric_name(metric), metric_label(metric)
    return name if name == label else Cell((label, Part(name, "quiet")))


PAPER = (
    "Paper: what the CharacterBox paper (tables 2 and 3) gives, for its own ratings; with neither interval nor n."
    f" {WHOSE_ALPHA}"
)


def latex_tables(frame: pd.DataFrame, report: Report, selection: Selection) -> str:
    """The tables for an article. Names are data: whatever they hold, LaTeX shows it and runs nothing."""
    return latex_file(article_tables(frame, report, selection), DEMO_NOTE)


def article_tables(frame: pd.DataFrame, report: Report, selection: Selection) -> list[Table]:
    """Cronbach's alpha of experts and judges, and Pearson's r of the judges with the experts, with what is to be said
    below them.

    `frame` holds the ratings that `report` is of, those of a `selection`.
    """
    improvised, papers = improvised_judges(frame), [PAPER] if follows_paper(report) else []
    of_all = [*papers, *selected(selection), *rehearsed(frame)]
    alphas = [f"of a dimension, and of a judge: {ACROSS_METRICS}", f"of a metric of the experts: {BETWEEN_RATERS}"]
    told = _intervals(intervals_of_alphas(report), alphas) + of_all
    tables = [replace(reliability_table(report, improvised), notes=told, label="reliability")]
    if report.design.judges:
        r = "Pearson's r: the judge's score of an item and the mean of the experts' scores of that item; n counts items"
        told = _intervals(intervals_of_correlations(report), [r, overall_in_words(report)]) + of_all
        tables.append(replace(validity_table(report, improvised), notes=told, label="validity"))
    return tables


def _intervals(made: str, definitions: list[str]) -> list[str]:
    """What is told under a table of what the figures are, and of how most intervals were made."""
    intervals = [f"brackets: 95 % intervals, {made}"] if made else []
    return [f"{capital(sentence)}." for sentence in (*definitions, *intervals)]
