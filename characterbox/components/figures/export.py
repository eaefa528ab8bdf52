"""Ratings and figures as CSV (UTF-8, marked as such) that a spreadsheet opens without running anything in it."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence

import pandas as pd

from annotations.rating import COLUMNS, Dropped
from annotations.reliability import Alpha
from annotations.report import Report
from annotations.undefined import Undefined
from annotations.validity import Correlation
from characterbox.components.figures.published import follows_paper, published_alpha, published_pearson
from characterbox.judging.provenance import IMPROVISED, improvised_items, improvised_judges

FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
"""What makes a spreadsheet take a text for a formula, behind any apostrophes."""

FIGURES = (
    *("statistic", "of", "language", "rater", "estimate", "low", "high", "n", "interval"),
    *("draws", "seed", "scenes", "models", "definition", "undefined", "paper", "improvised"),
)


def ratings_csv(frame: pd.DataFrame) -> bytes:
    """The ratings in long form, as `read_ratings` takes them. Texts that would be formulas get an apostrophe."""
    optional = [name for name in ("language", "reason", IMPROVISED) if name in frame]
    columns = [*COLUMNS, *optional]
    return _csv(columns, frame[columns].itertuples(index=False, name=None))


def figures_csv(report: Report, shown: Report, language: str | None, frame: pd.DataFrame) -> bytes:
    """All figures at full precision, one a row; an undefined one has its reason instead.

    The alphas are those of `report`, on all ratings in `frame`; the correlations those of `shown`, on one language.
    """
    rehearsed, stories = improvised_judges(frame), bool(improvised_items(frame))
    rows = [*_alphas(report), *_correlations(shown, language)]
    for row in rows:
        parts = (("story", stories), ("judge", row["rater"] in rehearsed))
        row["improvised"] = " and ".join(part for part, true in parts if true)
    return _csv(FIGURES, ([row.get(name) for name in FIGURES] for row in rows))


def dropped_csv(dropped: Sequence[Dropped]) -> bytes:
    """What the statistics could not use, one a row."""
    names = ("item", "metric", "rater", "reason", "detail")
    return _csv(names, ([getattr(line, name) for name in names] for line in dropped))


def _alphas(report: Report) -> Iterator[dict[str, object]]:
    design = report.design
    for judge in (None, *design.judges):
        for language in (None, *design.languages):
            for of in (*design.dimensions, *(() if judge else design.metrics)):
                paper = published_alpha(of, language) if language and follows_paper(report) and not judge else None
                place = {"of": of, "language": language, "rater": judge or "experts", "paper": paper}
                yield {"statistic": "Cronbach's alpha", **place, **_evidence(report.alpha(of, language, judge))}


def _correlations(report: Report, language: str | None) -> Iterator[dict[str, object]]:
    for judge, metrics in report.validity.items():
        for metric, r in metrics.items():
            paper = published_pearson(judge, metric) if follows_paper(report) else None
            place = {"of": metric, "language": language, "rater": judge, "paper": paper}
            yield {"statistic": "Pearson's r", **place, **_evidence(r)}


def _evidence(statistic: Alpha | Correlation | Undefined) -> dict[str, object]:
    match statistic:
        case Undefined():
            return {"undefined": statistic.reason}
        case Alpha():
            own = {"estimate": statistic.estimate, "definition": statistic.definition}
        case Correlation():
            names = ("draws", "seed", "scenes", "models")
            own = {"estimate": statistic.pearson, **{name: getattr(statistic, name) for name in names}}
    return {**own, **{name: getattr(statistic, name) for name in ("low", "high", "n", "interval")}}


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
