"""Plans of campaigns: the laws of a design, small ones worked by hand, extension, and refusals."""

import re
import time
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, pairwise
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.design.balance import Range
from annotations.design.order import repeat_distance, repeats_for
from annotations.design.plan import Plan, plan_campaign
from annotations.design.settings import Assignment, Candidate, Design, Rater
from annotations.errors import RatingError
from tests.annotations.campaigns import BOTH, candidate, crossed, experts
from tests.fakes.examples import examples

Campaign = tuple[list[Candidate], list[Rater], Design]


def first_showings(plan: Plan) -> list[Assignment]:
    return [assignment for assignment in plan.assignments if not assignment.repeat]


def order_of(assignments: Sequence[Assignment], rater: str) -> list[Assignment]:
    return [assignment for assignment in assignments if assignment.rater == rater]


@st.composite
def campaigns(draw: st.DrawFn) -> Campaign:
    """Every item shows a role of its own, so that no order is impossible."""
    languages = draw(st.lists(st.sampled_from(["en", "zh"]), min_size=1, max_size=30))
    models = st.sampled_from(["m1", "m2", "m3"])
    items = [
        candidate(f"i{place}", f"s{place // 3}", f"c{place}", draw(models), language)
        for place, language in enumerate(languages)
    ]
    reads = st.sampled_from([frozenset({"en"}), frozenset({"zh"}), BOTH])
    raters = [
        Rater("polyglot", BOTH),
        *(Rater(f"r{n}", read) for n, read in enumerate(draw(st.lists(reads, max_size=6)))),
    ]
    most = min(sum(language in rater.languages for rater in raters) for language in languages)
    seed, share = draw(st.integers(-5, 99)), draw(st.sampled_from([0.0, 0.05, 0.1]))
    return items, raters, Design(draw(st.integers(1, most)), seed, share)


def planned(campaign: Campaign, assigned: Sequence[Assignment] = ()) -> Plan | None:
    """The plan, or None where repeats are refused because everybody has too few items."""
    try:
        return plan_campaign(*campaign, assigned)
    except RatingError as error:
        assert "hidden repeats need raters with at least 5 items" in str(error)  # noqa: PT017
        assert campaign[2].repeats
        return None


def check_laws(plan: Plan, campaign: Campaign) -> None:
    items, raters, design = campaign
    reads = {rater.id: rater.languages for rater in raters}
    of = {item.item: item for item in items}
    once = first_showings(plan)
    assert len(set(once)) == len(once)
    assert Counter(assignment.item for assignment in once) == dict.fromkeys(of, design.raters_per_item)
    assert all(of[assignment.item].language in reads[assignment.rater] for assignment in once)
    assert [assignment.rater for assignment in plan.assignments] == sorted(a.rater for a in plan.assignments)
    for rater in reads:
        order = order_of(plan.assignments, rater)
        assert all(of[one.item].kin != of[other.item].kin for one, other in pairwise(order))
        repeats = [assignment.item for assignment in order if assignment.repeat]
        assert len(set(repeats)) == len(repeats) == repeats_for(len(order) - len(repeats), design.repeats)


@settings(max_examples=examples(15, 60))
@given(campaigns())
def test_the_laws_of_a_design(campaign: Campaign) -> None:
    plan = planned(campaign)
    if plan is None:
        return
    check_laws(plan, campaign)
    assert plan.added == plan.assignments
    load = Counter(assignment.rater for assignment in first_showings(plan))
    for one, other in combinations(campaign[1], 2):
        if one.languages == other.languages:
            assert abs(load[one.id] - load[other.id]) <= 1
    for rater in campaign[1]:
        order = order_of(plan.assignments, rater.id)
        if load[rater.id] > 5:
            assert all(
                again - order.index(Assignment(rater.id, order[again].item)) >= repeat_distance(len(order))
                for again in range(len(order))
                if order[again].repeat
            )


@settings(max_examples=examples(10, 30))
@given(campaigns(), st.randoms(use_true_random=False))
def test_a_plan_follows_from_the_seed_and_not_from_the_order_of_what_is_given(campaign: Campaign, shuffled) -> None:
    items, raters, design = campaign
    plan = planned(campaign)
    shuffled.shuffle(items)
    shuffled.shuffle(raters)
    assert planned((items, raters, design)) == plan


@settings(max_examples=examples(15, 60))
@given(campaigns(), st.data())
def test_an_extension_keeps_what_was_assigned_and_balances_the_rest(campaign: Campaign, data: st.DataObject) -> None:
    items, raters, design = campaign
    until = data.draw(st.integers(1, len(items)))
    fewer = data.draw(st.integers(1, design.raters_per_item))
    before = planned((items[:until], raters, Design(fewer, design.seed, design.repeats)))
    wider = (items, [*raters, Rater("late", BOTH)], design)
    plan = planned(wider, before.assignments) if before else None
    if before is None or plan is None:
        return
    for rater in wider[1]:
        old, new = (order_of(part, rater.id) for part in (before.assignments, plan.added))
        assert order_of(plan.assignments, rater.id) == [*old, *new]
    check_laws(plan, wider)


