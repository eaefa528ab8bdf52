"""Each figure in the list of all is what its own module gives."""

import re
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import pandas as pd
import pytest

from annotations.design.planning import correlation_precision, design_study, least_design
from annotations.errors import Undefined
from annotations.reliability.agreement import agreement, rated_items
from annotations.reliability.intraclass import intraclass
from annotations.reliability.item_analysis import (
    inter_metric_correlations,
    metric_consistency,
    resampled_alpha,
    resampled_alpha_between,
)
from annotations.reliability.krippendorff import krippendorff_alpha
from annotations.reliability.raters import rater_figures
from annotations.reliability.variance_components import variance_components
from annotations.report.figure import ALL_METRICS, EXPERTS, By, Figure, Of
from annotations.resampling.jackknife import Interval
from annotations.validity.alternative_annotator import (
    alternative_annotator_of_baselines,
    alternative_annotator_tests,
)
from annotations.validity.baselines import baselines
from annotations.validity.ceiling import ceiling, expert_tables, panel, single_expert
from annotations.validity.compare_judges import compare
from annotations.validity.concordance import concordance
from annotations.validity.halo import halo
from annotations.validity.holm import correlation_test, holm
from annotations.validity.judge_expert_correlation import OVERALL, sides_of
from annotations.validity.levels import metric_levels
from annotations.validity.parts import within_languages
from annotations.validity.selective_rating import selective_rating
from annotations.validity.shared_teacher import shared_beyond_experts
from tests.annotations.figures_sample import KEYS, RUBRIC, Evidence, evidence, found, given_by

GPT = By("judge", judge="gpt")
BOTH = By("judges", judge="glm", other_judge="gpt")
OF_OVERALL = Of(metric=OVERALL)

Place = tuple[str, Of, By]
NoEvidence = tuple[None, None, None, None]


def alphas_of(frame: pd.DataFrame) -> Iterator[tuple[Place, Evidence]]:
    experts, dimension = frame[frame["kind"] == "expert"], RUBRIC.dimensions[0]
    name, metrics = dimension.name.en, dimension.metrics
    across, between = resampled_alpha(experts, metrics), resampled_alpha_between(experts, "KA")
    yield ("Cronbach's alpha", Of(name), EXPERTS), given_by(across.chosen)
    yield ("Cronbach's alpha", Of(metric="KA"), EXPERTS), given_by(between.chosen)
    yield ("Cronbach's alpha, Feldt's interval", Of(name), EXPERTS), given_by(across.alpha)


def together_of(frame: pd.DataFrame) -> Iterator[tuple[Place, Evidence]]:
    own = frame[frame["rater"] == "gpt"]
    for dimension in RUBRIC.dimensions:
        name, metrics = dimension.name.en, dimension.metrics
        one = metric_consistency(own, metrics)
        for metric, alpha in one.without.items():
            assert not isinstance(alpha, Undefined)
            yield ("Cronbach's alpha without a metric", Of(name, other_metric=metric), GPT), given_by(alpha)
        if one.spearman_brown is not None:
            yield ("Spearman-Brown coefficient", Of(name), GPT), given_by(one.spearman_brown)
        for (i, first), (j, second) in combinations(enumerate(metrics), 2):
            between = inter_metric_correlations(own, metrics)
            r = between.matrix[i][j]
            assert isinstance(r, float)
            yield ("Pearson's r between metrics", Of(name, first, second), GPT), (r, None, None, between.n)
        mean = one.correlations.mean
        assert isinstance(mean, float)
        yield ("mean r between metrics", Of(name), GPT), (mean, None, None, one.correlations.n)
    whole = inter_metric_correlations(own, KEYS)
    for (i, first), (j, second) in combinations(enumerate(KEYS), 2):
        r = whole.matrix[i][j]
        assert isinstance(r, float)
        yield (
            ("Pearson's r between metrics, of all", Of(metric=first, other_metric=second), GPT),
            (r, None, None, whole.n),
        )


