"""Every figure in one list: each is what its own module gives, with its evidence or the reason why there is none."""

import re
from collections.abc import Callable, Iterator
from itertools import combinations
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.agreement import agreement
from annotations.alternative_annotator import alternative_annotator_test
from annotations.between_raters import rated_items
from annotations.ceiling import ceiling, expert_tables, panel, single_experts
from annotations.comparing import compare
from annotations.components import variance_components
from annotations.concordance import concordance
from annotations.consistency import inter_metric_correlations, metric_consistency, resampled_alpha
from annotations.corrected import corrected_leaderboard
from annotations.every_figure import every_figure, usable_ratings
from annotations.figure import Figure
from annotations.halo import halo
from annotations.holm import holm, wald
from annotations.intraclass import intraclass
from annotations.levels import MODEL_MEAN_OVERALL, POOLED_OVERALL, ROW_MEAN_OVERALL, metric_levels, overall_levels
from annotations.ordinal_alpha import krippendorff_alpha
from annotations.planning import correlation_precision, design_study, least_design
from annotations.raters import rater_figures
from annotations.reliability import alpha_across_metrics, alpha_between_raters
from annotations.report import statistics
from annotations.resampling import MOST_UNDEFINED_DRAWS, Drawing, Interval
from annotations.rubric import load_rubric
from annotations.shared_teacher import shared_beyond_experts
from annotations.undefined import Undefined
from annotations.validity import OVERALL, sides_of
from tests.annotations.tables import frame_of, rating

RUBRIC = load_rubric()
KEYS = RUBRIC.keys
FEW = Drawing(draws=60)
RATERS = {"expert-ann": "expert", "expert-bo": "expert", "expert-cy": "expert", "gpt": "judge", "glm": "judge"}
Evidence = tuple[float, float | None, float | None, int]


def ratings(metrics: tuple[str, ...], scenes: int) -> pd.DataFrame:
    """Six models in each scene; of the last three scenes the experts know nothing. Half of the scenes are English."""
    random = np.random.default_rng(5)
    rows = []
    for scene in range(scenes):
        for model in range(6):
            truth = random.normal(3, 1, len(metrics)) + model / 4
            for name, kind in RATERS.items():
                scores = np.clip(np.round(truth + random.normal(0, 0.7, len(metrics))), 1, 5)
                if kind == "expert" and scene >= scenes - 3:
                    continue
                place = {"item": f"i{scene}-{model}", "scene": f"s{scene}", "model": f"m{model}", "kind": kind}
                language = "zh" if scene % 2 else "en"
                rows += [
                    {**rating(**place, rater=name, metric=metric, score=score), "language": language}
                    for metric, score in zip(metrics, scores, strict=True)
                ]
    return frame_of(rows)


def figures_of(frame: pd.DataFrame) -> tuple[Figure, ...]:
    return every_figure(frame, statistics(frame, RUBRIC, (1, 5), FEW))


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return ratings(KEYS, 9)


@pytest.fixture(scope="module")
def figures(frame: pd.DataFrame) -> tuple[Figure, ...]:
    return figures_of(frame)


@pytest.fixture(scope="module")
def small() -> pd.DataFrame:
    return ratings(("KA", "BA"), 8)


def found(figures: tuple[Figure, ...], statistic: str, of: str, by: str, **more: str) -> Figure:
    """The one figure of this place; `more` tells the language, the model or the definition, where it is not all."""
    part = {"language": None, "model": None} | more
    (only,) = {
        figure
        for figure in figures
        if (figure.statistic, figure.of, figure.by) == (statistic, of, by)
        and all(getattr(figure, name) == value for name, value in part.items())
    }
    return only


def evidence(figure: Figure) -> tuple[float | None, float | None, float | None, int | None]:
    return figure.estimate, figure.low, figure.high, figure.n


def given_by(one: Any, *, value: str = "estimate", n: str = "n") -> Evidence:
    """What a result holds whose interval is either an `Interval` or its own low and high."""
    limits = getattr(one, "interval", one)
    assert isinstance(limits, Interval) or limits is one
    return getattr(one, value), limits.low, limits.high, getattr(one, n)


