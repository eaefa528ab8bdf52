"""Ratings and figures as CSV (UTF-8, marked as such) that a spreadsheet opens without running anything in it."""

import csv
import io
import re
from collections.abc import Iterable, Sequence

import pandas as pd

from annotations.figure import COLUMNS as COLUMNS_OF_FIGURES
from annotations.figure import By, Figure, Of
from annotations.improvised import IMPROVISED, improvised_items, improvised_judges
from annotations.rating import COLUMNS, Dropped
from annotations.report import Report
from characterbox.components.figures.methods import selected
from characterbox.components.figures.published import follows_paper, published_alpha, published_pearson
from characterbox.components.figures.selection import Selection

FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
"""What makes a spreadsheet take a text for a formula, behind any apostrophes."""

FIGURES = (*COLUMNS_OF_FIGURES, "paper", "improvised", "selection")
"""The columns of the figures: what a figure has, the paper's value for it, what the rehearsal gave of it, and of which
part of the ratings all of them are."""


def ratings_csv(frame: pd.DataFrame) -> bytes:
    """The ratings in long form, as `read_ratings` takes them. Texts that would be formulas get an apostrophe."""
    optional = [name for name in ("language", "reason", IMPROVISED) if name in frame]
    columns = [*COLUMNS, *optional]
    return _csv(columns, frame[columns].itertuples(index=False, name=None))


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

    return _csv(FIGURES, map(row, figures))


def dropped_csv(dropped: Sequence[Dropped]) -> bytes:
    """What the statistics could not use, one a row."""
    names = ("item", "dimension", "metric", "rater", "reason", "detail")
    return _csv(names, ([getattr(line, name) for name in names] for line in dropped))


def _paper(figure: Figure) -> float | None:
    """The paper's value for what this figure is of."""
    match figure:
        case Figure(statistic="Cronbach's alpha", by=By("experts"), of=Of(dimension), language=str(language)):
            return published_alpha(dimension, language)
        case Figure(statistic="Pearson's r, items", by=By("judge", judge=judge), of=Of(metric=metric)):
            return published_pearson(judge, metric)
    return None


def _csv(header: Sequence[str], rows: Iterable[Iterable[object]]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(header)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue().encode("utf-8-sig")


def _cell(value: object) -> object:
    """A number as it is, nothing for what is missing, and text so that it stays text in a spreadsheet."""
    if value is None or value != value:  # noqa: PLR0124 - NaN is the one value that differs from itself
        return ""
    if isinstance(value, str) and FORMULA.match(value):
        return f"'{value}"
    return value
