"""Raters' figures: worked by hand, by plain loops over random designs, their laws, and the speed."""

import time
from dataclasses import replace
from random import Random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.errors import RatingError, Undefined, UndefinedStatistic
from annotations.reliability.raters import (
    FlatItems,
    Match,
    MostUsed,
    RaterFigures,
    Spread,
    WithinMetrics,
    rater_figures,
)
from annotations.resampling.clustered import ClusteredEstimate
from annotations.resampling.jackknife import Interval
from tests.annotations import jackknifed as by_hand
from tests.annotations.jackknifed import jackknifed
from tests.annotations.tables import frame_of, rating
from tests.fakes.examples import examples
from tests.fakes.in_english import in_english

Scores = dict[tuple[str, str, str], float]
"""By rater, item and metric."""


def scene_of(item: str) -> str:
    """Items i0 and i1 are of one scene, i2 and i3 of the next, and so on."""
    return f"s{int(item[1:]) // 2}"


def table(scores: Scores, kind: str = "expert") -> pd.DataFrame:
    return frame_of(
        rating(item=item, scene=scene_of(item), metric=metric, rater=rater, kind=kind, score=score)
        for (rater, item, metric), score in scores.items()
    )


def grid(**rows: list[list[float]]) -> Scores:
    """By rater, a row of scores per item and a column per metric."""
    return {
        (rater, f"i{i}", f"m{m}"): score
        for rater, items in rows.items()
        for i, row in enumerate(items)
        for m, score in enumerate(row)
    }


BY_HAND = grid(
    ann=[[1, 2], [3, 3], [5, 4]],
    bo=[[2, 2], [3, 5], [4, 4]],
    cy=[[4, 2], [3, 3], [2, 4]],
)


@pytest.fixture(scope="module")
def ann() -> RaterFigures:
    return rater_figures(table(BY_HAND)).figures["ann"]


def test_severity_worked_by_hand(ann: RaterFigures) -> None:
    # The others' means are 3 2, 3 4, 3 4; differences -2 0, 0 -1, 2 0: mean -1/6.
    assert isinstance(ann.severity, ClusteredEstimate)
    assert ann.severity.estimate == pytest.approx(-1 / 6, abs=1e-12)
    assert (ann.severity.n, ann.severity.clusters, ann.n, ann.items, ann.alone) == (6, 2, 6, 3, 0)
    assert isinstance(ann.severity.interval, Undefined)
    assert in_english(ann.severity.interval.reason).startswith("an interval needs at least 5 scenes")


def test_spread_worked_by_hand(ann: RaterFigures) -> None:
    # Sums of squares about the mean: ann 1 2 3 3 5 4: 10; bo 2 2 3 5 4 4: 22/3; cy 4 2 3 3 2 4: 4; each over 5.
    assert isinstance(ann.spread, Spread)
    assert ann.spread.sd == pytest.approx(2**0.5, abs=1e-12)
    assert ann.spread.ratio == pytest.approx(2**0.5 / (((22 / 15) ** 0.5 + 0.8**0.5) / 2), abs=1e-12)
    assert (ann.spread.n, ann.spread.others) == (6, 2)


def test_agreement_worked_by_hand(ann: RaterFigures) -> None:
    # With bo: 1-2 2-2 3-3 3-5 5-4 4-4; with cy: 1-4 2-2 3-3 3-3 5-2 4-4.
    assert ann.match_with == {"bo": Match(3 / 6, 5 / 6, 6), "cy": Match(4 / 6, 4 / 6, 6)}
    assert ann.match == Match(pytest.approx(7 / 12), pytest.approx(9 / 12), 12)
    # Own 1 2 3 3 5 4 (mean 3) and others 3 2 3 4 3 4 (mean 19/6): covariance 2 over sqrt(10 * 17/6).
    assert isinstance(ann.correlation, ClusteredEstimate)
    assert ann.correlation.estimate == pytest.approx(2 / (10 * 17 / 6) ** 0.5, abs=1e-12)
    assert isinstance(ann.within_metrics, WithinMetrics)
    # On m0 the others' means are all 3; on m1 2 3 4 against 2 4 4 gives 2 / sqrt(2 * 8/3).
    undefined = ann.within_metrics.by_metric["m0"]
    assert isinstance(undefined, Undefined)
    assert "all 3 scores on one side are 3" in in_english(undefined.reason)
    assert ann.within_metrics.mean == pytest.approx(2 / (16 / 3) ** 0.5, abs=1e-12)
    assert ann.within_metrics.metrics == 1


