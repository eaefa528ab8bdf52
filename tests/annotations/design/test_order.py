"""Orders: random for each rater, no role after itself, repeats late, checks spread out."""

import re
from collections.abc import Sequence
from itertools import pairwise, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.design.order import CLOSEST_REPEAT, Check, in_order, repeat_distance, repeats_for, with_checks
from annotations.design.settings import Assignment, Candidate, Design, Kin, Rater
from annotations.errors import RatingError
from tests.annotations.campaigns import candidate


def roles(characters: str, start: int = 0) -> list[Candidate]:
    """One item for each letter, which is its character."""
    return [candidate(f"{place:03}", character=letter) for place, letter in enumerate(characters, start)]


def kin_of(items: Sequence[Candidate]) -> dict[str, Kin]:
    return {item.item: item.kin for item in items}


def ordered(items: Sequence[Candidate], repeats: float = 0.0, seed: int = 0, rater: str = "r") -> list[Assignment]:
    return list(in_order(rater, items, [], kin_of(items), Design(1, seed, repeats)))


def places(order: Sequence[Assignment]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for place, assignment in enumerate(order):
        found.setdefault(assignment.item, []).append(place)
    return found


def neighbours_differ(order: Sequence[Assignment], items: Sequence[Candidate]) -> bool:
    kin = kin_of(items)
    return all(kin[one.item] != kin[other.item] for one, other in pairwise(order))


characters = st.text("abcd", min_size=1, max_size=40)
seeds = st.integers(0, 99)


@settings(deadline=None)
@given(st.text("abc", min_size=1, max_size=7), st.sampled_from([None, "a", "b"]), seeds)
def test_an_order_is_found_whenever_there_is_one(letters: str, last: str | None, seed: int) -> None:
    before = [Assignment("r", "before")] if last else []
    items = roles(letters)
    kin = kin_of(items) | ({"before": ("s", last)} if last else {})
    there_is_one = any(
        all(one != other for one, other in pairwise([*([last] if last else []), *order]))
        for order in permutations(letters)
    )
    try:
        order = in_order("r", items, before, kin, Design(1, seed))
    except RatingError:
        assert not there_is_one
    else:
        assert there_is_one
        assert sorted(assignment.item for assignment in order) == [item.item for item in items]
        assert all(kin[one.item] != kin[other.item] for one, other in pairwise([*before, *order]))


@settings(deadline=None)
@given(characters, st.sampled_from([0.0, 0.05, 0.08, 0.1]), seeds)
def test_repeats_come_late_and_no_role_follows_itself(letters: str, share: float, seed: int) -> None:
    items = roles(letters)
    if max(letters.count(letter) for letter in letters) > (len(letters) + 1) // 2:
        return
    order = ordered(items, share, seed)
    assert neighbours_differ(order, items)
    assert sum(assignment.repeat for assignment in order) == repeats_for(len(items), share)
    once = [assignment for assignment in order if not assignment.repeat]
    assert sorted(assignment.item for assignment in once) == [item.item for item in items]
    for item, shown in places(order).items():
        assert [order[place].repeat for place in shown] == [False, True][: len(shown)], item
        if len(shown) == 2:
            wanted = repeat_distance(len(order)) if len(items) > 5 else CLOSEST_REPEAT
            assert shown[1] - shown[0] >= wanted


@settings(deadline=None)
@given(characters, st.text("abcd", max_size=20), st.sampled_from([0.0, 0.05, 0.1]), seeds)
def test_what_is_added_follows_what_was_there(old: str, new: str, share: float, seed: int) -> None:
    first, second = roles(old), roles(new, start=len(old))
    kin = kin_of([*first, *second])
    try:
        before = list(in_order("r", first, [], kin, Design(1, seed, share)))
        added = in_order("r", second, before, kin, Design(1, seed + 1, share))
    except RatingError as error:
        assert "some would follow each other directly" in str(error)  # noqa: PT017 - either outcome is lawful
        return
    whole = [*before, *added]
    assert neighbours_differ(whole, [*first, *second])
    assert sorted(assignment.item for assignment in added if not assignment.repeat) == [item.item for item in second]
    assert sum(assignment.repeat for assignment in whole) == repeats_for(len(old + new), share)
    assert all(len(shown) <= 2 for shown in places(whole).values())
    for assignment in added:
        if assignment.repeat:
            first_place, again = places(whole)[assignment.item]
            assert again - first_place >= (repeat_distance(len(whole)) if len(old + new) > 5 else CLOSEST_REPEAT)


@pytest.mark.parametrize(
    ("items", "share", "repeats"),
    [(100, 0.05, 5), (100, 0.1, 10), (10, 0.05, 1), (14, 0.1, 1), (15, 0.1, 2), (5, 0.05, 1), (4, 0.1, 0), (100, 0, 0)],
)
def test_how_many_items_come_again(items: int, share: float, repeats: int) -> None:
    assert repeats_for(items, share) == repeats


@pytest.mark.parametrize(("length", "distance"), [(6, 5), (20, 5), (21, 6), (110, 28)])
def test_how_late_a_repeat_comes(length: int, distance: int) -> None:
    assert repeat_distance(length) == distance


def test_the_shortest_orders_with_a_repeat() -> None:
    """Of five different items the first comes again at the end; of two roles in turn, the second, one place closer."""
    for seed in range(10):
        order = ordered(roles("abcde"), 0.1, seed)
        assert order[5] == Assignment("r", order[0].item, repeat=True)
        order = ordered(roles("aaabb"), 0.1, seed)
        assert order[5] == Assignment("r", order[1].item, repeat=True)


def test_raters_and_seeds_have_orders_of_their_own() -> None:
    items = roles("abcdefghijkl")
    orders = [ordered(items, seed=seed, rater=rater) for seed in (1, 2) for rater in ("ann", "bob")]
    assert len({tuple(assignment.item for assignment in order) for order in orders}) == 4
    assert ordered(items, seed=1, rater="ann") == orders[0] == ordered(items[::-1], seed=1, rater="ann")


def test_every_item_may_come_first() -> None:
    items = roles("aabbcc")
    assert {ordered(items, seed=seed)[0].item for seed in range(60)} == {item.item for item in items}


def test_a_role_on_more_than_every_second_place_is_refused_with_what_to_do() -> None:
    message = (
        "rater 'r': 3 of 4 new items show 'a' of scene 's', so some would follow each other "
        "directly; pick fewer stories of this scene or more of other scenes"
    )
    with pytest.raises(RatingError, match=f"^{re.escape(message)}$"):
        ordered(roles("aaab"))
    items = roles("aa")
    with pytest.raises(RatingError, match="1 of 1 new items, and the item before them, show 'a' of scene 's'"):
        in_order("r", items[1:], [Assignment("r", "000")], kin_of(items), Design(1, 0))


def test_a_repeat_that_could_only_follow_its_own_role_is_refused() -> None:
    items = roles("aaaaa")
    before = [Assignment("r", item.item) for item in items]
    with pytest.raises(
        RatingError,
        match="rater 'r': none of the 5 positions allows a repeat at least 3 positions after the item's",
    ):
        in_order("r", [], before, kin_of(items), Design(1, 0, 0.1))


READER = Rater("r", frozenset({"en", "zh"}))


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(1, 8), seeds)
def test_checks_are_spread_and_never_first_nor_side_by_side(items: int, number: int, seed: int) -> None:
    order = [Assignment("r", str(place)) for place in range(items)]
    checks = [Check(f"check {place}", "en") for place in range(number)]
    if number > items:
        with pytest.raises(RatingError, match=f"{number} attention checks with only {items} items"):
            with_checks(order, checks, READER, seed)
        return
    mixed = with_checks(order, checks, READER, seed)
    assert [entry for entry in mixed if isinstance(entry, Assignment)] == order
    assert sorted(entry.id for entry in mixed if isinstance(entry, Check)) == [check.id for check in checks]
    assert isinstance(mixed[0], Assignment)
    assert not any(isinstance(one, Check) and isinstance(other, Check) for one, other in pairwise(mixed))
    done = [sum(isinstance(entry, Assignment) for entry in mixed[:place]) for place in range(len(mixed))
            if isinstance(mixed[place], Check)]  # fmt: skip
    for stretch, after in enumerate(done):
        assert items * stretch // number < after <= items * (stretch + 1) // number
    assert with_checks(order, checks[::-1], READER, seed) == mixed


def test_checks_come_in_the_languages_that_the_rater_reads() -> None:
    order = [Assignment("r", str(place)) for place in range(6)]
    checks = [Check("x", "en"), Check("y", "zh")]
    mixed = with_checks(order, checks, Rater("r", frozenset({"zh"})), 0)
    assert [entry for entry in mixed if isinstance(entry, Check)] == [Check("y", "zh")]
    with pytest.raises(
        RatingError,
        match=(
            "no attention check is in a language that rater 'r' reads; add a check in fr, or turn attention checks off"
        ),
    ):
        with_checks(order, checks, Rater("r", frozenset({"fr"})), 0)
    with pytest.raises(RatingError, match="attention check 'x' is listed twice"):
        with_checks(order, [*checks, Check("x", "zh")], READER, 0)


def test_no_checks_without_items_and_no_change_without_checks() -> None:
    order = (Assignment("r", "1"),)
    assert with_checks([], [Check("x", "en")], READER, 0) == ()
    assert with_checks(order, [], READER, 0) == order