def alphas_of(frame: pd.DataFrame) -> Iterator[tuple[tuple[str, str, str], Evidence]]:
    experts, dimension = frame[frame["kind"] == "expert"], RUBRIC.dimensions[0]
    name, metrics = dimension.name.en, dimension.metrics
    alpha = alpha_across_metrics(experts, metrics)
    yield ("Cronbach's alpha", name, "experts"), (alpha.estimate, alpha.low, alpha.high, alpha.n)
    between = alpha_between_raters(experts, "KA")
    yield ("Cronbach's alpha", "KA", "experts"), (between.estimate, between.low, between.high, between.n)
    again = resampled_alpha(experts, metrics, FEW)
    assert isinstance(again.interval, Interval)
    limits = again.interval.low, again.interval.high
    yield ("Cronbach's alpha, interval by resampling", name, "experts"), (alpha.estimate, *limits, alpha.n)


def together_of(frame: pd.DataFrame) -> Iterator[tuple[tuple[str, str, str], Evidence]]:
    own = frame[frame["rater"] == "gpt"]
    for dimension in RUBRIC.dimensions:
        name, metrics = dimension.name.en, dimension.metrics
        one = metric_consistency(own, metrics, FEW)
        for metric, alpha in one.without.items():
            assert not isinstance(alpha, Undefined)
            yield (f"Cronbach's alpha without {metric}", name, "gpt"), given_by_alpha(alpha)
        if one.spearman_brown is not None:
            yield ("Spearman-Brown coefficient", name, "gpt"), given_by(one.spearman_brown)
        for (i, first), (j, second) in combinations(enumerate(metrics), 2):
            between = inter_metric_correlations(own, metrics)
            r = between.matrix[i][j]
            assert isinstance(r, float)
            yield ("Pearson's r between metrics", f"{first} and {second}", "gpt"), (r, None, None, between.n)
        mean = one.correlations.mean
        assert isinstance(mean, float)
        yield ("mean r between metrics", name, "gpt"), (mean, None, None, one.correlations.n)
    whole = inter_metric_correlations(own, KEYS)
    for (i, first), (j, second) in combinations(enumerate(KEYS), 2):
        r = whole.matrix[i][j]
        assert isinstance(r, float)
        yield ("Pearson's r between metrics, of all", f"{first} and {second}", "gpt"), (r, None, None, whole.n)


def given_by_alpha(alpha: Any) -> Evidence:
    return alpha.estimate, alpha.low, alpha.high, alpha.n


def agreement_of(frame: pd.DataFrame) -> Iterator[tuple[tuple[str, str, str], Evidence]]:
    rated = rated_items(frame[(frame["kind"] == "expert") & (frame["metric"] == "EE")])
    yield ("ICC(A,1)", "EE", "experts"), given_by(intraclass(rated, "ICC(A,1)", FEW))
    yield ("ICC(A,k)", "EE", "experts"), given_by(intraclass(rated, "ICC(A,k)", FEW))
    alpha = krippendorff_alpha(rated, drawing=FEW)
    yield ("Krippendorff's alpha, ordinal", "EE", "experts"), given_by(alpha, n="items")
    agreed = agreement(rated, FEW)
    for name, share in (("within one point", agreed.within_one), ("equal", agreed.exact)):
        assert isinstance(share.interval, Interval)
        limits = share.interval.low, share.interval.high
        yield (f"share of pairs {name}", "EE", "experts"), (share.observed, *limits, agreed.pairs)
        yield (f"share of pairs {name} by chance", "EE", "experts"), (share.by_chance, None, None, agreed.pairs)


def raters_of(frame: pd.DataFrame) -> Iterator[tuple[tuple[str, str, str], Evidence]]:
    bo: Any = rater_figures(frame).figures["expert-bo"]
    yield ("severity", "all metrics", "expert-bo"), given_by(bo.severity)
    spread = (bo.spread.sd, None, None, bo.spread.n)
    yield ("standard deviation of the scores", "all metrics", "expert-bo"), spread
    yield ("Pearson's r with the mean of the others", "all metrics", "expert-bo"), given_by(bo.correlation, value="r")
    ratio = (bo.spread.ratio, None, None, bo.spread.n)
    yield ("ratio of standard deviations", "all metrics", "expert-bo"), ratio
    near = (bo.match.within_one, None, None, bo.match.n)
    yield ("share within one point of others", "all metrics", "expert-bo"), near


