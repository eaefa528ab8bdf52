"""Every figure in one list: each with its evidence, or the reason why there is none."""

import re
from collections.abc import Callable
from dataclasses import astuple, replace
from math import isfinite
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.leaderboard.prediction_powered import corrected_leaderboard
from annotations.reliability.agreement import rated_items
from annotations.reliability.intraclass import intraclass
from annotations.reliability.item_analysis import resampled_alpha_between
from annotations.report.all_figures import every_figure, usable_ratings
from annotations.report.figure import EXPERTS, By, Figure, Of
from annotations.report.report import statistics
from annotations.resampling.jackknife import Interval
from annotations.validity.ceiling import SINGLE_EXPERT, expert_tables, panel, single_expert
from annotations.validity.compare_judges import DIFFERENCE, P_OF_DIFFERENCE, compare
from annotations.validity.judge_expert_correlation import OVERALL, sides_of
from annotations.validity.levels import ITEMS, MODEL_MEAN_OVERALL, POOLED_OVERALL, ROW_MEAN_OVERALL, overall_levels
from annotations.validity.parts import validity_by_part
from tests.annotations.figures_sample import KEYS, RATERS, RUBRIC, evidence, figures_of, found, given_by, ratings
from tests.annotations.tables import frame_of, rating
from tests.fakes.examples import examples

pytestmark = pytest.mark.slow

GPT = By("judge", judge="gpt")
OF_OVERALL = Of(metric=OVERALL)


@pytest.fixture(scope="module")
def small() -> pd.DataFrame:
    """Two metrics and five models."""
    frame = ratings(("KA", "BA"), 9)
    return frame[frame["model"] < "m5"]


@pytest.fixture(scope="module")
def of_small(small: pd.DataFrame) -> tuple[Figure, ...]:
    return figures_of(small)


def test_each_number_of_experts_has_its_scenes_or_a_reason(figures: tuple[Figure, ...]) -> None:
    start = "scenes for a generalizability of "
    for metric in KEYS:
        named = [one.statistic for one in figures if one.statistic.startswith(start) and one.of == Of(metric=metric)]
        assert len(named) == len(set(named)) == 5 * 5
    models_alike = frame_of(
        rating(item=f"i{i}", scene=f"s{i % 4}", model=f"m{i // 4}", rater=rater, kind="expert", score=1 + (i + k) % 5)
        for i in range(12)
        for k, rater in enumerate(("ann", "bo"))
    )
    unreached = [one for one in figures_of(models_alike) if one.statistic.startswith(start)]
    assert len(unreached) == 25
    assert all(one.undefined for one in unreached)


def test_all_metrics_of_one_dimension_are_correlated_once(of_small: tuple[Figure, ...]) -> None:
    (dimension,) = {one.of.dimension for one in of_small if one.statistic == "mean r between metrics"}
    of = Of(dimension, "BA", "KA")
    for by in (EXPERTS, GPT):
        own = found(of_small, "Pearson's r between metrics", of, by)
        whole = found(of_small, "Pearson's r between metrics, of all", replace(of, dimension=""), by)
        assert evidence(own) == evidence(whole)


def test_overall_is_there_in_each_of_its_definitions(frame: pd.DataFrame, figures: tuple[Figure, ...]) -> None:
    levels: Any = overall_levels(sides_of(frame, ["gpt"])["gpt"], KEYS)
    defined = (("", levels.row_mean, ROW_MEAN_OVERALL), (", pooled", levels.pooled, POOLED_OVERALL))
    for which, whole, definition in defined:
        told = f"{whole.items.definition}; {definition}"
        one = found(figures, f"Pearson's r, items{which}", OF_OVERALL, GPT, definition=told)
        assert evidence(one) == given_by(whole.items.pearson)
    mean = found(figures, "Pearson's r, models, model mean", OF_OVERALL, GPT, definition=MODEL_MEAN_OVERALL)
    assert evidence(mean) == given_by(levels.model_mean.pearson)
    assert levels.pooled.n == len(KEYS) * levels.row_mean.n


