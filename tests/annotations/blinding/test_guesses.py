"""The blinding indices: the counts of two published trials, values worked by hand, their laws and their limits."""

from collections.abc import Sequence
from random import Random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.blinding.blinding_index import IndexEstimate, Way
from annotations.blinding.guesses import READINGS, Blinding, blinding, reading_of
from annotations.errors import RatingError, Undefined, UndefinedStatistic
from annotations.resampling.draws import Draws
from annotations.resampling.jackknife import Interval
from tests.fakes.examples import examples
from tests.fakes.in_english import in_english

Rows = Sequence[Sequence[int]]
ARMS = ("treatment", "placebo")
THREE = ("qwen", "llama", "gpt")


def answers(counts: Rows, models: Sequence[str] = ARMS, raters: int = 1) -> pd.DataFrame:
    """A row of counts per guess, then one for "cannot tell"; a column per true model. Raters take turns."""
    rows = [
        (model, guess)
        for guess, row in zip([*models, None], counts, strict=True)
        for model, count in zip(models, row, strict=True)
        for _ in range(count)
    ]
    frame = pd.DataFrame(rows, columns=["model", "guess"])
    return frame.assign(rater=[f"r{i % raters}" for i in range(len(rows))])


def of(counts: Rows, models: Sequence[str] = ARMS, raters: int = 1) -> Blinding:
    return blinding(answers(counts, models, raters), models)


def estimated(value: IndexEstimate | Undefined) -> IndexEstimate:
    assert isinstance(value, IndexEstimate)
    return value


CRISP = [[82, 27], [25, 29], [170, 83]]
"""A trial of lisinopril and cholesterol: the counts of Bang, Ni & Davis (2004), table 7."""
HOUWELING = [[48, 22], [4, 30], [330, 319]]
"""Investigators' guesses in a device trial: Houweling et al. (2014), table 2."""


def test_the_published_figures_of_two_arms() -> None:
    # As the R package BI and its port to Julia print them, to three decimals: estimate, and limits of 95 %.
    found = of(HOUWELING)
    james = estimated(found.james)
    assert (james.estimate, james.interval.low, james.interval.high) == pytest.approx((0.896, 0.875, 0.918), abs=5e-4)
    for model, published in zip(found.by_model, [(0.115, 0.080, 0.150), (0.022, -0.016, 0.060)], strict=True):
        bang = estimated(model.bang)
        assert (bang.estimate, bang.interval.low, bang.interval.high) == pytest.approx(published, abs=5e-4)
        assert bang.interval.way == "variance of independent answers"


def test_crisp_worked_by_hand() -> None:
    found = of(CRISP)
    # 253 of 416 cannot tell; of 163 names 52 are wrong, and (109 * 56 + 54 * 107) / 163^2 would be if unrelated.
    expected = (6104 + 5778) / 163**2
    assert estimated(found.james).estimate == pytest.approx(253 / 416 + 163 / 416 / 2 * (52 / 163) / expected)
    assert estimated(found.james).estimate == pytest.approx(0.75, abs=5e-3)
    treatment, placebo = found.by_model
    assert estimated(treatment.bang).estimate == pytest.approx((82 - 25) / 277)
    assert estimated(placebo.bang).estimate == pytest.approx((29 - 27) / 139)
    # Bang's variance: the shares right and wrong together, less the square of their difference, over n.
    half = 1.959964 * ((107 / 277 - (57 / 277) ** 2) / 277) ** 0.5
    assert estimated(treatment.bang).interval.high - estimated(treatment.bang).estimate == pytest.approx(half, abs=1e-6)
    assert (treatment.right, treatment.wrong, treatment.cannot_tell) == (82, 25, 170)
    told_apart = estimated(treatment.told_apart)
    assert told_apart.estimate == pytest.approx(82 / 277 - 27 / 139)
    half = 1.959964 * (82 * 195 / 277**3 + 27 * 112 / 139**3) ** 0.5
    assert told_apart.interval.high - told_apart.estimate == pytest.approx(half, abs=1e-6)
    assert estimated(placebo.told_apart).estimate == pytest.approx(29 / 139 - 25 / 277)
    assert {treatment.reading, placebo.reading, found.reading} == {"recognised"}


