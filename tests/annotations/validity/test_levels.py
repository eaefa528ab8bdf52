"""r at three levels: worked by hand, known values, and draws against the same done by plain loops."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.errors import Undefined
from annotations.resampling.jackknife import Drawing, Interval, resampling
from annotations.validity.judge_expert_correlation import correlate
from annotations.validity.levels import (
    ITEMS,
    MODEL_MEAN_OVERALL,
    MODELS,
    POOLED_OVERALL,
    ROW_MEAN_OVERALL,
    WITHIN_SCENES,
    Level,
    Levels,
    metric_levels,
    overall_levels,
)
from tests.annotations.bias_corrected import bias_corrected
from tests.annotations.crossed_ratings import beside, crossed
from tests.annotations.tables import frame_of, rating
from tests.fakes.examples import examples
from tests.fakes.in_english import in_english


def r_of(level: Level | Undefined) -> float:
    assert isinstance(level, Level)
    return level.pearson.estimate


def of(expert: list[float | None], judge: list[float | None], scenes: int) -> Levels:
    return metric_levels(beside(crossed({"ann": expert}, {"gpt": judge}, scenes=scenes)), "KA")


@pytest.fixture(scope="module")
def with_gaps() -> pd.DataFrame:
    """Six scenes and seven models, of which some cells are empty and one holds two items."""
    random = np.random.default_rng(2)
    scene, model = random.normal(size=6), random.normal(size=7)
    rows = []
    for i in range(43):
        s, m = (i % 6, i // 6) if i < 42 else (0, 0)
        if i in (5, 17, 18, 30):
            continue
        place = {"item": f"i{i:02}", "scene": f"s{s}", "model": f"m{m}"}
        truth = 3 + scene[s] + model[m] + random.normal()
        rows += [
            rating(**place, rater=rater, kind=kind, score=truth + random.normal())
            for rater, kind in (("ann", "expert"), ("bo", "expert"), ("gpt", "judge"))
        ]
    return frame_of(rows)


def test_levels_that_contradict_each_other_worked_by_hand() -> None:
    # Two scenes, three models. Within scenes the deviations are -1 0 1 and 1 0 -1 twice: r = -1.
    # Over items x = 1 2 3 5 6 7 and y = 3 2 1 7 6 5: deviations from 4 have products 3 + 4 + 9 + 3 + 4 + 3 * 1.
    found = of([1, 5, 2, 6, 3, 7], [3, 7, 2, 6, 1, 5], scenes=2)
    x, y = np.array([1, 2, 3, 5, 6, 7]) - 4, np.array([3, 2, 1, 7, 6, 5]) - 4
    assert r_of(found.items) == pytest.approx((x @ y) / (x @ x), abs=1e-12)
    assert (x @ y) / (x @ x) == pytest.approx(20 / 28)
    assert r_of(found.within_scenes) == pytest.approx(-1, abs=1e-12)
    assert r_of(found.models) == pytest.approx(-1, abs=1e-12)  # means 3 4 5 and 5 4 3
    assert (found.definition, found.n, found.scenes, found.left_out) == ("KA", 6, 2, 0)


def test_each_level_says_what_it_is_and_of_how_many() -> None:
    found = of([1, 5, 2, 6, 3, 7, 2, None, 1], [3, 7, 2, 6, 1, 5, 2, 4, None], scenes=2)
    levels = found.items, found.within_scenes, found.models
    assert [level.definition for level in levels if isinstance(level, Level)] == [ITEMS, WITHIN_SCENES, MODELS]
    assert [level.pearson.n for level in levels if isinstance(level, Level)] == [7, 7, 4]
    assert (found.n, found.left_out) == (7, 2)


def test_items_alone_in_their_scene_are_left_out_within_scenes() -> None:
    # Scenes 0 and 1 have three items, scenes 2 and 3 one.
    gap = None
    found = of([1, 5, 4, 1, 2, 6, gap, gap, 3, 8], [1, 5, 5, 2, 1, 6, gap, gap, 3, 7], scenes=4)
    assert isinstance(found.within_scenes, Level)
    assert (found.within_scenes.left_out, found.within_scenes.pearson.n, found.n) == (2, 6, 8)
    # Deviations -1 0 1 and -4/3 -1/3 5/3; -2/3 -2/3 4/3 and -1 0 1.
    x, y = np.array([-1, 0, 1, -4 / 3, -1 / 3, 5 / 3]), np.array([-2 / 3, -2 / 3, 4 / 3, -1, 0, 1])
    assert r_of(found.within_scenes) == pytest.approx(x @ y / np.sqrt((x @ x) * (y @ y)), abs=1e-12)


def test_the_level_of_items_is_what_validity_gives(with_gaps: pd.DataFrame) -> None:
    level, r = metric_levels(beside(with_gaps), "KA").items, correlate(beside(with_gaps), "KA")
    assert isinstance(level, Level)
    assert isinstance(level.pearson.interval, Interval)
    found = level.pearson.estimate, level.pearson.interval.low, level.pearson.interval.high
    assert found == pytest.approx((r.estimate, r.interval.low, r.interval.high), abs=1e-9)


@pytest.mark.slow
def test_draws_are_those_of_plain_loops(with_gaps: pd.DataFrame) -> None:
    found = metric_levels(beside(with_gaps), "KA", Drawing(draws=50, seed=8))
    pairs = beside(with_gaps).means(["KA"])
    cells = pd.MultiIndex.from_product([sorted(set(pairs["scene"])), sorted(set(pairs["model"]))])
    grid = resampling(
        pd.Series(cells.get_level_values(0)), pd.Series(cells.get_level_values(1)), Drawing(draws=50, seed=8)
    )
    places, within, between = pairs[["scene", "model"]], [], []
    for counts in np.concatenate(list(grid.counts())):
        count = pd.Series(counts, cells)
        models = (count.groupby(level=1).sum() / 6).round().astype(int)
        written = pairs.loc[np.repeat(pairs.index, count.reindex(pd.MultiIndex.from_frame(places)).astype(int))]
        sides = written[["expert", "judge"]]
        within.append(np.corrcoef((sides - sides.groupby(written["scene"]).transform("mean")).T)[0, 1])
        means = sides.groupby(written["model"]).mean()
        between.append(np.corrcoef(means.loc[np.repeat(models.index, models)].T)[0, 1])
    for level, values in ((found.within_scenes, within), (found.models, between)):
        assert isinstance(level, Level)
        interval = level.pearson.interval
        assert isinstance(interval, Interval)
        assert (interval.low, interval.high) == pytest.approx(bias_corrected(level.pearson.estimate, values), abs=1e-9)
        assert (interval.way, interval.draws) == ("two-way cluster bootstrap", 50)


def test_overall_in_its_definitions_on_hanna(hanna: pd.DataFrame) -> None:
    metrics = sorted(hanna["metric"].unique())
    overall = overall_levels(beside(hanna, "chatgpt"), metrics, Drawing(draws=100))
    pooled, row_mean = overall.pooled, overall.row_mean
    assert (pooled.definition, row_mean.definition) == (POOLED_OVERALL, ROW_MEAN_OVERALL)
    assert (pooled.n, row_mean.n) == (6336, 1056)
    assert r_of(pooled.items) == pytest.approx(0.4136, abs=5e-5)
    assert r_of(row_mean.items) == pytest.approx(0.5835, abs=5e-5)
    assert r_of(overall.model_mean) == pytest.approx(0.8915, abs=5e-5)
    assert isinstance(overall.model_mean, Level)
    assert (overall.model_mean.definition, overall.model_mean.pearson.n) == (MODEL_MEAN_OVERALL, 11)


def test_overall_by_hand_with_a_missing_metric() -> None:
    ka = crossed({"ann": [1, 2, 4, 5]}, {"gpt": [1, 3, 2, 5]}, metric="KA")
    ba = crossed({"ann": [3, 2, 2, 4]}, {"gpt": [2, 2, 5]}, metric="BA")
    overall = overall_levels(beside(pd.concat([ka, ba], ignore_index=True)), ["KA", "BA"])
    assert (overall.pooled.n, overall.pooled.left_out) == (7, 1)
    assert (overall.row_mean.n, overall.row_mean.left_out) == (3, 1)
    pooled = np.corrcoef([1, 2, 4, 5, 3, 2, 2], [1, 3, 2, 5, 2, 2, 5])[0, 1]
    assert r_of(overall.pooled.items) == pytest.approx(pooled, abs=1e-12)
    assert r_of(overall.row_mean.items) == pytest.approx(np.corrcoef([2, 2, 3], [1.5, 2.5, 3.5])[0, 1], abs=1e-12)


def test_two_models_have_no_r_though_the_items_have() -> None:
    found = of([1, 5, 2, 6], [3, 7, 2, 5], scenes=2)
    assert isinstance(found.items, Level)
    assert in_english(found.models) == Undefined("r needs at least 3 models; there are 2")
    assert in_english(
        overall_levels(beside(crossed({"ann": [1, 5]}, {"gpt": [1, 2]})), ["KA"]).model_mean
    ) == Undefined("r needs at least 3 models; there are 1")


@pytest.mark.parametrize(
    ("expert", "judge", "scenes", "items", "within", "models"),
    [
        ([1, 2], [1, 2], 1, "at least 3 pairs of scores; there are 2", "there are 2 in 1 such", "there are 2"),
        ([1, 2, 3], [1, 2, 2], 3, None, "there are 0 in 0 such scenes", "there are 1"),
        (
            [1, 2, 3],
            [2, 2, 2],
            1,
            "all 3 scores are the same for gpt",
            "all 3 deviations from the scenes' means",
            "gpt",
        ),
        ([1, 2, 1, 2, 1, 2], [1, 3, 2, 4, 5, 1], 2, None, "the same for the experts", "for the experts"),
        ([1, 3, 2, 2, 3, 1], [1, 3, 2, 4, 5, 1], 2, None, None, "all 3 means of models are the same for the experts"),
    ],
)
def test_a_level_that_the_ratings_do_not_determine_says_why(
    expert: list[float | None],
    judge: list[float | None],
    scenes: int,
    items: str | None,
    within: str | None,
    models: str | None,
) -> None:
    found = of(expert, judge, scenes)
    for level, reason in ((found.items, items), (found.within_scenes, within), (found.models, models)):
        if reason is None:
            assert isinstance(level, Level)
        else:
            assert isinstance(level, Undefined)
            assert reason in in_english(level.reason)


def test_a_judge_without_scores_has_no_level() -> None:
    found = metric_levels(beside(crossed({"ann": [1, 2, 3]}, {"gpt": [1, 2, 3]}), "nobody"), "KA")
    assert isinstance(found.items, Undefined)
    assert isinstance(found.models, Undefined)
    assert (found.n, found.left_out) == (0, 3)


@settings(max_examples=examples(3, 10))
@given(st.permutations(range(117)), st.permutations(["ann", "bo"]))
def test_neither_the_order_of_rows_nor_the_raters_names_matter(
    with_gaps: pd.DataFrame, order: list[int], names: list[str]
) -> None:
    renamed = with_gaps.iloc[order].replace({"rater": dict(zip(["ann", "bo"], names, strict=True))})
    one, other = (metric_levels(beside(frame), "KA", Drawing(draws=100)) for frame in (with_gaps, renamed))
    for first, second in zip(
        (one.items, one.within_scenes, one.models), (other.items, other.within_scenes, other.models), strict=True
    ):
        assert isinstance(first, Level)
        assert isinstance(second, Level)
        assert second.pearson.estimate == pytest.approx(first.pearson.estimate, abs=1e-9)
        assert isinstance(first.pearson.interval, Interval)
        assert isinstance(second.pearson.interval, Interval)
        assert second.pearson.interval.low == pytest.approx(first.pearson.interval.low, abs=1e-9)
