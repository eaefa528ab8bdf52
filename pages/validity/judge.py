"""One judge beside the experts, and judges beside each other."""

import streamlit as st

from annotations.design.planning import CorrelationPrecision
from annotations.errors import Undefined
from annotations.i18n.messages import Message, Readable, all_of, joined, to_say
from annotations.i18n.translation import say, translate
from annotations.leaderboard.prediction_powered import CorrectedMean
from annotations.report.judge_report import JudgeReport
from annotations.resampling.estimates import Estimate
from annotations.validity.alternative_annotator import AlternativeAnnotator
from annotations.validity.baselines import NAMES, WITHOUT_LENGTH
from annotations.validity.baselines import TOLD as BASELINES
from annotations.validity.ceiling import CEILING, DISATTENUATED, RELIABILITY, SINGLE_EXPERT
from annotations.validity.compare_judges import DIFFERENCE, P_OF_DIFFERENCE
from annotations.validity.concordance import BIAS, LIMITS, LIN, MAE, SPEARMAN
from annotations.validity.halo import Halo
from annotations.validity.holm import HOLM, P_OF_R
from annotations.validity.levels import (
    ITEMS,
    MODEL_MEAN_OVERALL,
    MODELS,
    POOLED_OVERALL,
    ROW_MEAN_OVERALL,
    WITHIN_SCENES,
)
from characterbox.components.figures.background.compute import Figures
from characterbox.components.figures.background.judge_details import MOST_JUDGES, judge_of, judges_of
from characterbox.components.figures.background.selection import Selection
from characterbox.components.figures.background.source import Ratings
from characterbox.components.figures.charts.heat_map import multitrait_multimethod_map
from characterbox.components.figures.charts.judges import (
    show_bland_altman,
    show_chart,
    show_forest,
    show_origin,
    show_scatter,
)
from characterbox.components.figures.charts.theme import shown_tokens
from characterbox.components.figures.tables.captions import listed, said
from characterbox.components.figures.tables.html import data, html_of
from characterbox.components.figures.tables.judges import (
    ceiling_table,
    comparison_table,
    concordance_table,
    leaderboard_table,
    level_table,
    overall_table,
    parts_table,
)
from characterbox.components.figures.tables.text import decimal, in_a_row, interval, metric_name, overall_in_words
from pages.shared.folded import show_cautions, show_how
from pages.validity.choice import Focus, say_no_judge
from pages.validity.links import opener

MORE = 2
"""How many times the scenes of now the precision of r is told for."""

CORRECTED = to_say(
    "Overall: prediction-powered means (Angelopoulos et al., 2023), that is, the judge's scores of items that"
    " no expert scored, corrected by the judge's error on items that both scored. Valid if the experts' items"
    " are a random sample of the model's. 95 % intervals use scenes as clusters."
)
ALONE = to_say("The judge's own means have no interval, because their bias is unknown.")
PARTS = to_say(
    "If both sides score one language or one model higher, r over all items is high even if the judge does not"
    " distinguish items within languages or models. Within languages, each side's language mean is subtracted."
)
SELECTED = to_say(
    "The judge's mean on items that experts scored, minus its mean on other items of the same models:"
    " {difference} {interval}, n = {n:,}. If it is not 0, the corrected means may be biased; a value near 0"
    " does not prove that they are unbiased."
)
TESTED = to_say(
    "Alternative annotator test (Calderon et al., 2025), overall: the hypothesis that {judge} is worse than the"
    " expert by {epsilon:g} or more is rejected for {won} of {experts} experts (at least n = {n:,} items per"
    " expert; scenes treated as random; {tests} p values, Benjamini-Yekutieli-adjusted). On {share:.0%} of"
    " items, the judge is at least as close to the other experts as an expert is."
)
STANDS_IN = to_say(
    "So it may replace one of the experts where only closeness to their scores matters. This does not mean that"
    " it orders the items as they do: see r."
)
LIKE_BASELINES = to_say(
    "It passes, but so would {baselines}, which do not look at the items: the test cannot distinguish this"
    " judge from them and allows no conclusion."
)
STANDS_NOT_IN = to_say("There is no evidence that it may replace one of the experts.")
FAILS = to_say(
    "Of the baselines, which do not look at the items, these would pass: {baselines}. The test is"
    " easy to pass with these ratings."
)
NONE_PASSES = to_say("None of the baselines would pass.")


