"""Judge and experts by language and model: worked by hand, and intervals against plain loops over scenes left out."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest

from annotations.errors import Undefined
from annotations.resampling.estimates import Estimate
from annotations.resampling.jackknife import Interval
from annotations.validity.judge_expert_correlation import Sides
from annotations.validity.parts import ValidityByPart, run_apart, validity_by_part
from tests.annotations.crossed_ratings import beside, crossed
from tests.annotations.jackknifed import CORRELATION, jackknifed
from tests.fakes.in_english import in_english

KA = ["KA"]


def sides(expert: Sequence[float], judge: Sequence[float], languages: Sequence[str | None], scenes: int = 6) -> Sides:
    """Item i is in the language i."""
    frame = crossed({"ann": list(expert)}, {"gpt": list(judge)}, scenes=scenes)
    frame["language"] = frame["item"].map({f"i{at:03}": name for at, name in enumerate(languages)})
    return beside(frame)


def r_of(found: Estimate | Undefined | None) -> float:
    assert isinstance(found, Estimate)
    return found.estimate


def within(expert: np.ndarray, judge: np.ndarray, group: np.ndarray) -> float:
    """r of deviations, written out."""
    own, other = (side.astype(float).copy() for side in (expert, judge))
    for name in np.unique(group):
        for side in (own, other):
            side[group == name] -= side[group == name].mean()
    return float(np.corrcoef(own, other)[0, 1])


def simulated(seed: int = 1, items: int = 48, scenes: int = 12) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Experts and a judge who both find the scenes in English, every other one, better."""
    random = np.random.default_rng(seed)
    english = np.arange(items) % scenes % 2
    truth = random.normal(size=items)
    expert = truth + 2 * english + random.normal(0, 0.5, items)
    return expert, 0.6 * truth + 2 * english + random.normal(0, 0.7, items), np.where(english, "en", "zh")


def test_what_is_turned_round_within_languages_looks_like_agreement() -> None:
    # Each language: 1 2 3 beside 3 2 1, ten points higher in Chinese. All: covariance 24.33.. of variances 25.67.
    found = validity_by_part(sides([1, 2, 3, 11, 12, 13], [3, 2, 1, 13, 12, 11], ["en"] * 3 + ["zh"] * 3, scenes=3), KA)
    assert {name: r_of(r) for name, r in found.by_language.items()} == pytest.approx({"en": -1, "zh": -1})
    assert r_of(found.within_languages) == pytest.approx(-1)
    pooled = np.corrcoef([1, 2, 3, 11, 12, 13], [3, 2, 1, 13, 12, 11])[0, 1]
    assert pooled == pytest.approx((25 - 2 / 3) / (25 + 2 / 3))
    assert {name: r_of(r) for name, r in found.by_model.items()} == pytest.approx({"m0": -1, "m1": -1})


def test_within_languages_worked_by_hand() -> None:
    # Deviations of the experts -1 0 1, -1.5 -.5 .5 1.5, of the judge -1 1 0, -.5 -1.5 1.5 .5: squares 2 + 5 on both
    # sides, products 1 + 4 * .75.
    found = validity_by_part(sides([1, 2, 3, 1, 2, 3, 4], [2, 4, 3, 3, 2, 5, 4], ["en"] * 3 + ["zh"] * 4), KA)
    assert r_of(found.within_languages) == pytest.approx(4 / 7, abs=1e-12)
    assert r_of(found.by_language["en"]) == pytest.approx(1 / 2, abs=1e-12)


def test_r_of_each_part_is_that_of_its_items() -> None:
    expert, judge, language = simulated()
    of = sides(expert, judge, language, scenes=12)
    found = validity_by_part(of, KA)
    assert list(found.by_language) == ["en", "zh"]
    assert list(found.by_model) == ["m0", "m1", "m2", "m3"]
    for name, r in found.by_language.items():
        own = language == name
        assert r_of(r) == pytest.approx(np.corrcoef(expert[own], judge[own])[0, 1], abs=1e-12)
        assert isinstance(r, Estimate)
        assert r.n == 24
    for at, r in enumerate(found.by_model.values()):
        own = np.arange(48) // 12 == at
        assert r_of(r) == pytest.approx(np.corrcoef(expert[own], judge[own])[0, 1], abs=1e-12)
    assert r_of(found.within_languages) == pytest.approx(within(expert, judge, language), abs=1e-12)


def test_intervals_are_those_of_leaving_out_each_scene_of_the_part() -> None:
    expert, judge, language = simulated()
    found = validity_by_part(sides(expert, judge, language, scenes=12), KA)
    scene = np.arange(48) % 12

    def ends(r: Estimate | Undefined | None) -> tuple[float, float]:
        assert isinstance(r, Estimate)
        assert isinstance(r.interval, Interval)
        assert r.interval.way == "jackknife by scenes"
        return r.interval.low, r.interval.high

    kept = [scene != each for each in range(12)]
    without = [within(expert[left], judge[left], language[left]) for left in kept]
    expected = jackknifed(within(expert, judge, language), without, CORRELATION)
    assert ends(found.within_languages) == pytest.approx(expected, abs=1e-9)
    own = language == "en"
    without = [float(np.corrcoef(expert[own & left], judge[own & left])[0, 1]) for left in kept[1::2]]
    expected = jackknifed(float(np.corrcoef(expert[own], judge[own])[0, 1]), without, CORRELATION)
    assert ends(found.by_language["en"]) == pytest.approx(expected, abs=1e-9)


