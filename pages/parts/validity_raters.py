"""The experts themselves: whether they agree on a metric, and whether the metrics of a dimension go together."""

import streamlit as st

from annotations.agreement import CHANCE
from annotations.improvised import judge_called
from annotations.reliability import ACROSS_METRICS
from annotations.undefined import Undefined
from annotations.wording import say, to_say
from characterbox.components.address import box_in_address
from characterbox.components.figures.charts import show_chart
from characterbox.components.figures.heat_map import inter_metric_map
from characterbox.components.figures.html_table import html_of
from characterbox.components.figures.in_depth import Raters, Side, raters_of, side_of
from characterbox.components.figures.prose import listed, nothing_to_draw, said
from characterbox.components.figures.rater_tables import agreement_table, consistency_table, part_table, rater_table
from characterbox.components.figures.reckoning import Figures
from characterbox.components.figures.selection import Selection
from characterbox.components.figures.source import Ratings
from characterbox.components.figures.theme import shown_tokens
from characterbox.components.figures.words import capital, in_a_row, metric_name
from pages.parts.validity_choice import Focus, single_metric

EXPERTS = to_say("Experts")
DRAWN = to_say(
    "Draws take the experts as they are; where items are taken as independent, the intervals of the ICC take the"
    " experts as drawn, too."
)
ONE_BY_ONE = to_say(
    "Severity: the expert's scores minus the mean of the others' for the same, in points; negative is stricter. Spread:"
    " the standard deviation of the scores; below 1 of the others', less of the scale is used. r: with the mean of the"
    " others. Intervals take items, not scores, as independent. In an incomplete design all of it is relative to those"
    " whom the expert happened to meet."
)


def show_raters(ratings: Ratings, selection: Selection, focus: Focus) -> None:
    """Agreement between the experts, each of them, and consistency of the metrics of experts and judges."""
    found = ratings.in_depth(say("Comparing the raters"), raters_of, selection)
    if found.caveats:
        with st.expander(say("What limits these figures ({n})", n=len(found.caveats))):
            st.html(listed([caveat.sentence for caveat in found.caveats]))
    shown = ratings.figures(selection)
    st.subheader(say("Do the experts agree?"))
    st.html(
        said(
            in_a_row(
                say(
                    "ICC(A,1) is what one expert's score is worth, ICC(A,k) what the mean of all is worth, both over"
                    " the items that every expert scored; Krippendorff's alpha (ordinal) takes every item with two"
                    " scores, and is the one to read where different experts had different items."
                ),
                say(DRAWN),
                say("{sentence}.", sentence=capital(say(CHANCE))),
            )
        )
    )
    st.html(html_of(agreement_table(found.between)))
    _show_each(found)
    st.subheader(say("Do the metrics of a dimension go together?"))
    st.html(
        said(
            say(
                "Cronbach's alpha, {definition}. Feldt's interval, which alpha without a metric has too, takes the rows"
                " as independent; the other is made as chosen above. Of two metrics none can be dropped: they have the"
                " Spearman-Brown coefficient.",
                definition=say(ACROSS_METRICS),
            )
        )
    )
    st.html(html_of(consistency_table(found.together, shown.improvised_judges)))
    _show_side(ratings, selection, shown, single_metric(shown.report, focus))


def _show_each(found: Raters) -> None:
    st.subheader(say("Each expert"))
    if isinstance(found.each, Undefined):
        st.html(said(say("There is nothing to compare: {reason}.", reason=found.each.reason)))
        return
    st.html(said(say(ONE_BY_ONE)))
    st.html(html_of(rater_table(found.each, found.repeats)))


def _show_side(ratings: Ratings, selection: Selection, shown: Figures, metric: str) -> None:
    """The experts, or one judge, by language and model."""
    design = shown.report.design
    sides = {EXPERTS: None, **{f"Judge {judge}": judge for judge in design.judges}}
    st.subheader(say("By language and model"))

    def called(name: str) -> str:
        judge = sides[name]
        if judge is None:
            return say(EXPERTS)
        return judge_called(judge, True) if judge in shown.improvised_judges else say("Judge {judge}", judge=judge)

    chosen, keeping = box_in_address("side", sides, EXPERTS)
    st.selectbox(say("Scores of"), list(sides), format_func=called, width=240, **keeping)
    side = sides[chosen]
    found = ratings.in_depth(say("Looking at languages and models"), side_of, selection, side, metric)
    judged = side in shown.improvised_judges
    st.html(said(_about(side, metric)))
    st.html(html_of(part_table(found.by_part, list(design.dimensions), improvised=judged)))
    _show_correlations(found, side, shown, judged=judged)


def _about(side: str | None, metric: str) -> str:
    if side is not None:
        return say("Cronbach's alpha of each dimension. One judge has nobody to agree with.")
    return say(
        "Cronbach's alpha of each dimension, and agreement between the experts on {metric}.",
        metric=metric_name(metric),
    )


def _show_correlations(found: Side, side: str | None, shown: Figures, *, judged: bool) -> None:
    st.subheader(say("Correlations between metrics"))
    if isinstance(found.correlations, Undefined):
        st.html(nothing_to_draw(found.correlations.reason))
        return
    if side is None:
        alt = say("Pearson's r between each two metrics in the scores of the experts")
    else:
        whose = judge_called(side, judged)
        alt = say("Pearson's r between each two metrics in the scores of {judge}", judge=whose)
    figure = inter_metric_map(found.correlations, shown_tokens(), improvised=judged or shown.improvised_items)
    show_chart(figure, alt, ("between-metrics", side or "the experts"), shown.selection)
    rows = say("{what}: n = {n:,} rows with a score for every metric.", what=alt, n=found.correlations.n)
    st.html(said(rows))
