"""Allocation: what is guaranteed holds for any demand, and what is sought comes out in designs worked by hand."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.design.allocation import Bools, Demand, Tally, Trait, allocate, linked
from annotations.design.order import chance
from tests.fakes.examples import examples


def demand_of(
    held: Bools, readable: Bools, per_item: int, kin: list[int] | None = None, models: list[int] | None = None
) -> Demand:
    """Each item wants as many raters as `per_item` says, or as may rate it."""
    raters, items = held.shape
    may = readable & ~held
    wanted = np.minimum(np.maximum(per_item - held.sum(axis=0), 0), may.sum(axis=0))
    roles = np.array(kin if kin is not None else range(items))
    model = Trait(np.array(models if models is not None else [0] * items), 8)
    return Demand(held, may, wanted, Trait(roles, 1), (model,), np.full(raters, -1))


def complete(raters: int, items: int, per_item: int, **roles: list[int]) -> Demand:
    nobody = np.zeros((raters, items), dtype=bool)
    return demand_of(nobody, ~nobody, per_item, **roles)


def shares(new: Bools) -> set[int]:
    """How many items two raters share, over all pairs."""
    return {int((new[one] & new[other]).sum()) for one, other in combinations(range(len(new)), 2)}


@st.composite
def demands(draw: st.DrawFn, most_raters: int = 6, most_items: int = 12, *, roles_differ: bool = False) -> Demand:
    raters, items = draw(st.integers(1, most_raters)), draw(st.integers(1, most_items))
    flags = st.lists(st.booleans(), min_size=raters * items, max_size=raters * items)
    held, readable = (np.array(draw(flags)).reshape(raters, items) for _ in range(2))
    codes = st.lists(st.integers(0, 3), min_size=items, max_size=items)
    return demand_of(held, readable, draw(st.integers(1, raters)), None if roles_differ else draw(codes), draw(codes))


def squares(tally: Tally) -> float:
    pairs = sum(tally.shared[one, other] ** 2 for one, other in combinations(range(len(tally.shared)), 2))
    return pairs + sum(
        trait.weight * (counts**2).sum() for trait, counts in zip(tally.traits, tally.counts, strict=True)
    )


@pytest.mark.slow
@settings(max_examples=examples(20, 60))
@given(demands(), st.integers(0, 9))
def test_every_item_gets_as_many_new_raters_as_it_wants_and_none_who_may_not(demand: Demand, seed: int) -> None:
    new = allocate(demand, chance(seed))
    assert (new.sum(axis=0) == demand.wanted).all()
    assert not (new & ~demand.may).any()


@settings(max_examples=examples(15, 60))
@given(demands(most_raters=4, most_items=4, roles_differ=True), st.integers(0, 9))
def test_no_allocation_has_more_even_loads(demand: Demand, seed: int) -> None:
    held = demand.held.sum(axis=1)
    load = allocate(demand, chance(seed)).sum(axis=1) + held
    choices = [
        list(combinations(np.flatnonzero(demand.may[:, item]).tolist(), int(wanted)))
        for item, wanted in enumerate(demand.wanted)
    ]
    loads = [
        held + np.bincount(np.array(sum(choice, ()), dtype=int), minlength=len(held)) for choice in product(*choices)
    ]
    assert (load**2).sum() == min((other**2).sum() for other in loads)
    assert load.max() == min(other.max() for other in loads)


@settings(max_examples=examples(15, 60))
@given(demands(), st.integers(0, 9))
def test_the_price_of_an_exchange_is_half_the_change_in_the_sum_of_squares(demand: Demand, seed: int) -> None:
    tally = Tally(demand)
    for rater, item in np.argwhere(allocate(demand, chance(seed))).tolist():
        tally.give(rater, item)
    before = squares(tally)
    for one, other in combinations(range(len(tally.new)), 2):
        given_, taken, change = tally.exchanges(one, other)
        for row, column in product(range(len(given_)), range(len(taken))):
            tally.exchange(one, other, given_[row], taken[column])
            assert squares(tally) - before == 2 * change[row, column]
            tally.exchange(one, other, taken[column], given_[row])
            assert squares(tally) == before


@pytest.mark.parametrize(
    ("raters", "items", "per_item", "shared"),
    [
        pytest.param(3, 15, 2, 5, id="three raters, each pair on a third of the items"),
        pytest.param(6, 30, 2, 2, id="fifteen pairs, two items for each"),
        pytest.param(7, 7, 3, 1, id="the plane of Fano"),
        pytest.param(4, 9, 4, 9, id="everybody rates everything"),
    ],
)
def test_each_pair_of_raters_shares_equally_many_items_where_that_can_be(
    raters: int, items: int, per_item: int, shared: int
) -> None:
    for seed in range(3):
        assert shares(allocate(complete(raters, items, per_item), chance(seed))) == {shared}


def test_each_rater_meets_each_model_equally_often() -> None:
    models = [item % 5 for item in range(40)]
    new = allocate(complete(8, 40, 3, models=models), chance(1))
    assert {int(row[np.array(models) == model].sum()) for row in new for model in range(5)} == {3}


@pytest.mark.slow
def test_few_items_still_link_all_raters() -> None:
    """With as many items as raters and two raters each, only one ring of all of them is connected."""
    for seed in range(5):
        new = allocate(complete(20, 20, 2), chance(seed)).astype(float)
        assert len(linked(new @ new.T)) == 1
        assert set(new.sum(axis=1)) == {2}


def test_raters_of_different_languages_are_not_linked_by_force() -> None:
    nobody = np.zeros((4, 8), dtype=bool)
    readable = np.kron(np.eye(2, dtype=bool), np.ones((2, 4), dtype=bool))
    new = allocate(demand_of(nobody, readable, 2), chance(0))
    assert (new == readable).all()


def test_a_frequent_role_is_dealt_so_that_every_rater_can_keep_its_items_apart() -> None:
    """Half of the items show one role: no rater may have more than every second."""
    roles = [0] * 6 + list(range(1, 7))
    for seed in range(5):
        new = allocate(complete(3, 12, 1, kin=roles, models=[0] * 6 + [1] * 6), chance(seed))
        assert set(new[:, :6].sum(axis=1)) == {2}


@pytest.mark.parametrize("held", [[[1, 0, 0, 0], [0, 1, 0, 0]], [[1, 0, 0, 0], [0, 1, 1, 0]]])
def test_a_single_new_item_goes_to_a_rater_whose_last_one_had_another_role(held: list[list[int]]) -> None:
    """Even where that one has more to do."""
    old = np.array(held, dtype=bool)
    plain = demand_of(old, np.ones_like(old), 1, kin=[0, 1, 1, 0])
    wanted = np.array([0, 0, 0, 1])
    demand = Demand(old, plain.may, wanted, plain.kin, plain.traits, last=np.array([0, 1]))
    for seed in range(5):
        assert allocate(demand, chance(seed))[:, 3].tolist() == [False, True]


def test_groups_are_linked_over_others() -> None:
    shared = np.zeros((5, 5))
    for one, other in [(0, 3), (3, 4)]:
        shared[one, other] = shared[other, one] = 2
    assert linked(shared) == [[0, 3, 4], [1], [2]]
    assert linked(np.zeros((0, 0))) == []
