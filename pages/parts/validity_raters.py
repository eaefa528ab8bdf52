"""The experts themselves: whether they agree on a metric, and whether the metrics of a dimension go together."""

import streamlit as st

from annotations.agreement import CHANCE
from annotations.reliability import ACROSS_METRICS
from annotations.undefined import Undefined
from characterbox.components.figures.charts import show_chart
from characterbox.components.figures.heat_map import inter_metric_map
from characterbox.components.figures.in_depth import Raters, Side, raters_of, side_of
from characterbox.components.figures.prose import listed, said
from characterbox.components.figures.rater_tables import agreement_table, consistency_table, part_table, rater_table
from characterbox.components.figures.reckoning import Figures
from characterbox.components.figures.selection import Selection
from characterbox.components.figures.source import Ratings
from characterbox.components.figures.theme import shown_tokens
from characterbox.components.figures.words import metric_name
from pages.parts.validity_choice import Focus, single_metric

EXPERTS = "Experts"
DRAWN = (
    "Draws take the experts as they are; where items are taken as independent, the intervals of the ICC take the"
    " experts as drawn, too."
)
ONE_BY_ONE = (
    "Severity: the expert's scores minus the mean of the others' for the same, in points; negative is stricter. Spread:"
    " the standard deviation of the scores; below 1 of the others', less of the scale is used. r: with the mean of the"
    " others. Intervals take items, not scores, as independent. In an incomplete design all of it is relative to those"
    " whom the expert happened to meet."
)


def show_raters(ratings: Ratings, selection: Selection, focus: Focus) -> None:
    """Agreement between the experts, each of them, and consistency of the metrics of experts and judges."""
    found = ratings.in_depth("Comparing the raters", raters_of, selection)
    if found.caveats:
        with st.expander(f"What limits these figures ({len(found.caveats)})"):
            st.html(listed([caveat.sentence for caveat in found.caveats]))
    shown = ratings.figures(selection)
    st.subheader("Do the experts agree?")
    st.html(
        said(
            "ICC(A,1) is what one expert's score is worth, ICC(A,k) what the mean of all is worth, both over the items"
            " that every expert scored; Krippendorff's alpha (ordinal) takes every item with two scores, and is the one"
            " to read where different experts had different items."
            f" {DRAWN} {CHANCE[:1].upper()}{CHANCE[1:]}."
        )
    )
    st.html(agreement_table(found.between))
    _show_each(found)
    st.subheader("Do the metrics of a dimension go together?")
    st.html(
        said(
            f"Cronbach's alpha, {ACROSS_METRICS}. Feldt's interval, which alpha without a metric has too, takes the"
            " rows as independent; the other is made as chosen above. Of two metrics none can be dropped: they have the"
            " Spearman-Brown coefficient."
        )
    )
    st.html(consistency_table(found.together, shown.improvised_judges))
    _show_side(ratings, selection, shown, single_metric(shown.report, focus))


def _show_each(found: Raters) -> None:
    st.subheader("Each expert")
    if isinstance(found.each, Undefined):
        st.html(said(f"There is nothing to compare: {found.each.reason}."))
        return
    st.html(said(ONE_BY_ONE))
    st.html(rater_table(found.each, found.repeats))


def _show_side(ratings: Ratings, selection: Selection, shown: Figures, metric: str) -> None:
    """The experts, or one judge, by language and model."""
    design = shown.report.design
    sides = {EXPERTS: None, **{f"Judge {judge}": judge for judge in design.judges}}
    st.subheader("By language and model")
    side = sides[st.selectbox("Scores of", list(sides), key="side", bind="query-params", width=240)]
    found = ratings.in_depth("Looking at languages and models", side_of, selection, side, metric)
    judged = side in shown.improvised_judges
    st.html(said(_about(side, metric)))
    st.html(part_table(found.by_part, list(design.dimensions), improvised=judged))
    _show_correlations(found, side or "the experts", selection, improvised=judged or shown.improvised_items)


def _about(side: str | None, metric: str) -> str:
    if side is not None:
        return "Cronbach's alpha of each dimension. One judge has nobody to agree with."
    return f"Cronbach's alpha of each dimension, and agreement between the experts on {metric_name(metric)}."


def _show_correlations(found: Side, whose: str, selection: Selection, *, improvised: bool) -> None:
    st.subheader("Correlations between metrics")
    if isinstance(found.correlations, Undefined):
        st.html(said(f"There is nothing to draw: {found.correlations.reason}."))
        return
    alt = f"Pearson's r between each two metrics in the scores of {whose}"
    figure = inter_metric_map(found.correlations, shown_tokens(), improvised=improvised)
    show_chart(figure, alt, ("between-metrics", whose), selection)
    st.html(said(f"{alt}: n = {found.correlations.n:,} rows with a score for every metric."))
