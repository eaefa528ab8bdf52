"""Pearson against published and hand-worked values, the intervals' laws, and the refusals."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student

from annotations.errors import Undefined, UndefinedStatistic
from annotations.marking.rating import Dropped
from annotations.report.all_figures import usable_ratings
from annotations.resampling.jackknife import Drawn, Interval
from annotations.validity.judge_expert_correlation import (
    Correlation,
    Sides,
    correlate,
    correlate_overall,
    paired_means,
    sides_of,
    unpaired,
)
from annotations.validity.pearson import fisher_interval
from tests.annotations.jackknifed import CORRELATION, ENDS_WITHOUT_ONE, jackknifed
from tests.annotations.tables import frame_of, rating
from tests.fakes.examples import examples
from tests.fakes.in_english import in_english


def ratings_of(
    experts: list[list[float]], judge: list[float], *, scenes: int = 6, metric: str = "KA"
) -> list[dict[str, object]]:
    """Item i belongs to scene i % scenes and model i // scenes; experts[r][i] is expert r's score of it."""

    def rows(rater: str, kind: str, scores: list[float]) -> list[dict[str, object]]:
        given = {"metric": metric, "rater": rater, "kind": kind}
        return [
            rating(item=f"i{i:02}", scene=f"s{i % scenes}", model=f"m{i // scenes}", score=score, **given)
            for i, score in enumerate(scores)
        ]

    ratings = [row for r, scores in enumerate(experts) for row in rows(f"e{r}", "expert", scores)]
    return ratings + rows("gpt", "judge", judge)


def sides(frame: pd.DataFrame, judge: str = "gpt") -> Sides:
    """The experts and one judge."""
    return sides_of(frame, [judge])[judge]


def correlation(frame: pd.DataFrame) -> Correlation:
    """Of gpt on KA."""
    return correlate(sides(frame), "KA")


def ends(r: Correlation) -> tuple[float, float]:
    assert isinstance(r.interval, Interval)
    return r.interval.low, r.interval.high


@pytest.fixture(scope="session")
def twelve_items() -> pd.DataFrame:
    random = np.random.default_rng(1)
    truth = random.normal(3, 1, 12)
    experts = [(truth + random.normal(0, 0.5, 12)).tolist() for _ in range(3)]
    return frame_of(ratings_of(experts, (truth + random.normal(0, 0.5, 12)).tolist()))


@pytest.mark.parametrize(
    ("metric", "published"),
    [
        ("coherence", 0.595143),
        ("engagingness", 0.556510),
        ("groundedness", 0.536209),
        ("naturalness", 0.443666),
        ("understandability", 0.380038),
        ("overall", 0.632796),
    ],
)
def test_published_correlations_of_topical_chat(topical_chat: pd.DataFrame, metric: str, published: float) -> None:
    r = correlate(sides(topical_chat, "unieval"), metric)
    assert r.estimate == pytest.approx(published, abs=5e-7)
    assert (r.n, r.scenes, r.models, r.dropped) == (360, 60, 6, ())


def test_the_published_overall_is_the_rated_one_and_not_the_row_mean(topical_chat: pd.DataFrame) -> None:
    metrics = sorted(set(topical_chat["metric"]) - {"overall"})
    assert correlate_overall(sides(topical_chat, "unieval"), metrics).estimate == pytest.approx(0.636596, abs=5e-7)


@pytest.mark.parametrize(
    ("metric", "published"),
    [
        ("coherence", 0.5595),
        ("complexity", 0.5084),
        ("empathy", 0.4290),
        ("engagement", 0.5037),
        ("relevance", 0.4345),
        ("surprise", 0.2981),
    ],
)
def test_known_correlations_of_hanna_and_how_much_wider_intervals_are_where_models_are_drawn_too(
    hanna: pd.DataFrame, metric: str, published: float
) -> None:
    r = correlate(sides(hanna, "chatgpt"), metric)
    assert r.estimate == pytest.approx(published, abs=5e-5)
    assert (r.n, r.scenes, r.models) == (1056, 96, 11)
    both = correlate(sides(hanna, "chatgpt"), metric, "scenes and models")
    (low, high), (lower, higher) = ends(r), ends(both)
    assert lower < low < r.estimate < high < higher
    assert higher - lower > 2 * (high - low)


def test_the_judge_is_set_against_the_experts_mean() -> None:
    # Means 2, 3, 4 against 1, 3, 2: deviations (-1, 0, 1) and (-1, 1, 0), so r = 1 / sqrt(2 * 2).
    frame = frame_of(ratings_of([[1, 2, 5], [3, 4, 3]], [1, 3, 2]))
    r = correlation(frame)
    assert r.estimate == pytest.approx(0.5, abs=1e-12)
    pairs = paired_means(frame, "gpt", ["KA"])
    assert list(pairs.columns) == ["item", "scene", "model", "expert", "judge"]
    assert pairs["expert"].tolist() == [2, 3, 4]
    assert pairs["judge"].tolist() == [1, 3, 2]


