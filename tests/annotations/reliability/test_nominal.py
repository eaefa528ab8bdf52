"""Cohen's kappa: worked by hand, within strata too, against scikit-learn, its interval by plain loops, and its laws."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from annotations.errors import Undefined, UndefinedStatistic
from annotations.reliability.narrator_agreement import nominal_agreement
from annotations.resampling.jackknife import Interval
from tests.annotations.jackknifed import CORRELATION, SHARE, jackknifed
from tests.fakes.examples import examples
from tests.fakes.in_english import in_english


def places(scenes: list[str]) -> pd.DataFrame:
    return pd.DataFrame({"scene": scenes, "model": "m"})


def found(first, second, scenes=None, **how):
    return nominal_agreement(first, second, places(scenes or ["s"] * len(first)), **how)


def test_kappa_worked_by_hand() -> None:
    # Of 10, both say a 4 times and b 3 times: 0.7 are equal. The first says a 6 times and b 4, the second a 5 times and
    # b 5: by chance 0.6 x 0.5 + 0.4 x 0.5 = 0.5 are equal. Kappa is (0.7 - 0.5) / (1 - 0.5) = 0.4.
    first, second = list("aaaaaabbbb"), list("aaaabbbbba")
    known = found(first, second)
    assert known.share.estimate == pytest.approx(0.7, abs=1e-12)
    assert known.by_chance == pytest.approx(0.5, abs=1e-12)
    assert known.kappa.estimate == pytest.approx(0.4, abs=1e-12)
    assert known.n == 10


def test_chance_deals_out_within_each_stratum() -> None:
    # In x they say a b and a a: 1 of 2 is equal, by chance 0.5 x 1 = 1 of 2. In y both say c d: 2 of 2 are equal, by
    # chance 0.5 x 0.5 x 2 = 1 of 2. Together 3 of 4 are equal, 2 by chance: kappa (3 - 2) / (4 - 2) = 0.5.
    first, second, strata = list("abcd"), list("aacd"), list("xxyy")
    known = found(first, second, strata=strata)
    assert (known.share.estimate, known.by_chance) == (pytest.approx(0.75), pytest.approx(0.5))
    assert known.kappa.estimate == pytest.approx(0.5, abs=1e-12)
    # Over all, names that no cast shares lower what chance gives: a 2 x 1, c 1 x 1, d 1 x 1 of 16.
    assert found(first, second).by_chance == pytest.approx(4 / 16)


def test_nobody_is_a_category_and_no_name() -> None:
    assert found(["None", None, "Ann"], [None, None, "Ann"]).share.estimate == pytest.approx(2 / 3)


@pytest.mark.parametrize("seed", range(5))
def test_kappa_is_that_of_scikit_learn(seed: int) -> None:
    random = np.random.default_rng(seed)
    first = random.integers(0, 4, 60)
    second = np.where(random.random(60) < 0.5, first, random.integers(0, 4, 60))
    assert found(list(first), list(second)).kappa.estimate == pytest.approx(cohen_kappa_score(first, second), abs=1e-12)


def test_the_intervals_leave_out_scenes_with_all_that_is_in_them() -> None:
    random = np.random.default_rng(11)
    scenes = np.repeat([f"s{number}" for number in range(8)], 6)
    first = random.integers(0, 3, 48)
    second = np.where(random.random(48) < 0.6, first, random.integers(0, 3, 48))
    known = found(list(first), list(second), list(scenes))
    left = [scenes != scene for scene in sorted(set(scenes))]
    kappas = [float(cohen_kappa_score(first[those], second[those])) for those in left]
    equal = [float((first[those] == second[those]).mean()) for those in left]
    for estimate, without, scale in ((known.kappa, kappas, CORRELATION), (known.share, equal, SHARE)):
        low, high = jackknifed(estimate.estimate, without, scale)
        assert estimate.interval == Interval(pytest.approx(low), pytest.approx(high), "jackknife by scenes")


def test_within_strata_a_scene_leaves_with_what_chance_gives_in_it() -> None:
    random = np.random.default_rng(12)
    scenes = np.repeat([f"s{number}" for number in range(6)], 8)
    first = random.integers(0, 3, 48)
    second = np.where(random.random(48) < 0.6, first, random.integers(0, 3, 48))

    def kappa(those: np.ndarray) -> float:
        equal, chance = 0.0, 0.0
        for scene in set(scenes[those]):
            one, other = first[scenes == scene], second[scenes == scene]
            equal += (one == other).sum()
            chance += sum((one == name).sum() * (other == name).sum() for name in range(3)) / len(one)
        return float((equal - chance) / (those.sum() - chance))

    known = found(list(first), list(second), list(scenes), strata=list(scenes))
    assert known.kappa.estimate == pytest.approx(kappa(np.ones(48, dtype=bool)), abs=1e-12)
    low, high = jackknifed(known.kappa.estimate, [kappa(scenes != scene) for scene in sorted(set(scenes))], CORRELATION)
    assert (known.kappa.interval.low, known.kappa.interval.high) == (pytest.approx(low), pytest.approx(high))


def test_without_scenes_enough_there_is_no_interval_and_without_choice_no_kappa() -> None:
    known = found(list("ab"), list("ba"))
    for estimate in (known.share, known.kappa):
        assert isinstance(estimate.interval, Undefined)
        assert in_english(estimate.interval.reason).startswith("an interval needs at least 5 scenes")
    always = found(["a"] * 4, ["a"] * 4)
    assert always.share.estimate == 1
    assert in_english(always.kappa) == Undefined(
        "both narrators always gave the same answer: by chance alone they would agree on all 4"
    )
    with pytest.raises(UndefinedStatistic, match="nothing"):
        found([], [])


@settings(max_examples=examples(20, 100))
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc"), st.sampled_from("xy")), min_size=1))
def test_kappa_is_the_same_for_any_order_and_for_either_first_and_at_most_one(told: list[tuple[str, str, str]]) -> None:
    first, second, strata = (list(each) for each in zip(*told, strict=True))
    known = found(first, second, strata=strata)
    turned = found(second[::-1], first[::-1], strata=strata[::-1])
    assert known.by_chance == pytest.approx(turned.by_chance)
    if isinstance(known.kappa, Undefined):
        assert isinstance(turned.kappa, Undefined)
    else:
        assert known.kappa.estimate == pytest.approx(turned.kappa.estimate)
        assert known.kappa.estimate <= 1
        assert (known.kappa.estimate > 1 - 1e-12) == (first == second)
