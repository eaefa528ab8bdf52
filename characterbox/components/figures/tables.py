"""The two tables of the page, after tables 2 and 3 of the paper, as HTML."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from annotations.improvised import judge_called
from annotations.reliability import Alpha
from annotations.report import AlphaOf, Report, dimension_name
from annotations.undefined import Undefined
from annotations.validity import Correlation
from annotations.wording import say
from characterbox.components.figures.cells import (
    Notes,
    data,
    figure_cell,
    figure_row,
    group,
    published_row,
    table,
)
from characterbox.components.figures.estimate_cells import mark
from characterbox.components.figures.published import JUDGES, follows_paper, published_alpha, published_pearson
from characterbox.components.figures.words import (
    decimal,
    interval_in_words,
    language_name,
    made_of_alpha,
    metric_label,
    metric_name,
)

S = TypeVar("S", Alpha, Correlation)


def reliability_table(report: Report, improvised: frozenset[str]) -> str:
    """Cronbach's alpha of the experts by dimension and by metric, then of each judge; one column per language.

    `improvised` are the judges of whose ratings the rehearsal gave some.
    """
    design, notes, usual = report.design, Notes(), _usual(_alphas(report), made_of_alpha)
    languages = _columns(report)
    heads = [language_name(language) if language else say("All ratings") for language in languages]

    def row(label: str, of: AlphaOf) -> str:
        alphas = [report.reliability[replace(of, language=language)] for language in languages]
        papers = ["" if of.judge else _paper_alpha(report, of, language) for language in languages]

        def cells(notes: Notes) -> list[str]:
            return [
                figure_cell(alpha, notes, paper=paper, remark=_of_alpha(alpha, usual))
                for alpha, paper in zip(alphas, papers, strict=True)
            ]

        return figure_row(label, alphas, cells, notes)

    dimensions = {name: _dimension_label(name, metrics) for name, metrics in design.dimensions.items()}
    experts = [row(label, AlphaOf(name)) for name, label in dimensions.items()]
    groups = [
        group(say("Experts: do the metrics of a dimension agree?"), experts, len(languages)),
        group(
            say("Experts: do the raters agree on a metric?"),
            [row(_metric_row_label(metric), AlphaOf(metric=metric)) for metric in design.metrics],
            len(languages),
        ),
    ]
    if len(dimensions) == 1 and design.judges:
        (only,) = dimensions
        judges = [row(_judge_label(judge, improvised), AlphaOf(only, judge=judge)) for judge in design.judges]
        groups.append(group(say("Judges: do the metrics of a judge agree?"), judges, len(languages)))
    for judge in design.judges if len(dimensions) > 1 else ():
        rows = [row(label, AlphaOf(name, judge=judge)) for name, label in dimensions.items()]
        title = say("{judge}: do its metrics agree?", judge=judge_called(judge, judge in improvised))
        groups.append(group(f"{data(title)}{_mark(judge, improvised)}", rows, len(languages)))
    return table(say("Reliability: Cronbach's alpha"), heads, groups, notes)


def validity_table(report: Report, improvised: frozenset[str]) -> str:
    """Pearson's r of each judge with the experts' mean, by metric; the paper's rows below, in grey."""
    notes = Notes()
    metrics = list(next(iter(report.validity.values())))
    usual = _usual(_correlations(report), interval_in_words)
    rows = []
    for judge, found in report.validity.items():
        statistics = [found[metric] for metric in metrics]
        rows.append(
            figure_row(_judge_label(judge, improvised), statistics, partial(_r_cells, statistics, usual), notes)
        )
    groups = [f"<tbody>{''.join(rows)}</tbody>"]
    if follows_paper(report):
        title = say("The paper, table 3")
        published = (published_row(judge, [published_pearson(judge, metric) for metric in metrics]) for judge in JUDGES)
        groups.append(group(f'<span class="cb-paper">{title}</span>', published, len(metrics)))
    return table(say("Validity: Pearson's r"), [metric_label(metric) for metric in metrics], groups, notes)


def _r_cells(statistics: Sequence[Correlation | Undefined], usual: str, notes: Notes) -> list[str]:
    return [figure_cell(r, notes, remark=_of_correlation(r, usual)) for r in statistics]


def intervals_of_alphas(report: Report) -> str:
    """How most intervals of the alphas were made; "" when no alpha is defined."""
    return _made(_alphas(report), made_of_alpha)


def intervals_of_correlations(report: Report) -> str:
    """How most intervals of the correlations were made; "" when no correlation is defined."""
    return _made(_correlations(report), interval_in_words)


def _made(statistics: Sequence[S], in_words: Callable[[S], str]) -> str:
    usual = _usual(statistics, in_words)
    draws = [one.interval.draws for one in statistics if in_words(one) == usual]
    if not any(draws):
        return usual
    if min(draws) < max(draws):
        return say("{made}, {fewest:,} to {draws:,} draws", made=usual, fewest=min(draws), draws=max(draws))
    return say("{made}, {draws:,} draws", made=usual, draws=max(draws))


def _usual(statistics: Sequence[S], in_words: Callable[[S], str]) -> str:
    made = Counter(map(in_words, statistics))
    return made.most_common(1)[0][0] if made else ""


def _alphas(report: Report) -> list[Alpha]:
    return [alpha for alpha in report.reliability.values() if isinstance(alpha, Alpha)]


def _correlations(report: Report) -> list[Correlation]:
    return [r for found in report.validity.values() for r in found.values() if isinstance(r, Correlation)]


def _columns(report: Report) -> list[str | None]:
    """All ratings and each language, but not the same twice."""
    languages = report.design.languages
    return list(languages) if len(languages) == 1 else [None, *languages]


def _paper_alpha(report: Report, of: AlphaOf, language: str | None) -> str:
    """The paper's alpha for a cell; both of them where the ratings name no languages."""
    if not follows_paper(report) or of.dimension is None:
        return ""
    if language is None and report.design.languages:
        return ""
    wanted = (language,) if language else ("en", "zh")
    found = [(name, published_alpha(of.dimension, name)) for name in wanted]
    values = [(name, value) for name, value in found if value is not None]
    if language:
        return "".join(decimal(value) for _, value in values)
    told = (say("{figure} {language}", figure=decimal(value), language=language_name(name)) for name, value in values)
    return say(", ").join(told)


def _of_alpha(found: Alpha | Undefined, usual: str) -> str:
    if isinstance(found, Undefined):
        return ""
    return say("; ").join(filter(None, (found.warning, _other(made_of_alpha(found), usual))))


def _of_correlation(found: Correlation | Undefined, usual: str) -> str:
    return "" if isinstance(found, Undefined) else _other(interval_in_words(found), usual)


def _other(made: str, usual: str) -> str:
    """What is said of an interval that is not made like most."""
    return "" if made == usual else say("interval: {made}", made=made)


def _dimension_label(name: str, metrics: tuple[str, ...]) -> str:
    return f'{data(dimension_name(name))} <span class="cb-quiet-cell">{data(say(", ").join(metrics))}</span>'


def _metric_row_label(metric: str) -> str:
    name, label = metric_name(metric), metric_label(metric)
    return data(name) if name == label else f'{data(label)} <span class="cb-quiet-cell">{data(name)}</span>'


def _judge_label(judge: str, improvised: frozenset[str]) -> str:
    return f"{data(judge_called(judge, judge in improvised))}{_mark(judge, improvised)}"


def _mark(judge: str, improvised: frozenset[str]) -> str:
    return mark() if judge in improvised else ""
