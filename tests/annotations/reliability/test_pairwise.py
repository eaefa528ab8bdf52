"""Alphas of scores with gaps: as pandas, pingouin and a slow jackknife have them, and what cannot be is told."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.errors import Undefined, UndefinedStatistic
from annotations.marking.rating import read_ratings
from annotations.reliability.cronbach_alpha import cronbach_alpha, rater_table, trajectory_table
from annotations.reliability.item_analysis import metric_consistency, resampled_alpha, resampled_alpha_between
from annotations.reliability.pairwise import contradict, covariances_of_pairs, fewest_shared
from annotations.report.report import statistics
from tests.annotations.jackknifed import ALPHA, jackknifed
from tests.fakes.in_english import in_english

PAIRS = "pairs of scores"
METRICS = ("a", "b", "c")


def with_gaps(seed, rows=40, columns=4, share=0.1):
    chance = np.random.default_rng(seed)
    scores = chance.normal(0, 1, (rows, 1)) + chance.normal(0, 1, (rows, columns))
    scores[chance.random(scores.shape) < share] = np.nan
    return pd.DataFrame(scores, columns=[f"c{at}" for at in range(columns)])


def rated(seed=2, missing=0.02):
    """Three experts on 60 items of 12 scenes, some scores missing."""
    chance = np.random.default_rng(seed)
    lines = ["item,metric,rater,kind,score,scene,model"]
    for at in range(60):
        quality = chance.normal()
        for rater in ("r1", "r2", "r3"):
            for metric in METRICS:
                if chance.random() >= missing:
                    score = float(np.clip(np.rint(3 + quality + chance.normal()), 1, 5))
                    lines.append(f"i{at},{metric},{rater},expert,{score:g},s{at // 5},m{at % 5}")
    return read_ratings("\n".join(lines))


@given(seed=st.integers(0, 1000), share=st.floats(0, 0.3))
def test_covariances_of_pairs_are_those_of_pandas(seed, share):
    table = with_gaps(seed, share=share)
    assert covariances_of_pairs(table.to_numpy()) == pytest.approx(table.cov().to_numpy(), abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("seed", range(10))
def test_alpha_of_pairs_is_that_of_pingouin(seed):
    pingouin = pytest.importorskip("pingouin")
    table = with_gaps(seed)
    several = table[table.notna().sum(axis=1) >= 2]
    found = cronbach_alpha(table, PAIRS)
    assert found.estimate == pytest.approx(pingouin.cronbach_alpha(several, nan_policy="pairwise")[0], abs=1e-12)
    assert found.n == len(several)
    assert len(found.dropped) == len(table) - len(several)


@pytest.mark.parametrize("seed", range(5))
def test_without_gaps_both_ways_are_one(seed):
    table = with_gaps(seed, share=0)
    pairs, rows = cronbach_alpha(table, PAIRS), cronbach_alpha(table)
    assert pairs.estimate == pytest.approx(rows.estimate, abs=1e-12)
    assert pairs.interval.low == pytest.approx(rows.interval.low, abs=1e-12)
    assert (pairs.n, pairs.items, pairs.dropped) == (rows.n, rows.items, rows.dropped)


def test_one_missing_score_in_a_hundred_costs_a_tenth_of_the_rows_by_rows_and_none_by_pairs():
    table = with_gaps(7, rows=400, columns=10, share=0.01)
    rows, pairs = cronbach_alpha(table), cronbach_alpha(table, PAIRS)
    assert rows.n < 0.93 * len(table)
    assert pairs.n == len(table)
    assert pairs.estimate == pytest.approx(rows.estimate, abs=0.02)


@pytest.mark.parametrize("metrics", [METRICS, METRICS[:2]])
def test_the_interval_is_that_of_leaving_out_each_scene(metrics):
    frame = rated()

    def slowly(part):
        table = trajectory_table(part, metrics)
        covariances = table[table.notna().sum(axis=1) >= 2].cov().to_numpy()
        return len(metrics) / (len(metrics) - 1) * (1 - np.trace(covariances) / covariances.sum())

    found = resampled_alpha(frame, metrics, gaps=PAIRS)
    assert found.alpha.estimate == pytest.approx(slowly(frame), abs=1e-12)
    without = [slowly(frame[frame["scene"] != scene]) for scene in frame["scene"].unique()]
    low, high = jackknifed(slowly(frame), without, ALPHA)
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high), abs=1e-9)


def test_consistency_and_agreement_rest_on_the_same_choice():
    frame = rated()
    together = metric_consistency(frame, METRICS, gaps=PAIRS)
    table = trajectory_table(frame, METRICS)
    several = table[table.notna().sum(axis=1) >= 2]
    assert together.n == len(several) > len(table.dropna())
    covariances = several[["b", "c"]].dropna(how="all").pipe(lambda own: own[own.notna().all(axis=1)]).cov().to_numpy()
    assert together.without["a"].estimate == pytest.approx(2 * (1 - np.trace(covariances) / covariances.sum()))
    between = resampled_alpha_between(frame, "a", gaps=PAIRS).alpha
    assert between.n == (rater_table(frame, "a").notna().sum(axis=1) >= 2).sum()


def test_the_report_says_what_its_alphas_rest_on_and_leaves_out_fewer_rows():
    frame = rated()
    rows, pairs = statistics(frame), statistics(frame, gaps=PAIRS)
    counted = [sum(str(line.reason) == "incomplete row for alpha" for line in one.dropped) for one in (rows, pairs)]
    assert counted[0] > 10 * counted[1]
    assert "alpha uses rows without missing scores" in map(str, rows.definitions)
    assert any(str(one).startswith("alpha uses all rows with at least two scores") for one in pairs.definitions)


def test_two_columns_that_share_too_few_rows_are_named():
    table = pd.DataFrame({"a": [1, 2, 3, 4, None], "b": [2, 1, 4, 3, 5], "c": [1, None, None, None, 2]}, dtype=float)
    assert fewest_shared(table) == (1, "a", "c")
    with pytest.raises(UndefinedStatistic) as raised:
        cronbach_alpha(table, PAIRS)
    expected = "alpha from pairs of scores needs at least 3 rows shared by every pair of columns; a and c share 1"
    assert in_english(Undefined(raised.value.message)) == Undefined(expected)


def test_pairs_that_contradict_each_other_have_no_alpha():
    nothing = np.nan
    rows = [(at, at, nothing) for at in range(5)]
    rows += [(at, nothing, at) for at in range(5)]
    rows += [(nothing, at, -at) for at in range(5)]
    table = pd.DataFrame(rows, columns=list("abc"), dtype=float)
    assert contradict(covariances_of_pairs(table.to_numpy()))
    with pytest.raises(UndefinedStatistic, match="too many scores are missing"):
        cronbach_alpha(table, PAIRS)


def test_where_no_row_is_complete_pairs_have_an_alpha_and_correlations_have_none():
    frame = rated(missing=0)
    gaps = frame["rater"].map({"r1": "a", "r2": "b", "r3": "c"}) == frame["metric"]
    found = metric_consistency(frame[~gaps], METRICS, gaps=PAIRS)
    assert found.alpha.n == 180
    assert isinstance(found.correlations, Undefined)
    assert in_english(found.correlations.reason).endswith("found 0")


def test_with_experts_drawn_a_metric_of_one_expert_leaves_no_interval():
    frame = rated(missing=0)
    frame = frame[(frame["metric"] != "c") | (frame["rater"] == "r1")]
    found = resampled_alpha(frame, METRICS, "scenes and experts", PAIRS)
    assert isinstance(found.interval, Undefined)
