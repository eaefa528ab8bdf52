"""The figures of a plan, on one small enough to count by hand."""

import pytest

from annotations.design.balance import Balance, Load, Range, Share, balance_of
from annotations.design.settings import Assignment, Rater
from annotations.errors import RatingError
from tests.annotations.campaigns import BOTH, candidate

ITEMS = [
    candidate("i1", "s1", model="m1"),
    candidate("i2", "s1", model="m2"),
    candidate("i3", "s2", model="m1", language="zh"),
    candidate("i4", "s2", model="m3", language="zh"),
]
RATERS = [Rater("ann", BOTH), Rater("bob", frozenset({"en"})), Rater("cem", frozenset({"zh"})), Rater("dot", BOTH)]
ASSIGNED = [
    Assignment("ann", "i1"),
    Assignment("ann", "i3"),
    Assignment("ann", "i1", repeat=True),
    Assignment("bob", "i1"),
    Assignment("bob", "i2"),
    Assignment("cem", "i4"),
]


@pytest.fixture
def balance() -> Balance:
    return balance_of(ITEMS, RATERS, ASSIGNED, [ASSIGNED[2], ASSIGNED[5]])


def test_what_there_is_to_do(balance: Balance) -> None:
    assert (balance.items, balance.ratings, balance.repeats, balance.added) == (4, 6, 1, 2)
    assert balance.raters_per_item == Range(1, 2)
    assert balance.load == Range(0, 2)
    assert balance.loads == (
        Load("ann", 2, 1, 1, {"m1": 2, "m2": 0, "m3": 0}, {"en": 1, "zh": 1}),
        Load("bob", 2, 0, 0, {"m1": 1, "m2": 1}, {"en": 2}),
        Load("cem", 1, 0, 1, {"m1": 0, "m3": 1}, {"zh": 1}),
        Load("dot", 0, 0, 0, {"m1": 0, "m2": 0, "m3": 0}, {"en": 0, "zh": 0}),
    )
    assert balance.loads[0].ratings == 3
    assert balance.loads[0].per_model == Range(0, 2)
    assert Range(1, 4).spread == 3


def test_models_scenes_and_languages(balance: Balance) -> None:
    assert balance.models == (Share("m1", 2, 3), Share("m2", 1, 1), Share("m3", 1, 1))
    assert balance.scenes == (Share("s1", 2, 3), Share("s2", 2, 2))
    assert balance.languages == (Share("en", 2, 3), Share("zh", 2, 2))


def test_who_shares_items_with_whom(balance: Balance) -> None:
    assert balance.shared_by == {
        ("ann", "bob"): 1,
        ("ann", "cem"): 0,
        ("ann", "dot"): 0,
        ("bob", "dot"): 0,
        ("cem", "dot"): 0,
    }
    assert balance.shared == Range(0, 1)
    assert balance.groups == (("ann", "bob"), ("cem",))
    assert not balance.connected


def test_a_shared_item_links() -> None:
    linked = balance_of(ITEMS, RATERS, [*ASSIGNED, Assignment("cem", "i3")], [])
    assert linked.groups == (("ann", "bob", "cem"),)
    assert linked.connected


def test_without_a_language_in_common_there_is_no_pair() -> None:
    apart = balance_of(ITEMS, RATERS[1:3], ASSIGNED[3:], [])
    assert (apart.shared_by, apart.shared) == ({}, None)
    strangers = balance_of(ITEMS[:1], [RATERS[0], RATERS[2]], ASSIGNED[:1], [])
    assert strangers.loads[1].per_model is None


def test_hours_are_of_what_is_new(balance: Balance) -> None:
    assert balance.hours(15) == 0.5
    assert [load.hours(15) for load in balance.loads] == [0.25, 0, 0.25, 0]
    for minutes in (0, -1, float("nan")):
        with pytest.raises(RatingError, match="minutes per item is not possible; enter a number above 0"):
            balance.hours(minutes)
