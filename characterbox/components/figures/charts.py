"""The charts as a page shows them: what they are drawn from, what is said beside them, and how they are saved."""

import html
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from annotations.concordance import Concordance
from annotations.errors import UndefinedStatistic
from annotations.improvised import judge_called
from annotations.undefined import Undefined
from annotations.validity import OVERALL, Correlation
from annotations.wording import Tongue, say, speaking, tongue
from characterbox.components.figures.forest import forest
from characterbox.components.figures.html_table import data
from characterbox.components.figures.prose import nothing_to_draw, said
from characterbox.components.figures.published import follows_paper, published_pearson
from characterbox.components.figures.reckoning import Figures, Points
from characterbox.components.figures.scatter import JITTER, bland_altman, jitter, same_scale, scatter
from characterbox.components.figures.selection import Selection
from characterbox.components.figures.theme import Tokens, shown_tokens
from characterbox.components.figures.words import file_name, in_a_row, metric_name, part_in_words, shortened

CHARTS = 32
"""Charts that are kept of each kind: making one again takes longer than the rest of a view that was seen before."""
PICTURES = ("PNG", "SVG")
LINE, PART = 52, 24
"""Letters of the line that tells the part, and pixels above the plot for it."""
SHARPNESS = 3
"""Pixels of a saved PNG for each on the page: it is printed."""

OpenItem = Callable[[str], None]
"""Goes to the trajectory of an item."""


def show_origin(figures: Figures, judge: str) -> None:
    """What must stand by figures of a judge of whose ratings the rehearsal gave some; of stories the summary tells."""
    if judge in figures.improvised_judges:
        told = say(
            "Ratings of {judge} are, at least in part, made without a language model: not a result.",
            judge=judge_called(judge, True),
        )
        st.html(f'<p class="cb-notice">{data(told)}</p>')


def chosen_pictures() -> None:
    """Choose as what the charts of the page are saved."""
    st.segmented_control(
        say("Charts are saved as"), PICTURES, default=PICTURES[0], required=True, key="pictures", bind="query-params"
    )


def show_chart(
    figure: go.Figure, alt: str, names: Sequence[str], selection: Selection, opens: OpenItem | None = None
) -> None:
    """A chart of a selection of ratings that can be saved as a picture of these `names`. A click on a point opens its
    item, if there is a way."""
    figure = _of_part(figure, selection)
    form = str(st.session_state.get("pictures") or PICTURES[0]).lower()
    config = {
        "displaylogo": False,
        "modeBarButtons": [["toImage"]],
        "toImageButtonOptions": {
            "format": form,
            "filename": file_name(*names, selection.short),
            "scale": 1 if form == "svg" else SHARPNESS,
        },
    }
    if opens is None:
        st.plotly_chart(figure, theme=None, config=config, alt=alt)
        return
    event = st.plotly_chart(
        figure,
        theme=None,
        config=config,
        alt=alt,
        key=f"chart-{'-'.join(names)}",
        on_select="rerun",
        selection_mode="points",
    )
    if item := _clicked(event):
        opens(item)


def _of_part(figure: go.Figure, selection: Selection) -> go.Figure:
    """The chart with a line on top that says of which part of the ratings it is: a picture is seen without its page."""
    if not (told := part_in_words(selection)):
        return figure
    told_figure, above = go.Figure(figure), figure.layout.title.subtitle.text
    told_figure.update_layout(
        title={"subtitle": {"text": "<br>".join(filter(None, (html.escape(shortened(told, LINE)), above)))}},
        margin={"t": figure.layout.margin.t + PART},
        height=figure.layout.height + PART,
    )
    return told_figure


def show_overview(figures: Figures, points: Points, shown: tuple[str, str], opens: OpenItem | None) -> None:
    """The forest plot of a judge beside the scatter plot of one metric; `shown` are judge and metric."""
    judge, metric = shown
    called = _called(figures, judge)
    colours = shown_tokens()
    left, right = st.columns(2, gap="large")
    with left:
        _show_forest(figures, judge, colours)
    with right:
        title = say(
            "{judge} against the mean of the experts: {metric}",
            judge=called,
            metric=metric_name(metric),
        )
        st.html(f'<h3 class="cb-title">{data(title)}</h3>')
        _show_scatter(points, figures, shown, opens)