def test_shares_beside_chance() -> None:
    found = of(CRISP)
    right = estimated(found.right)
    assert (right.estimate, right.n, right.interval.way) == (pytest.approx(111 / 163), 163, "exact")
    # Clopper & Pearson: at the limits, 111 or more and 111 or fewer have a probability of 2.5 %.
    assert (right.interval.low, right.interval.high) == pytest.approx((0.6035, 0.7517), abs=5e-5)
    assert (found.chance, found.n, found.cannot_tell, found.raters) == (0.5, 416, 253, 1)


def test_james_variance_is_that_of_the_delta_method_by_numbers() -> None:
    counts = np.array(CRISP, dtype=float)

    def james(shares: np.ndarray) -> float:
        named = shares[:-1]
        given, wrong = named.sum(), named.sum() - np.trace(named)
        unrelated = given**2 - (named.sum(axis=0) * named.sum(axis=1)).sum()
        return float(shares[-1].sum() + given**2 * wrong / (2 * unrelated))

    shares = counts / counts.sum()
    slopes = np.zeros_like(shares)
    for cell in np.ndindex(*shares.shape):
        step = np.zeros_like(shares)
        step[cell] = 1e-6
        slopes[cell] = (james(shares + step) - james(shares - step)) / 2e-6
    se = (((shares * slopes**2).sum() - (shares * slopes).sum() ** 2) / counts.sum()) ** 0.5
    found = estimated(of(CRISP).james)
    assert found.interval.high - found.interval.low == pytest.approx(2 * 1.959964 * se, abs=1e-6)


def test_three_models_worked_by_hand() -> None:
    counts = [[6, 2, 1], [1, 5, 1], [1, 1, 4], [2, 2, 4]]
    found = of(counts, THREE)
    # 8 of 30 cannot tell; 7 of 22 names are wrong; margins of names 9 7 6 and of models 8 8 6.
    expected = 1 - (72 + 56 + 36) / 22**2
    assert estimated(found.james).estimate == pytest.approx(8 / 30 + 22 / 30 / 2 * (7 / 22) / expected)
    # A wrong name counts -1/2: (6 - 1) / 10, (5 - 1.5) / 10, (4 - 1) / 10.
    assert [estimated(each.bang).estimate for each in found.by_model] == pytest.approx([0.5, 0.35, 0.3])
    assert estimated(found.bang).estimate == pytest.approx(1.15 / 3)
    assert found.chance == pytest.approx(1 / 3)
    squares = np.array([6 + 2 / 4, 5 + 3 / 4, 4 + 2 / 4]) / 10
    variance = ((squares - np.array([0.5, 0.35, 0.3]) ** 2) / 10).sum() / 9
    assert estimated(found.bang).interval.high == pytest.approx(1.15 / 3 + 1.959964 * variance**0.5, abs=1e-6)
    assert estimated(found.by_model[0].told_apart).estimate == pytest.approx(6 / 10 - 3 / 20)


@pytest.mark.parametrize(
    ("counts", "james", "bang", "reading"),
    [
        ([[30, 0], [0, 30], [0, 0]], 0.0, 1.0, "recognised"),
        ([[0, 30], [30, 0], [0, 0]], 1.0, -1.0, "mistaken"),
        ([[0, 0], [0, 0], [60, 60]], 1.0, 0.0, "as by chance"),
        ([[200, 200], [200, 200], [0, 0]], 0.5, 0.0, "as by chance"),
        ([[4, 4], [4, 4], [1, 1]], 0.555555, 0.0, "undecided"),
    ],
)
def test_the_ends_of_the_scales(counts: Rows, james: float, bang: float, reading: str) -> None:
    found = of(counts)
    assert estimated(found.james).estimate == pytest.approx(james, abs=1e-6)
    assert estimated(found.bang).estimate == pytest.approx(bang)
    assert found.reading == reading
    assert READINGS[found.reading].en


