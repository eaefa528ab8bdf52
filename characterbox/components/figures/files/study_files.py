"""The figures and tables of a study as files: each table as Markdown, LaTeX and CSV, each chart as SVG; in English, as
papers are."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial

import pandas as pd
import plotly.graph_objects as go

from annotations.errors import UndefinedStatistic
from annotations.exchange.latex import latex_file
from annotations.exchange.markdown import markdown_of
from annotations.exchange.table import Table
from annotations.i18n.translation import speaking
from annotations.leaderboard.standings import Standing, leaderboard
from annotations.marking.rating import BOTH, IMPROVISED, JUDGE, STORY, any_improvised, improvised_part, judge_called
from annotations.report.figure import Figure
from annotations.report.report import Report
from annotations.rubrics.rubric import RESERVED, load_rubric
from annotations.validity.judge_expert_correlation import OVERALL
from characterbox.components.figures.background.selection import Selection
from characterbox.components.figures.charts.estimates import alphas, forest, forest_of_judges
from characterbox.components.figures.charts.leaderboard import means_chart
from characterbox.components.figures.charts.svg import PRINT, svg_of
from characterbox.components.figures.files.downloads import LANGUAGE, dropped_csv, figures_csv
from characterbox.components.figures.tables.leaderboard import column_name, standings_table
from characterbox.components.figures.tables.reliability_validity import article_tables
from characterbox.judging.leaderboard import Board, Wanted
from characterbox.judging.leaderboard_files import Provenance, standings_csv
from characterbox.judging.provenance import DEMO_NOTE
from characterbox.scenes.scene import slug_of

Files = Iterator[tuple[str, bytes]]
TABLES, FIGURES = "tables", "figures"


def table_files(name: str, table: Table) -> Files:
    """A table for reading, and for an article."""
    yield f"{TABLES}/{name}.md", markdown_of(table, DEMO_NOTE).encode()
    yield f"{TABLES}/{name}.tex", latex_file([table], DEMO_NOTE).encode()


def statistics_files(part: pd.DataFrame, report: Report, figures: Sequence[Figure], selection: Selection) -> Files:
    """Reliability and validity of the ratings of a `selection`, which `report` and `figures` are of, too."""
    with speaking(LANGUAGE):
        for table in article_tables(part, report, selection):
            yield from table_files(table.label, table)
        yield f"{TABLES}/all-figures.csv", figures_csv(figures, report, part, selection)
        yield f"{TABLES}/left-out.csv", dropped_csv(report.dropped)
        improvised = any_improvised(part)
        yield from _picture("reliability", lambda: alphas(report, PRINT, improvised=improvised))
        if report.design.judges:
            metric = OVERALL if report.design.overall else report.design.metrics[-1]
            yield from _picture("validity", lambda: forest_of_judges(report, metric, PRINT, improvised=improvised))
        for judge in report.design.judges:
            name = f"validity-{slug_of(str(report.design.called(judge)))}"
            yield from _picture(name, partial(forest, report, judge, PRINT, improvised=improvised))


def leaderboard_files(part: pd.DataFrame, report: Report, sweep: str) -> Files:
    """How the models stand in each language, by the experts' mean and by each judge."""
    keys = [key for key in load_rubric().keys if key in report.design.metrics]
    with speaking(LANGUAGE):
        for language in report.design.languages:
            for judge in (None, *report.design.judges):
                kind = part["kind"] == "expert" if judge is None else part["rater"] == judge
                own = part[kind & (part["language"] == language)]
                with suppress(UndefinedStatistic):
                    yield from _standings(own, leaderboard(own, keys), (language, judge, sweep), report)


def _standings(own: pd.DataFrame, found: list[Standing], of: tuple[str, str | None, str], report: Report) -> Files:
    language, judge, sweep = of
    whose = "the experts" if judge is None else str(judge_called(judge, judge in report.design.improvised))
    improvised = _improvised_models(own)
    told = Provenance(whose, language, sweep, improvised=improvised)
    name = f"leaderboard-{language}-{slug_of(whose)}"
    yield f"{TABLES}/{name}.csv", standings_csv(found, told)
    yield from table_files(name, standings_table(found, told))
    board = Board(Wanted("judge" if judge else "experts", language, judge, sweep), found, own, improvised)
    yield from _picture(name, lambda: means_chart(board, RESERVED, column_name(RESERVED), PRINT))


def _improvised_models(own: pd.DataFrame) -> dict[str, str]:
    """What no language model made of each model that has any of it."""
    made = own[IMPROVISED]
    flags = pd.DataFrame({"model": own["model"], "story": made.isin([STORY, BOTH]), "judge": made.isin([JUDGE, BOTH])})
    rows = flags.groupby("model", observed=True).any().itertuples(name=None)
    return {str(model): part for model, story, judge in rows if (part := improvised_part(story, judge))}


def _picture(name: str, chart: Callable[[], go.Figure]) -> Files:
    """A chart as SVG; nothing where there is nothing to draw, which the tables say with the reason."""
    with suppress(UndefinedStatistic):
        yield f"{FIGURES}/{name}.svg", svg_of(chart(), PRINT).encode()