def test_straight_lining_worked_by_hand(ann: RaterFigures) -> None:
    assert ann.most_used == MostUsed((3.0,), 2 / 6, 6)
    assert ann.flat_items == FlatItems(pytest.approx(1 / 3), 3, 0)
    figures = rater_figures(table(BY_HAND)).figures
    assert figures["bo"].most_used == MostUsed((2.0, 4.0), 2 / 6, 6)
    assert figures["cy"].flat_items == FlatItems(pytest.approx(1 / 3), 3, 0)


def test_ratings_that_nobody_shares_count_for_the_rater_s_own_figures_only() -> None:
    whole = rater_figures(table(BY_HAND)).figures["ann"]
    more = rater_figures(table(BY_HAND | {("ann", "i9", "m0"): 5, ("ann", "i8", "m0"): 5})).figures["ann"]
    assert (more.n, more.items, more.alone) == (8, 5, 2)
    assert (more.severity, more.correlation, more.match) == (whole.severity, whole.correlation, whole.match)
    assert more.most_used == MostUsed((5.0,), 3 / 8, 8)
    assert more.flat_items == FlatItems(pytest.approx(1 / 3), 3, 2)


def test_judges_and_missing_scores_stay_out() -> None:
    frame = pd.concat(
        [
            table(BY_HAND),
            table({("gpt", "i0", "m0"): 5}, kind="judge"),
            table({("dee", "i0", "m0"): float("nan"), ("dee", "i1", "m0"): 4}),
        ]
    )
    found = rater_figures(frame)
    assert set(found.figures) == {"ann", "bo", "cy", "dee"}
    assert found.figures["dee"].n == 1
    assert in_english([(each.item, each.rater, each.reason) for each in found.dropped]) == [("i0", "dee", "no score")]


def test_what_too_few_ratings_do_not_determine_has_a_reason() -> None:
    alone = rater_figures(table({("ann", "i0", "m0"): 3})).figures["ann"]
    nobody = Undefined("nobody else scored what this rater scored")
    assert in_english((alone.severity, alone.correlation, alone.within_metrics, alone.match)) == in_english(
        (nobody,) * 4
    )
    assert alone.match_with == {}
    assert in_english(alone.spread) == Undefined("a standard deviation needs at least two scores; found 1")
    assert in_english(alone.flat_items) == Undefined("the rater scored only one metric of each item")

    pair = rater_figures(table(grid(ann=[[3, 4], [3, 3]], bo=[[2, 2], [2, 2]]))).figures
    severity = pair["ann"].severity
    assert isinstance(severity, ClusteredEstimate)
    assert (severity.estimate, severity.n, severity.clusters) == (5 / 4, 4, 1)
    assert isinstance(pair["ann"].within_metrics, Undefined)
    assert "m0: a correlation needs at least 3 pairs of scores; found 2; m1:" in str(pair["ann"].within_metrics.reason)
    spread = pair["ann"].spread
    assert isinstance(spread, Spread)
    assert in_english(spread.ratio) == Undefined("each of the others gave the same score throughout")
    single = rater_figures(table(grid(ann=[[3, 4]]))).figures["ann"].spread
    assert isinstance(single, Spread)
    assert in_english(single.ratio) == Undefined("no other rater gave two scores")


