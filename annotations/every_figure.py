"""Every figure of a table of ratings: what the page shows in its views, in one list."""

import pandas as pd

from annotations.figure import Figure
from annotations.figures_of_judges import figures_of_judges
from annotations.figures_of_raters import figures_of_raters
from annotations.rating import leave_out_missing, leave_out_of_scale
from annotations.report import Report


def every_figure(frame: pd.DataFrame, report: Report) -> tuple[Figure, ...]:
    """The figures of the ratings that `report` was made of, in an order that does not depend on theirs."""
    usable = usable_ratings(frame, report.design.scale)
    figures = (*figures_of_raters(usable, report), *figures_of_judges(usable, report.design))
    return tuple(dict.fromkeys(figures))  # the experts' own means come with every judge


def usable_ratings(frame: pd.DataFrame, scale: tuple[float, float] | None) -> pd.DataFrame:
    """The ratings without what all statistics leave out: those without a score, or off the scale."""
    scored = leave_out_missing(frame)[0]
    return scored if scale is None else leave_out_of_scale(scored, *scale)[0]