def show_judge(ratings: Ratings, selection: Selection, focus: Focus) -> None:
    """All of the judge in focus."""
    shown = ratings.figures(selection)
    judge = focus.judge
    if judge is None:
        say_no_judge(ratings)
        return
    found = ratings.in_depth(say("Comparing the judge with the experts"), judge_of, selection, judge)
    show_cautions([caveat.sentence for caveat in found.caveats])
    show_origin(shown, judge)
    points, opens = ratings.points(selection, judge, focus.metric), opener(ratings)
    left, right = st.columns(2, gap="large")
    with left:
        show_forest(shown, judge)
    with right:
        show_scatter(points, shown, (judge, focus.metric), opens)
    improvised = judge in shown.improvised_judges
    st.subheader(say("At which level does the judge agree?"))
    st.html(html_of(level_table(found, improvised=improvised)))
    told = (ITEMS, WITHIN_SCENES, MODELS, P_OF_R, HOLM, BASELINES)
    show_how([*map(say, told), *([] if "length" in found.baselines else [say(WITHOUT_LENGTH)])])
    if found.overall is not None:
        st.html(html_of(overall_table(found.overall, improvised=improvised)))
        show_how(list(map(say, (POOLED_OVERALL, ROW_MEAN_OVERALL, MODEL_MEAN_OVERALL))))
    st.subheader(say("Does the judge agree in each language and on each model?"))
    st.html(html_of(parts_table(found, focus.metric, improvised=improvised)))
    show_how([say(PARTS)])
    st.subheader(say("Does the judge give the same scores?"))
    st.html(html_of(concordance_table(found, improvised=improvised)))
    show_how(list(map(say, (SPEARMAN, BIAS, MAE, LIN, LIMITS))))
    differ = say("Judge and experts by item: {metric}", metric=metric_name(focus.metric))
    st.html(f'<h3 class="cb-title">{data(differ)}</h3>')
    show_bland_altman(points, found.by_metric[focus.metric].concordance, judge, opens)
    st.subheader(say("How well could the judge agree with these experts?"))
    st.html(html_of(ceiling_table(found, improvised=improvised)))
    show_how(list(map(say, (RELIABILITY, CEILING, DISATTENUATED, SINGLE_EXPERT))))
    _show_verdicts(found, shown)
    st.subheader(say("Model means, corrected by experts"))
    _show_leaderboard(found, improvised=improvised)


def _show_matrix(found: Halo | Undefined, shown: Figures, *, improvised: bool) -> None:
    if isinstance(found, Undefined):
        return
    matrix = found.matrix
    st.html(
        said(
            say(
                "Pearson's r between the metrics of {judge} and of the experts' mean over n = {n:,} items that both"
                " scored on every metric (multitrait-multimethod matrix; Campbell & Fiske, 1959). Outlined: the same"
                " metric on both sides.",
                judge=matrix.judge,
                n=matrix.n,
            )
        )
    )
    alt = say("Correlations between the metrics of {judge} and of the experts", judge=matrix.judge)
    figure = multitrait_multimethod_map(matrix, shown_tokens(), improvised=improvised)
    show_chart(figure, alt, ("multitrait-multimethod", translate(matrix.judge)), shown.selection)


def _show_verdicts(found: JudgeReport, shown: Figures) -> None:
    st.subheader(say("May the judge replace an expert?"))
    above = {caveat.sentence for caveat in found.caveats}
    told = [
        _alternative(found, shown.report.design.called(found.judge)),
        *_halo(found.halo),
        _precision(found.precision),
    ]
    st.html(listed([sentence for sentence in told if sentence not in above]))
    judged = found.judge in shown.improvised_judges
    _show_matrix(found.halo, shown, improvised=judged or shown.improvised_items)


