"""Reliability and validity as LaTeX tables (booktabs), fit to be put into an article: all that is said under a table is
there, too."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import pandas as pd

from annotations.exchange.tex import escaped, preamble
from annotations.improvised import improvised_judges, judge_called
from annotations.reliability import ACROSS_METRICS, BETWEEN_RATERS, Alpha
from annotations.report import AlphaOf, Report
from annotations.undefined import Undefined
from annotations.validity import Correlation
from characterbox.components.figures.cells import Statistic
from characterbox.components.figures.methods import rehearsed, selected
from characterbox.components.figures.published import follows_paper, published_alpha, published_pearson
from characterbox.components.figures.selection import Selection
from characterbox.components.figures.words import (
    decimal,
    interval,
    interval_in_words,
    language_name,
    metric_name,
    overall_in_words,
)
from characterbox.judging.provenance import DEMO_NOTE
from characterbox.values import LANGUAGES


class TableNotes:
    """What is said under a table: plain sentences, and notes with a number that cells refer to."""

    def __init__(self) -> None:
        self._numbered: list[str] = []

    def mark(self, text: str) -> str:
        """The number of this note, as LaTeX; each text gets one, however often it is told."""
        if text not in self._numbered:
            self._numbered.append(text)
        return rf"\textsuperscript{{({self._numbered.index(text) + 1})}}"

    def lines(self) -> Iterator[str]:
        """The notes with their numbers, as LaTeX."""
        return (rf"\textsuperscript{{({number})}} {escaped(text)}." for number, text in enumerate(self._numbered, 1))


def latex_tables(frame: pd.DataFrame, report: Report, selection: Selection) -> str:
    """Cronbach's alpha of the experts, that of the judges, and Pearson's r of the judges with the experts.

    `frame` holds the ratings that `report` is of, those of a `selection`. Names are data: whatever they hold, LaTeX
    shows it and runs nothing.
    """
    sentences, judges = [*selected(selection), *rehearsed(frame)], improvised_judges(frame)
    tables = [_experts(report, sentences)]
    if report.design.judges:
        tables += [_judges(report, judges, sentences), _validity(report, judges, sentences)]
    return preamble("booktabs") + "".join(f"\n{table}" for table in tables)


def _experts(report: Report, sentences: Sequence[str]) -> str:
    design, notes = report.design, TableNotes()
    groups = (
        ("Metrics of a dimension together", [(name, AlphaOf(name)) for name in design.dimensions]),
        ("Raters together, by metric", [(_metric(metric), AlphaOf(metric=metric)) for metric in design.metrics]),
    )
    body = [
        (title, [row for label, of in rows for row in _alphas(report, of, escaped(label), notes)])
        for title, rows in groups
    ]
    told = [f"{name}: {', '.join(metrics)}." for name, metrics in design.dimensions.items()]
    told += [f"Of a dimension: {ACROSS_METRICS}.", f"Of a metric: {BETWEEN_RATERS}."]
    caption = "Reliability: Cronbach's alpha of the experts"
    return _table(
        caption, "reliability-experts", _alpha_heads(report), body, [*_plain([*told, *sentences]), *notes.lines()]
    )


def _judges(report: Report, improvised: frozenset[str], sentences: Sequence[str]) -> str:
    notes = TableNotes()
    body = [
        (
            f"{escaped(judge_called(judge, judge in improvised))}{_dagger(judge, improvised)}",
            [
                row
                for name in report.design.dimensions
                for row in _alphas(report, AlphaOf(name, judge=judge), escaped(name), notes)
            ],
        )
        for judge in report.design.judges
    ]
    told = [f"Cronbach's alpha: {ACROSS_METRICS}.", *sentences]
    caption = "Reliability: Cronbach's alpha of each judge, its metrics together"
    lines = [*_plain(told), *_rehearsal(improvised), *notes.lines()]
    return _table(caption, "reliability-judges", _alpha_heads(report, paper=False), body, lines)


def _validity(report: Report, improvised: frozenset[str], sentences: Sequence[str]) -> str:
    notes, papers = TableNotes(), follows_paper(report)
    body = []
    for judge, found in report.validity.items():
        rows = []
        for metric, r in found.items():
            made = notes.mark(_made(r)) if isinstance(r, Correlation) else ""
            paper = [_paper(published_pearson(judge, metric))] if papers else []
            rows.append([escaped(_metric(metric)) + made, *_figure(r, notes), *paper])
        body.append((f"{escaped(judge_called(judge, judge in improvised))}{_dagger(judge, improvised)}", rows))
    told = [
        "Pearson's r: the judge's score of an item and the mean of the experts' scores of that item; n counts items."
    ]
    told += [f"{overall_in_words(report)}.", *sentences]
    heads = ["", "$r$", r"95 \% interval", "$n$", *([r"Paper"] if papers else [])]
    lines = [*_plain(told), *(_PAPER if papers else ()), *_rehearsal(improvised), *notes.lines()]
    return _table("Validity: Pearson's r of each judge with the experts' mean", "validity", heads, body, lines)


_PAPER = (
    "Paper: what the CharacterBox paper (tables 2 and 3) gives, for its own ratings; with neither interval nor n.",
)


def _alpha_heads(report: Report, *, paper: bool = True) -> list[str]:
    language = ["Language"] if report.design.languages else []
    papers = ["Paper"] if paper and _has_paper(report) else []
    return ["", *language, r"$\alpha$", r"95 \% interval", "$n$", *papers]


def _alphas(report: Report, of: AlphaOf, label: str, notes: TableNotes) -> Iterator[list[str]]:
    """The rows of one dimension or metric: all ratings, then each language, but not the same twice."""
    languages = report.design.languages
    for language in languages if len(languages) == 1 else (None, *languages):
        alpha = report.reliability[replace(of, language=language)]
        name = escaped(language_name(language)) if language else "all"
        marks = [_made(alpha), *filter(None, [alpha.warning])] if isinstance(alpha, Alpha) else []
        paper = [_paper_alpha(of, language, report)] if _has_paper(report) and not of.judge else []
        yield [label + "".join(map(notes.mark, marks)), *([name] if languages else []), *_figure(alpha, notes), *paper]


def _has_paper(report: Report) -> bool:
    """Whether there are alphas of the paper to stand beside ours: it gives them by language."""
    languages = report.design.languages
    return follows_paper(report) and (not languages or bool(set(LANGUAGES).intersection(languages)))


def _paper_alpha(of: AlphaOf, language: str | None, report: Report) -> str:
    """The paper's alpha of one language; of both where the ratings name none."""
    if of.dimension is None:
        return ""
    if language:
        return _paper(published_alpha(of.dimension, language))
    found = {} if report.design.languages else {name: published_alpha(of.dimension, name) for name in LANGUAGES}
    return ", ".join(f"{_paper(value)} {language_name(name)}" for name, value in found.items() if value is not None)


