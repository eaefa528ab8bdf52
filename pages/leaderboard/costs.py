"""Costs: what a scene costs by who narrates and who plays, what a judge costs, and an expert's hour against it."""

from collections.abc import Callable, Iterator
from functools import partial

import streamlit as st

from annotations.i18n.messages import cited, to_say
from annotations.i18n.translation import say, say_count
from characterbox.campaigns.pace import ExpertPace, expert_pace
from characterbox.components.figures.files import costs as cost_files
from characterbox.components.figures.tables import costs as cost_tables
from characterbox.components.figures.tables import text as cost_words
from characterbox.components.figures.tables.captions import fault, listed, said
from characterbox.components.figures.tables.html import html_of
from characterbox.components.figures.tables.text import file_name, language_name
from characterbox.judging.cost_table import CostTable, Reason, cost_table
from characterbox.judging.provenance import NOT_A_RESULT
from characterbox.store import Store
from pages.validity.links import download

STYLE = """<style>
.cb-costs thead th[scope="colgroup"]:not(:empty) { border-bottom: 1px solid currentColor;
  border-color: color-mix(in srgb, currentColor 20%, transparent); }
.cb-costs thead .cb-columns > * { border-bottom: 0; padding-bottom: 0; }
.cb-costs small { display: block; font-size: .8125rem; }
</style>"""
REASONS: dict[Reason, str] = {
    "not ended": to_say("{count:,} not ended yet"),
    "partly reused": to_say("{count:,} with replies reused from another story"),
    "partly by people": to_say("{count:,} with replies written by people"),
    "nothing asked": to_say("{count:,} without any model calls"),
}
MEANS = to_say(
    "Means over stories ± standard deviation. Input tokens are those of prompts, output tokens those of"
    " replies; $ is US dollars at the prices known when the replies were received. Rounds are those actually"
    " played."
)
WAGE = to_say("Expert's hourly wage (US dollars)")
MINUTES = to_say("Expert's minutes per trajectory")
MOST = 1_000_000.0


def show_costs(store: Store, sweep: str | None, language: str | None) -> None:
    """What the stories of a sweep, or of all, and in one language, or in any, have cost, and their judges."""
    st.html(STYLE)
    table = _table(store, sweep, language)
    if not table.stories:
        st.html(said(say("There are no stories yet. Play a scene to see its cost here.")))
        st.page_link("stage/page.py", label=say("Start story"), icon=":material/play_circle:")
    st.subheader(say("Cost per scene"), anchor=False)
    st.html(said(say(MEANS)) + listed([*_left_out(table), say(cost_words.SECONDS)]))
    st.html(html_of(cost_tables.pairs_table(table)))
    if not table.stories:  # the published rows stand there alone
        return
    st.subheader(say("Judge costs"), anchor=False)
    if table.judges:
        st.html(html_of(cost_tables.judges_table(table.judges)))
        _hour(store, table)
    else:
        st.html(said(say("No judge has judged any of these stories.")))
    st.subheader(say("Total costs"), anchor=False)
    st.html(html_of(cost_tables.sums_table(table)))
    _files(store, table, sweep, language)


def _table(store: Store, sweep: str | None, language: str | None) -> CostTable:
    """The table; where many journals have to be read for the first time, it is seen how far that is."""
    place = st.empty()

    def on_progress(done: int, all_of_them: int) -> None:
        if all_of_them > 1000:  # fewer are read before anybody could read this
            told = say("Reading story records: {done:,} of {all:,} stories", done=done, all=all_of_them)
            place.progress(done / all_of_them, told)

    table = cost_table(store, sweep, language, on_progress)
    place.empty()
    return table


def _left_out(table: CostTable) -> Iterator[str]:
    told = [say(REASONS[reason], count=count) for reason, count in table.left_out.items()]
    if told:
        what = say(", ").join(told)
        yield say("Left out of the means ({stories:,} stories in all): {what}.", stories=table.stories, what=what)


def _hour(store: Store, table: CostTable) -> None:
    """A judge against an expert; of the expert nothing is made up."""
    st.subheader(say("Judges compared with an expert"), anchor=False)
    measured = expert_pace(store)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        wage = _number("wage", WAGE, 0.0)
        minutes = measured.pace.median / 60 if measured else _number("minutes", MINUTES, 0.01)
    st.html(said(_pace_told(measured, minutes, wage)))
    st.html(html_of(cost_tables.hour_table(table.judges, minutes or None, wage)))


def _number(key: str, label: str, least: float) -> float | None:
    """A number that the reader enters, which is in the address; none as long as it is not given."""
    asked = st.query_params.get(key)
    given: float | None = st.number_input(
        say(label), least, MOST, value=None, format="%.2f", key=key, bind="query-params", width=300
    )
    if asked is not None and given is None:
        told = say("The link asks for {asked}, which is not a valid number here.", asked=cited(asked))
        st.html(fault(told))
    return given


def _pace_told(measured: ExpertPace | None, minutes: float | None, wage: float | None) -> str:
    if measured is None:
        told = say("No rating in this app has a recorded time yet, so your number of minutes is used.")
    else:
        pace = measured.pace
        told = say_count(
            "The expert's time is the median reading time of {count:,} submitted rating in this app, quartiles"
            " [{low}, {high}].",
            "The expert's time is the median reading time of {count:,} submitted ratings in this app, quartiles"
            " [{low}, {high}].",
            pace.n,
            low=cost_words.seconds(pace.low),
            high=cost_words.seconds(pace.high),
        )
        if measured.improvised:
            told += " " + say(
                "{n:,} of them rate stories that are {mark}.", n=measured.improvised, mark=say(NOT_A_RESULT)
            )
    if wage is None or minutes is None:
        told += " " + say("Enter the missing numbers to compare the expert's cost with the judges'.")
    return told


def _files(store: Store, table: CostTable, sweep: str | None, language: str | None) -> None:
    st.subheader(say("Download"), anchor=False)
    of = [part for part in (sweep, language and language_name(language)) if part]
    calls = partial(store.spending.calls, sweep, language)
    files: tuple[tuple[str, str, str, Callable[[], bytes]], ...] = (
        (say("All costs (CSV)"), "costs", "csv", lambda: cost_files.costs_csv(table).encode("utf-8-sig")),
        (say("Cost tables (LaTeX)"), "costs", "tex", lambda: cost_tables.costs_latex(table).encode()),
        (say("All costs (JSON)"), "costs", "json", lambda: cost_files.costs_json(table).encode()),
        (say("All calls (CSV)"), "calls", "csv", lambda: "".join(cost_files.calls_csv(calls())).encode("utf-8-sig")),
    )
    with st.container(horizontal=True):
        for label, name, ending, content in files:
            download(label, content, f"{file_name(name, *of)}.{ending}", f"{name}-{ending}")
