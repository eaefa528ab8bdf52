"""What the reader of the page Reliability and validity chooses for all its views; all of it is in the address."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import streamlit as st

from annotations.report import Report
from annotations.resampling import USUAL, By, Drawing
from annotations.validity import OVERALL
from characterbox.components.figures.prose import fault, said
from characterbox.components.figures.reckoning import Overview
from characterbox.components.figures.selection import Selection
from characterbox.components.figures.words import language_name

ALL = "All languages"
WAYS: dict[str, By] = {
    "Scenes and models drawn anew": "scenes and models",
    "Scenes drawn anew": "scenes",
    "Models drawn anew": "models",
    "Items taken as independent": "independent items",
}
USUAL_WAY = next(iter(WAYS))
MOST_SEED = 2**32 - 1
SEED = re.compile("[0-9]{1,10}")


def chosen_selection(overview: Overview) -> Selection:
    """The ratings whose figures are shown, and how intervals are made; all of it is in the address."""
    tell_unknown("language", "scenes in", map(language_name, overview.languages), ALL)
    tell_unknown("models", "a model", overview.models)
    tell_unknown("intervals", "intervals by", WAYS)
    if not SEED.fullmatch(asked := st.query_params.get("seed", "0")) or int(asked) > MOST_SEED:
        st.html(fault(f"The address asks for the seed {asked}; a seed is a whole number from 0 to {MOST_SEED}."))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        language = _chosen_language(overview.languages)
        models = _chosen_models(overview.models)
        way = st.selectbox("95 % intervals", list(WAYS), key="intervals", bind="query-params", width=270)
        seed = st.number_input("Seed", 0, MOST_SEED, USUAL.seed, key="seed", bind="query-params", width=130)
    drawing = Drawing(WAYS[way or USUAL_WAY], seed=int(seed or 0))
    st.html(said(_told(drawing)))
    return Selection(language, models, drawing)


@dataclass(frozen=True)
class Focus:
    """What the reader looks at, in whatever view."""

    judge: str | None
    """None where no judge has scored anything."""
    metric: str
    """`overall` where it is no single one."""


def chosen_focus(report: Report) -> Focus:
    """The judge and the metric that charts and single tables are of; they stay when the view changes."""
    metrics = [*(metric for metric in report.design.metrics if metric != OVERALL), OVERALL]
    tell_unknown("judge", "a judge", report.design.judges)
    tell_unknown("metric", "a metric", metrics)
    with st.container(horizontal=True):
        judge = None
        if judges := report.design.judges:
            judge = st.selectbox("Judge", judges, key="judge", bind="query-params", width=240)
        metric = st.selectbox("Metric", metrics, index=len(metrics) - 1, key="metric", bind="query-params", width=240)
    return Focus(judge, metric)


def single_metric(report: Report, focus: Focus) -> str:
    """The metric in focus, or the first one where that is overall and nobody rated it."""
    return focus.metric if focus.metric in report.design.metrics else report.design.metrics[0]


def tell_unknown(key: str, what: str, known: Iterable[str], *more: str) -> None:
    """Say what the address asks for in vain: Streamlit takes it out of the address and chooses what is usual."""
    there = {*known, *more}
    for wanted in filter(None, st.query_params.get_all(key)):
        if wanted not in there:
            st.html(fault(f"The address asks for {what} {wanted}, which is none of the choices here."))


def _chosen_language(languages: tuple[str, ...]) -> str | None:
    if len(languages) < 2:
        return None
    names = {ALL: None, **{language_name(language): language for language in languages}}
    return names[st.selectbox("Scenes in", list(names), key="language", bind="query-params", width=180)]


def _chosen_models(models: tuple[str, ...]) -> tuple[str, ...]:
    """Those that are chosen, in their own order; none of them where it is all."""
    if len(models) < 2:
        return ()
    chosen = st.multiselect(
        "Models", models, key="models", bind="query-params", placeholder=f"All {len(models)} models", width=320
    )
    return () if len(chosen) == len(models) else tuple(model for model in models if model in chosen)


def _told(drawing: Drawing) -> str:
    if drawing.by == "independent items":
        return (
            "Intervals take items, or the rows of an alpha, as independent: by formula (Fisher, Feldt, F) where there"
            f" is one, and from {drawing.draws:,} draws of items, from seed {drawing.seed}, for the others. They are"
            " too narrow where items of one scene, or of one model, resemble each other."
        )
    few = (
        " Fewer than five scenes, or models, are not drawn but stay as they are."
        if drawing.by == "scenes and models"
        else " Of fewer than five none are drawn, and alpha and r have the interval of their formula."
    )
    return (
        f"Where nothing else is said of them, intervals come from {drawing.draws:,} draws of {drawing.by} with"
        f" replacement, from seed {drawing.seed}, with bias-corrected percentiles.{few}"
    )