def test_the_difference_of_two_judges_has_its_interval_and_its_p(
    frame: pd.DataFrame, figures: tuple[Figure, ...]
) -> None:
    sides = sides_of(frame, ["glm", "gpt"])
    both: Any = compare((sides["glm"], sides["gpt"]), KEYS)
    by = By("judges", judge="glm", other_judge="gpt")
    difference = found(figures, "difference of r", OF_OVERALL, by)
    assert evidence(difference) == given_by(both.difference)
    assert (difference.interval, difference.definition) == ("jackknife by scenes", DIFFERENCE)
    p = found(figures, "p of the difference of r", OF_OVERALL, by)
    assert evidence(p) == (both.p, None, None, both.n)
    assert p.definition == P_OF_DIFFERENCE


def test_a_single_expert_tells_over_how_many_experts_it_is_the_mean(
    frame: pd.DataFrame, figures: tuple[Figure, ...]
) -> None:
    single = single_expert(panel(sides_of(frame, ["gpt"])["gpt"], expert_tables(frame), ["AD"]))
    one = found(figures, "r of a single expert", Of(metric="AD"), By("experts", judge="gpt"))
    assert (one.counts, one.definition) == ("items, 3 experts", SINGLE_EXPERT)
    assert evidence(one) == given_by(single.pearson)


def test_the_leaderboard_has_each_model(frame: pd.DataFrame, figures: tuple[Figure, ...]) -> None:
    means: Any = corrected_leaderboard(sides_of(frame, ["glm"])["glm"], KEYS)
    assert list(means) == [f"m{number}" for number in range(6)]
    for model, one in means.items():
        corrected = found(figures, "mean corrected by experts", OF_OVERALL, By("judge", judge="glm"), model=model)
        assert evidence(corrected) == given_by(one.corrected)
        assert corrected.counts == "items scored by both, 3 by the judge alone"
        assert evidence(found(figures, "mean of the experts", OF_OVERALL, EXPERTS, model=model)) == given_by(
            one.experts
        )
        judged = found(figures, "mean of the judge", OF_OVERALL, By("judge", judge="glm"), model=model)
        assert evidence(judged) == (one.judge, None, None, 9)


def test_a_part_has_the_figures_of_its_own_ratings(frame: pd.DataFrame, figures: tuple[Figure, ...]) -> None:
    parts = [{"language": "zh"}, {"model": "m3"}]
    for part in parts:
        ((column, name),) = part.items()
        rated = rated_items(frame[(frame["kind"] == "expert") & (frame["metric"] == "EE") & (frame[column] == name)])
        own, whole = (
            found(figures, "ICC(A,k)", Of(metric="EE"), EXPERTS, **part),
            found(figures, "ICC(A,k)", Of(metric="EE"), EXPERTS),
        )
        icc = intraclass(rated, "ICC(A,k)")
        assert (own.estimate, own.n) == (icc.estimate, icc.n)
        assert icc.n < (whole.n or 0)
    english = found(figures, "Cronbach's alpha", Of(metric="KA"), EXPERTS, language="en")
    experts = frame[(frame["kind"] == "expert") & (frame["language"] == "en")]
    assert english.estimate == resampled_alpha_between(experts, "KA").alpha.estimate


def test_r_of_a_judge_in_each_language_and_of_each_model_is_that_of_the_parts(
    frame: pd.DataFrame, figures: tuple[Figure, ...]
) -> None:
    parts: Any = validity_by_part(sides_of(frame, ["gpt"])["gpt"], ["EE"])
    assert (list(parts.by_language), list(parts.by_model)) == (["en", "zh"], [f"m{number}" for number in range(6)])
    assert not any(isinstance(r.interval, Interval) for r in parts.by_language.values()), "each has three scenes"
    assert not any(isinstance(r.interval, Interval) for r in parts.by_model.values()), "each has six items"
    for column, of in (("language", parts.by_language), ("model", parts.by_model)):
        for name, r in of.items():
            own = found(figures, "Pearson's r, items", Of(metric="EE"), GPT, **{column: name})
            assert (own.estimate, own.n, own.definition) == (r.estimate, r.n, ITEMS)
            ends = (r.interval.low, r.interval.high) if isinstance(r.interval, Interval) else (None, None)
            assert (own.low, own.high) == ends