def planning_of(frame: pd.DataFrame) -> Iterator[tuple[tuple[str, str, str], Evidence]]:
    components = variance_components(frame, "PT")
    for source, one in components.components.items():
        yield (f"share of variance, {source}", "PT", "experts"), (one.share, None, None, components.n)
    now = design_study(components, experts=3, scenes=6)
    name = "generalizability of the present design"
    yield (name, "PT", "experts"), (now.generalizability, None, None, components.n)
    for wished in (0.5, 0.6, 0.7, 0.8, 0.9):
        needed = {design.experts: design.scenes for design in least_design(components, wished).choices}
        for experts, counted in ((1, "1 expert"), (2, "2 experts"), (10, "10 experts")):
            place = (f"scenes for a generalizability of {wished:g}, {counted}", "PT", "experts")
            yield place, (needed[experts], None, None, components.n)
    sides = sides_of(frame, ["gpt"])["gpt"]
    precision = correlation_precision(sides, KEYS, FEW)
    for name, scenes in (("as now", 6), ("twice the scenes", 12)):
        width = precision.expected(scenes, 6).width
        yield (f"expected width of the interval of r, {name}", OVERALL, "gpt"), (width, None, None, precision.n)


def judge_of(frame: pd.DataFrame) -> Iterator[tuple[tuple[str, str, str], Evidence]]:
    sides = sides_of(frame, ["gpt"])["gpt"]
    levels: Any = metric_levels(sides, "IM", FEW)
    for name, level in (("items", levels.items), ("within scenes", levels.within_scenes), ("models", levels.models)):
        yield (f"Pearson's r, {name}", "IM", "gpt"), given_by(level.pearson)
    close: Any = concordance(sides, ["IM"], FEW)
    yield ("Spearman's rho", "IM", "gpt"), given_by(close.spearman)
    yield ("bias", "IM", "gpt"), given_by(close.bias)
    yield ("mean absolute error", "IM", "gpt"), given_by(close.mae)
    yield ("Lin's concordance correlation", "IM", "gpt"), given_by(close.lin)
    yield ("lower limit of agreement", "IM", "gpt"), given_by(close.limits.low)
    yield ("upper limit of agreement", "IM", "gpt"), given_by(close.limits.high)
    tests = {metric: wald(sides, [metric], FEW) for metric in KEYS}
    yield ("p of r", "IM", "gpt"), (tests["IM"].p, None, None, tests["IM"].n)
    adjusted = holm({metric: test.p for metric, test in tests.items()})["IM"]
    yield ("p of r, Holm", "IM", "gpt"), (adjusted, None, None, tests["IM"].n)
    told = halo(sides, KEYS, FEW)
    for name, contrast in (("discrimination", told.discrimination), ("convergence", told.convergence)):
        yield (name, "all metrics", "gpt"), given_by(contrast, value="difference")


def matrix_of(frame: pd.DataFrame) -> Iterator[tuple[tuple[str, str, str], Evidence]]:
    told = halo(sides_of(frame, ["gpt"])["gpt"], KEYS, FEW)
    means = {
        "within the judge": told.discrimination.first,
        "within the experts": told.discrimination.second,
        "same metric": told.convergence.first,
        "different metrics": told.convergence.second,
    }
    for name, mean in means.items():
        yield (f"multitrait-multimethod r, mean {name}", "all metrics", "gpt"), (mean, None, None, told.matrix.n)
    for i, first in enumerate(KEYS):
        for j, second in enumerate(KEYS):
            blocks = [(f"{first} and the experts' {second}", "gpt", told.matrix.between)]
            if i < j:
                within = f"{first} and {second}"
                blocks += [(within, "gpt", told.matrix.within_judge)]
                blocks += [(within, "experts beside gpt", told.matrix.within_experts)]
            for of, by, block in blocks:
                yield ("multitrait-multimethod r", of, by), (block[i][j], None, None, told.matrix.n)


