"""Reliability and validity as LaTeX tables (booktabs), fit to be put into an article: the tables of the page, with all
that is said of them there."""

from dataclasses import replace

import pandas as pd

from annotations.exchange.tex import latex_of, preamble
from annotations.improvised import improvised_judges
from annotations.reliability import ACROSS_METRICS, BETWEEN_RATERS
from annotations.report import Report
from characterbox.components.figures.methods import rehearsed, selected
from characterbox.components.figures.published import follows_paper
from characterbox.components.figures.selection import Selection
from characterbox.components.figures.tables import (
    intervals_of_alphas,
    intervals_of_correlations,
    reliability_table,
    validity_table,
)
from characterbox.components.figures.words import capital, overall_in_words
from characterbox.judging.provenance import DEMO_NOTE

PAPER = "Paper: what the CharacterBox paper (tables 2 and 3) gives, for its own ratings; with neither interval nor n."


def latex_tables(frame: pd.DataFrame, report: Report, selection: Selection) -> str:
    """Cronbach's alpha of experts and judges, and Pearson's r of the judges with the experts.

    `frame` holds the ratings that `report` is of, those of a `selection`. Names are data: whatever they hold, LaTeX
    shows it and runs nothing.
    """
    improvised, papers = improvised_judges(frame), [PAPER] if follows_paper(report) else []
    of_all = [*papers, *selected(selection), *rehearsed(frame)]
    alphas = [f"of a dimension, and of a judge: {ACROSS_METRICS}", f"of a metric of the experts: {BETWEEN_RATERS}"]
    told = _intervals(intervals_of_alphas(report), alphas) + of_all
    tables = [latex_of(replace(reliability_table(report, improvised), notes=told), DEMO_NOTE, "reliability")]
    if report.design.judges:
        r = "Pearson's r: the judge's score of an item and the mean of the experts' scores of that item; n counts items"
        told = _intervals(intervals_of_correlations(report), [r, overall_in_words(report)]) + of_all
        tables.append(latex_of(replace(validity_table(report, improvised), notes=told), DEMO_NOTE, "validity"))
    return preamble("booktabs", "graphicx") + "".join(f"\n{table}" for table in tables)


def _intervals(made: str, definitions: list[str]) -> list[str]:
    """What is told under a table of what the figures are, and of how most intervals were made."""
    intervals = [f"brackets: 95 % intervals, {made}"] if made else []
    return [f"{capital(sentence)}." for sentence in (*definitions, *intervals)]
