"""The plan of a campaign: who rates which items, in which order, before anybody has started.

A plan follows from the items, the raters, the design and its seed, and from nothing else: the order in which items and
raters are given does not matter. A running campaign is extended, with more items, raters, or raters per item, by
planning it again with what is assigned already, which stays as it is, at the head of every rater's order.

`annotations.design.allocation` says what balance is guaranteed and what is only sought, `annotations.design.order` how
the items of a rater are put in order, `annotations.design.balance` and `annotations.design.warnings_on_plan` what can
be read off before it starts.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotations.design.allocation import Bools, Demand, Ints, Trait, allocate
from annotations.design.balance import Balance, balance_of
from annotations.design.order import FEWEST_TO_REPEAT, chance, in_order
from annotations.design.settings import (
    FEWEST_REPEATS,
    MOST_REPEATS,
    UNNAMED,
    Assignment,
    Candidate,
    Design,
    Names,
    Rater,
)
from annotations.design.warnings_on_plan import plan_warnings
from annotations.errors import RatingError
from annotations.i18n.messages import Message, to_say

MODEL, ROLE, LANGUAGE, SCENE = 8, 1, 1, 1
"""What it weighs that a rater meets these equally often; that two raters share an item weighs 1."""


@dataclass(frozen=True)
class Plan:
    """Who rates what, in which order, and how well balanced that is."""

    assignments: tuple[Assignment, ...]
    """By rater, and for each in the order to be rated; what was assigned before comes first."""
    added: tuple[Assignment, ...]
    """Those of them that are new, in the same order."""
    balance: Balance
    warnings: tuple[Message, ...]
    """What the ratings will not be able to tell, in sentences; what weighs most first."""


def plan_campaign(
    items: Iterable[Candidate],
    raters: Iterable[Rater],
    design: Design,
    assigned: Iterable[Assignment] = (),
    names: Names = UNNAMED,
) -> Plan:
    """The plan of a campaign, or of its extension beyond what is `assigned` (for each rater in the order to be rated).

    An item that has as many raters as the design wants, or more, gets no further one. `names` is for sentences alone.
    Raises RatingError for what cannot be planned: nothing to rate or nobody to rate it, ids that are given twice or
    unknown, more raters per item than read its language, a share of repeats out of range, or a role that takes up more
    than every second place of a rater's order.
    """
    candidates = sorted(items, key=lambda item: item.item)
    experts = sorted(raters, key=lambda rater: rater.id)
    before: dict[str, list[Assignment]] = {expert.id: [] for expert in experts}
    earlier = tuple(assigned)
    _check_given(candidates, experts, design)
    _check_assigned(earlier, candidates, experts, names)
    for assignment in earlier:
        before[assignment.rater].append(assignment)
    demand = _demand(candidates, experts, design, before)
    _check_demand(demand, candidates, experts, design, names)
    new = allocate(demand, chance(design.seed, "allocation"))
    kin = {candidate.item: candidate.kin for candidate in candidates}
    assignments: list[Assignment] = []
    added: list[Assignment] = []
    for expert, row in zip(experts, new, strict=True):
        given = [candidates[column] for column in np.flatnonzero(row)]
        further = in_order(expert.id, given, before[expert.id], kin, design, names=names)
        assignments += [*before[expert.id], *further]
        added += further
    balance = balance_of(candidates, experts, assignments, added)
    _check_repeats(balance, design)
    return Plan(tuple(assignments), tuple(added), balance, plan_warnings(balance, candidates, experts, design, names))


def _check_given(items: Sequence[Candidate], raters: Sequence[Rater], design: Design) -> None:
    if not items:
        raise RatingError("the campaign has no items; pick at least one story")
    if not raters:
        raise RatingError("the campaign has no raters; pick at least one expert")
    _refuse_twice((item.item for item in items), to_say("item {id!r} is listed twice; list each item once"))
    _refuse_twice((rater.id for rater in raters), to_say("rater {id!r} is listed twice; list each rater once"))
    if design.raters_per_item < 1:
        raise RatingError("{count} raters per item is not possible; enter at least 1", count=design.raters_per_item)
    if design.repeats != 0 and not FEWEST_REPEATS <= design.repeats <= MOST_REPEATS:
        raise RatingError(
            "a hidden-repeat share of {share:g} is out of range; enter 0, or {low:g} to {high:g}",
            share=design.repeats,
            low=FEWEST_REPEATS,
            high=MOST_REPEATS,
        )


def _check_assigned(
    assigned: Sequence[Assignment], items: Sequence[Candidate], raters: Sequence[Rater], names: Names
) -> None:
    known_items, known_raters = {item.item for item in items}, {rater.id for rater in raters}
    seen: set[Assignment] = set()
    for assignment in assigned:
        fault = None
        if assignment.item not in known_items:
            fault = to_say(
                "item {item!r}, already assigned to rater {rater!r}, is not in the item list; include all items"
                " of the campaign, old and new"
            )
        elif assignment.rater not in known_raters:
            fault = to_say(
                "item {item!r} is already assigned to rater {rater!r}, who is not in the rater list; include"
                " all raters of the campaign, old and new"
            )
        elif assignment in seen:
            fault = to_say("item {item!r} is assigned to rater {rater!r} twice; list each assignment once")
        elif assignment.repeat and Assignment(assignment.rater, assignment.item) not in seen:
            fault = to_say(
                "item {item!r} of rater {rater!r} is repeated before it is first shown; list assignments in"
                " rating order"
            )
        if fault is not None:
            raise RatingError(fault, item=names.item(assignment.item), rater=names.rater(assignment.rater))
        seen.add(assignment)


def _refuse_twice(ids: Iterable[str], message: str) -> None:
    if twice := [name for name, times in Counter(ids).items() if times > 1]:
        raise RatingError(message, id=twice[0])


def _demand(
    items: Sequence[Candidate], raters: Sequence[Rater], design: Design, before: Mapping[str, Sequence[Assignment]]
) -> Demand:
    columns = {item.item: column for column, item in enumerate(items)}
    held = np.zeros((len(raters), len(items)), dtype=bool)
    for row, rater in enumerate(raters):
        held[row, [columns[assignment.item] for assignment in before[rater.id]]] = True
    roles = _codes([item.kin for item in items])
    return Demand(
        held=held,
        may=_reading(items, raters) & ~held,
        wanted=np.maximum(design.raters_per_item - held.sum(axis=0), 0),
        kin=Trait(roles, ROLE),
        traits=(
            Trait(_codes([item.model for item in items]), MODEL),
            Trait(_codes([item.language for item in items]), LANGUAGE),
            Trait(_codes([item.scene for item in items]), SCENE),
        ),
        last=np.array([roles[columns[before[rater.id][-1].item]] if before[rater.id] else -1 for rater in raters]),
    )


def _reading(items: Sequence[Candidate], raters: Sequence[Rater]) -> Bools:
    """Who reads what (raters x items)."""
    return np.array([[item.language in rater.languages for item in items] for rater in raters])


def _codes(names: Sequence[Hashable]) -> Ints:
    """A number from 0 for each name, by first appearance."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in names])