def panel_of(frame: pd.DataFrame) -> Iterator[tuple[tuple[str, str, str], Evidence]]:
    sides = sides_of(frame, ["gpt"])["gpt"]
    scores = panel(sides, expert_tables(frame), ["AD"])
    top: Any = ceiling(scores, FEW)
    yield ("reliability of the experts", "AD", "gpt"), given_by(top.reliability)
    yield ("ceiling of r", "AD", "gpt"), given_by(top.ceiling)
    yield ("Pearson's r below the ceiling", "AD", "gpt"), given_by(top.pearson)
    yield ("r corrected for attenuation", "AD", "gpt"), given_by(top.disattenuated)
    best = single_experts(scores, FEW).best
    yield ("r beside the best expert", "AD", "gpt"), given_by(best.judge)
    test = alternative_annotator_test(panel(sides, expert_tables(frame), KEYS))
    n = min(each.n for each in test.experts)
    for name, value in (("winning rate", test.winning_rate), ("average advantage", test.average_advantage)):
        yield (f"alternative annotator test, {name}", OVERALL, "gpt"), (value, None, None, n)


def pair_of(frame: pd.DataFrame) -> Iterator[tuple[tuple[str, str, str], Evidence]]:
    sides = sides_of(frame, ["glm", "gpt"])
    both: Any = compare((sides["glm"], sides["gpt"]), KEYS, FEW)
    yield ("Pearson's r of the first judge", OVERALL, "glm and gpt"), given_by(both.first_r)
    yield ("Pearson's r of the second judge", OVERALL, "glm and gpt"), given_by(both.second_r)
    yield ("Pearson's r of two judges", OVERALL, "glm and gpt"), (both.between, None, None, both.n)
    yield ("t of the difference, Williams", OVERALL, "glm and gpt"), (both.williams.t, None, None, both.n)
    yield ("p of the difference, Williams", OVERALL, "glm and gpt"), (both.williams.p, None, None, both.n)
    tables = expert_tables(frame)
    beyond = shared_beyond_experts((panel(sides["glm"], tables, KEYS), panel(sides["gpt"], tables, KEYS)), FEW)
    yield ("excess of r of two judges", OVERALL, "glm and gpt"), given_by(beyond.excess)
    yield ("r of two judges beside all experts", OVERALL, "glm and gpt"), given_by(beyond.between)
    yield ("r of two judges that experts explain", OVERALL, "glm and gpt"), given_by(beyond.explained)
    yield ("reliability of the experts", OVERALL, "experts beside glm and gpt"), given_by(beyond.reliability)


BY_MODULE = (
    *(alphas_of, together_of, agreement_of, raters_of, planning_of),
    *(judge_of, matrix_of, panel_of, pair_of),
)
CHECKED_APART = {
    "difference of r",
    "r of the best expert",
    "mean corrected by experts",
    "mean of the experts",
    "mean of the judge",
}


@pytest.mark.parametrize("by_module", BY_MODULE)
def test_each_figure_is_what_its_own_module_gives(
    by_module: Callable[[pd.DataFrame], Iterator[tuple[tuple[str, str, str], Evidence]]],
    frame: pd.DataFrame,
    figures: tuple[Figure, ...],
) -> None:
    for place, expected in by_module(frame):
        assert evidence(found(figures, *place)) == expected, place


def test_no_statistic_is_left_unchecked(frame: pd.DataFrame, figures: tuple[Figure, ...]) -> None:
    checked = {place[0] for by_module in BY_MODULE for place, _ in by_module(frame)}
    assert {bare(one.statistic) for one in figures} == {bare(name) for name in checked | CHECKED_APART}


def bare(statistic: str) -> str:
    """A statistic without the metric, or the number of experts, that is part of its name."""
    return re.sub(r"without .*|\d+ experts?", "", statistic)


def test_each_number_of_experts_has_its_scenes_or_a_reason(figures: tuple[Figure, ...]) -> None:
    start = "scenes for a generalizability of "
    for metric in KEYS:
        named = [one.statistic for one in figures if one.statistic.startswith(start) and one.of == metric]
        assert len(named) == len(set(named)) == 5 * 5
    models_alike = frame_of(
        rating(item=f"i{i}", scene=f"s{i % 6}", model=f"m{i // 6}", rater=rater, kind="expert", score=1 + (i + k) % 5)
        for i in range(36)
        for k, rater in enumerate(("ann", "bo"))
    )
    unreached = [one for one in figures_of(models_alike) if one.statistic.startswith(start)]
    assert len(unreached) == 25
    assert all(one.undefined for one in unreached)


