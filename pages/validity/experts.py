"""The experts themselves: whether they agree, and what the next study would need."""

import streamlit as st

from annotations.design.planning import EXPERTS_TO_FIND, WISHED
from annotations.errors import Undefined, UndefinedStatistic, or_undefined
from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, translate
from annotations.marking.rating import judge_called
from annotations.reliability.agreement import CHANCE
from annotations.reliability.cronbach_alpha import ACROSS_METRICS
from annotations.reliability.variance_components import VarianceComponents
from characterbox.components.figures.background.compute import Figures
from characterbox.components.figures.background.judge_details import Plan, Raters, Side, plan_of, raters_of, side_of
from characterbox.components.figures.background.selection import Selection
from characterbox.components.figures.background.source import Ratings
from characterbox.components.figures.charts.decision_study import design_curves, present_design
from characterbox.components.figures.charts.heat_map import inter_metric_map
from characterbox.components.figures.charts.judges import show_chart
from characterbox.components.figures.charts.theme import shown_tokens
from characterbox.components.figures.tables.captions import nothing_to_draw, said
from characterbox.components.figures.tables.html import data, html_of
from characterbox.components.figures.tables.judges import components_table, design_table
from characterbox.components.figures.tables.raters import agreement_table, consistency_table, part_table, rater_table
from characterbox.components.figures.tables.text import capital, in_a_row, metric_name
from characterbox.components.url_state import box_in_address
from pages.shared.folded import show_cautions, show_how
from pages.validity.choice import Focus, single_metric, tell_unknown

EXPERTS = to_say("Experts")
AGREEMENT = to_say(
    "ICC(A,1) is the reliability of a single expert's score, ICC(A,k) that of the mean of all experts; both use"
    " the items that every expert scored. Krippendorff's alpha (ordinal) uses every item with at least two"
    " scores; prefer it if experts scored different items."
)
CONSISTENCY = to_say(
    "Cronbach's alpha, {definition}. Feldt's interval assumes independent rows; it is also used for alpha with a"
    " metric dropped. The other interval is the one selected above. With two metrics, none can be dropped; the"
    " Spearman-Brown coefficient is given instead."
)
DRAWN = to_say(
    "Intervals treat the experts as fixed, unless experts are resampled; if items are assumed independent, ICC"
    " intervals treat the experts as random."
)
ONE_BY_ONE = to_say(
    "Severity: the expert's scores minus the mean of the other experts' scores of the same metrics and items,"
    " in points; negative means stricter. Spread: the standard deviation of the scores; a ratio below 1 to the"
    " others means that the expert uses less of the scale. r: with the mean of the other experts. Intervals"
    " treat scenes, not scores, as the random sample. In an incomplete design, all of this is relative to the"
    " experts who rated the same items."
)


def show_raters(ratings: Ratings, selection: Selection, focus: Focus) -> None:
    """Agreement between the experts, each of them, and consistency of the metrics of experts and judges."""
    found = ratings.in_depth(say("Comparing the raters"), raters_of, selection)
    show_cautions([caveat.sentence for caveat in found.caveats])
    shown = ratings.figures(selection)
    st.subheader(say("Do the experts agree?"))
    st.html(html_of(agreement_table(found.between)))
    show_how([say(AGREEMENT), say(DRAWN), say("{sentence}.", sentence=capital(say(CHANCE)))])
    _show_each(found)
    st.subheader(say("Are the metrics of a dimension consistent?"))
    st.html(html_of(consistency_table(found.together, shown.improvised_judges)))
    show_how([say(CONSISTENCY, definition=say(ACROSS_METRICS))])
    _show_side(ratings, selection, shown, single_metric(shown.report, focus))


def _show_each(found: Raters) -> None:
    st.subheader(say("Each expert"))
    if isinstance(found.each, Undefined):
        st.html(said(say("Nothing to compare: {reason}.", reason=found.each.reason)))
        return
    st.html(html_of(rater_table(found.each, found.repeats)))
    show_how([say(ONE_BY_ONE)])