def _check_demand(
    demand: Demand, items: Sequence[Candidate], raters: Sequence[Rater], design: Design, names: Names
) -> None:
    short = np.flatnonzero(demand.may.sum(axis=0) < demand.wanted)
    if not short.size:
        return
    language = items[short[0]].language
    others = sum(items[column].language == language for column in short[1:])
    one = to_say(
        "each item needs {count} raters, but only {readers} of the raters read {language}, the language of item"
        " {item!r}; pick more experts who read it, fewer raters per item, or no items in this language"
    )
    several = to_say(
        "each item needs {count} raters, but only {readers} of the raters read {language}, the language of item"
        " {item!r} and {others:,} more; pick more experts who read it, fewer raters per item, or no items in"
        " this language"
    )
    raise RatingError(
        several if others else one,
        count=design.raters_per_item,
        readers=sum(language in rater.languages for rater in raters),
        language=names.language(language),
        item=names.item(items[short[0]].item),
        others=others,
    )


def _check_repeats(balance: Balance, design: Design) -> None:
    if design.repeats and balance.load.high < FEWEST_TO_REPEAT:
        raise RatingError(
            "hidden repeats need raters with at least {least} items, but no rater has more than {most}; set"
            " hidden repeats to 0, or pick more items or fewer raters",
            least=FEWEST_TO_REPEAT,
            most=balance.load.high,
        )
