"""Variance components beside a balanced analysis of variance, by hand and simulated; what a design cannot tell."""

from itertools import combinations, product
from random import Random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.errors import UndefinedStatistic
from annotations.reliability.variance_components import variance_components
from tests.annotations.tables import frame_of, rating
from tests.fakes.examples import examples

SOURCES = ("model", "scene", "rater", "model x scene", "model x rater", "scene x rater", "residual")


def frame_from(scores: np.ndarray) -> pd.DataFrame:
    """Ratings from an array models x scenes x raters, or models x scenes x raters x items of a model in a scene."""
    whole = scores if scores.ndim == 4 else scores[..., None]
    models, scenes, raters, items = (range(size) for size in whole.shape)
    return frame_of(
        rating(
            item=f"i{m}/{s}/{i}", scene=f"s{s}", model=f"m{m}", rater=f"e{r}", kind="expert", score=whole[m, s, r, i]
        )
        for m, s, r, i in product(models, scenes, raters, items)
    )


def simulated(variances: dict[str, float], shape: tuple[int, ...], seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    axes = {"model": 0, "scene": 1, "rater": 2}
    scores = np.full(shape, 3.0)
    for source, variance in variances.items():
        facets = {"item": (0, 1, 3), "residual": tuple(range(len(shape)))}.get(source)
        own = facets or tuple(axes[name] for name in source.split(" x "))
        size = [shape[axis] if axis in own else 1 for axis in range(len(shape))]
        scores = scores + random.normal(0, np.sqrt(variance), size)
    return scores


def anova(scores: np.ndarray) -> dict[str, float]:
    """The components from the expected mean squares of a balanced design without replication (Brennan, 2001)."""
    size = scores.shape
    mean = {facets: scores.mean(axis=tuple(set(range(3)) - set(facets)), keepdims=True)
            for count in range(4) for facets in combinations(range(3), count)}  # fmt: skip
    square: dict[tuple[int, ...], float] = {}
    for facets in mean:
        effect = sum((-1) ** (len(facets) - len(part)) * mean[part] for part in mean if set(part) <= set(facets))
        degrees = np.prod([size[axis] - 1 for axis in facets])
        repeated = np.prod([size[axis] for axis in range(3) if axis not in facets])
        square[facets] = float(repeated * np.sum(np.square(effect)) / degrees) if facets else 0.0
    residual = square[0, 1, 2]
    found = {"residual": residual}
    names = ("model", "scene", "rater")
    for pair in combinations(range(3), 2):
        [other] = set(range(3)) - set(pair)
        found[" x ".join(names[axis] for axis in pair)] = (square[pair] - residual) / size[other]
    for axis in range(3):
        pairs = [square[pair] for pair in combinations(range(3), 2) if axis in pair]
        others = np.prod([size[other] for other in range(3) if other != axis])
        found[names[axis]] = (square[axis,] - sum(pairs) + residual) / others
    return found


def unbiased(frame: pd.DataFrame) -> dict[str, float]:
    return {name: each.unbiased for name, each in variance_components(frame, "KA").components.items()}


@pytest.mark.parametrize("seed", range(5))
def test_in_a_balanced_design_the_components_are_those_of_the_analysis_of_variance(seed: int) -> None:
    random = np.random.default_rng(seed)
    scores = random.integers(1, 6, size=(3 + seed, 5, 2 + seed % 3)).astype(float)
    assert unbiased(frame_from(scores)) == pytest.approx(anova(scores), abs=1e-9)


def test_a_table_worked_by_hand() -> None:
    # 2 x 2 x 2, score = 2 for the second model, + 1 for the second scene, + 3 when both the second scene and rater.
    scores = np.array([[[0, 0], [1, 4]], [[2, 2], [3, 6]]], dtype=float)
    # Mean squares: model 8, scene 12.5, rater 4.5, scene x rater 4.5, and 0 for the others and the residual.
    expected = {"model": 8 / 4, "scene": (12.5 - 4.5) / 4, "rater": 0, "scene x rater": 4.5 / 2}
    zero = {"model x scene": 0, "model x rater": 0, "residual": 0}
    assert unbiased(frame_from(scores)) == pytest.approx(expected | zero, abs=1e-12)
    result = variance_components(frame_from(scores), "KA")
    assert result.components["model"].share == pytest.approx(2 / 6.25)
    assert (result.n, result.items, result.models, result.scenes, result.raters) == (8, 4, 2, 2, 2)
    assert sorted(result.pairs.values()) == [4] * 7  # the 28 pairs of 8 ratings, four for each way of sharing
    assert result.note is None


TRUE = {"model": 0.5, "scene": 0.3, "rater": 0.2, "model x scene": 0.4, "model x rater": 0.1, "scene x rater": 0.15}


def mean_estimates(frames: list[pd.DataFrame]) -> dict[str, float]:
    estimates = [unbiased(frame) for frame in frames]
    return {name: float(np.mean([each[name] for each in estimates])) for name in estimates[0]}


@pytest.mark.slow
@pytest.mark.parametrize(("runs", "near"), [(15, 0.09), pytest.param(60, 0.08, marks=pytest.mark.soak)])
def test_the_components_are_unbiased_in_an_incomplete_design(runs: int, near: float) -> None:
    true = TRUE | {"residual": 0.6}
    frames = []
    for seed in range(runs):
        frame = frame_from(simulated(true, (12, 14, 8), seed))
        frames.append(frame.sample(frac=0.35, random_state=seed))
    estimates = mean_estimates(frames)
    assert set(estimates) == set(SOURCES)
    for source, variance in true.items():
        assert estimates[source] == pytest.approx(variance, abs=min(near, 0.7 * variance)), source


@pytest.mark.parametrize(("runs", "near"), [(8, 0.12), pytest.param(30, 0.1, marks=pytest.mark.soak)])
def test_trajectories_of_a_model_in_a_scene_are_told_apart_where_there_are_several(runs: int, near: float) -> None:
    true = TRUE | {"item": 0.5, "residual": 0.6}
    frames = [
        frame_from(simulated(true, (8, 10, 5, 3), seed)).sample(frac=0.5, random_state=seed) for seed in range(runs)
    ]
    estimates = mean_estimates(frames)
    for source, variance in true.items():
        assert estimates[source] == pytest.approx(variance, abs=min(near, 0.7 * variance)), source
    single = variance_components(frame_from(simulated(true, (8, 10, 5, 1), 0)), "KA")
    assert "item" not in single.components
    assert single.variance("item") == 0


def test_a_negative_estimate_is_set_to_0_and_said() -> None:
    scores = simulated({"model": 1, "residual": 1}, (5, 6, 3), seed=1)
    result = variance_components(frame_from(scores), "KA")
    assert result.negative
    for name in result.negative:
        assert result.components[name].variance == 0 > result.components[name].unbiased
        assert result.note is not None
        assert name in result.note
    assert sum(component.share for component in result.components.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("scores", "reason"),
    [
        (np.ones((1, 3, 2)), "found only 1 model"),
        (np.ones((2, 3, 1)), "found only 1 rater"),
        (np.full((2, 3, 2), 4.0), "all 12 ratings on KA are 4"),
    ],
)
def test_what_has_one_level_or_does_not_vary_has_no_components(scores: np.ndarray, reason: str) -> None:
    with pytest.raises(UndefinedStatistic, match=reason):
        variance_components(frame_from(scores), "KA")


def test_a_design_without_shared_items_says_what_is_missing() -> None:
    frame = frame_from(simulated(TRUE, (4, 4, 2), seed=0))
    split = frame[(frame["rater"] == "e0") == frame["scene"].isin(["s0", "s1"])]
    with pytest.raises(UndefinedStatistic, match=r"no pairs of ratings that share only the scene or only the item"):
        variance_components(split, "KA")


@settings(max_examples=examples(4, 15))
@given(st.randoms(use_true_random=False))
def test_neither_the_order_of_rows_nor_names_matter(random: Random) -> None:
    frame = frame_from(simulated(TRUE, (4, 5, 3), seed=2)).sample(frac=0.8, random_state=1)
    order = random.sample(range(len(frame)), len(frame))
    other = frame.iloc[order].assign(rater=frame["rater"].map({"e0": "zoe", "e1": "al", "e2": "bo"}))
    assert unbiased(other) == pytest.approx(unbiased(frame), abs=1e-9)


def test_judges_and_missing_scores_stay_out_of_it() -> None:
    frame = frame_from(simulated(TRUE, (4, 5, 3), seed=2))
    judge = frame[frame["rater"] == "e0"].assign(rater="gpt", kind="judge", score=1.0)
    gap = frame.iloc[:1].assign(rater="e9", score=np.nan)
    assert unbiased(pd.concat([frame, judge, gap])) == unbiased(frame)
