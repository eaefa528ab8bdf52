"""What the reader of the page Reliability and validity chooses for all its views; all of it is in the address."""

from collections.abc import Iterable
from dataclasses import dataclass

import streamlit as st

from annotations.i18n.messages import cited, to_say
from annotations.i18n.translation import say, translate
from annotations.reliability.pairwise import Gaps
from annotations.report.report import Report
from annotations.resampling.jackknife import FEWEST_CLUSTERS, FEWEST_EXPERTS, FEWEST_ITEMS, FEWEST_MODELS, Drawn
from annotations.validity.judge_expert_correlation import OVERALL
from characterbox.components.figures.background.compute import Figures, Overview
from characterbox.components.figures.background.selection import Selection
from characterbox.components.figures.background.source import Ratings
from characterbox.components.figures.tables.captions import fault, said
from characterbox.components.figures.tables.text import language_name, metric_label
from characterbox.components.url_state import box_in_address
from characterbox.values import LANGUAGES
from pages.shared.form import pick_some

ALL = to_say("All languages")
WAYS: dict[str, Drawn] = {
    to_say("Resample scenes (jackknife)"): "scenes",
    to_say("Resample scenes and models (jackknife)"): "scenes and models",
    to_say("Resample scenes and experts (jackknife)"): "scenes and experts",
    to_say("Assume independent items"): "independent items",
}
USUAL_WAY = next(iter(WAYS))
GAPS: dict[str, Gaps] = {
    to_say("Complete rows"): "complete rows",
    to_say("All pairs of scores"): "pairs of scores",
}
"""What alphas rest on where scores are missing."""
USUAL_GAP = next(iter(GAPS))
OTHERS = to_say("Intervals and missing scores")
OTHERS_CHANGED = to_say("Intervals and missing scores ({changed} changed)")
TOLD: dict[Drawn, str] = {
    "scenes": to_say(
        "Unless noted, 95 % intervals treat scenes as a random sample, and models and experts as fixed: each"
        " scene is left out once (jackknife, Student's t). No interval for fewer than {fewest} scenes or"
        " {items} items."
    ),
    "scenes and models": to_say(
        "Unless noted, 95 % intervals treat scenes and models as random samples, and experts as fixed: each"
        " scene and each model is left out once (jackknife, Student's t). These intervals tend to be too wide."
        " No interval for fewer than {fewest} scenes, {models} models or {items} items."
    ),
    "scenes and experts": to_say(
        "Unless noted, 95 % intervals treat scenes and experts as random samples, and models as fixed: each"
        " scene and each expert is left out once (jackknife, Student's t). No interval for fewer than {fewest}"
        " scenes, {experts} experts or {items} items. Intervals of statistics in points are reliable only with"
        " five experts or more; those of correlations tend to be too wide."
    ),
    "independent items": to_say(
        "Intervals assume that items, or the rows of an alpha, are independent: by formula (Fisher, Feldt, F)"
        " where there is one, otherwise by leaving out each item once (jackknife). They are too narrow if items"
        " of the same scene or model resemble each other."
    ),
}
GAPS_TOLD = to_say(
    "If scores are missing, Cronbach's alpha can use complete rows only, or compute each covariance from all"
    " rows that have both scores, so that a few missing scores cost few rows. Both assume that scores are"
    " missing completely at random."
)
UNKNOWN_VIEW = to_say("The link asks for the view {wanted}, which is not available here.")
UNKNOWN_LANGUAGE = to_say("The link asks for scenes in {wanted}, which is not available here.")
UNKNOWN_MODEL = to_say("The link asks for the model {wanted}, which is not available here.")
UNKNOWN_INTERVALS = to_say("The link asks for the interval method {wanted}, which is not available here.")
UNKNOWN_GAPS = to_say("The link asks for the missing-score method {wanted}, which is not available here.")
UNKNOWN_JUDGE = to_say("The link asks for the judge {wanted}, which is not available here.")
JUDGE_VERSIONS = to_say(
    "A number after a judge's name, as in GPT-4 v2, is its version. A new model, way of judging or prompt"
    " wording makes a new version. Versions keep separate scores and are never mixed."
)
UNKNOWN_METRIC = to_say("The link asks for the metric {wanted}, which is not available here.")


