"""Every figure of a table of ratings: what the page shows in its views, in one list."""

from collections.abc import Iterable

import pandas as pd

from annotations.figure import Figure
from annotations.figures_of_judges import figures_of_judges
from annotations.figures_of_raters import figures_of_raters
from annotations.rating import COLUMNS, leave_out_missing, leave_out_of_scale
from annotations.report import Report


def every_figure(frame: pd.DataFrame, report: Report) -> tuple[Figure, ...]:
    """The figures of the ratings that `report` was made of, in an order that does not depend on theirs."""
    usable = usable_ratings(frame, report.design.scale)
    return listed(figures_of_raters(usable, report), figures_of_judges(usable, report.design))


def listed(of_raters: Iterable[Figure], of_judges: Iterable[Figure]) -> tuple[Figure, ...]:
    """The figures of the raters and those of the judges as one list."""
    return tuple(dict.fromkeys((*of_raters, *of_judges)))  # the experts' own means come with every judge


def usable_ratings(frame: pd.DataFrame, scale: tuple[float, float] | None) -> pd.DataFrame:
    """The ratings without what all statistics leave out: those without a score, or off the scale.

    Sorted, since sums depend on the order in their last digits. All but the scores are categories: many a figure picks
    and groups the same ratings again.
    """
    usable = leave_out_missing(frame)[0]
    if scale is not None:
        usable = leave_out_of_scale(usable, *scale)[0]
    usable = usable.astype({column: "category" for column in COLUMNS if column != "score"})
    return usable.sort_values(["item", "metric", "rater"])