def _show_leaderboard(found: JudgeReport, *, improvised: bool) -> None:
    if isinstance(found.leaderboard, Undefined):
        st.html(said(say("No means: {reason}.", reason=found.leaderboard.reason)))
        return
    reasons = {means.corrected.reason for means in found.leaderboard.values() if isinstance(means.corrected, Undefined)}
    if any(isinstance(means.corrected, CorrectedMean) for means in found.leaderboard.values()):
        told = say(CORRECTED)
    else:
        told = say("Overall. No mean can be corrected: {reasons}.", reasons=joined(sorted(reasons, key=str)))
    st.html(html_of(leaderboard_table(found.leaderboard, improvised=improvised)))
    show_how([told, say(ALONE), *filter(None, [_selected(found.selective.by_judge)])])


def _selected(found: Estimate | Undefined) -> str:
    if isinstance(found, Undefined):
        return ""
    none = say("(no interval: {reason})", reason=found.interval.reason) if isinstance(found.interval, Undefined) else ""
    limits = none or interval(found.interval)
    return say(SELECTED, difference=f"{found.estimate:+.2f}", interval=limits, n=found.n)


def _alternative(report: JudgeReport, judge: Readable) -> str:
    found = report.alternative
    if isinstance(found, Undefined):
        told = to_say("The alternative annotator test (Calderon et al., 2025) is not possible: {reason}.")
        return say(told, reason=found.reason)
    tested = say(
        TESTED,
        judge=judge,
        epsilon=found.epsilon,
        won=sum(each.rejected for each in found.experts),
        experts=len(found.experts),
        share=found.average_advantage,
        n=min(each.n for each in found.experts),
        tests=found.tests,
    )
    passing = [
        Message(NAMES[name])
        for name, one in report.alternative_of_baselines.items()
        if isinstance(one, AlternativeAnnotator) and one.passes
    ]
    if found.passes and passing:
        return in_a_row(tested, say(LIKE_BASELINES, baselines=all_of(passing)))
    if found.passes:
        return in_a_row(tested, say(STANDS_IN), say(NONE_PASSES) if report.alternative_of_baselines else "")
    return in_a_row(tested, say(STANDS_NOT_IN), say(FAILS, baselines=all_of(passing)) if passing else "")


def _halo(found: Halo | Undefined) -> list[Readable]:
    if isinstance(found, Undefined):
        return [say("Halo cannot be assessed: {reason}.", reason=found.reason)]
    return [found.verdict, found.convergence_verdict]


def _precision(found: CorrelationPrecision | Undefined) -> str:
    if isinstance(found, Undefined):
        return say("The precision of r (overall) cannot be determined: {reason}.", reason=found.reason)
    now, more = found.expected(found.scenes), found.expected(MORE * found.scenes)
    return say(
        "Precision of r (overall), with scenes treated as random: with the current {scenes} scenes, r = {r} has"
        " an interval about {now} wide; with {more} scenes and the same models, the expected width is about"
        " {then}.",
        scenes=found.scenes,
        r=decimal(found.pearson),
        now=_wide(now.width),
        more=MORE * found.scenes,
        then=_wide(more.width),
    )


def _wide(width: float) -> str:
    return decimal(width) if width >= 0.005 else say("less than {width}", width=decimal(0.01))


OF_PAIRS = to_say("p (Holm): adjusted by Holm's method (1979) for the number of pairs")


def show_comparison(ratings: Ratings, selection: Selection, _: Focus) -> None:
    """Every two judges, on overall."""
    shown = ratings.figures(selection)
    judges = shown.report.design.judges
    if len(judges) < 2:
        st.html(said(say("A comparison needs at least two judges.")))
        return
    found = ratings.in_depth(say("Comparing the judges"), judges_of, selection)
    st.subheader(say("Which judge agrees better with the experts?"))
    if len(judges) > MOST_JUDGES:
        told = say("Of {n} judges, the first {most} by name are compared.", n=len(judges), most=MOST_JUDGES)
        st.html(said(told))
    show_cautions([caveat.sentence for both in found.values() for caveat in both.caveats])
    st.html(html_of(comparison_table(found, shown.improvised_judges)))
    on = say("All statistics here are on {overall}.", overall=overall_in_words(shown.report))
    show_how([on, *map(say, (DIFFERENCE, P_OF_DIFFERENCE, OF_PAIRS))])