def agreement_of(frame: pd.DataFrame) -> Iterator[tuple[Place, Evidence]]:
    rated = rated_items(frame[(frame["kind"] == "expert") & (frame["metric"] == "EE")])
    yield ("ICC(A,1)", Of(metric="EE"), EXPERTS), given_by(intraclass(rated, "ICC(A,1)"))
    yield ("ICC(A,k)", Of(metric="EE"), EXPERTS), given_by(intraclass(rated, "ICC(A,k)"))
    alpha = krippendorff_alpha(rated)
    yield ("Krippendorff's alpha, ordinal", Of(metric="EE"), EXPERTS), given_by(alpha)
    agreed = agreement(rated)
    for name, share in (("within one point", agreed.within_one), ("equal", agreed.exact)):
        assert isinstance(share.interval, Interval)
        limits = share.interval.low, share.interval.high
        yield (f"share of pairs {name}", Of(metric="EE"), EXPERTS), (share.observed, *limits, agreed.pairs)
        yield (
            (f"share of pairs {name} by chance", Of(metric="EE"), EXPERTS),
            (share.by_chance, None, None, agreed.pairs),
        )


def raters_of(frame: pd.DataFrame) -> Iterator[tuple[Place, Evidence]]:
    bo: Any = rater_figures(frame).figures["expert-bo"]
    yield ("severity", ALL_METRICS, By("expert", "expert-bo")), given_by(bo.severity)
    spread = (bo.spread.sd, None, None, bo.spread.n)
    yield ("standard deviation of the scores", ALL_METRICS, By("expert", "expert-bo")), spread
    yield (
        ("Pearson's r with the mean of the others", ALL_METRICS, By("expert", "expert-bo")),
        given_by(bo.correlation),
    )
    ratio = (bo.spread.ratio, None, None, bo.spread.n)
    yield ("ratio of standard deviations", ALL_METRICS, By("expert", "expert-bo")), ratio
    near = (bo.match.within_one, None, None, bo.match.n)
    yield ("share within one point of others", ALL_METRICS, By("expert", "expert-bo")), near


def planning_of(frame: pd.DataFrame) -> Iterator[tuple[Place, Evidence]]:
    components = variance_components(frame, "PT")
    for source, one in components.components.items():
        yield (f"share of variance, {source}", Of(metric="PT"), EXPERTS), (one.share, None, None, components.n)
    now = design_study(components, experts=3, scenes=6)
    name = "generalizability of the present design"
    yield (name, Of(metric="PT"), EXPERTS), (now.generalizability, None, None, components.n)
    for wished in (0.5, 0.6, 0.7, 0.8, 0.9):
        needed = {design.experts: design.scenes for design in least_design(components, wished).choices}
        for experts, counted in ((1, "1 expert"), (2, "2 experts"), (10, "10 experts")):
            place = (f"scenes for a generalizability of {wished:g}, {counted}", Of(metric="PT"), EXPERTS)
            yield place, (needed[experts], None, None, components.n)
    sides = sides_of(frame, ["gpt"])["gpt"]
    precision = correlation_precision(sides, KEYS)
    for name, scenes in (("as now", 6), ("twice the scenes", 12)):
        width = precision.expected(scenes).width
        yield (f"expected width of the interval of r, {name}", OF_OVERALL, GPT), (width, None, None, precision.n)


def judge_of(frame: pd.DataFrame) -> Iterator[tuple[Place, Evidence]]:
    sides = sides_of(frame, ["gpt"])["gpt"]
    levels: Any = metric_levels(sides, "IM")
    for name, level in (("items", levels.items), ("within scenes", levels.within_scenes), ("models", levels.models)):
        yield (f"Pearson's r, {name}", Of(metric="IM"), GPT), given_by(level.pearson)
    close: Any = concordance(sides, ["IM"])
    yield ("Spearman's rho", Of(metric="IM"), GPT), given_by(close.spearman)
    yield ("bias", Of(metric="IM"), GPT), given_by(close.bias)
    yield ("mean absolute error", Of(metric="IM"), GPT), given_by(close.mae)
    yield ("Lin's concordance correlation", Of(metric="IM"), GPT), given_by(close.lin)
    yield ("lower limit of agreement", Of(metric="IM"), GPT), given_by(close.limits.low)
    yield ("upper limit of agreement", Of(metric="IM"), GPT), given_by(close.limits.high)
    everybody = sides_of(frame, ["glm", "gpt"])
    tests = {(judge, metric): correlation_test(everybody[judge], [metric]) for judge in everybody for metric in KEYS}
    one = tests["gpt", "IM"]
    yield ("p of r", Of(metric="IM"), GPT), (one.p, None, None, one.n)
    adjusted = holm({of: test.p for of, test in tests.items()})["gpt", "IM"]
    yield ("p of r, Holm", Of(metric="IM"), GPT), (adjusted, None, None, one.n)
    told = halo(sides, KEYS)
    for name, contrast in (("discrimination", told.discrimination), ("convergence", told.convergence)):
        yield (name, ALL_METRICS, GPT), given_by(contrast, value="difference")