def show_bland_altman(points: Points, found: Concordance | Undefined, judge: str, opens: OpenItem | None) -> None:
    """Whether judge and experts give the same scores, low ones and high ones alike."""
    if isinstance(found, Undefined):
        st.html(nothing_to_draw(found.reason))
        return
    figure = _bland_altman(points, found, judge, shown_tokens(), tongue())
    called = judge_called(judge, points.improvised_judge)
    alt = say("{n} items: {judge} minus the mean of the experts, against the mean of both", n=found.n, judge=called)
    show_chart(figure, alt, ("bland-altman", called, "+".join(found.metrics)), points.selection, opens)
    point = say("Each point is one item (Bland & Altman, 1986).")
    scales = say("Judge and experts cover different ranges: differences say little.")
    st.html(said(in_a_row(point, _moved(points), "" if same_scale(points.table) else scales, _way(opens))))


@lru_cache(CHARTS)
def _bland_altman(points: Points, found: Concordance, judge: str, colours: Tokens, language: Tongue) -> go.Figure:
    with speaking(language):
        called = judge_called(judge, points.improvised_judge)
        return bland_altman(points.table, found, called, colours, improvised=points.improvised)


@lru_cache(CHARTS)
def _scatter(points: Points, r: Correlation | Undefined, judge: str, colours: Tokens, language: Tongue) -> go.Figure:
    with speaking(language):
        called = judge_called(judge, points.improvised_judge)
        return scatter(points.table, r, called, colours, improvised=points.improvised)


def _show_forest(figures: Figures, judge: str, colours: Tokens) -> None:
    report = figures.report
    called = _called(figures, judge)
    title = say("{judge} and the experts, metric by metric", judge=called)
    st.html(f'<h3 class="cb-title">{data(title)}</h3>')
    improvised = judge in figures.improvised_judges or figures.improvised_items
    try:
        figure = forest(report, judge, colours, improvised=improvised)
    except UndefinedStatistic as undefined:
        st.html(nothing_to_draw(str(undefined)))
        return
    alt = say("Pearson's r of {judge} with its interval, by metric; the table above has the same figures", judge=called)
    show_chart(figure, alt, ("forest", called), figures.selection)
    beside = follows_paper(report) and published_pearson(judge, OVERALL) is not None
    point = say("Point: Pearson's r. Line: its 95 % interval.")
    paper = say("The open diamond is the paper's figure for a judge of this name, without an interval.")
    st.html(said(in_a_row(point, paper if beside else "")))


def _show_scatter(points: Points, figures: Figures, shown: tuple[str, str], opens: OpenItem | None) -> None:
    judge, metric = shown
    r = figures.report.validity[judge][metric]
    try:
        figure = _scatter(points, r, judge, shown_tokens(), tongue())
    except UndefinedStatistic as undefined:
        st.html(nothing_to_draw(str(undefined)))
        return
    called = _called(figures, judge)
    alt = say("{n} items: the score of {judge} against the mean of the experts", n=len(points.table), judge=called)
    show_chart(figure, alt, ("scatter", called, metric), points.selection, opens)
    point = say("Each point is one item.")
    scales = say("Judge and experts cover different ranges, so that each has an axis of its own.")
    st.html(said(in_a_row(point, _moved(points), "" if same_scale(points.table) else scales, _way(opens))))


def _called(figures: Figures, judge: str) -> str:
    return figures.report.design.called(judge)


def _moved(points: Points) -> str:
    moved = say("Points are moved by up to {share:.1%} of an axis, so that equal ones show.", share=JITTER)
    return moved if jitter(points.table).any() else ""


def _way(opens: OpenItem | None) -> str:
    return "" if opens is None else say("A click on it opens the story where the character first acts.")


def _clicked(event: Any) -> str | None:
    """The item of the point that was clicked, as `scatter.told_on_hover` has it."""
    points = event["selection"]["points"]
    return str(points[0]["customdata"][1]) if points and points[0].get("customdata") else None