def chosen_selection(overview: Overview) -> Selection:
    """The ratings whose figures are shown, and how intervals are made; all of it is in the address."""
    tell_unknown("language", UNKNOWN_LANGUAGE, map(_in_english, overview.languages), ALL)
    tell_unknown("models", UNKNOWN_MODEL, overview.models)
    tell_unknown("intervals", UNKNOWN_INTERVALS, WAYS)
    tell_unknown("missing", UNKNOWN_GAPS, GAPS)
    language = _chosen_language(overview.languages)
    models = _chosen_models(overview.models)
    way, of_way = box_in_address("intervals", WAYS, USUAL_WAY)
    gap, of_gap = box_in_address("missing", GAPS, USUAL_GAP)
    changed = (way != USUAL_WAY) + (gap != USUAL_GAP)
    label = say(OTHERS_CHANGED, changed=changed) if changed else say(OTHERS)
    with st.popover(label, key="rare-choices"):
        st.selectbox(say("95 % intervals"), list(WAYS), format_func=say, **of_way)
        st.html(said(told_of_intervals(WAYS[way])))
        st.selectbox(say("Alpha uses"), list(GAPS), format_func=say, **of_gap)
        st.html(said(say(GAPS_TOLD)))
    return Selection(language, models, WAYS[way], GAPS[gap])


def told_of_intervals(drawn: Drawn) -> str:
    """How most intervals are made."""
    return say(TOLD[drawn], fewest=FEWEST_CLUSTERS, models=FEWEST_MODELS, experts=FEWEST_EXPERTS, items=FEWEST_ITEMS)


@dataclass(frozen=True)
class Focus:
    """What the reader looks at, in whatever view."""

    judge: str | None
    """None where no judge has scored anything."""
    metric: str
    """`overall` where it is no single one."""


def say_no_judge(ratings: Ratings) -> None:
    """What is missing where no judge has scored anything, and where a judge is found."""
    if not ratings.stored:
        st.html(said(say("These ratings include no judge.")))
        return
    st.html(said(say("No judge has scored anything yet. Open a story in Playback and have a judge score it.")))
    st.page_link("playback/page.py", label=say("Playback"), icon=":material/menu_book:")


def chosen_focus(figures: Figures, *, of_judge: bool, of_metric: bool) -> Focus:
    """The judge and the metric that charts and single tables are of, as far as a view is of one; they stay when the
    view changes."""
    report = figures.report
    metrics = [*(metric for metric in report.design.metrics if metric != OVERALL), OVERALL]
    tell_unknown("judge", UNKNOWN_JUDGE, report.design.judges)
    tell_unknown("metric", UNKNOWN_METRIC, metrics)
    judge = None
    if judges := report.design.judges:
        judge, of_box = box_in_address("judge", judges, judges[0])
        if of_judge:
            st.selectbox(
                say("Judge"),
                judges,
                format_func=lambda judge: translate(report.design.called(judge)),
                width=280,
                help=say(JUDGE_VERSIONS),
                **of_box,
            )
    metric, keeping = box_in_address("metric", metrics, OVERALL)
    if of_metric:
        st.selectbox(say("Metric"), metrics, format_func=metric_label, width=200, **keeping)
    return Focus(judge, metric)


def single_metric(report: Report, focus: Focus) -> str:
    """The metric in focus, or the first one where that is overall and nobody rated it."""
    return focus.metric if focus.metric in report.design.metrics else report.design.metrics[0]


def tell_unknown(key: str, message: str, known: Iterable[str], *more: str) -> None:
    """Say what the address asks for in vain: it is taken out of the address, and what is usual is chosen."""
    there = {*known, *more}
    for wanted in filter(None, st.query_params.get_all(key)):
        if wanted not in there:
            st.html(fault(say(message, wanted=cited(wanted))))


def _chosen_language(languages: tuple[str, ...]) -> str | None:
    if len(languages) < 2:
        return None
    names = {ALL: None, **{_in_english(language): language for language in languages}}

    def called(name: str) -> str:
        language = names[name]
        return say(ALL) if language is None else language_name(language)

    chosen, keeping = box_in_address("language", names, ALL)
    st.selectbox(say("Scene language"), list(names), format_func=called, width=180, **keeping)
    return names[chosen]


def _in_english(language: str) -> str:
    """What a language is called in the address."""
    return LANGUAGES.get(language, language)


def _chosen_models(models: tuple[str, ...]) -> tuple[str, ...]:
    """Those that are chosen, in their own order; none of them where it is all."""
    if len(models) < 2:
        return ()
    all_of_them = say("All {n} models", n=len(models))
    chosen = pick_some(say("Models"), models, key="models", bind="query-params", placeholder=all_of_them, width=320)
    return () if len(chosen) == len(models) else tuple(model for model in models if model in chosen)
