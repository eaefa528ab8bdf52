"""The charts of the leaderboard: means with their intervals, and outlines of a few models over the metrics."""

import streamlit as st

from annotations.wording import say, translate
from characterbox.components.figures.board_charts import MOST, means_chart, radar
from characterbox.components.figures.board_tables import column_name
from characterbox.components.figures.charts import show_chart
from characterbox.components.figures.html_table import data
from characterbox.components.figures.prose import nothing_to_draw, said
from characterbox.components.figures.selection import Selection
from characterbox.components.figures.theme import shown_tokens
from characterbox.components.figures.words import capital, in_a_row
from characterbox.judging.board import Board, whose_scores


def show_charts(board: Board, metric: str) -> None:
    """One beside the other."""
    left, right = st.columns(2, gap="large")
    with left:
        _show_means(board, metric)
    with right:
        _show_outlines(board)


def _show_means(board: Board, metric: str) -> None:
    whose, name = translate(whose_scores(board)), column_name(metric)
    st.html(f'<h3 class="cb-title">{data(capital(name))}</h3>')
    if not board.of(metric):
        st.html(nothing_to_draw(say("no model has a mean")))
        return
    figure = means_chart(board, metric, say("Score by {whose}", whose=whose), shown_tokens())
    alt = say("Means of the models with their intervals: {metric}; the table above has the same figures", metric=name)
    names = ("leaderboard", board.wanted.narrator or "", whose, metric)
    show_chart(figure, alt, names, Selection(board.wanted.language))
    point = say("Point: mean. Line: its 95 % interval. n counts scenes.")
    paper = say("The open diamond is the paper's figure for a model of this name, without an interval.")
    beside = any(trace.name == "paper" for trace in figure.data)
    st.html(said(in_a_row(point, paper if beside else "")))


def _show_outlines(board: Board) -> None:
    title = say("Metric by metric")
    st.html(f'<h3 class="cb-title">{title}</h3>')
    chosen = st.multiselect(
        say("Models"),
        board.models,
        max_selections=MOST,
        key="models",
        bind="query-params",
        placeholder=say("The best {most}", most=min(MOST, len(board.models))),
    )
    figure = radar(board, chosen or board.models[:MOST], shown_tokens())
    if not figure.data:
        st.html(nothing_to_draw(say("no model has a mean on every metric")))
        return
    whose = translate(whose_scores(board))
    alt = say("Outlines of some models over the metrics, by {whose}; the table above has the same figures", whose=whose)
    names = ("leaderboard-metrics", board.wanted.narrator or "", whose)
    show_chart(figure, alt, names, Selection(board.wanted.language))
    st.html(said(say("Line: mean. Band: its 95 % interval. The axis does not begin at 1.")))