def test_a_habit_of_naming_one_model_is_no_recognition() -> None:
    found = of([[40, 40, 40], [0, 0, 0], [0, 0, 0], [10, 10, 10]], THREE)
    assert estimated(found.bang).estimate == pytest.approx(0, abs=1e-12)
    assert [estimated(each.bang).estimate for each in found.by_model] == pytest.approx([0.8, -0.4, -0.4])
    assert [estimated(each.told_apart).estimate for each in found.by_model] == pytest.approx([0, 0, 0])
    assert {each.reading for each in found.by_model} == {"as by chance"}
    assert found.reading == "as by chance"
    assert estimated(found.james).estimate == pytest.approx(0.2 + 0.8 / 2)


@pytest.mark.parametrize(
    ("counts", "low"),
    [
        ([[3, 0], [0, 3], [0, 0]], -1.0),
        ([[60, 0], [0, 60], [0, 0]], 0.75),
        ([[0, 0], [0, 0], [5, 5]], -0.75),
    ],
)
def test_answers_without_spread_are_no_certainty(counts: Rows, low: float) -> None:
    # A share of 1 - 0.025^(1/n) can stay away from n answers: 71 % of 3, 6 % of 60, 52 % of 5.
    for model in of(counts).by_model:
        for index in map(estimated, (model.bang, model.told_apart)):
            assert index.interval.way == "no spread"
            assert low <= index.interval.low < index.estimate
            assert (index.interval.low > 0) == (low > 0)


def test_one_answer_alone_decides_nothing() -> None:
    found = of([[1, 0], [0, 0], [0, 0]])
    assert found.reading == "undecided"
    assert found.by_model[0].reading == "undecided"
    assert in_english(found.by_model[1].bang) == Undefined("Bang's index needs answers about every model")
    assert found.bang == found.by_model[1].bang
    assert in_english(found.james) == Undefined(
        "James' index needs guesses that name a model, for items of at least two models"
    )
    assert in_english(found.by_model[0].told_apart) == Undefined(
        "discrimination needs answers about this model and about other models"
    )
    assert estimated(found.right).interval.low == pytest.approx(0.025)
    assert in_english(of([[0, 0], [0, 0], [3, 3]]).right) == Undefined("no rater named a model")


def one_rater_each(rows: list[tuple[str, str, str | None]]) -> Blinding:
    return blinding(pd.DataFrame(rows, columns=["rater", "model", "guess"]), ARMS)


def test_raters_who_differ_make_the_interval_wider_than_their_answers_would() -> None:
    # Three raters know all and three name the wrong one half of the time: 20 answers each, so 120 are worth six.
    rows: list[tuple[str, str, str | None]] = []
    for rater in range(6):
        for i in range(20):
            model, other = ARMS[i % 2], ARMS[1 - i % 2]
            rows.append((f"r{rater}", model, model if rater < 3 or i % 4 < 2 else other))
    clustered = one_rater_each(rows)
    alone = one_rater_each([("one", model, guess) for _, model, guess in rows])
    for name in ("james", "bang", "right"):
        wide, narrow = estimated(getattr(clustered, name)), estimated(getattr(alone, name))
        assert wide.estimate == narrow.estimate
        assert wide.interval.way == "bootstrap of raters"
        assert narrow.interval.way != "bootstrap of raters"
        assert wide.interval.high - wide.interval.low > 1.5 * (narrow.interval.high - narrow.interval.low)


@pytest.mark.parametrize(("raters", "interval"), [(4, "variance of independent answers"), (5, "bootstrap of raters")])
def test_raters_are_drawn_where_there_are_five(raters: int, interval: Way) -> None:
    counts = [[9, 4], [3, 7], [5, 2]]
    assert estimated(of(counts, raters=raters).bang).interval.way == interval


def test_where_draws_often_miss_a_model_raters_are_not_drawn() -> None:
    # Only one of six raters was asked about the placebo: a third of the draws have nothing about it.
    rows: list[tuple[str, str, str | None]] = [("r0", "placebo", "placebo"), ("r0", "placebo", "treatment")]
    rows += [(f"r{rater}", "treatment", guess) for rater in range(6) for guess in ("treatment", "placebo", None)]
    rows += [("r5", "treatment", "treatment")]
    found = one_rater_each(rows)
    assert estimated(found.by_model[1].bang).interval.way == "variance of independent answers"
    assert estimated(found.by_model[0].bang).interval.way == "bootstrap of raters"


