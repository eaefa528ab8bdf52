"""Votes on pairs of stories: every one is kept, and says who, on what, and whether blind."""

import pytest

from annotations.errors import RatingError
from tests.fakes.stories import a_story


@pytest.fixture
def three(store):
    return [a_story(store).id for _ in range(3)]


def cast(store, stories, best, rater="Ann", **changes):
    given = {"account": None, "blind": False, "reason": "", **changes}
    store.votes.cast(stories, best, rater=rater, **given)


def test_the_best_is_better_than_each_of_the_others(store, three):
    a, b, c = three
    cast(store, three, b, reason="  livelier \x00")
    assert [(vote.one, vote.other, vote.better) for vote in store.votes.among(three)] == [(b, a, b), (b, c, b)]
    assert {vote.reason for vote in store.votes.among(three)} == {"livelier \ufffd"}


def test_without_a_best_all_pairs_are_ties(store, three):
    cast(store, three, None)
    assert [vote.better for vote in store.votes.among(three)] == [None] * 3


def test_every_vote_is_kept_in_order_with_whose_it_is(store, three):
    a, b, c = three
    cast(store, [a, b], a)
    cast(store, [a, b], b, blind=True)
    cast(store, [a, b], None, rater="Bob", account="0123456789ab")
    cast(store, [b, c], c)
    found = store.votes.among([a, b])
    assert [(vote.better, vote.rater, vote.account, vote.blind) for vote in found] == [
        (a, "Ann", None, False),
        (b, "Ann", None, True),
        (None, "Bob", "0123456789ab", False),
    ]


@pytest.mark.parametrize("wrong", [([], None), (["x"], "x"), (["x", "x"], "x"), (["x", "y"], "z")])
def test_what_is_no_comparison_is_refused(store, wrong):
    with pytest.raises(RatingError, match="at least two stories"):
        cast(store, *wrong)