def test_overall_sets_row_means_against_row_means() -> None:
    # Row means 1, 2, 4 and 2, 1, 3: deviations (-4, -1, 5) / 3 and (0, -1, 1), so r = 2 / sqrt(28 / 3).
    frame = frame_of(
        [
            *ratings_of([[1, 1, 5, 2]], [1, 1, 5, 1], metric="KA"),
            *ratings_of([[1, 3, 3]], [3, 1, 1], metric="BA"),
        ]
    )
    r = correlate_overall(sides(frame), ["KA", "BA"])
    assert r.estimate == pytest.approx(2 / np.sqrt(28 / 3), abs=1e-12)
    assert r.n == 3
    assert in_english(r.dropped) == (
        Dropped("i03", "overall", "gpt", "not paired", "no score from the experts and the judge"),
    )


def test_items_of_one_side_only_are_left_out_and_named() -> None:
    frame = frame_of(ratings_of([[1, 2, 4, 5]], [1, 2, 5]))
    r = correlation(frame)
    assert r.n == 3
    assert in_english(r.dropped) == (Dropped("i03", "KA", "gpt", "not paired", "no score from the judge"),)
    assert unpaired(sides(frame), ["KA"], "KA") == r.dropped


def test_independent_items_have_fisher_s_interval(twelve_items: pd.DataFrame) -> None:
    r = correlate(sides(twelve_items), "KA", "independent items")
    assert r.interval == fisher_interval(r.estimate, 12)