def test_a_rater_who_never_varies_has_figures_but_no_correlation() -> None:
    flat = rater_figures(table(BY_HAND | grid(dee=[[3, 3], [3, 3], [3, 3]]))).figures["dee"]
    assert isinstance(flat.spread, Spread)
    assert (flat.spread.sd, flat.spread.ratio) == (0, 0)
    assert flat.most_used == MostUsed((3.0,), 1, 6)
    assert flat.flat_items == FlatItems(1, 3, 0)
    assert isinstance(flat.correlation, Undefined)


def test_without_an_expert_s_score_there_are_no_figures() -> None:
    with pytest.raises(UndefinedStatistic, match="no expert gave a score"):
        rater_figures(table({("gpt", "i0", "m0"): 3}, kind="judge"))
    twice = pd.concat([table({("ann", "i0", "m0"): 3})] * 2)
    with pytest.raises(RatingError, match="is rated twice"):
        rater_figures(twice)


def incomplete(seed: int) -> Scores:
    """A design with holes: 12 items of 6 scenes, 3 metrics, 5 raters, of whom two to four rate an item."""
    random = Random(seed)
    return {
        (rater, f"i{i}", f"m{m}"): random.randint(1, 5)
        for i in range(12)
        for rater in random.sample("abcde", random.randint(2, 4))
        for m in range(3)
        if random.random() < 0.9
    }


def same_as_jackknifed(found: ClusteredEstimate, without: list[float], scale: by_hand.Scale) -> None:
    """The interval is that of these values without each scene, and there is none for fewer than five."""
    if len(without) < 5:
        assert isinstance(found.interval, Undefined)
        return
    assert isinstance(found.interval, Interval)
    assert (found.interval.low, found.interval.high) == pytest.approx(
        jackknifed(found.estimate, without, scale), abs=1e-9
    )


@pytest.mark.parametrize("seed", range(8))
def test_figures_of_incomplete_designs_are_those_of_plain_loops(seed: int) -> None:
    scores = incomplete(seed)
    for rater, figures in rater_figures(table(scores)).figures.items():
        own = {(item, metric): score for (who, item, metric), score in scores.items() if who == rater}
        others = {
            cell: [score for (who, *place), score in scores.items() if tuple(place) == cell and who != rater]
            for cell in own
        }
        shared = [cell for cell in own if others[cell]]
        differences = {cell: own[cell] - sum(others[cell]) / len(others[cell]) for cell in shared}
        assert isinstance(figures.severity, ClusteredEstimate)
        assert figures.severity.estimate == pytest.approx(np.mean(list(differences.values())))
        scenes = sorted({scene_of(item) for item, _ in shared})
        assert figures.severity.clusters == len(scenes)
        left = [[cell for cell in shared if scene_of(cell[0]) != scene] for scene in scenes]
        same_as_jackknifed(
            figures.severity, [float(np.mean([differences[cell] for cell in cells])) for cells in left], by_hand.PLAIN
        )
        pairs = [(own[cell], other) for cell in shared for other in others[cell]]
        assert figures.match == Match(
            pytest.approx(np.mean([a == b for a, b in pairs])),
            pytest.approx(np.mean([abs(a - b) <= 1 for a, b in pairs])),
            len(pairs),
        )
        assert isinstance(figures.correlation, ClusteredEstimate)
        r = [
            float(np.corrcoef([own[cell] for cell in cells], [np.mean(others[cell]) for cell in cells])[0, 1])
            for cells in (shared, *left)
        ]
        assert figures.correlation.estimate == pytest.approx(r[0])
        same_as_jackknifed(figures.correlation, r[1:], by_hand.CORRELATION)
        assert (figures.n, figures.alone) == (len(own), len(own) - len(shared))
        assert sum(each.n for each in figures.match_with.values()) == len(pairs)


def numbers(value: object) -> list[float]:
    """All numbers in a figure; -99 stands for an undefined one."""
    match value:
        case Undefined():
            return [-99.0]
        case int() | float():
            return [float(value)]
        case str() | None:
            return []
        case tuple():
            return [number for each in value for number in numbers(each)]
        case dict():
            return [number for key in sorted(value) for number in numbers(value[key])]
    return [number for each in vars(value).values() for number in numbers(each)]