def test_all_metrics_of_one_dimension_are_correlated_once(small: pd.DataFrame) -> None:
    figures = figures_of(small)
    for by in ("experts", "gpt"):
        own, whole = (found(figures, f"Pearson's r between metrics{of}", "BA and KA", by) for of in ("", ", of all"))
        assert evidence(own) == evidence(whole)


def test_the_test_of_williams_tells_its_degrees_of_freedom(figures: tuple[Figure, ...]) -> None:
    one = found(figures, "t of the difference, Williams", OVERALL, "glm and gpt")
    assert one.n is not None
    assert one.counts == f"items, {one.n - 3} degrees of freedom"


def test_overall_is_there_in_each_of_its_definitions(frame: pd.DataFrame, figures: tuple[Figure, ...]) -> None:
    levels: Any = overall_levels(sides_of(frame, ["gpt"])["gpt"], KEYS, FEW)
    defined = ((OVERALL, levels.row_mean, ROW_MEAN_OVERALL), (f"{OVERALL}, pooled", levels.pooled, POOLED_OVERALL))
    for of, whole, definition in defined:
        told = f"{whole.items.definition}; {definition}"
        one = found(figures, "Pearson's r, items", of, "gpt", definition=told)
        assert evidence(one) == given_by(whole.items.pearson)
    mean = found(figures, "Pearson's r, models", f"{OVERALL}, model mean", "gpt", definition=MODEL_MEAN_OVERALL)
    assert evidence(mean) == given_by(levels.model_mean.pearson)
    assert levels.pooled.n == len(KEYS) * levels.row_mean.n


def test_the_difference_of_two_judges_has_both_intervals(frame: pd.DataFrame, figures: tuple[Figure, ...]) -> None:
    sides = sides_of(frame, ["glm", "gpt"])
    both: Any = compare((sides["glm"], sides["gpt"]), KEYS, FEW)
    resampled, zou = (one for one in figures if one.statistic == "difference of r")
    assert evidence(resampled) == given_by(both.difference)
    assert evidence(zou) == (both.difference.estimate, both.zou.low, both.zou.high, both.n)


def test_the_best_expert_is_named(frame: pd.DataFrame, figures: tuple[Figure, ...]) -> None:
    best = single_experts(panel(sides_of(frame, ["gpt"])["gpt"], expert_tables(frame), ["AD"]), FEW).best
    one = found(figures, "r of the best expert", "AD", f"{best.expert} beside gpt")
    assert one.definition == f"against the means of the others; the best single expert is {best.expert}"
    assert evidence(one) == given_by(best.pearson)


def test_the_leaderboard_has_each_model(frame: pd.DataFrame, figures: tuple[Figure, ...]) -> None:
    means: Any = corrected_leaderboard(sides_of(frame, ["glm"])["glm"], KEYS)
    assert list(means) == [f"m{number}" for number in range(6)]
    for model, one in means.items():
        corrected = found(figures, "mean corrected by experts", OVERALL, "glm", model=model)
        assert evidence(corrected) == given_by(one.corrected, n="labelled")
        assert corrected.counts == "items scored by both, 3 by the judge alone"
        assert evidence(found(figures, "mean of the experts", OVERALL, "experts", model=model)) == given_by(one.experts)
        judged = found(figures, "mean of the judge", OVERALL, "glm", model=model)
        assert evidence(judged) == (one.judge, None, None, 9)


def test_a_part_has_the_figures_of_its_own_ratings(frame: pd.DataFrame, figures: tuple[Figure, ...]) -> None:
    parts = [{"language": "zh"}, {"model": "m3"}]
    for part in parts:
        ((column, name),) = part.items()
        rated = rated_items(frame[(frame["kind"] == "expert") & (frame["metric"] == "EE") & (frame[column] == name)])
        own, whole = found(figures, "ICC(A,k)", "EE", "experts", **part), found(figures, "ICC(A,k)", "EE", "experts")
        icc = intraclass(rated, "ICC(A,k)", FEW)
        assert (own.estimate, own.n) == (icc.estimate, icc.n)
        assert icc.n < (whole.n or 0)
    english = found(figures, "Cronbach's alpha", "KA", "experts", language="en")
    experts = frame[(frame["kind"] == "expert") & (frame["language"] == "en")]
    assert english.estimate == alpha_between_raters(experts, "KA").estimate


