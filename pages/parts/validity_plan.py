"""Planning the next study from what the experts' scores vary by now."""

import streamlit as st

from annotations.components import VarianceComponents
from annotations.errors import UndefinedStatistic
from annotations.planning import EXPERTS_TO_FIND, WISHED
from annotations.undefined import Undefined, or_undefined
from annotations.wording import say, to_say
from characterbox.components.figures.charts import show_chart
from characterbox.components.figures.design_curves import design_curves, present_design
from characterbox.components.figures.html_table import data, html_of
from characterbox.components.figures.in_depth import Plan, plan_of
from characterbox.components.figures.judge_tables import components_table, design_table
from characterbox.components.figures.prose import nothing_to_draw, said
from characterbox.components.figures.reckoning import Figures
from characterbox.components.figures.selection import Selection
from characterbox.components.figures.source import Ratings
from characterbox.components.figures.theme import shown_tokens
from characterbox.components.figures.words import in_a_row, metric_name
from pages.parts.validity_choice import Focus, single_metric, tell_unknown

USUAL = 0.8
UNKNOWN = to_say("The address asks for a reliability of {wanted}, which is none of the choices here.")


def show_plan(ratings: Ratings, selection: Selection, focus: Focus) -> None:
    """Variance components, and how many experts and scenes a reliable ranking of the models takes."""
    st.subheader(say("How many experts and scenes?"))
    tell_unknown("wished", UNKNOWN, map(str, WISHED))
    wished = st.segmented_control(
        say("Reliability that is wished"), WISHED, default=USUAL, required=True, key="wished", bind="query-params"
    )
    aim = float(wished or USUAL)
    found = ratings.in_depth(say("Looking for designs"), plan_of, selection, aim)
    st.html(
        said(
            say(
                "The least number of scenes whose mean scores rank the models with a generalizability of {aim:g} or"
                " more, if every expert scores every model in every scene (generalizability theory; Brennan, 2001).",
                aim=aim,
            )
        )
    )
    st.html(html_of(design_table(found.designs, EXPERTS_TO_FIND)))
    st.subheader(say("What do scores vary by?"))
    st.html(said(say("Parts of the variance of a single score, in shares of their sum.")))
    st.html(html_of(components_table(found.components)))
    shown = ratings.figures(selection)
    _show_curves(found, single_metric(shown.report, focus), aim, shown)


def _show_curves(found: Plan, metric: str, wished: float, shown: Figures) -> None:
    title = say("Reliability of a ranking of the models: {metric}", metric=metric_name(metric))
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
        st.html(nothing_to_draw(str(undefined)))
        return
    alt = say("Generalizability by number of scenes and experts, {metric}", metric=metric_name(metric))
    show_chart(figure, alt, ("design-study", metric), shown.selection)
    st.html(said(_rests_on(components, now)))


def _rests_on(components: VarianceComponents, now: tuple[int, int] | Undefined) -> str:
    """What the curves are drawn from, and why the present design is not marked where it is not."""
    unmarked = (
        say("The present design is not marked: {reason}.", reason=now.reason) if isinstance(now, Undefined) else ""
    )
    rests = say(
        "From n = {n:,} ratings of {models:,} models in {scenes:,} scenes by {experts:,} experts. The curves are"
        " foreseen from estimated components, and are as uncertain as these.",
        n=components.n,
        models=components.models,
        scenes=components.scenes,
        experts=components.raters,
    )
    return in_a_row(rests, unmarked)