@settings(max_examples=examples(12, 40))
@given(st.integers(1, 4), st.integers(1, 3), st.integers(1, 5), st.integers(1, 6), st.integers(0, 9), st.data())
def test_roles_are_kept_apart_or_refused(
    scenes: int, characters: int, models: int, raters: int, seed: int, data: st.DataObject
) -> None:
    items = crossed(scenes, characters, models)
    per_item = data.draw(st.integers(1, raters))
    campaign = (items, experts(raters), Design(per_item, seed))
    try:
        plan = plan_campaign(*campaign)
    except RatingError as error:
        assert "follow each other directly" in str(error)  # noqa: PT017
        assert scenes * characters < 3
    else:
        check_laws(plan, campaign)


def test_three_raters_on_fifteen_items_by_two() -> None:
    """30 ratings: each rater has 10 items, two of each model, and shares 5 with each other."""
    plan = plan_campaign(crossed(3, 1, 5), experts(3), Design(2, 7))
    assert {load.items for load in plan.balance.loads} == {10}
    assert {frozenset(load.models.values()) for load in plan.balance.loads} == {frozenset({2})}
    assert plan.balance.shared_by == {("r0", "r1"): 5, ("r0", "r2"): 5, ("r1", "r2"): 5}
    assert plan.warnings == ()


def test_the_best_of_several_tries_is_taken() -> None:
    """30 items, 15 pairs of raters: 2 items for each. A single try often leaves some with 1 or 3."""
    shared = [plan_campaign(crossed(10, 1, 3), experts(6), Design(2, seed)).balance.shared for seed in range(5)]
    assert shared == [Range(2, 2)] * 5


def test_everybody_rates_everything_when_as_many_raters_are_asked_for_as_there_are() -> None:
    items = crossed(2, 2, 3, chinese=1)
    plan = plan_campaign(items, experts(4), Design(4, 0))
    assert set(plan.assignments) == {Assignment(f"r{place}", item.item) for place in range(4) for item in items}
    orders = {tuple(a.item for a in order_of(plan.assignments, f"r{place}")) for place in range(4)}
    assert len(orders) == 4


@pytest.mark.slow
def test_a_campaign_in_two_languages_with_raters_who_read_only_one() -> None:
    """10 English and 10 Chinese scenes, 3 characters, 9 models: 540 items, 3 of 6 raters each, 270 for each rater."""
    raters = [*experts(4, "en", "zh"), Rater("en", frozenset({"en"})), Rater("zh", frozenset({"zh"}))]
    plan = plan_campaign(crossed(20, 3, 9, chinese=10), raters, Design(3, 1, 0.05))
    balance = plan.balance
    assert (balance.load.low, balance.load.high) == (270, 270)
    assert max(load.per_model.spread for load in balance.loads if load.per_model) <= 1
    assert balance.connected


