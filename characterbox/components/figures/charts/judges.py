"""Charts of judges beside the experts, and what is said beside them."""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from annotations.errors import Undefined, UndefinedStatistic
from annotations.i18n.messages import to_say
from annotations.i18n.translation import Tongue, say, speaking, tongue, translate
from annotations.marking.rating import judge_called
from annotations.validity.concordance import Concordance
from annotations.validity.judge_expert_correlation import Correlation
from characterbox.components.figures.background.compute import Figures, Points
from characterbox.components.figures.background.selection import Selection
from characterbox.components.figures.charts.estimates import alphas, forest, forest_of_judges
from characterbox.components.figures.charts.scatter import JITTER, bland_altman, jitter, same_scale, scatter
from characterbox.components.figures.charts.theme import Tokens, in_chart, shown_tokens
from characterbox.components.figures.tables.captions import nothing_to_draw, said
from characterbox.components.figures.tables.html import data, term
from characterbox.components.figures.tables.text import (
    file_name,
    in_a_row,
    metric_name,
    part_in_words,
    shortened,
)

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
            "Ratings of {judge} are, at least in part, demo output (no language model); do not report.",
            judge=judge_called(judge, True),
        )
        st.html(f'<p class="cb-notice">{data(told)}</p>')


def chosen_pictures() -> None:
    """Choose as what the charts of the page are saved."""
    st.segmented_control(
        say("Chart format"), PICTURES, default=PICTURES[0], required=True, key="pictures", bind="query-params"
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
        title={"subtitle": {"text": "<br>".join(filter(None, (in_chart(shortened(told, LINE)), above)))}},
        margin={"t": figure.layout.margin.t + PART},
        height=figure.layout.height + PART,
    )
    return told_figure


PAPERS_POINT = to_say("Open diamond: the paper's value.")
PEARSON = to_say(
    "Pearson's r between a judge's scores and the experts' mean scores of the same items. It is 1 if both order and"
    " space the items alike, and 0 if they are unrelated. Lines: 95 % intervals."
)
ALPHA = to_say(
    "Cronbach's alpha of scores that should agree. It is near 1 if they rise and fall together, 0 if they are"
    " unrelated, and negative if they tend to move in opposite directions. Top: the metrics of a dimension. Bottom:"
    " the experts on each metric. Lines: 95 % intervals."
)


def show_forest_of_judges(figures: Figures, metric: str) -> None:
    """How well each judge agrees with the experts on a metric."""
    title = say("Agreement of each judge with the experts: {metric}", metric=metric_name(metric))
    drawn = partial(forest_of_judges, figures.report, metric, shown_tokens(), improvised=_any_improvised(figures))
    _show_dot_plot(figures, (title, term(say("Pearson's r"), say(PEARSON))), drawn, ("judges", metric))


def show_forest(figures: Figures, judge: str) -> None:
    """How well a judge agrees with the experts, metric by metric."""
    called = _called(figures, judge)
    title = say("Agreement of {judge} with the experts, metric by metric", judge=called)
    improvised = judge in figures.improvised_judges or figures.improvised_items
    drawn = partial(forest, figures.report, judge, shown_tokens(), improvised=improvised)
    _show_dot_plot(figures, (title, term(say("Pearson's r"), say(PEARSON))), drawn, ("forest", called))


def show_alphas(figures: Figures) -> None:
    """How well metrics agree with each other, and experts on each metric."""
    title = say("Agreement among metrics, and among experts on each metric")
    drawn = partial(alphas, figures.report, shown_tokens(), improvised=_any_improvised(figures))
    _show_dot_plot(figures, (title, term(say("Cronbach's alpha"), say(ALPHA))), drawn, ("alphas",))