def test_raters_who_all_answer_alike_are_judged_by_their_answers() -> None:
    rows = [(f"r{rater}", arm, guess) for rater in range(8) for arm in ARMS for guess in ARMS]
    assert estimated(one_rater_each(rows).bang).interval.way == "variance of independent answers"


def test_the_draws_decide_the_interval_and_nothing_else() -> None:
    frame = answers([[9, 4], [3, 7], [5, 2]], raters=6)
    one, same, other = (blinding(frame, ARMS, draws=Draws(300, seed)) for seed in (1, 1, 2))
    assert one == same
    first, second = estimated(one.james), estimated(other.james)
    assert first.interval.way == "bootstrap of raters"
    assert (first.estimate, first.n) == (second.estimate, second.n)
    assert first.interval != second.interval


@settings(max_examples=examples(6, 20))
@given(st.integers(0, 10_000), st.randoms(use_true_random=False))
def test_neither_the_order_of_rows_nor_the_raters_names_matter(seed: int, random: Random) -> None:
    dice = Random(seed)
    choices = [*THREE, None]
    rows = [(dice.choice("abcdefg"), dice.choice(THREE), dice.choice(choices)) for _ in range(60)]
    frame = pd.DataFrame(rows, columns=["rater", "model", "guess"])
    names = dict(zip("abcdefg", random.sample("tuvwxyz", 7), strict=True))
    order = random.sample(range(len(frame)), len(frame))
    other = frame.iloc[order].assign(rater=frame["rater"].map(names))
    assert blinding(other, THREE, draws=Draws(200)) == blinding(frame, THREE, draws=Draws(200))


@settings(max_examples=examples(20, 40))
@given(st.lists(st.lists(st.integers(0, 6), min_size=3, max_size=3), min_size=4, max_size=4), st.integers(1, 7))
def test_estimates_lie_within_their_intervals_and_those_within_the_scale(counts: Rows, raters: int) -> None:
    if not sum(map(sum, counts)):
        return
    found = blinding(answers(counts, THREE, raters), THREE, draws=Draws(200))
    for value, lowest in [
        (found.james, 0),
        (found.right, 0),
        (found.bang, -0.5),
        *((each.bang, -0.5) for each in found.by_model),
        *((each.told_apart, -1) for each in found.by_model),
    ]:
        if isinstance(value, IndexEstimate):
            assert lowest <= value.interval.low <= value.interval.high <= 1
            assert value.interval.low < value.interval.high
            if value.interval.way != "bootstrap of raters":
                assert value.interval.low <= value.estimate <= value.interval.high


@pytest.mark.parametrize(
    ("low", "high", "reading"),
    [
        (0.01, 0.3, "recognised"),
        (-0.3, -0.01, "mistaken"),
        (-0.2, 0.2, "as by chance"),
        (-0.1, 0.21, "undecided"),
        (-0.21, 0.1, "undecided"),
    ],
)
def test_readings_follow_the_interval(low: float, high: float, reading: str) -> None:
    assert reading_of(IndexEstimate((low + high) / 2, Interval(low, high, "exact"), 9)) == reading


def test_what_cannot_be_counted_is_refused() -> None:
    with pytest.raises(UndefinedStatistic, match="no rater was asked"):
        of([[0, 0], [0, 0], [0, 0]])
    with pytest.raises(RatingError, match="no column rater, guess"):
        blinding(pd.DataFrame({"model": ["qwen"]}), THREE)
    for column in ("model", "guess"):
        frame = pd.DataFrame([("r", "qwen", "gpt")], columns=["rater", "model", "guess"]).assign(**{column: "mistral"})
        with pytest.raises(RatingError, match=f"{column} 'mistral' is none of the models"):
            blinding(frame, THREE)
    for models in (["qwen"], ["qwen", "qwen"]):
        with pytest.raises(RatingError, match="at least two models"):
            blinding(pd.DataFrame([("r", "qwen", None)], columns=["rater", "model", "guess"]), models)