def test_of_one_language_and_one_model_there_are_no_parts() -> None:
    frame = crossed({"ann": [1, 2, 3, 5]}, {"gpt": [1, 3, 2, 4]}, scenes=4)
    for one in (frame, frame.assign(language="en")):
        assert validity_by_part(beside(one), KA) == ValidityByPart({}, None, {})
    two = validity_by_part(sides([1, 2, 3, 5], [1, 3, 2, 4], ["en", "en", "zh", "zh"], scenes=4), KA)
    assert in_english(two.by_language["en"]) == Undefined(
        "r needs at least 3 items scored by the experts and gpt; found 2"
    )
    assert isinstance(two.within_languages, Estimate)


def test_an_item_without_a_language_is_in_none_of_them() -> None:
    expert, judge, language = simulated()
    named = np.where(np.arange(48) < 6, None, language)
    found = validity_by_part(sides(expert, judge, named, scenes=12), KA)
    assert list(found.by_language) == ["en", "zh"]
    own = named == "en"
    assert r_of(found.by_language["en"]) == pytest.approx(np.corrcoef(expert[own], judge[own])[0, 1], abs=1e-12)
    groups = np.where(np.arange(48) < 6, "", language)
    assert r_of(found.within_languages) == pytest.approx(within(expert, judge, groups), abs=1e-12)


def test_where_a_side_tells_apart_languages_alone_there_is_no_r_within_them() -> None:
    language = ["en", "zh"] * 6
    found = validity_by_part(sides([float(at % 5) for at in range(12)], [2.0, 4.0] * 6, language), KA)
    assert in_english(found.within_languages) == Undefined("in each language, one side gave all items the same score")
    assert in_english(found.by_language["en"]) == Undefined("gpt gave all 6 items the same score, 2")


def test_means_over_metrics_are_of_items_with_all_of_them() -> None:
    expert, judge, language = simulated()
    frames = [
        crossed({"ann": (expert + shift).tolist()}, {"gpt": (judge * times).tolist()}, scenes=12, metric=metric)
        for metric, shift, times in (("KA", 0, 1), ("BA", 1, 3))
    ]
    frame = pd.concat(frames, ignore_index=True)
    frame["language"] = frame["item"].map({f"i{at:03}": name for at, name in enumerate(language)})
    gap = (frame["item"] == "i000") & (frame["metric"] == "BA") & (frame["kind"] == "judge")
    found = validity_by_part(beside(frame[~gap]), ["KA", "BA"])
    assert r_of(found.within_languages) == pytest.approx(within(expert[1:], judge[1:], language[1:]), abs=1e-12)
    assert isinstance(found.within_languages, Estimate)
    assert found.within_languages.n == 47


def of(r: float, low: float | None = None, high: float | None = None) -> Estimate:
    interval = Undefined("few") if low is None or high is None else Interval(low, high, "jackknife by scenes")
    return Estimate(r, interval, 40)


@pytest.mark.parametrize(
    ("pooled", "inside", "apart"),
    [
        (of(0.7, 0.5, 0.8), of(0.3, 0.1, 0.49), True),
        (of(0.7, 0.5, 0.8), of(0.3, 0.1, 0.5), False),
        (of(0.2, -0.1, 0.4), of(0.6, 0.41, 0.8), True),
        (of(0.7, 0.5, 0.8), of(-0.1, -0.6, 0.6), True),  # of another sign, and r over all is more than chance
        (of(0.2, -0.1, 0.4), of(-0.1, -0.6, 0.6), False),  # which it need not be
        (of(-0.5, -0.7, -0.2), of(0.1, -0.5, 0.6), True),
        (of(0.7), of(-0.7, -0.8, -0.6), False),
        (of(0.7, 0.5, 0.8), of(-0.7), False),
    ],
)
def test_when_r_over_all_items_says_something_else(pooled: Estimate, inside: Estimate, apart: bool) -> None:
    assert run_apart(pooled, inside) is apart


def test_of_a_single_model_scenes_alone_are_drawn_where_models_are() -> None:
    random = np.random.default_rng(4)
    expert = random.normal(3, 1, 120)
    judge = expert + random.normal(0, 1, 120)
    both = beside(crossed({"ann": expert.tolist()}, {"gpt": judge.tolist()}, scenes=12))
    found = validity_by_part(both, KA, "scenes and models").by_model
    assert found == validity_by_part(both, KA).by_model
    assert all(isinstance(each, Estimate) and isinstance(each.interval, Interval) for each in found.values())