def _show_side(ratings: Ratings, selection: Selection, shown: Figures, metric: str) -> None:
    """The experts, or one judge, by language and model."""
    design = shown.report.design
    sides = {EXPERTS: None, **{f"Judge {judge}": judge for judge in design.judges}}
    st.subheader(say("By language and model"))

    def called(name: str) -> str:
        judge = sides[name]
        if judge is None:
            return say(EXPERTS)
        return (
            translate(judge_called(judge, True))
            if judge in shown.improvised_judges
            else say("Judge {judge}", judge=judge)
        )

    chosen, keeping = box_in_address("side", sides, EXPERTS)
    st.selectbox(say("Scores by"), list(sides), format_func=called, width=240, **keeping)
    side = sides[chosen]
    found = ratings.in_depth(say("Computing by language and model"), side_of, selection, side, metric)
    judged = side in shown.improvised_judges
    st.html(said(_about(side, metric)))
    st.html(html_of(part_table(found.by_part, list(design.dimensions), improvised=judged)))
    _show_correlations(found, side, shown, judged=judged)


def _about(side: str | None, metric: str) -> str:
    if side is not None:
        return say("Cronbach's alpha of each dimension. Agreement between raters does not apply to a single judge.")
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
        alt = say("Pearson's r between each pair of metrics in the experts' scores")
    else:
        whose = judge_called(side, judged)
        alt = say("Pearson's r between each pair of metrics in the scores of {judge}", judge=whose)
    figure = inter_metric_map(found.correlations, shown_tokens(), improvised=judged or shown.improvised_items)
    show_chart(figure, alt, ("between-metrics", side or "the experts"), shown.selection)
    rows = say("{what}: n = {n:,} rows with a score on every metric.", what=alt, n=found.correlations.n)
    st.html(said(rows))


USUAL = 0.8
UNKNOWN = to_say("The link asks for a reliability of {wanted}, which is not available here.")


def show_plan(ratings: Ratings, selection: Selection, focus: Focus) -> None:
    """Variance components, and how many experts and scenes a reliable ranking of the models takes."""
    st.subheader(say("How many experts and scenes?"))
    tell_unknown("wished", UNKNOWN, map(str, WISHED))
    wished = st.segmented_control(
        say("Target reliability"), WISHED, default=USUAL, required=True, key="wished", bind="query-params"
    )
    aim = float(wished or USUAL)
    found = ratings.in_depth(say("Searching for designs"), plan_of, selection, aim)
    st.html(
        said(
            say(
                "The smallest number of scenes with which mean scores rank the models with a generalizability"
                " of {aim:g} or more, if every expert scores every model in every scene (generalizability"
                " theory; Brennan, 2001).",
                aim=aim,
            )
        )
    )
    st.html(html_of(design_table(found.designs, EXPERTS_TO_FIND)))
    st.subheader(say("Sources of variance in scores"))
    st.html(said(say("Variance components of a single score, as shares of their sum.")))
    st.html(html_of(components_table(found.components)))
    shown = ratings.figures(selection)
    _show_curves(found, single_metric(shown.report, focus), aim, shown)


def _show_curves(found: Plan, metric: str, wished: float, shown: Figures) -> None:
    title = say("Reliability of the model ranking: {metric}", metric=metric_name(metric))
    st.html(f'<h3 class="cb-title">{data(title)}</h3>')
    components = found.components[metric]
    if isinstance(components, Undefined):
        st.html(nothing_to_draw(components.reason))
        return
    now = or_undefined(present_design, components)
    experts = EXPERTS_TO_FIND if isinstance(now, Undefined) else sorted({*EXPERTS_TO_FIND, now[0]})
    try:
        figure = design_curves(components, wished, experts, shown_tokens(), improvised=shown.improvised_items)
    except UndefinedStatistic as undefined:
        st.html(nothing_to_draw(undefined.message))
        return
    alt = say("Generalizability by number of scenes and experts, {metric}", metric=metric_name(metric))
    show_chart(figure, alt, ("design-study", metric), shown.selection)
    st.html(said(_rests_on(components, now)))


def _rests_on(components: VarianceComponents, now: tuple[int, int] | Undefined) -> str:
    """What the curves are drawn from, and why the present design is not marked where it is not."""
    unmarked = (
        say("The current design is not marked: {reason}.", reason=now.reason) if isinstance(now, Undefined) else ""
    )
    rests = say(
        "Based on n = {n:,} ratings of {models:,} models in {scenes:,} scenes by {experts:,} experts. The curves"
        " are predicted from estimated variance components and are as uncertain as those estimates.",
        n=components.n,
        models=components.models,
        scenes=components.scenes,
        experts=components.raters,
    )
    return in_a_row(rests, unmarked)