@settings(max_examples=examples(5, 25))
@given(st.integers(0, 10_000), st.randoms(use_true_random=False))
def test_neither_the_order_of_rows_nor_the_raters_names_matter(seed: int, random: Random) -> None:
    frame = table(incomplete(seed))
    names = dict(zip("abcde", random.sample(["zoe", "al", "mia", "bea", "kim"], 5), strict=True))
    order = random.sample(range(len(frame)), len(frame))
    figures = rater_figures(frame).figures
    renamed = rater_figures(frame.iloc[order].assign(rater=frame["rater"].map(names))).figures
    assert set(renamed) == {names[rater] for rater in figures}
    for rater, each in figures.items():
        other = renamed[names[rater]]
        assert {names[who]: match for who, match in each.match_with.items()} == other.match_with
        assert numbers(replace(other, match_with={})) == pytest.approx(numbers(replace(each, match_with={})), abs=1e-9)


@settings(max_examples=examples(5, 25))
@given(st.integers(0, 10_000))
def test_one_point_more_on_everything_is_one_point_of_severity_and_nothing_else(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = {rater: random.integers(1, 6, (5, 3)).tolist() for rater in ("ann", "bo", "cy")}
    before = rater_figures(table(grid(**rows))).figures
    rows["ann"] = [[score + 1 for score in row] for row in rows["ann"]]
    after = rater_figures(table(grid(**rows))).figures
    for rater, shift in (("ann", 1), ("bo", -1 / 2), ("cy", -1 / 2)):
        stricter, milder = before[rater].severity, after[rater].severity
        assert isinstance(stricter, ClusteredEstimate)
        assert isinstance(milder, ClusteredEstimate)
        assert milder.estimate == pytest.approx(stricter.estimate + shift, abs=1e-12)
    old, new = before["ann"], after["ann"]
    for unmoved in ("spread", "correlation", "within_metrics", "flat_items"):
        assert numbers(getattr(new, unmoved)) == pytest.approx(numbers(getattr(old, unmoved)), abs=1e-9)


def test_severities_of_a_complete_design_sum_to_nothing() -> None:
    found = [each.severity for each in rater_figures(table(BY_HAND)).figures.values()]
    assert sum(each.estimate for each in found if isinstance(each, ClusteredEstimate)) == pytest.approx(0, abs=1e-12)


def test_the_slots_of_hanna_are_alike_and_fewer_than_the_judges_rows(hanna: pd.DataFrame) -> None:
    found = rater_figures(hanna)
    assert list(found.figures) == ["human-1", "human-2", "human-3"]
    for each in found.figures.values():
        assert (each.n, each.items, each.alone) == (1056 * 6, 1056, 0)
        assert isinstance(each.severity, ClusteredEstimate)
        assert abs(each.severity.estimate) < 0.1  # slots, not persons: nobody is strict
        assert isinstance(each.correlation, ClusteredEstimate)
        assert isinstance(each.within_metrics, WithinMetrics)
        assert 0 < each.within_metrics.mean < each.correlation.estimate < 0.3


@pytest.mark.slow
def test_150_000_ratings_take_less_than_two_seconds() -> None:
    random = np.random.default_rng(1)
    items, raters, each, metrics = 3_000, 50, 7, 7
    who = np.concatenate([random.choice(raters, each, replace=False).repeat(metrics) for _ in range(items)])
    frame = pd.DataFrame(
        {
            "item": pd.Series(np.arange(items).repeat(each * metrics)).map("story-{}:holmes".format),
            "scene": "s",
            "model": "m",
            "metric": pd.Series(np.tile(np.arange(metrics), items * each)).map("metric-{}".format),
            "rater": pd.Series(who).map("rater-{}".format),
            "kind": "expert",
            "score": random.integers(1, 6, len(who)).astype(float),
        }
    )
    began = time.process_time()
    figures = rater_figures(frame).figures
    assert time.process_time() - began < 4
    assert len(figures) == raters
    assert sum(each.n for each in figures.values()) == len(frame) == 147_000
