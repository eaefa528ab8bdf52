"""Disagreement: worked by hand, by plain loops, and that the ranking is stable."""

from itertools import combinations
from random import Random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.errors import RatingError, UndefinedStatistic
from annotations.marking.disagreement import Disagreement, ItemDispute, Measure, disagreements, disputed_items
from tests.annotations.tables import frame_of, rating
from tests.fakes.examples import examples


def table(cells: dict[tuple[str, str], dict[str, float]], kind: str = "expert") -> pd.DataFrame:
    return frame_of(
        rating(item=item, metric=metric, rater=rater, kind=kind, score=score)
        for (item, metric), scores in cells.items()
        for rater, score in scores.items()
    )


BY_HAND = {
    ("i1", "KA"): {"ann": 1, "bo": 5},
    ("i1", "BA"): {"ann": 4, "bo": 4, "cy": 4},
    ("i2", "KA"): {"ann": 1, "bo": 1, "cy": 5, "dee": 5},
    ("i2", "BA"): {"bo": 2},
    ("i3", "KA"): {"cy": 5, "bo": 2, "ann": 3},
}


def test_measures_worked_by_hand() -> None:
    cells = {(each.item, each.metric): each for each in disagreements(table(BY_HAND)).cells}
    assert cells["i1", "KA"] == Disagreement(
        "i1", "KA", (("ann", 1), ("bo", 5)), median=3, range=4, sd=pytest.approx(8**0.5), mean_difference=4
    )
    # Distances 4 over four of six pairs; squares 4 * 4 over 3.
    assert cells["i2", "KA"] == Disagreement(
        item="i2",
        metric="KA",
        scores=(("ann", 1), ("bo", 1), ("cy", 5), ("dee", 5)),
        median=3,
        range=4,
        sd=pytest.approx((16 / 3) ** 0.5),
        mean_difference=pytest.approx(16 / 6),
    )
    # 2 3 5: distances 1 2 3; mean 10/3, squares 16/9 + 1/9 + 25/9.
    assert cells["i3", "KA"] == Disagreement(
        item="i3",
        metric="KA",
        scores=(("bo", 2), ("ann", 3), ("cy", 5)),
        median=3,
        range=3,
        sd=pytest.approx((42 / 18) ** 0.5),
        mean_difference=pytest.approx(2),
    )
    assert (cells["i1", "BA"].range, cells["i1", "BA"].mean_difference) == (0, 0)


def test_cells_of_one_rater_are_counted_and_left_out() -> None:
    found = disagreements(table(BY_HAND))
    assert (len(found.cells), found.single, found.dropped) == (4, 1, ())


@pytest.mark.parametrize(
    ("by", "order"),
    [
        ("mean_difference", ["i1 KA", "i2 KA", "i3 KA", "i1 BA"]),
        ("range", ["i1 KA", "i2 KA", "i3 KA", "i1 BA"]),
        ("sd", ["i1 KA", "i2 KA", "i3 KA", "i1 BA"]),
    ],
)
def test_the_greatest_come_first(by: Measure, order: list[str]) -> None:
    assert [f"{each.item} {each.metric}" for each in disagreements(table(BY_HAND), by).cells] == order


def test_each_measure_ranks_by_itself() -> None:
    cells = {
        ("far", "KA"): {"a": 1, "b": 3, "c": 3, "d": 3, "e": 3, "f": 5},  # range 4, mean difference 24/15, sd 1.26
        ("split", "KA"): {"a": 1, "b": 1, "c": 1, "d": 4, "e": 4, "f": 4},  # range 3, mean difference 27/15, sd 1.64
        ("pair", "KA"): {"a": 1, "b": 3},  # range 2, mean difference 2, sd 1.41
    }
    ranked = {
        by: [each.item for each in disagreements(table(cells), by).cells] for by in ("range", "sd", "mean_difference")
    }
    assert ranked == {
        "range": ["far", "split", "pair"],
        "sd": ["split", "pair", "far"],
        "mean_difference": ["pair", "split", "far"],
    }


