"""Decision studies worked by hand, and beside simulated means; the precision of r beside what more scenes bring."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student

from annotations.design.planning import (
    MOST_EXPERTS,
    MOST_SCENES,
    CorrelationPrecision,
    correlation_precision,
    design_study,
    design_table,
    least_design,
)
from annotations.errors import UndefinedStatistic
from annotations.reliability.variance_components import Component, VarianceComponents
from annotations.validity.judge_expert_correlation import sides_of
from tests.annotations.jackknifed import CORRELATION, jackknifed
from tests.annotations.tables import frame_of, rating


def components(**variances: float) -> VarianceComponents:
    """With `model_scene` for `model x scene`, and 0 for what is not given."""
    names = ("model", "scene", "rater", "model_scene", "model_rater", "scene_rater", "item", "residual")
    found = {
        name.replace("_", " x "): Component(max(variances.get(name, 0), 0), variances.get(name, 0), 0) for name in names
    }
    return VarianceComponents("KA", found, n=100, items=50, models=5, scenes=10, raters=2, pairs={})


BY_HAND = components(model=1, scene=2, rater=0.5, model_scene=4, model_rater=0.3, scene_rater=1, residual=6)


def test_a_decision_study_worked_by_hand() -> None:
    # 10 scenes and 3 experts: 4/10 + .3/3 + 6/30 = .7 of relative error; 2/10 + .5/3 + 1/30 = .4 on top of it.
    design = design_study(BY_HAND, experts=3, scenes=10)
    assert design.generalizability == pytest.approx(1 / 1.7)
    assert design.phi == pytest.approx(1 / 2.1)
    assert design.ratings == 30


def test_trajectories_of_a_model_in_a_scene_share_the_error_between_them() -> None:
    # 4 scenes, 2 experts, 3 items: 1/4 + 0 + .6/(4 x 3) + 2.4/(4 x 2 x 3) = .25 + .05 + .1 = .4.
    with_items = components(model=1, model_scene=1, item=0.6, residual=2.4)
    assert design_study(with_items, experts=2, scenes=4, items=3).generalizability == pytest.approx(1 / 1.4)


def test_the_reliability_is_the_squared_correlation_with_the_true_order_of_models() -> None:
    random = np.random.default_rng(1)
    models, scenes, experts = 20_000, 4, 3
    true = random.normal(0, 1, models)
    means = true + random.normal(0, 2 / np.sqrt(scenes), models) + random.normal(0, np.sqrt(0.3 / experts), models)
    means += random.normal(0, np.sqrt(6 / scenes / experts), models)
    design = design_study(BY_HAND, experts=experts, scenes=scenes)
    assert np.corrcoef(true, means)[0, 1] ** 2 == pytest.approx(design.generalizability, abs=0.015)


def test_a_table_has_every_design() -> None:
    table = design_table(BY_HAND, experts=[1, 2], scenes=[5, 10, 20])
    assert [(design.experts, design.scenes) for design in table] == [(1, 5), (1, 10), (1, 20), (2, 5), (2, 10), (2, 20)]
    assert table[4] == design_study(BY_HAND, experts=2, scenes=10)


def test_the_least_design_worked_by_hand() -> None:
    # .8 allows an error of 1/4: one expert has .3 by preferences already; two leave .1 for (4 + 3) / scenes, so that
    # there are 70 scenes and 140 ratings; three leave .15 for 6 / scenes, 40 and 120; four .175 for 5.5, 32 and 128.
    least = least_design(BY_HAND, 0.8)
    assert (least.best.experts, least.best.scenes, least.best.ratings) == (3, 40, 120)
    chosen = {design.experts: design.scenes for design in least.choices}
    assert 1 not in chosen
    assert (chosen[2], chosen[3], chosen[4]) == (70, 40, 32)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(0.01, 5), min_size=7, max_size=7),
    st.floats(0.3, 0.95),
    st.sampled_from(["generalizability", "phi"]),
)
def test_one_scene_fewer_falls_short(variances, wished, coefficient) -> None:
    names = ("model", "scene", "rater", "model_scene", "model_rater", "scene_rater", "residual")
    given_components = components(**dict(zip(names, variances, strict=True)))
    try:
        least = least_design(given_components, wished, coefficient)
    except UndefinedStatistic:
        most = design_study(given_components, MOST_EXPERTS, MOST_SCENES)
        assert most.reliability(coefficient) < wished
        return
    for design in least.choices:
        assert design.reliability(coefficient) >= wished - 1e-9
        assert design.phi <= design.generalizability + 1e-12
        if design.scenes > 1:
            fewer = design_study(given_components, design.experts, design.scenes - 1)
            assert fewer.reliability(coefficient) < wished + 1e-9
    assert all(least.best.ratings <= design.ratings for design in least.choices)


def test_why_no_design_reaches_it() -> None:
    with pytest.raises(UndefinedStatistic, match="even 20 experts and 1,000 scenes give KA a generalizability of only"):
        least_design(components(model=0.01, model_rater=1), 0.9)
    with pytest.raises(UndefinedStatistic, match=r"no differences between the 5 models .*variance -0\.200"):
        least_design(components(model=-0.2, residual=1), 0.8)
    with pytest.raises(UndefinedStatistic, match="between 0 and 1, and is not 1"):
        least_design(BY_HAND, 1)
    with pytest.raises(UndefinedStatistic, match="at least 1 expert, 1 scene and 1 item, not 0, 3 and 1"):
        design_study(BY_HAND, experts=0, scenes=3)


def judged(scenes: int, models: int, seed: int = 0) -> pd.DataFrame:
    """Scores of one expert and a judge who agree about models, scenes and items."""
    random = np.random.default_rng(seed)
    truth = random.normal(size=(models, scenes)) + random.normal(size=(models, 1)) + random.normal(size=(1, scenes))
    return frame_of(
        rating(
            item=f"{m}/{s}", scene=f"s{s}", model=f"m{m}", rater=rater, kind=kind, score=truth[m, s] + random.normal()
        )
        for rater, kind in (("e", "expert"), ("gpt", "judge"))
        for m in range(models)
        for s in range(scenes)
    )


def test_the_precision_is_that_of_a_plain_loop_that_leaves_out_each_scene() -> None:
    frame = judged(12, 8)
    precision = correlation_precision(sides_of(frame, ["gpt"])["gpt"], ["KA"])
    assert (precision.n, precision.scenes, precision.models) == (96, 12, 8)

    def r(rated: pd.DataFrame) -> float:
        both = rated.pivot_table(index="item", columns="rater", values="score")
        return float(np.corrcoef(both["e"], both["gpt"])[0, 1])

    without = [r(frame[frame["scene"] != f"s{scene}"]) for scene in range(12)]
    assert precision.pearson == pytest.approx(r(frame), abs=1e-12)
    now = precision.expected(12)
    assert (now.low, now.high) == pytest.approx(jackknifed(r(frame), without, CORRELATION), abs=1e-9)
    assert now.width == pytest.approx(now.high - now.low)
    z = np.arctanh(without)
    assert precision.se == pytest.approx((11 / 12 * ((z - z.mean()) ** 2).sum()) ** 0.5, abs=1e-12)


def test_the_width_falls_with_the_root_of_scenes_and_with_student_s_t() -> None:
    precision = correlation_precision(sides_of(judged(12, 8), ["gpt"])["gpt"], ["KA"])
    for scenes in (5, 24, 48, 1000):
        foreseen = precision.expected(scenes)
        half = student.ppf(0.975, scenes - 1) * precision.se * (12 / scenes) ** 0.5
        z = np.arctanh([foreseen.low, foreseen.high])
        assert z == pytest.approx(np.arctanh(precision.pearson) + np.array([-half, half]))
        assert foreseen.scenes == scenes
    assert precision.expected(48).width < precision.expected(12).width < precision.expected(5).width


def test_models_may_be_few_since_they_are_not_drawn() -> None:
    precision = correlation_precision(sides_of(judged(40, 1), ["gpt"])["gpt"], ["KA"])
    assert (precision.scenes, precision.models) == (40, 1)
    now = precision.expected(40)
    half = 1.96 / 37**0.5  # one item a scene: Fisher's interval
    assert np.arctanh(now.high) - np.arctanh(now.low) == pytest.approx(2 * half, rel=0.25)


def test_what_is_foreseen_is_about_what_more_scenes_bring() -> None:
    def precisions(scenes: int, runs: int) -> list[CorrelationPrecision]:
        made = (sides_of(judged(scenes, 8, seed), ["gpt"])["gpt"] for seed in range(runs))
        return [correlation_precision(sides, ["KA"]) for sides in made]

    few, many = precisions(10, 30), precisions(40, 15)
    now, foreseen = (np.mean([each.expected(scenes).width for each in few]) for scenes in (10, 40))
    brought = np.mean([each.expected(40).width for each in many])
    assert foreseen == pytest.approx(brought, rel=0.2)
    assert brought < 0.6 * now


def test_what_has_no_precision_to_plan_for() -> None:
    frame = judged(12, 8)
    with pytest.raises(UndefinedStatistic, match="an interval needs at least 5 scenes"):
        correlation_precision(sides_of(judged(4, 12), ["gpt"])["gpt"], ["KA"])
    with pytest.raises(UndefinedStatistic, match="at least 4 items scored by the experts and gpt; found 3"):
        correlation_precision(sides_of(judged(3, 1), ["gpt"])["gpt"], ["KA"])
    flat = frame.assign(score=frame["score"].where(frame["kind"] == "expert", 3.0))
    with pytest.raises(UndefinedStatistic, match="gpt gave all 96 items the same score, 3"):
        correlation_precision(sides_of(flat, ["gpt"])["gpt"], ["KA"])
    expert = frame[frame["kind"] == "expert"]
    twin = pd.concat([expert, expert.assign(rater="gpt", kind="judge")], ignore_index=True)
    with pytest.raises(UndefinedStatistic, match="1 is at or beyond the end of its range"):
        correlation_precision(sides_of(twin, ["gpt"])["gpt"], ["KA"])
    precision = correlation_precision(sides_of(frame, ["gpt"])["gpt"], ["KA"])
    with pytest.raises(UndefinedStatistic, match="at least 5 scenes, not 4"):
        precision.expected(4)