def matrix_of(frame: pd.DataFrame) -> Iterator[tuple[Place, Evidence]]:
    told = halo(sides_of(frame, ["gpt"])["gpt"], KEYS)
    means = {
        "within the judge": told.discrimination.first,
        "within the experts": told.discrimination.second,
        "same metric": told.convergence.first,
        "different metrics": told.convergence.second,
    }
    for name, mean in means.items():
        yield (f"multitrait-multimethod r, mean {name}", ALL_METRICS, GPT), (mean, None, None, told.matrix.n)
    for i, first in enumerate(KEYS):
        for j, second in enumerate(KEYS):
            of = Of(metric=first, other_metric=second)
            blocks = [(By("judge and experts", judge="gpt"), told.matrix.between)]
            if i < j:
                blocks += [(GPT, told.matrix.within_judge)]
                blocks += [(By("experts", judge="gpt"), told.matrix.within_experts)]
            for by, block in blocks:
                yield ("multitrait-multimethod r", of, by), (block[i][j], None, None, told.matrix.n)


def panel_of(frame: pd.DataFrame) -> Iterator[tuple[Place, Evidence]]:
    sides = sides_of(frame, ["gpt"])["gpt"]
    scores = panel(sides, expert_tables(frame), ["AD"])
    top: Any = ceiling(scores)
    yield ("reliability of the experts", Of(metric="AD"), GPT), given_by(top.reliability)
    yield ("ceiling of r", Of(metric="AD"), GPT), (top.ceiling, None, None, top.n)
    yield ("Pearson's r below the ceiling", Of(metric="AD"), GPT), given_by(top.pearson)
    yield ("r corrected for attenuation", Of(metric="AD"), GPT), (top.disattenuated, None, None, top.n)
    single = single_expert(scores)
    yield ("r of a single expert", Of(metric="AD"), By("experts", judge="gpt")), given_by(single.pearson)
    yield ("r beside a single expert", Of(metric="AD"), GPT), given_by(single.judge)
    panels = {judge: panel(each, expert_tables(frame), KEYS) for judge, each in sides_of(frame, ["glm", "gpt"]).items()}
    yield from alternative_of(alternative_annotator_tests(panels)["gpt"], GPT)


def parts_and_selection_of(frame: pd.DataFrame) -> Iterator[tuple[Place, Evidence | NoEvidence]]:
    sides = sides_of(frame, ["gpt"])["gpt"]
    yield ("Pearson's r, within languages", Of(metric="EE"), GPT), given_by(within_languages(sides, ["EE"]))
    chosen = selective_rating(sides, KEYS)
    yield ("judge's mean where experts scored minus elsewhere", OF_OVERALL, GPT), given_by(chosen.by_judge)
    assert isinstance(chosen.by_experts, Undefined), "the judge scored all items"
    place = ("experts' mean where the judge scored minus elsewhere", OF_OVERALL, By("experts", judge="gpt"))
    yield place, (None, None, None, None)


def alternative_of(test: Any, by: By) -> Iterator[tuple[Place, Evidence]]:
    n = min(each.n for each in test.experts)
    for name, value in (("winning rate", test.winning_rate), ("average advantage", test.average_advantage)):
        yield (f"alternative annotator test, {name}", OF_OVERALL, by), (value, None, None, n)