def _figure(statistic: Statistic, notes: TableNotes) -> list[str]:
    """The cells of estimate, interval and n."""
    if isinstance(statistic, Undefined):
        return [rf"\multicolumn{{3}}{{l}}{{--{notes.mark(statistic.reason)}}}"]
    cells = (decimal(statistic.estimate), interval(statistic), f"{statistic.n:,}")
    return [escaped(cell).replace("-", "$-$") for cell in cells]


def _paper(value: float | None) -> str:
    return "" if value is None else decimal(value)


def _made(statistic: Alpha | Correlation) -> str:
    drawn = statistic.interval.draws
    draws = f", {drawn:,} draws" if drawn else ""
    return f"Interval: 95 %, {interval_in_words(statistic)}{draws}"


def _metric(key: str) -> str:
    name = metric_name(key)
    return name if name.casefold() == key.casefold() else f"{name} ({key})"


def _dagger(judge: str, improvised: frozenset[str]) -> str:
    return r"$^{\dagger}$" if judge in improvised else ""


def _rehearsal(improvised: frozenset[str]) -> tuple[str, ...]:
    return (rf"$^{{\dagger}}$ {escaped(DEMO_NOTE)}.",) if improvised else ()


def _plain(sentences: Iterable[str]) -> Iterator[str]:
    return (escaped(sentence[:1].upper() + sentence[1:]) for sentence in sentences)


def _table(
    caption: str, label: str, heads: Sequence[str], groups: Sequence[tuple[str, list[list[str]]]], notes: Sequence[str]
) -> str:
    """A table with its notes; all texts are LaTeX."""
    body = "\\midrule\n".join(
        rf"\multicolumn{{{len(heads)}}}{{l}}{{{title}}} \\"
        + "\n"
        + "".join(" & ".join(row) + " \\\\\n" for row in rows)
        for title, rows in groups
    )
    numbers = heads.index("$n$") - 2
    columns = "l" * numbers + "r" * (len(heads) - numbers)
    return rf"""\begin{{table}}[htbp]
\centering
\footnotesize
\caption{{{escaped(caption)}}}
\label{{tab:{label}}}
\begin{{tabular}}{{{columns}}}
\toprule
{" & ".join(heads)} \\
\midrule
{body}\bottomrule
\end{{tabular}}

\smallskip
\begin{{minipage}}{{\linewidth}}
\raggedright
{(" " + chr(10)).join(notes)}
\end{{minipage}}
\end{{table}}
"""
