"""r at three levels: worked by hand, known values, and intervals against plain loops over the scenes left out."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.errors import Undefined
from annotations.resampling.jackknife import Drawn, Interval
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
from annotations.validity.pearson import fisher_interval
from tests.annotations.crossed_ratings import beside, crossed
from tests.annotations.jackknifed import CORRELATION, jackknifed
from tests.annotations.tables import frame_of, rating
from tests.fakes.examples import examples
from tests.fakes.in_english import in_english


def r_of(level: Level | Undefined) -> float:
    assert isinstance(level, Level)
    return level.pearson.estimate


def ends(level: Level | Undefined) -> tuple[float, float]:
    assert isinstance(level, Level)
    return ends_of(level.pearson.interval)


def ends_of(interval: Interval | Undefined) -> tuple[float, float]:
    assert isinstance(interval, Interval)
    return interval.low, interval.high


def way(level: Level | Undefined) -> str:
    assert isinstance(level, Level)
    assert isinstance(level.pearson.interval, Interval)
    return level.pearson.interval.way


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
    assert level.pearson.estimate == pytest.approx(r.estimate, abs=1e-9)
    assert ends(level) == pytest.approx(ends_of(r.interval), abs=1e-9)


def test_intervals_over_items_and_within_scenes_are_those_of_leaving_out_each_scene(with_gaps: pd.DataFrame) -> None:
    found = metric_levels(beside(with_gaps), "KA")
    pairs = beside(with_gaps).means(["KA"])
    items, within = [], []
    for scene in sorted(set(pairs["scene"])):
        kept = pairs[pairs["scene"] != scene]
        sides = kept[["expert", "judge"]]
        items.append(np.corrcoef(sides.T)[0, 1])
        within.append(np.corrcoef((sides - sides.groupby(kept["scene"]).transform("mean")).T)[0, 1])
    for level, without in ((found.items, items), (found.within_scenes, within)):
        assert ends(level) == pytest.approx(jackknifed(r_of(level), without, CORRELATION), abs=1e-9)
        assert way(level) == "jackknife by scenes"


def test_scenes_with_one_item_count_for_no_interval_within_scenes(with_gaps: pd.DataFrame) -> None:
    random = np.random.default_rng(4)
    alone = frame_of(
        rating(item=f"a{s}", scene=f"t{s}", model="m0", rater=rater, kind=kind, score=score)
        for s, scores in enumerate(random.normal(3, 1, (6, 2)))
        for (rater, kind), score in zip((("ann", "expert"), ("gpt", "judge")), scores, strict=True)
    )
    for scenes, there in ((6, True), (4, False)):
        several = with_gaps[with_gaps["scene"] < f"s{scenes}"]
        more = metric_levels(beside(pd.concat([several, alone], ignore_index=True)), "KA").within_scenes
        assert isinstance(more, Level)
        own = metric_levels(beside(several), "KA").within_scenes
        assert r_of(more) == pytest.approx(r_of(own), abs=1e-9)
        assert isinstance(more.pearson.interval, Interval) == there
        if there:
            assert ends(more) == pytest.approx(ends(own), abs=1e-9)


def test_pooled_metrics_of_an_item_are_left_out_with_their_scene(with_gaps: pd.DataFrame) -> None:
    random = np.random.default_rng(3)
    other = with_gaps.assign(metric="BA", score=with_gaps["score"] + random.normal(size=len(with_gaps)))
    sides = beside(pd.concat([with_gaps, other], ignore_index=True))
    found = overall_levels(sides, ["KA", "BA"]).pooled
    pairs = pd.concat([sides.means([metric]) for metric in ("KA", "BA")])
    without = [
        np.corrcoef(pairs.loc[pairs["scene"] != scene, ["expert", "judge"]].T)[0, 1]
        for scene in sorted(set(pairs["scene"]))
    ]
    assert ends(found.items) == pytest.approx(jackknifed(r_of(found.items), without, CORRELATION), abs=1e-9)


@pytest.mark.parametrize("drawn", ["scenes", "scenes and models", "independent items"])
def test_between_models_r_has_fisher_s_interval_over_the_models(with_gaps: pd.DataFrame, drawn: Drawn) -> None:
    found = metric_levels(beside(with_gaps), "KA", drawn)
    means = beside(with_gaps).means(["KA"]).groupby("model")[["expert", "judge"]].mean()
    assert r_of(found.models) == pytest.approx(np.corrcoef(means.T)[0, 1], abs=1e-9)
    half = 1.959964 / np.sqrt(7 - 3)
    z = np.arctanh(r_of(found.models))
    assert ends(found.models) == pytest.approx((np.tanh(z - half), np.tanh(z + half)), abs=1e-6)
    assert way(found.models) == "fisher"


def test_four_models_have_an_r_without_an_interval() -> None:
    random = np.random.default_rng(1)
    expert, judge = random.normal(size=(2, 30)).tolist()
    four, five = of(expert[:24], judge[:24], 6).models, of(expert, judge, 6).models
    assert isinstance(four, Level)
    assert in_english(four.pearson.interval) == Undefined(
        "an interval of r between models needs at least 5 models; found 4"
    )
    assert way(five) == "fisher"


def test_independent_items_have_fisher_s_interval_at_each_level(with_gaps: pd.DataFrame) -> None:
    found = metric_levels(beside(with_gaps), "KA", "independent items")
    # 39 items; of 6 scenes, whose means were taken off, 5 fewer are as good as independent
    for level, n in ((found.items, 39), (found.within_scenes, 39 - 5)):
        assert ends(level) == ends_of(fisher_interval(r_of(level), n))
        assert way(level) == "fisher"


def test_overall_in_its_definitions_on_hanna(hanna: pd.DataFrame) -> None:
    metrics = sorted(hanna["metric"].unique())
    overall = overall_levels(beside(hanna, "chatgpt"), metrics)
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
    assert in_english(found.models) == Undefined("r needs at least 3 models; found 2")
    assert in_english(
        overall_levels(beside(crossed({"ann": [1, 5]}, {"gpt": [1, 2]})), ["KA"]).model_mean
    ) == Undefined("r needs at least 3 models; found 1")


@pytest.mark.parametrize(
    ("expert", "judge", "scenes", "items", "within", "models"),
    [
        ([1, 2], [1, 2], 1, "at least 3 pairs of scores; found 2", "found 2 pairs in 1 such", "found 2"),
        ([1, 2, 3], [1, 2, 2], 3, None, "found 0 pairs in 0 such scenes", "found 1"),
        (
            [1, 2, 3],
            [2, 2, 2],
            1,
            "all 3 scores are the same for gpt",
            "all 3 deviations from the scene means",
            "gpt",
        ),
        ([1, 2, 1, 2, 1, 2], [1, 3, 2, 4, 5, 1], 2, None, "the same for the experts", "for the experts"),
        ([1, 3, 2, 2, 3, 1], [1, 3, 2, 4, 5, 1], 2, None, None, "all 3 model means are the same for the experts"),
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
    one, other = (metric_levels(beside(frame), "KA") for frame in (with_gaps, renamed))
    for first, second in zip(
        (one.items, one.within_scenes, one.models), (other.items, other.within_scenes, other.models), strict=True
    ):
        assert r_of(second) == pytest.approx(r_of(first), abs=1e-9)
        assert ends(second) == pytest.approx(ends(first), abs=1e-9)
