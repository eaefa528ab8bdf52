"""Pearson against published and hand-worked values, the intervals' laws, and the refusals."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.errors import UndefinedStatistic
from annotations.marking.rating import Dropped
from annotations.report.all_figures import usable_ratings
from annotations.resampling.jackknife import Drawing
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
from tests.annotations.bias_corrected import bias_corrected
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


def correlation(frame: pd.DataFrame, *, draws: int = 2000, seed: int = 0) -> Correlation:
    """Of gpt on KA."""
    return correlate(sides(frame), "KA", Drawing(draws=draws, seed=seed))


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
def test_known_correlations_of_hanna_and_how_much_wider_clustered_intervals_are(
    hanna: pd.DataFrame, metric: str, published: float
) -> None:
    r = correlate(sides(hanna, "chatgpt"), metric)
    assert r.estimate == pytest.approx(published, abs=5e-5)
    assert (r.n, r.scenes, r.models, r.interval.way) == (1056, 96, 11, "two-way cluster bootstrap")
    fisher = fisher_interval(r.estimate, r.n)
    assert r.interval.low < fisher.low < r.estimate < fisher.high < r.interval.high
    assert r.interval.high - r.interval.low > 3 * (fisher.high - fisher.low)


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
    r = correlate(sides(twelve_items), "KA", Drawing("independent items"))
    fisher = fisher_interval(r.estimate, 12)
    assert (r.interval.low, r.interval.high, r.interval.way, r.interval.draws) == (fisher.low, fisher.high, "fisher", 0)


@pytest.mark.parametrize(
    ("scenes", "interval", "clusters"),
    [
        (6, "two-way cluster bootstrap", (6, 5)),
        (5, "two-way cluster bootstrap", (5, 6)),
        (10, "one-way cluster bootstrap by scenes", (10, 3)),
        (4, "one-way cluster bootstrap by models", (4, 8)),
        (30, "one-way cluster bootstrap by scenes", (30, 1)),
        (1, "one-way cluster bootstrap by models", (1, 30)),
    ],
)
def test_the_interval_follows_the_clusters(scenes: int, interval: str, clusters: tuple[int, int]) -> None:
    random = np.random.default_rng(1)
    truth = random.normal(3, 1, 30)
    frame = frame_of(ratings_of([truth.tolist()], (truth + random.normal(0, 0.5, 30)).tolist(), scenes=scenes))
    r = correlation(frame)
    assert (r.interval.way, (r.scenes, r.models)) == (interval, clusters)
    assert 1900 <= r.interval.draws <= 2000


@pytest.mark.parametrize(("scenes", "models"), [(1, 1), (3, 2), (4, 4), (1, 4)])
def test_too_few_clusters_leave_fisher_s_interval(scenes: int, models: int) -> None:
    n = scenes * models * 3
    truth = np.random.default_rng(1).normal(3, 1, (2, n)).cumsum(axis=0)
    places = [{"scene": f"s{i % scenes}", "model": f"m{i // scenes % models}"} for i in range(n)]
    rows = ratings_of([truth[0].tolist()], truth[1].tolist())
    r = correlation(frame_of({**row, **place} for row, place in zip(rows, [*places, *places], strict=True)))
    assert (r.interval.way, r.interval.draws, r.scenes, r.models) == ("fisher", 0, scenes, models)
    fisher = fisher_interval(r.estimate, n)
    assert (r.interval.low, r.interval.high) == (fisher.low, fisher.high)


def test_draws_that_mostly_decide_nothing_leave_fisher_s_interval() -> None:
    judged = [1.0, 1, 1, 1, 1, 5]  # the one scene that differs is missing from (5/6)^6 = a third of the draws
    r = correlation(frame_of(ratings_of([[1, 2, 3, 2, 1, 4]], judged)))
    assert r.interval.way == "fisher"


def test_the_bootstrap_agrees_with_drawing_items_one_by_one(twelve_items: pd.DataFrame) -> None:
    r = correlation(twelve_items)
    pairs = paired_means(twelve_items, "gpt", ["KA"])
    random = np.random.default_rng(5)
    drawn = []
    expert, judge = pairs[["expert", "judge"]].to_numpy().T
    for _ in range(2000):  # the two models are too few to be drawn
        rows = [m * 6 + s for s in random.choice(6, 6) for m in range(2)]
        drawn.append(float(np.corrcoef(expert[rows], judge[rows])[0, 1]))
    assert bias_corrected(r.estimate, drawn) == pytest.approx((r.interval.low, r.interval.high), abs=0.05)


def test_the_two_way_bootstrap_agrees_with_drawing_items_one_by_one() -> None:
    random = np.random.default_rng(1)
    truth = random.normal(3, 1, 30)
    frame = frame_of(ratings_of([truth.tolist()], (truth + random.normal(0, 0.5, 30)).tolist()))
    r = correlation(frame, draws=4_000)
    expert, judge = paired_means(frame, "gpt", ["KA"])[["expert", "judge"]].to_numpy().T
    drawn = []
    for _ in range(4_000):
        items = (random.choice(5, 5)[:, None] * 6 + random.choice(6, 6)).ravel()
        drawn.append(float(np.corrcoef(expert[items], judge[items])[0, 1]))
    assert r.interval.way == "two-way cluster bootstrap"
    assert bias_corrected(r.estimate, drawn) == pytest.approx((r.interval.low, r.interval.high), abs=0.03)


def test_copies_of_items_within_their_clusters_add_no_certainty(twelve_items: pd.DataFrame) -> None:
    doubled = pd.concat([twelve_items, twelve_items.assign(item=twelve_items["item"] + "-copy")], ignore_index=True)
    once, twice = correlation(twelve_items), correlation(doubled)
    assert twice.n == 2 * once.n
    assert (twice.estimate, twice.interval.low, twice.interval.high) == pytest.approx(
        (once.estimate, once.interval.low, once.interval.high), abs=1e-9
    )


def test_the_seed_decides_the_draws(twelve_items: pd.DataFrame) -> None:
    assert correlation(twelve_items, seed=3) == correlation(twelve_items, seed=3)
    assert correlation(twelve_items, seed=3).interval.low != correlation(twelve_items, seed=4).interval.low


@pytest.mark.parametrize(
    ("experts", "judge", "reason"),
    [
        ([1, 2], [1, 2], "at least 3 items scored by the experts and gpt; there are 2"),
        ([1, 2, 3, 4], [3, 3, 3, 3], "gpt gave all 4 items the same score, 3, for KA"),
        ([2, 2, 2, 2], [1, 2, 3, 4], "the experts gave all 4 items the same score, 2, for KA"),
        ([0.1 + 0.2, 0.3, 0.3], [1, 2, 3], "the experts gave all 3 items the same score"),
    ],
)
def test_what_does_not_vary_has_no_correlation(experts: list[float], judge: list[float], reason: str) -> None:
    with pytest.raises(UndefinedStatistic, match=reason):
        correlation(frame_of(ratings_of([experts], judge)))


def test_a_judge_that_scored_nothing_has_no_correlation(twelve_items: pd.DataFrame) -> None:
    with pytest.raises(UndefinedStatistic, match="there are 0"):
        correlate(sides(twelve_items, "nobody"), "KA")


@settings(max_examples=examples(5, 20))
@given(st.permutations(range(48)), st.permutations(["e0", "e1", "e2"]))
def test_neither_the_order_of_rows_nor_the_raters_names_matter(
    twelve_items: pd.DataFrame, order: list[int], names: list[str]
) -> None:
    renamed = twelve_items.iloc[order].replace({"rater": dict(zip(["e0", "e1", "e2"], names, strict=True))})
    one, other = correlation(twelve_items, draws=200), correlation(renamed, draws=200)
    assert (other.estimate, other.interval.low, other.interval.high) == pytest.approx(
        (one.estimate, one.interval.low, one.interval.high), abs=1e-9
    )


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
