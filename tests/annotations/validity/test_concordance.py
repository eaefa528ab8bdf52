"""Concordance against hand-worked and published values and scipy; what is constant; the laws."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from annotations.errors import Undefined, UndefinedStatistic
from annotations.resampling.estimates import Estimate
from annotations.resampling.jackknife import Drawing, Interval, resampling
from annotations.validity.concordance import Concordance, concordance
from tests.annotations.bias_corrected import bias_corrected
from tests.annotations.crossed_ratings import beside, crossed
from tests.fakes.examples import examples
from tests.fakes.in_english import in_english


def of(expert: list[float | None], judge: list[float | None]) -> Concordance:
    return concordance(beside(crossed({"ann": expert}, {"gpt": judge})), ["KA"])


@pytest.fixture(scope="module")
def thirty() -> pd.DataFrame:
    random = np.random.default_rng(1)
    truth = random.normal(3, 1, 30)
    rounded = [np.clip(np.round(truth + random.normal(0, 0.7, 30)), 1, 5).tolist() for _ in range(4)]
    return crossed(dict(zip(("ann", "bo", "cy"), rounded, strict=False)), {"gpt": rounded[3]})


def test_a_judge_that_is_one_point_milder() -> None:
    # Variances and covariance are 2/3, the bias is 1: Lin 2 * 2/3 / (2/3 + 2/3 + 1) = 4/7.
    c = of([1, 2, 3], [2, 3, 4])
    assert isinstance(c.spearman, Estimate)
    assert isinstance(c.lin, Estimate)
    assert c.spearman.estimate == pytest.approx(1, abs=1e-12)
    assert c.lin.estimate == pytest.approx(4 / 7, abs=1e-12)
    assert (c.bias.estimate, c.mae.estimate) == pytest.approx((1, 1), abs=1e-12)
    assert (c.limits.low.estimate, c.limits.high.estimate) == pytest.approx((1, 1), abs=1e-6)


def test_all_figures_worked_by_hand() -> None:
    # Experts 1 2 4, judge 2 2 3. Means 7/3; variances over n 14/9 and 2/9, covariance 5/9: Lin (10/9) / (16/9) = 5/8.
    # Differences 1 0 -1: bias 0, MAE 2/3, standard deviation (n - 1) 1. Ranks 1 2 3 and 1.5 1.5 3: 1.5 / sqrt(2 * 1.5).
    c = of([1, 2, 4], [2, 2, 3])
    assert isinstance(c.spearman, Estimate)
    assert isinstance(c.lin, Estimate)
    assert c.lin.estimate == pytest.approx(5 / 8, abs=1e-12)
    assert (c.bias.estimate, c.mae.estimate) == pytest.approx((0, 2 / 3), abs=1e-12)
    assert (c.limits.low.estimate, c.limits.high.estimate) == pytest.approx((-1.959964, 1.959964), abs=1e-6)
    assert c.spearman.estimate == pytest.approx(1.5 / np.sqrt(3), abs=1e-12)


@pytest.mark.parametrize(
    ("metric", "published"),
    [
        ("coherence", 0.612942),
        ("engagingness", 0.604739),
        ("groundedness", 0.574954),
        ("naturalness", 0.513986),
        ("understandability", 0.467807),
        ("overall", 0.662583),
    ],
)
def test_published_rho_of_topical_chat(topical_chat: pd.DataFrame, metric: str, published: float) -> None:
    c = concordance(beside(topical_chat, "unieval"), [metric], Drawing(draws=100))
    assert isinstance(c.spearman, Estimate)
    assert c.spearman.estimate == pytest.approx(published, abs=5e-7)
    assert (c.spearman.n, c.n, c.scenes, c.models, c.left_out) == (360, 360, 60, 6, 0)


@pytest.mark.slow
@settings(max_examples=examples(15, 60))
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=3, max_size=40))
def test_rho_is_scipy_s_with_ties(pairs: list[tuple[int, int]]) -> None:
    x, y = (list(map(float, side)) for side in zip(*pairs, strict=True))
    c = of(x, y)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert isinstance(c.spearman, Undefined)
    else:
        assert isinstance(c.spearman, Estimate)
        assert c.spearman.estimate == pytest.approx(spearmanr(x, y).statistic, abs=1e-9)


def test_scores_that_differ_by_arithmetic_alone_are_tied() -> None:
    c = of([0.1 + 0.2, 0.3, 0.5, 0.7], [1, 2, 1, 3])
    assert isinstance(c.spearman, Estimate)
    assert c.spearman.estimate == pytest.approx(spearmanr([0.3, 0.3, 0.5, 0.7], [1, 2, 1, 3]).statistic, abs=1e-12)


def test_intervals_are_those_of_items_written_as_often_as_they_count(thirty: pd.DataFrame) -> None:
    c = concordance(beside(thirty), ["KA"], Drawing(draws=200, seed=3))
    pairs = beside(thirty).means(["KA"])
    rows = []
    drawn = resampling(pairs["scene"], pairs["model"], Drawing(draws=200, seed=3))
    for count in np.concatenate(list(drawn.counts())).astype(int):
        x, y = (np.repeat(pairs[side].to_numpy(), count) for side in ("expert", "judge"))
        apart, half = y - x, 1.959964 * (y - x).std(ddof=1)
        lin = 2 * np.cov(x, y, ddof=0)[0, 1] / (x.var() + y.var() + apart.mean() ** 2)
        limits = apart.mean() - half, apart.mean() + half
        rows.append([spearmanr(x, y).statistic, apart.mean(), np.abs(apart).mean(), lin, *limits])
    figures = c.spearman, c.bias, c.mae, c.lin, c.limits.low, c.limits.high
    for estimate, drawn_of in zip(figures, np.array(rows).T.tolist(), strict=True):
        assert isinstance(estimate, Estimate)
        assert isinstance(estimate.interval, Interval)
        assert (estimate.interval.low, estimate.interval.high) == pytest.approx(
            bias_corrected(estimate.estimate, drawn_of), abs=1e-6
        )
        assert (estimate.interval.draws, estimate.interval.seed, estimate.n) == (200, 3, 30)


def test_a_judge_without_variance_has_no_rho_and_no_concordance() -> None:
    c = of([1, 2, 3, 4], [3, 3, 3, 3])
    assert in_english(c.spearman) == Undefined("gpt gave all 4 items the same score")
    assert isinstance(c.lin, Estimate)
    assert c.lin.estimate == pytest.approx(0, abs=1e-12)
    assert (c.bias.estimate, c.mae.estimate) == pytest.approx((0.5, 1))


def test_one_score_everywhere_is_no_concordance() -> None:
    assert in_english(of([0.3, 0.1 + 0.2, 0.3], [0.3, 0.3, 0.3]).lin) == Undefined(
        "the experts and gpt gave all 3 items one and the same score"
    )


def test_too_few_scenes_and_models_leave_the_figure_without_an_interval() -> None:
    c = of([1, 2, 4], [2, 2, 3])
    assert in_english(c.bias.interval) == Undefined("too few to resample: 3 scenes and 1 model, of 5 that are needed")


def test_items_of_one_side_only_are_left_out_and_counted() -> None:
    c = of([1, 2, 4, 5, None], [2, 2, 3, None, 1])
    assert (c.n, c.left_out, c.mae.estimate) == (3, 2, pytest.approx(2 / 3))
    with pytest.raises(UndefinedStatistic, match="at least 3 items scored by the experts and gpt; there are 2"):
        of([1, 2], [1, 2])


def test_by_scenes_alone_is_the_one_way_bootstrap(thirty: pd.DataFrame) -> None:
    both, one = (
        concordance(beside(thirty), ["KA"], Drawing(by)).bias.interval for by in ("scenes and models", "scenes")
    )
    assert isinstance(both, Interval)
    assert isinstance(one, Interval)
    assert (both.way, one.way) == ("two-way cluster bootstrap", "one-way cluster bootstrap by scenes")
    assert one.high - one.low < both.high - both.low


@settings(max_examples=examples(4, 10))
@given(st.permutations(range(120)), st.permutations(["ann", "bo", "cy"]))
def test_neither_the_order_of_rows_nor_the_raters_names_matter(
    thirty: pd.DataFrame, order: list[int], names: list[str]
) -> None:
    renamed = thirty.iloc[order].replace({"rater": dict(zip(["ann", "bo", "cy"], names, strict=True))})
    one, other = (concordance(beside(frame), ["KA"], Drawing(draws=100)) for frame in (thirty, renamed))
    for name in ("spearman", "bias", "mae", "lin"):
        first, second = getattr(one, name), getattr(other, name)
        assert second.estimate == pytest.approx(first.estimate, abs=1e-9)
        assert (second.interval.low, second.interval.high) == pytest.approx(
            (first.interval.low, first.interval.high), abs=1e-9
        )
