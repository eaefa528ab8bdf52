"""What all parts of the page Reliability and validity use: what is selected, faults, files and charts."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import streamlit as st

from annotations.errors import AnnotationError
from annotations.report import Report
from annotations.resampling import USUAL, By, Drawing
from annotations.validity import OVERALL
from characterbox.accounts.rights import PAGES
from characterbox.components.figures.charts import OpenItem
from characterbox.components.figures.prose import fault, said
from characterbox.components.figures.reckoning import Overview
from characterbox.components.figures.selection import Selection
from characterbox.components.figures.source import Ratings
from characterbox.components.figures.words import language_name
from characterbox.errors import CharacterBoxError
from pages.parts.who import allowed

ALL = "All languages"
WAYS: dict[str, By] = {
    "Scenes and models drawn anew": "scenes and models",
    "Scenes drawn anew": "scenes",
    "Models drawn anew": "models",
    "Items taken as independent": "independent items",
}
USUAL_WAY = next(iter(WAYS))
MOST_SEED = 2**32 - 1


def chosen_selection(overview: Overview) -> Selection:
    """The ratings whose figures are shown, and how intervals are made; all of it is in the address."""
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
    with st.container(horizontal=True):
        judge = None
        if judges := report.design.judges:
            judge = st.selectbox("Judge", judges, key="judge", bind="query-params", width=240)
        metric = st.selectbox("Metric", metrics, index=len(metrics) - 1, key="metric", bind="query-params", width=240)
    return Focus(judge, metric)


def single_metric(report: Report, focus: Focus) -> str:
    """The metric in focus, or the first one where that is overall and nobody rated it."""
    return focus.metric if focus.metric in report.design.metrics else report.design.metrics[0]


def opener(ratings: Ratings) -> OpenItem | None:
    """What opens the trajectory of an item in Playback; None for ratings of a file, whose stories are elsewhere."""
    if not ratings.stored or not allowed(PAGES["playback"]):
        return None

    def open_item(item: str) -> None:
        place = ratings.place(item)
        if place is None:
            st.html(fault(f"{item} is of no story in this app."))
        else:
            st.switch_page("playback.py", query_params=place)

    return open_item


def download(label: str, content: Callable[[], bytes], name: str, mime: str = "text/csv") -> None:
    """A button that makes the file when it is pressed."""
    st.download_button(label, content, file_name=name, mime=mime, on_click="ignore", icon=":material/download:")


@contextmanager
def faults_told() -> Iterator[None]:
    """Say on the page why there are no figures."""
    try:
        yield
    except (AnnotationError, CharacterBoxError) as error:
        st.html(fault(f"These ratings give no figures: {error}."))


def _chosen_language(languages: tuple[str, ...]) -> str | None:
    if len(languages) < 2:
        return None
    names = {ALL: None, **{language_name(language): language for language in languages}}
    return names[st.selectbox("Scenes in", list(names), key="language", bind="query-params", width=180)]


def _chosen_models(models: tuple[str, ...]) -> tuple[str, ...]:
    """Those that are chosen, in their own order; none stands for all."""
    if len(models) < 2:
        return ()
    chosen = st.multiselect(
        "Models", models, key="models", bind="query-params", placeholder=f"All {len(models)} models", width=320
    )
    return tuple(model for model in models if model in chosen)


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
        else " Fewer than five of them give no interval."
    )
    return (
        f"Where nothing else is said of them, intervals come from {drawing.draws:,} draws of {drawing.by} with"
        f" replacement, from seed {drawing.seed}, with bias-corrected percentiles.{few}"
    )
