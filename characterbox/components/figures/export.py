"""Ratings and figures as CSV (UTF-8, marked as such) that a spreadsheet opens without running anything in it."""

from collections.abc import Sequence

import pandas as pd

from annotations.exchange.csv_file import csv_of
from annotations.figure import COLUMNS as COLUMNS_OF_FIGURES
from annotations.figure import By, Figure, Of
from annotations.improvised import IMPROVISED, improvised_items, improvised_judges
from annotations.rating import COLUMNS, Dropped
from annotations.report import Report
from characterbox.components.figures.methods import selected
from characterbox.components.figures.published import follows_paper, published_alpha, published_pearson
from characterbox.components.figures.selection import Selection

FIGURES = (*COLUMNS_OF_FIGURES, "paper", "improvised", "selection")
"""The columns of the figures: what a figure has, the paper's value for it, what the rehearsal gave of it, and of which
part of the ratings all of them are."""


def ratings_csv(frame: pd.DataFrame) -> bytes:
    """The ratings in long form, as `read_ratings` takes them, texts guarded as `exchange.cells` tells."""
    optional = [name for name in ("language", "reason", IMPROVISED) if name in frame]
    columns = [*COLUMNS, *optional]
    return csv_of(columns, frame[columns].itertuples(index=False, name=None))


def figures_csv(figures: Sequence[Figure], report: Report, frame: pd.DataFrame, selection: Selection) -> bytes:
    """All figures at full precision, one a row; an undefined one has its reason instead.

    `report` and `frame` are what they were made of, the ratings of a `selection`.
    """
    part = "".join(selected(selection))
    stories, judges = bool(improvised_items(frame)), improvised_judges(frame)
    papers = follows_paper(report)

    def row(figure: Figure) -> tuple[object, ...]:
        parts = (("story", stories), ("judge", not judges.isdisjoint({figure.by.judge, figure.by.other_judge})))
        improvised = " and ".join(part for part, true in parts if true)
        return (*figure.row(), _paper(figure) if papers else None, improvised, part)

    return csv_of(FIGURES, map(row, figures))


def dropped_csv(dropped: Sequence[Dropped]) -> bytes:
    """What the statistics could not use, one a row."""
    names = ("item", "dimension", "metric", "rater", "reason", "detail")
    return csv_of(names, ([getattr(line, name) for name in names] for line in dropped))


def _paper(figure: Figure) -> float | None:
    """The paper's value for what this figure is of."""
    match figure:
        case Figure(statistic="Cronbach's alpha", by=By("experts"), of=Of(dimension), language=str(language)):
            return published_alpha(dimension, language)
        case Figure(statistic="Pearson's r, items", by=By("judge", judge=judge), of=Of(metric=metric)):
            return published_pearson(judge, metric)
    return None