def with_evidence_or_a_reason(figure: Figure) -> None:
    """An estimate with its n, or the reason why there is none; an interval with both ends, or none."""
    numbers = [figure.estimate, figure.low, figure.high]
    assert all(number is None or isfinite(number) for number in numbers), figure
    assert figure.statistic, figure
    assert figure.of, figure
    assert figure.by, figure
    if figure.estimate is None:
        assert figure.undefined, figure
        assert [figure.low, figure.high, figure.n, figure.draws] == [None] * 4, figure
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
        assert (figure.draws is None) == (figure.seed is None), figure


def test_each_has_evidence_or_a_reason(figures: tuple[Figure, ...]) -> None:
    for figure in figures:
        with_evidence_or_a_reason(figure)
    assert len(figures) > 500
    drawn = {figure.draws for figure in figures if figure.draws is not None}
    assert max(drawn) == FEW.draws
    assert min(drawn) >= FEW.draws * (1 - MOST_UNDEFINED_DRAWS)


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
    assert {figure.by.partition(" beside ")[0] for figure in found} <= {"experts", "glm and gpt", *RATERS}


@settings(max_examples=4, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_of_the_ratings_changes_nothing(small: pd.DataFrame, random: Any) -> None:
    order = list(range(len(small)))
    random.shuffle(order)
    assert figures_of(small.iloc[order]) == figures_of(small)


def test_other_names_of_raters_change_only_the_names(small: pd.DataFrame) -> None:
    other = {"expert-ann": "Zoe", "expert-bo": "Yu", "expert-cy": "王", "glm": "first judge", "gpt": "second judge"}
    named = re.compile("|".join(other))

    def renamed(text: str) -> str:
        return named.sub(lambda match: other[match.group()], text)

    def of_names(figures: tuple[Figure, ...], name: Callable[[str], str]) -> dict[tuple[str, ...], Figure]:
        return {
            (one.statistic, one.of, name(one.by), str(one.language), str(one.model), name(one.definition)): one
            for one in figures
        }

    before = of_names(figures_of(small), renamed)
    after = of_names(figures_of(small.replace({"rater": other})), str)
    assert before.keys() == after.keys()
    for place, one in before.items():
        then = after[place]
        assert evidence(then) == pytest.approx(evidence(one), abs=1e-9), place
        assert (then.counts, then.interval, then.draws) == (one.counts, one.interval, one.draws)
        assert then.undefined == renamed(one.undefined)


def test_ratings_without_a_score_or_off_the_scale_count_in_no_figure(small: pd.DataFrame) -> None:
    strange = small.copy()
    strange.loc[strange.index[:2], "score"] = float("nan")
    strange.loc[strange.index[2:5], "score"] = 9
    assert figures_of(strange) == every_figure(strange.iloc[5:], statistics(strange, RUBRIC, (1, 5), FEW))
    assert len(usable_ratings(strange, (1, 5))) == len(small) - 5
    assert len(usable_ratings(strange, None)) == len(small) - 2


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


def test_the_published_figures_of_topical_chat_are_among_them(topical_chat: pd.DataFrame) -> None:
    figures = every_figure(topical_chat, statistics(topical_chat))
    items = [one for one in figures if (one.statistic, one.by) == ("Pearson's r, items", "unieval")]
    assert {one.of: round(one.estimate or 0, 6) for one in items} == TOPICAL_CHAT
    assert {one.n for one in items} == {360}
    for figure in figures:
        with_evidence_or_a_reason(figure)


def test_the_published_figures_of_hanna_are_among_them(hanna: pd.DataFrame) -> None:
    figures = every_figure(hanna, statistics(hanna))
    items = [one for one in figures if (one.statistic, one.by) == ("Pearson's r, items", "chatgpt")]
    assert {one.of: round(one.estimate or 0, 4) for one in items if OVERALL not in one.of} == HANNA
    assert {one.n for one in items} == {1056, 6 * 1056}
    for figure in figures:
        with_evidence_or_a_reason(figure)
