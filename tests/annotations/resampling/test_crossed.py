"""The mean of scores that roles and questions share: worked by hand, and against a plain loop over copies."""

from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.errors import Undefined, UndefinedStatistic
from annotations.resampling.crossed import BY_BOTH, BY_QUESTIONS, BY_ROLES, crossed_mean
from annotations.resampling.draws import Draws
from annotations.resampling.estimates import Estimate
from annotations.resampling.jackknife import Interval

MANY = Draws(5000, 3)


def limits(found: Estimate) -> tuple[float, float]:
    assert isinstance(found.interval, Interval)
    return found.interval.low, found.interval.high


@pytest.mark.parametrize("way", [BY_ROLES, BY_QUESTIONS])
def test_one_of_a_kind_worked_by_hand(way: str) -> None:
    # Four of 0, 1, 2 and 3 are drawn in 256 ways: their sum is at most 0 in 1, 1 in 5 and 2 in 15 of these, so that
    # 2.5 % lie at 2, which is a mean of 1/2; and as many on the other side.
    each, same = np.arange(4), np.zeros(4, dtype=int)
    roles, questions = (each, same) if way == BY_ROLES else (same, each)
    found = crossed_mean(each.astype(float), roles, questions, MANY)
    assert found == Estimate(1.5, Interval(0.5, 2.5, way), 4)


def test_both_worked_by_hand() -> None:
    # A role adds 0 or 4, and a question 0 or 1. Of two roles one alone is drawn in 1 draw of 4, and so of two
    # questions: the lowest score stands alone in 1 of 16, and the highest, too, which is more than 2.5 %.
    scores, roles, questions = np.array([0.0, 1, 4, 5]), np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    assert crossed_mean(scores, roles, questions) == Estimate(2.5, Interval(0, 5, BY_BOTH), 4)
    assert crossed_mean(scores, roles, questions, Draws(1)).n == 4


def some_scores(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of five roles and seven questions, some of which not all roles were asked."""
    random = Random(seed)
    cells = [(role, of) for role, of in product(range(5), range(7)) if of % 5 == role or random.random() < 0.7]
    roles, questions = np.array(cells).T
    return np.array([random.random() + role / 4 for role in roles]), roles, questions


def test_a_draw_counts_copies_of_roles_times_copies_of_questions() -> None:
    scores, roles, questions = some_scores(0)
    random, means = np.random.default_rng(6), []
    for _ in range(50):
        drawn = random.integers(5, size=5), random.integers(7, size=7)
        copies = [scores[(roles == role) & (questions == question)] for role, question in product(*drawn)]
        means.append(np.concatenate(copies).mean())
    expected = np.quantile(means, [0.025, 0.975])
    assert limits(crossed_mean(scores, roles, questions, Draws(50, 6))) == pytest.approx(tuple(expected), abs=1e-12)


def test_the_order_of_scores_and_the_names_of_their_roles_do_not_matter() -> None:
    scores, roles, questions = some_scores(1)
    found = crossed_mean(scores, roles, questions)
    order = np.random.default_rng(0).permutation(len(scores))
    again = crossed_mean(scores[order], roles[order], questions[order])
    assert (again.estimate, *limits(again)) == pytest.approx((found.estimate, *limits(found)), abs=1e-12)
    assert crossed_mean(scores, roles, questions) == found
    assert limits(crossed_mean(scores, roles, questions, Draws(seed=1))) != limits(found)


def test_answers_of_many_copies_of_a_question_are_not_taken_for_more_evidence() -> None:
    scores, roles = np.array([0.1, 0.5, 0.4, 0.9]), np.arange(4)
    once = crossed_mean(scores, roles, np.zeros(4, dtype=int))
    often = crossed_mean(np.tile(scores, 50), np.tile(roles, 50), np.repeat(np.arange(50), 4))
    assert limits(often) == pytest.approx(limits(once), abs=0.01)


def test_a_draw_of_roles_and_questions_that_never_met_is_drawn_anew() -> None:
    apart = np.arange(2)
    assert limits(crossed_mean(np.array([0.0, 1]), apart, apart)) == (0, 1)


@given(st.integers(0, 10_000))
def test_the_mean_lies_within_its_interval_and_that_within_the_scores(seed: int) -> None:
    scores, roles, questions = some_scores(seed)
    found = crossed_mean(scores, roles, questions, Draws(100))
    low, high = limits(found)
    assert scores.min() <= low < found.estimate < high <= scores.max()
    assert (found.estimate, found.n) == (scores.mean(), len(scores))


@pytest.mark.parametrize("score", [0.0, 0.1, 1.0])
def test_equal_scores_have_an_interval_of_no_width(score: float) -> None:
    _, roles, questions = some_scores(2)
    found = crossed_mean(np.full(len(roles), score), roles, questions)
    assert (found.estimate, *limits(found)) == pytest.approx((score, score, score), abs=1e-12)


def test_of_one_score_there_is_a_mean_alone_and_of_none_nothing() -> None:
    found = crossed_mean(np.array([0.4]), np.zeros(1, dtype=int), np.zeros(1, dtype=int))
    assert (found.estimate, found.n) == (0.4, 1)
    assert isinstance(found.interval, Undefined)
    assert str(found.interval.reason) == "one answer does not tell how answers differ"
    with pytest.raises(UndefinedStatistic, match="there are no scores"):
        crossed_mean(np.zeros(0), np.zeros(0, dtype=int), np.zeros(0, dtype=int))


def test_parts_count_the_same_however_many_scores_they_have() -> None:
    # Three scores of 0 in one part and one of 1 in the other: the mean of the parts is 1/2, that of the scores 1/4.
    scores, parts = np.array([0.0, 0, 0, 1]), np.array([0, 0, 0, 1])
    roles, questions = np.array([0, 1, 0, 0]), np.array([0, 1, 1, 2])
    found = crossed_mean(scores, roles, questions, parts=parts)
    assert (found.estimate, found.n) == (0.5, 4)
    assert limits(found) == (0.5, 0.5), "each draw has both parts"
    same = crossed_mean(scores, roles, questions, parts=np.zeros(4, dtype=int))
    assert same == crossed_mean(scores, roles, questions)