def with_evidence_or_a_reason(figure: Figure) -> None:
    """An estimate with its n, or the reason why there is none; an interval with both ends, or none."""
    numbers = [figure.estimate, figure.low, figure.high]
    assert all(number is None or isfinite(number) for number in numbers), figure
    assert figure.statistic, figure
    assert figure.by.side, figure
    if figure.estimate is None:
        assert figure.undefined, figure
        assert [figure.low, figure.high, figure.n] == [None] * 3, figure
        return
    assert not figure.undefined, figure
    assert figure.n is not None, figure
    assert figure.n > 0, figure
    assert figure.counts, figure
    assert (figure.low is None) == (figure.high is None), figure
    if figure.low is not None and figure.high is not None:
        assert figure.low <= figure.high, figure
        assert figure.interval, figure
        assert not figure.interval.startswith("none"), figure


def test_each_has_evidence_or_a_reason(figures: tuple[Figure, ...]) -> None:
    for figure in figures:
        with_evidence_or_a_reason(figure)
    assert len(figures) > 500


def test_intervals_come_from_leaving_out_scenes_unless_they_have_a_formula(figures: tuple[Figure, ...]) -> None:
    ways: dict[str, set[str]] = {}
    for figure in figures:
        if figure.low is not None:
            ways.setdefault(figure.interval, set()).add(figure.statistic)
    between_models = {"Pearson's r, models", "Pearson's r, models, pooled", "Pearson's r, models, model mean"}
    assert ways.pop("fisher") == between_models
    assert ways.pop("feldt") == {"Cronbach's alpha, Feldt's interval", "Cronbach's alpha without a metric"}
    assert ways.pop("jackknife by scenes, prediction-powered") == {"mean corrected by experts"}
    assert list(ways) == ["jackknife by scenes"]


def test_parts_of_fewer_than_five_scenes_have_no_interval(frame: pd.DataFrame, figures: tuple[Figure, ...]) -> None:
    assert frame.loc[(frame["kind"] == "expert") & (frame["language"] == "en"), "scene"].nunique() == 3
    of_english = [one for one in figures if one.language == "en" and one.by == EXPERTS and one.estimate is not None]
    told = {one.interval for one in of_english if one.interval}
    assert len(told) == 1
    assert told.pop().startswith("none: an interval needs at least 5 scenes")
    assert {(one.low, one.high) for one in of_english} == {(None, None)}


@pytest.mark.parametrize("left", ["experts", "judges", "one expert", "one item", "one score"])
def test_what_few_ratings_do_not_determine_has_its_reason(small: pd.DataFrame, left: str) -> None:
    parts = {
        "experts": small[small["kind"] == "expert"],
        "judges": small[small["kind"] == "judge"],
        "one expert": small[small["rater"].isin(["expert-bo", "glm"])],
        "one item": small[small["item"] == "i0-0"],
        "one score": small.assign(score=3.0),
    }
    found = figures_of(parts[left])
    for figure in found:
        with_evidence_or_a_reason(figure)
    assert any(figure.undefined for figure in found) == (left != "experts")
    raters = {rater for figure in found for rater in (figure.by.expert, figure.by.judge, figure.by.other_judge)}
    assert raters <= {"", *RATERS}


@settings(max_examples=examples(1, 4))
@given(st.randoms(use_true_random=False))
def test_the_order_of_the_ratings_changes_nothing(
    small: pd.DataFrame, of_small: tuple[Figure, ...], random: Any
) -> None:
    order = list(range(len(small)))
    random.shuffle(order)
    assert figures_of(small.iloc[order]) == of_small