@pytest.mark.parametrize("scenes", [5, 6, 10, 30])
def test_the_interval_is_that_of_leaving_out_each_scene(scenes: int) -> None:
    random = np.random.default_rng(1)
    truth = random.normal(3, 1, 30)
    frame = frame_of(ratings_of([truth.tolist()], (truth + random.normal(0, 0.5, 30)).tolist(), scenes=scenes))
    r = correlation(frame)
    expert, judge = paired_means(frame, "gpt", ["KA"])[["expert", "judge"]].to_numpy().T
    scene = np.arange(30) % scenes
    without = [np.corrcoef(expert[scene != s], judge[scene != s])[0, 1] for s in range(scenes)]
    assert ends(r) == pytest.approx(jackknifed(r.estimate, without, CORRELATION), abs=1e-9)
    assert isinstance(r.interval, Interval)
    assert (r.interval.way, r.scenes, r.models) == ("jackknife by scenes", scenes, 30 // scenes)


def test_where_models_are_drawn_too_both_variances_are_added() -> None:
    random = np.random.default_rng(1)
    truth = random.normal(3, 1, 48)
    frame = frame_of(ratings_of([truth.tolist()], (truth + random.normal(0, 0.5, 48)).tolist()))
    r = correlate(sides(frame), "KA", "scenes and models")
    expert, judge = paired_means(frame, "gpt", ["KA"])[["expert", "judge"]].to_numpy().T
    parts = []
    for cluster, n in ((np.arange(48) % 6, 6), (np.arange(48) // 6, 8)):
        z = np.arctanh([np.corrcoef(expert[cluster != c], judge[cluster != c])[0, 1] for c in range(n)])
        parts.append((n - 1) / n * ((z - z.mean()) ** 2).sum())
    df = sum(parts) ** 2 / (parts[0] ** 2 / 5 + parts[1] ** 2 / 7)
    half = student.ppf(0.975, df) * np.sqrt(sum(parts))
    z = np.arctanh(r.estimate)
    assert ends(r) == pytest.approx((np.tanh(z - half), np.tanh(z + half)), abs=1e-9)
    assert isinstance(r.interval, Interval)
    assert r.interval.way == "jackknife by scenes and by models"


@pytest.mark.parametrize(
    ("drawn", "scenes", "models", "reason"),
    [
        ("scenes", 4, 8, "an interval needs at least 5 scenes"),
        ("scenes", 1, 9, "an interval needs at least 5 scenes"),
        ("scenes and models", 4, 8, "an interval needs at least 5 scenes"),
        ("scenes and models", 6, 7, "an interval needs at least 8 models"),
    ],
)
def test_too_few_scenes_or_models_leave_r_without_an_interval(
    drawn: Drawn, scenes: int, models: int, reason: str
) -> None:
    truth = np.random.default_rng(1).normal(3, 1, (2, scenes * models)).cumsum(axis=0)
    frame = frame_of(ratings_of([truth[0].tolist()], truth[1].tolist(), scenes=scenes))
    r = correlate(sides(frame), "KA", drawn)
    assert r.estimate == pytest.approx(np.corrcoef(truth)[0, 1], abs=1e-12)
    assert isinstance(r.interval, Undefined)
    assert in_english(r.interval.reason).startswith(reason)
    assert (r.scenes, r.models) == (scenes, models)


def test_an_r_that_rests_on_one_scene_has_no_interval() -> None:
    r = correlation(frame_of(ratings_of([[1, 2, 3, 2, 1, 4]], [1, 1, 1, 1, 1, 5])))
    assert in_english(r.interval) == Undefined(ENDS_WITHOUT_ONE)


def test_an_r_of_1_has_no_interval() -> None:
    scores = [1.0, 2, 3, 2, 1, 4]
    for judge, r in ((scores, 1), ([6 - score for score in scores], -1)):
        found = correlation(frame_of(ratings_of([scores], judge)))
        assert found.estimate == pytest.approx(r, abs=1e-12)
        assert isinstance(found.interval, Undefined)
        assert "end of its range" in in_english(found.interval.reason)


def test_copies_of_items_within_their_clusters_add_no_certainty(twelve_items: pd.DataFrame) -> None:
    doubled = pd.concat([twelve_items, twelve_items.assign(item=twelve_items["item"] + "-copy")], ignore_index=True)
    once, twice = correlation(twelve_items), correlation(doubled)
    assert twice.n == 2 * once.n
    assert (twice.estimate, *ends(twice)) == pytest.approx((once.estimate, *ends(once)), abs=1e-9)


@pytest.mark.parametrize(
    ("experts", "judge", "reason"),
    [
        ([1, 2], [1, 2], "at least 3 items scored by the experts and gpt; found 2"),
        ([1, 2, 3, 4], [3, 3, 3, 3], "gpt gave all 4 items the same score, 3, on KA"),
        ([2, 2, 2, 2], [1, 2, 3, 4], "the experts gave all 4 items the same score, 2, on KA"),
        ([0.1 + 0.2, 0.3, 0.3], [1, 2, 3], "the experts gave all 3 items the same score"),
    ],
)
def test_what_does_not_vary_has_no_correlation(experts: list[float], judge: list[float], reason: str) -> None:
    with pytest.raises(UndefinedStatistic, match=reason):
        correlation(frame_of(ratings_of([experts], judge)))


def test_a_judge_that_scored_nothing_has_no_correlation(twelve_items: pd.DataFrame) -> None:
    with pytest.raises(UndefinedStatistic, match="found 0"):
        correlate(sides(twelve_items, "nobody"), "KA")


@settings(max_examples=examples(5, 20))
@given(st.permutations(range(48)), st.permutations(["e0", "e1", "e2"]))
def test_neither_the_order_of_rows_nor_the_raters_names_matter(
    twelve_items: pd.DataFrame, order: list[int], names: list[str]
) -> None:
    renamed = twelve_items.iloc[order].replace({"rater": dict(zip(["e0", "e1", "e2"], names, strict=True))})
    one, other = correlation(twelve_items), correlation(renamed)
    assert (other.estimate, *ends(other)) == pytest.approx((one.estimate, *ends(one)), abs=1e-9)


def test_paired_means_are_what_the_overall_correlation_is_of() -> None:
    ka = ratings_of([[1.0, 2.0, 4.0, 5.0]], [1.0, 3.0, 2.0, 5.0], metric="KA")
    ba = ratings_of([[3.0, 2.0, 2.0, 4.0]], [2.0, 2.0, 5.0, 4.0], metric="BA")[:-1]
    frame = frame_of([*ka, *ba])
    pairs = paired_means(frame, "gpt", ["KA", "BA"])
    assert len(pairs) == 3
    assert np.corrcoef(pairs["expert"], pairs["judge"])[0, 1] == pytest.approx(
        correlate_overall(sides(frame), ["KA", "BA"]).estimate
    )


@pytest.mark.parametrize("items", [1, 126, 127, 300])
@pytest.mark.parametrize(("kind", "rater"), [("judge", "gpt"), ("expert", "e")])
def test_ratings_of_one_side_alone_are_no_pairs(items: int, kind: str, rater: str) -> None:
    rows = (rating(item=str(i), rater=rater, kind=kind, score=1 + i % 5) for i in range(items))
    frame = usable_ratings(frame_of(rows), (1, 5))
    assert paired_means(frame, "gpt", ["KA"]).empty
    means = sides_of(frame, ["gpt"])["gpt"].means(["KA"])
    assert len(means) == items
    assert (means["expert"].dtype, means["judge"].dtype) == (float, float)