@pytest.mark.slow
@pytest.mark.parametrize(("scenes", "raters"), [(10, 10), pytest.param(50, 50, marks=pytest.mark.soak)])
def test_a_thousand_items_fifty_raters_five_for_each_in_little_time(scenes: int, raters: int) -> None:
    """Or a fifth of both, so that there is as much for each rater."""
    items = crossed(scenes, 2, 10, chinese=scenes // 2)
    started = time.process_time()
    plan = plan_campaign(items, experts(raters), Design(5, 3, 0.1))
    assert time.process_time() - started < 10, "a second or so is usual"
    balance = plan.balance
    assert (balance.load.low, balance.load.high, balance.ratings) == (100, 100, 110 * raters)
    assert {load.per_model.spread for load in balance.loads if load.per_model} <= {0, 1}
    assert balance.shared is not None
    expected = len(items) * 10 / comb(raters, 2)  # 8.16 of 1,000
    assert expected - 3 < balance.shared.low <= balance.shared.high < expected + 3
    assert plan.warnings == ()


def test_a_new_rater_catches_up_with_the_others() -> None:
    items = crossed(15, 1, 3)
    before = plan_campaign(items[:30], experts(2), Design(1, 0))
    plan = plan_campaign(items, experts(3), Design(1, 0), before.assignments)
    assert {added.rater for added in plan.added} == {"r2"}
    assert {load.items for load in plan.balance.loads} == {15}


def test_nobody_is_given_again_what_they_have() -> None:
    """Not even r0, who has least to do and would come first."""
    items = crossed(5, 2, 1)
    had = {item.item: "r0" if item is items[0] else "r1" for item in items}
    before = [Assignment(rater, item) for item, rater in had.items()]
    for seed in range(10):
        plan = plan_campaign(items, experts(2), Design(2, seed), before)
        others = {(item, "r1" if rater == "r0" else "r0") for item, rater in had.items()}
        assert {(added.item, added.rater) for added in plan.added} == others


def test_nothing_is_added_where_items_have_raters_enough() -> None:
    before = plan_campaign(crossed(3, 2, 2), experts(3), Design(3, 0))
    plan = plan_campaign(crossed(3, 2, 2), experts(3), Design(2, 0), before.assignments)
    assert (plan.added, plan.assignments) == ((), before.assignments)


def test_repeats_that_are_wanted_later_come_behind() -> None:
    items = crossed(10, 2, 1)
    before = plan_campaign(items, experts(2), Design(2, 0))
    plan = plan_campaign(items, experts(2), Design(2, 0, 0.1), before.assignments)
    assert [(added.rater, added.repeat) for added in plan.added] == [("r0", True)] * 2 + [("r1", True)] * 2


def test_who_has_left_keeps_what_they_had_and_gets_nothing_new() -> None:
    items = crossed(6, 1, 2)
    before = plan_campaign(items[:6], experts(2), Design(1, 0))
    raters = [Rater("r0", frozenset()), *experts(3)[1:]]
    plan = plan_campaign(items, raters, Design(2, 0), before.assignments)
    assert order_of(plan.assignments, "r0") == order_of(before.assignments, "r0")
    assert plan.balance.raters_per_item.low == plan.balance.raters_per_item.high == 2


ITEMS = [candidate("i1", "s1"), candidate("i2", "s2", language="zh")]
RATERS = [Rater("ann", BOTH), Rater("bob", frozenset({"en"}))]
SOME = Assignment("ann", "i1")


@pytest.mark.parametrize(
    ("items", "raters", "design", "assigned", "message"),
    [
        ([], RATERS, Design(1, 0), [], "the campaign has no items; pick at least one story"),
        (ITEMS, [], Design(1, 0), [], "the campaign has no raters; pick at least one expert"),
        ([*ITEMS, ITEMS[0]], RATERS, Design(1, 0), [], "item 'i1' is listed twice; list each item once"),
        (ITEMS, [*RATERS, RATERS[1]], Design(1, 0), [], "rater 'bob' is listed twice; list each rater once"),
        (ITEMS, RATERS, Design(0, 0), [], "0 raters per item is not possible; enter at least 1"),
        (ITEMS, RATERS, Design(1, 0, 0.04), [], "a hidden-repeat share of 0.04 is out of range; enter 0, or 0.05"),
        (ITEMS, RATERS, Design(1, 0, -0.05), [], "a hidden-repeat share of -0.05 is out of range"),
        (ITEMS, RATERS, Design(1, 0, float("nan")), [], "a hidden-repeat share of nan is out of range"),
        (ITEMS, RATERS, Design(1, 0, 0.1), [], (
            "hidden repeats need raters with at least 5 items, but no rater has more than 1; set "
            "hidden repeats to 0, or pick more items or fewer raters"
        )),
        (ITEMS, RATERS, Design(2, 0), [], (
            "each item needs 2 raters, but only 1 of the raters read zh, the language of item 'i2'; "
            "pick more experts who read it, fewer raters per item, or no items in this language"
        )),
        (ITEMS, RATERS, Design(3, 0), [], "each item needs 3 raters, but only 2 of the raters read en"),
        (ITEMS, RATERS, Design(1, 0), [Assignment("ann", "i3")], (
            "item 'i3', already assigned to rater 'ann', is not in the item list; include all items "
            "of the campaign, old and new"
        )),
        (ITEMS, RATERS, Design(1, 0), [Assignment("cem", "i1")], (
            "item 'i1' is already assigned to rater 'cem', who is not in the rater list; include all "
            "raters of the campaign, old and new"
        )),
        (ITEMS, RATERS, Design(1, 0), [SOME, SOME], "item 'i1' is assigned to rater 'ann' twice"),
        (ITEMS, RATERS, Design(1, 0), [Assignment("ann", "i1", repeat=True), SOME], (
            "item 'i1' of rater 'ann' is repeated before it is first shown; list assignments in "
            "rating order"
        )),
    ],
)  # fmt: skip
def test_what_cannot_be_planned_is_refused_with_what_to_do(
    items: list[Candidate], raters: list[Rater], design: Design, assigned: list[Assignment], message: str
) -> None:
    with pytest.raises(RatingError, match=f"^{re.escape(message)}"):
        plan_campaign(items, raters, design, assigned)


def test_a_campaign_of_one_role_is_refused() -> None:
    with pytest.raises(RatingError, match=r"rater 'r0': 2 of 2 new items show 'c0' of scene 's0', so some would"):
        plan_campaign(crossed(1, 1, 2), experts(2), Design(2, 0))