def test_other_names_of_raters_change_only_the_names(small: pd.DataFrame, of_small: tuple[Figure, ...]) -> None:
    other = {"expert-ann": "Zoe", "expert-bo": "Yu", "expert-cy": "王", "glm": "first judge", "gpt": "second judge"}
    named = re.compile("|".join(other))

    def renamed(text: str) -> str:
        return named.sub(lambda match: other[match.group()], text)

    def of_names(figures: tuple[Figure, ...], name: Callable[[str], str]) -> dict[tuple[str, ...], Figure]:
        return {
            (
                *map(str, astuple(one.of)),
                *map(name, astuple(one.by)),
                one.statistic,
                str(one.language),
                str(one.model),
                name(one.definition),
            ): one
            for one in figures
        }

    before = of_names(of_small, renamed)
    after = of_names(figures_of(small.replace({"rater": other})), str)
    assert before.keys() == after.keys()
    for place, one in before.items():
        then = after[place]
        assert evidence(then) == pytest.approx(evidence(one), abs=1e-9), place
        assert (then.counts, then.interval) == (one.counts, one.interval)
        assert then.undefined == renamed(one.undefined)


def test_ratings_without_a_score_or_off_the_scale_count_in_no_figure(small: pd.DataFrame) -> None:
    strange = small.copy()
    strange.loc[strange.index[:2], "score"] = float("nan")
    strange.loc[strange.index[2:5], "score"] = 9
    assert figures_of(strange) == every_figure(strange.iloc[5:], statistics(strange, RUBRIC, (1, 5)))
    assert len(usable_ratings(strange, (1, 5))) == len(small) - 5
    assert len(usable_ratings(strange, None)) == len(small) - 2


def test_no_figure_stands_in_the_place_of_another_whatever_metrics_and_raters_are_called(small: pd.DataFrame) -> None:
    names = {"KA": "all metrics", "BA": "a and b", "glm": "experts", "gpt": "x and experts", "expert-bo": "bo beside x"}
    odd = small.replace({"metric": names, "rater": names})
    plain, strange = figures_of(small), every_figure(odd, statistics(odd, None, (1, 5)))
    places = [(one.statistic, one.of, one.by, one.language, one.model) for one in strange]
    assert len(set(places)) == len(places)
    assert {one.by.judge for one in strange if one.by.side == "judge"} == {"experts", "x and experts"}
    assert {one.of.metric for one in strange} >= {"all metrics", "a and b"}
    assert len({one.by for one in strange}) == len({one.by for one in plain})


TOPICAL_CHAT = {
    "coherence": 0.595143,
    "engagingness": 0.556510,
    "groundedness": 0.536209,
    "naturalness": 0.443666,
    "understandability": 0.380038,
    OVERALL: 0.632796,
}
HANNA = {
    "coherence": 0.5595,
    "complexity": 0.5084,
    "empathy": 0.4290,
    "engagement": 0.5037,
    "relevance": 0.4345,
    "surprise": 0.2981,
}


def r_over_all_items(figures: tuple[Figure, ...], judge: str) -> list[Figure]:
    """By metric, and not of one language or model alone."""
    place = ("Pearson's r, items", By("judge", judge=judge), None, None)
    return [one for one in figures if (one.statistic, one.by, one.language, one.model) == place]


def test_the_published_figures_of_topical_chat_are_among_them(topical_chat: pd.DataFrame) -> None:
    figures = every_figure(topical_chat, statistics(topical_chat))
    items = r_over_all_items(figures, "unieval")
    assert {one.of.metric: round(one.estimate or 0, 6) for one in items} == TOPICAL_CHAT
    assert {one.n for one in items} == {360}
    for figure in figures:
        with_evidence_or_a_reason(figure)


def test_the_published_figures_of_hanna_are_among_them(hanna: pd.DataFrame) -> None:
    figures = every_figure(hanna, statistics(hanna))
    by = By("judge", judge="chatgpt")
    items = r_over_all_items(figures, "chatgpt")
    assert {one.of.metric: round(one.estimate or 0, 4) for one in items if one.of != OF_OVERALL} == HANNA
    assert {one.n for one in items} == {1056}
    pooled = found(figures, "Pearson's r, items, pooled", OF_OVERALL, by, definition=f"{ITEMS}; {POOLED_OVERALL}")
    assert pooled.n == 6 * 1056
    for figure in figures:
        with_evidence_or_a_reason(figure)