def _show_dot_plot(
    figures: Figures, named: tuple[str, str], drawn: Callable[[], go.Figure], names: Sequence[str]
) -> None:
    """A dot plot under its title and the term (HTML) of what it shows."""
    title, of = named
    try:
        figure = drawn()
    except UndefinedStatistic as undefined:
        st.html(f'<h3 class="cb-title">{data(title)}</h3>{nothing_to_draw(undefined.message)}')
        return
    paper = say(PAPERS_POINT) if any(trace.name == "paper" for trace in figure.data) else ""
    st.html(f'<h3 class="cb-title">{data(title)}</h3><p class="cb-said">{in_a_row(of, paper)}</p>')
    alt = say("{title}; the tables below show the same values", title=title)
    show_chart(figure, alt, names, figures.selection)


def _any_improvised(figures: Figures) -> bool:
    return bool(figures.improvised_judges) or figures.improvised_items


def show_bland_altman(points: Points, found: Concordance | Undefined, judge: str, opens: OpenItem | None) -> None:
    """Whether judge and experts give the same scores, low ones and high ones alike."""
    if isinstance(found, Undefined):
        st.html(nothing_to_draw(found.reason))
        return
    figure = _bland_altman(points, found, judge, shown_tokens(), tongue())
    called = translate(judge_called(judge, points.improvised_judge))
    alt = say("{n} items: {judge} minus the experts' mean, against the mean of both", n=found.n, judge=called)
    show_chart(figure, alt, ("bland-altman", called, "+".join(found.metrics)), points.selection, opens)
    point = say("Each point is one item (Bland & Altman, 1986).")
    scales = say("Judge and experts use different score ranges, so the differences mean little.")
    st.html(said(in_a_row(point, _moved(points), "" if same_scale(points.table) else scales, _way(opens))))


@lru_cache(CHARTS)
def _bland_altman(points: Points, found: Concordance, judge: str, colours: Tokens, language: Tongue) -> go.Figure:
    with speaking(language):
        called = translate(judge_called(judge, points.improvised_judge))
        return bland_altman(points.table, found, called, colours, improvised=points.improvised)


@lru_cache(CHARTS)
def _scatter(points: Points, r: Correlation | Undefined, judge: str, colours: Tokens, language: Tongue) -> go.Figure:
    with speaking(language):
        called = translate(judge_called(judge, points.improvised_judge))
        return scatter(points.table, r, called, colours, improvised=points.improvised)


def show_scatter(points: Points, figures: Figures, shown: tuple[str, str], opens: OpenItem | None) -> None:
    """The scores of a judge against the mean of the experts on a metric; `shown` are the two."""
    judge, metric = shown
    called = _called(figures, judge)
    title = say("{judge} against the experts' mean: {metric}", judge=called, metric=metric_name(metric))
    st.html(f'<h3 class="cb-title">{data(title)}</h3>')
    r = figures.report.validity[judge][metric]
    try:
        figure = _scatter(points, r, judge, shown_tokens(), tongue())
    except UndefinedStatistic as undefined:
        st.html(nothing_to_draw(undefined.message))
        return
    alt = say("{n} items: score of {judge} against the experts' mean", n=len(points.table), judge=called)
    show_chart(figure, alt, ("scatter", called, metric), points.selection, opens)
    point = say("Each point is one item.")
    scales = say("Judge and experts use different score ranges, so each axis has its own scale.")
    st.html(said(in_a_row(point, _moved(points), "" if same_scale(points.table) else scales, _way(opens))))


def _called(figures: Figures, judge: str) -> str:
    return translate(figures.report.design.called(judge))


def _moved(points: Points) -> str:
    moved = say(
        "Points are shifted by up to {share:.1%} of an axis so that overlapping points are visible.", share=JITTER
    )
    return moved if jitter(points.table).any() else ""


def _way(opens: OpenItem | None) -> str:
    return "" if opens is None else say("Click a point to open the story where the character first acts.")


def _clicked(event: Any) -> str | None:
    """The item of the point that was clicked, as `scatter.told_on_hover` has it."""
    points = event["selection"]["points"]
    return str(points[0]["customdata"][1]) if points and points[0].get("customdata") else None