def baselines_of(frame: pd.DataFrame) -> Iterator[tuple[Place, Evidence]]:
    blind, tables = baselines(sides_of(frame, ["gpt"])["gpt"]), expert_tables(frame)
    tests = alternative_annotator_of_baselines({name: panel(each, tables, KEYS) for name, each in blind.items()})
    for name, sides in blind.items():
        by = By("baseline", judge="gpt", baseline=name)
        yield from alternative_of(tests[name], by)
        close: Any = concordance(sides, ["IM"])
        yield ("mean absolute error", Of(metric="IM"), by), given_by(close.mae)
    shuffled: Any = metric_levels(blind["shuffled"], "IM").items
    by = By("baseline", judge="gpt", baseline="shuffled")
    yield ("Pearson's r, items", Of(metric="IM"), by), given_by(shuffled.pearson)
    below: Any = ceiling(panel(blind["shuffled"], tables, ["IM"]))
    yield ("Pearson's r below the ceiling", Of(metric="IM"), by), given_by(below.pearson)
    yield ("r corrected for attenuation", Of(metric="IM"), by), (below.disattenuated, None, None, below.n)


def pair_of(frame: pd.DataFrame) -> Iterator[tuple[Place, Evidence]]:
    sides = sides_of(frame, ["glm", "gpt"])
    both: Any = compare((sides["glm"], sides["gpt"]), KEYS)
    yield ("Pearson's r of the first judge", OF_OVERALL, BOTH), given_by(both.first_r)
    yield ("Pearson's r of the second judge", OF_OVERALL, BOTH), given_by(both.second_r)
    yield ("Pearson's r of two judges", OF_OVERALL, BOTH), (both.between, None, None, both.n)
    yield ("difference of r", OF_OVERALL, BOTH), given_by(both.difference)
    yield ("p of the difference of r", OF_OVERALL, BOTH), (both.p, None, None, both.n)
    tables = expert_tables(frame)
    beyond = shared_beyond_experts((panel(sides["glm"], tables, KEYS), panel(sides["gpt"], tables, KEYS)))
    assert isinstance(beyond.excess.interval, Undefined)  # of 36 items
    yield ("excess of r of two judges", OF_OVERALL, BOTH), (beyond.excess.estimate, None, None, beyond.n)
    yield ("r of two judges beside all experts", OF_OVERALL, BOTH), given_by(beyond.between)
    yield ("r of two judges that experts explain", OF_OVERALL, BOTH), (beyond.explained, None, None, beyond.n)
    yield (
        ("reliability of the experts", OF_OVERALL, By("experts", judge="glm", other_judge="gpt")),
        given_by(beyond.reliability),
    )


BY_MODULE = (
    *(alphas_of, together_of, agreement_of, raters_of, planning_of),
    *(judge_of, matrix_of, panel_of, parts_and_selection_of, baselines_of, pair_of),
)
CHECKED_APART = {
    "Pearson's r, items, pooled",
    "Pearson's r, within scenes, pooled",
    "Pearson's r, models, pooled",
    "Pearson's r, models, model mean",
    "mean corrected by experts",
    "mean of the experts",
    "mean of the judge",
}


@pytest.mark.slow
@pytest.mark.parametrize("by_module", BY_MODULE)
def test_each_figure_is_what_its_own_module_gives(
    by_module: Callable[[pd.DataFrame], Iterator[tuple[Place, Evidence | NoEvidence]]],
    frame: pd.DataFrame,
    figures: tuple[Figure, ...],
) -> None:
    for place, expected in by_module(frame):
        assert evidence(found(figures, *place)) == expected, place


@pytest.mark.slow
def test_no_statistic_is_left_unchecked(frame: pd.DataFrame, figures: tuple[Figure, ...]) -> None:
    checked = {place[0] for by_module in BY_MODULE for place, _ in by_module(frame)}
    assert {bare(one.statistic) for one in figures} == {bare(name) for name in checked | CHECKED_APART}


def bare(statistic: str) -> str:
    """A statistic without the metric, or the number of experts, that is part of its name."""
    return re.sub(r"without .*|\d+ experts?", "", statistic)