def test_items_gather_their_cells() -> None:
    items = disputed_items(disagreements(table(BY_HAND)).cells)
    assert [each.item for each in items] == ["i2", "i1", "i3"]
    first = items[1]
    assert isinstance(first, ItemDispute)
    assert (first.range, first.mean_difference, first.sd) == (4, 2, pytest.approx(2**0.5))
    assert [each.metric for each in first.metrics] == ["KA", "BA"]
    assert [each.item for each in disputed_items(disagreements(table(BY_HAND)).cells, "range")] == ["i2", "i1", "i3"]


def test_judges_and_missing_scores_stay_out() -> None:
    frame = pd.concat(
        [
            table({("i1", "KA"): {"ann": 2, "bo": 3, "cy": float("nan")}}),
            table({("i1", "KA"): {"gpt": 5}}, kind="judge"),
        ]
    )
    found = disagreements(frame)
    assert found.cells[0].scores == (("ann", 2), ("bo", 3))
    assert [each.rater for each in found.dropped] == ["cy"]


def test_one_rater_alone_disagrees_with_nobody() -> None:
    with pytest.raises(UndefinedStatistic, match="not the case for any of the 2 scored so far"):
        disagreements(table({("i1", "KA"): {"ann": 2}, ("i2", "KA"): {"bo": 2}}))
    with pytest.raises(UndefinedStatistic, match="not the case for any of the 0 scored so far"):
        disagreements(table({("i1", "KA"): {"gpt": 2}}, kind="judge"))
    with pytest.raises(RatingError, match="column scene, model, metric, rater, kind, score is missing"):
        disagreements(pd.DataFrame({"item": ["a"]}))


def random_cells(seed: int) -> dict[tuple[str, str], dict[str, float]]:
    random = Random(seed)
    return {
        (f"i{i}", f"m{m}"): {rater: random.randint(1, 5) for rater in random.sample("abcdef", random.randint(1, 6))}
        for i in range(8)
        for m in range(3)
    }


@pytest.mark.parametrize("seed", range(10))
def test_measures_are_those_of_plain_loops(seed: int) -> None:
    cells = random_cells(seed)
    found = disagreements(table(cells)).cells
    assert len(found) == sum(len(scores) > 1 for scores in cells.values())
    for each in found:
        scores = list(cells[each.item, each.metric].values())
        assert dict(each.scores) == cells[each.item, each.metric]
        assert [score for _, score in each.scores] == sorted(scores)
        assert (each.median, each.range) == (np.median(scores), np.ptp(scores))
        assert each.sd == pytest.approx(np.std(scores, ddof=1))
        assert each.mean_difference == pytest.approx(np.mean([abs(a - b) for a, b in combinations(scores, 2)]))


@settings(max_examples=examples(5, 25))
@given(st.integers(0, 10_000), st.sampled_from(["range", "sd", "mean_difference"]), st.randoms(use_true_random=False))
def test_neither_the_order_of_rows_nor_the_raters_names_matter(seed: int, by: Measure, random: Random) -> None:
    frame = table(random_cells(seed))
    names = dict(zip("abcdef", random.sample(["zoe", "al", "mia", "bea", "kim", "eve"], 6), strict=True))
    order = random.sample(range(len(frame)), len(frame))
    cells = disagreements(frame, by).cells
    others = disagreements(frame.iloc[order].assign(rater=frame["rater"].map(names)), by).cells
    assert [(each.item, each.metric) for each in others] == [(each.item, each.metric) for each in cells]
    for each, other in zip(cells, others, strict=True):
        assert {names[rater]: score for rater, score in each.scores} == dict(other.scores)
        assert (other.median, other.range) == (each.median, each.range)


def test_hanna_is_ranked_in_full(hanna: pd.DataFrame) -> None:
    found = disagreements(hanna)
    assert (len(found.cells), found.single) == (1056 * 6, 0)
    assert found.cells[0].range == 4
    assert found.cells[-1].range == 0
    assert len(disputed_items(found.cells)) == 1056
