"""In which order a rater sees the items.

The order is random, another one for each rater. Two items that show the same role (character and scene) never come one
after the other. A hidden repeat comes long after the item's first showing (`repeat_distance`). Attention checks are
spread over the order, never first.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import floor

import numpy as np

from annotations.design.settings import UNNAMED, Assignment, Candidate, Design, Kin, Names, Rater
from annotations.errors import RatingError
from annotations.i18n.messages import OR, joined, to_say

FEWEST_TO_REPEAT = 5
"""A rater with fewer items gets no hidden repeat: it would come too soon to tell memory from judgment."""
CLOSEST_REPEAT = 3
"""No repeat comes closer after its first showing than this many places, however short the order."""


@dataclass(frozen=True)
class Check:
    """An attention check: an item whose scores are known, shown like any other."""

    id: str
    language: str


def repeats_for(items: int, share: float) -> int:
    """How many of a rater's items come a second time: the share, rounded, and at least one where it is not 0.

    None with fewer than `FEWEST_TO_REPEAT` items.
    """
    return max(1, floor(items * share + 0.5)) if share and items >= FEWEST_TO_REPEAT else 0


def repeat_distance(places: int) -> int:
    """How many places after its first showing a repeat should come, in an order of so many places."""
    return max(5, -(-places // 4))


def in_order(
    rater: str,
    new: Sequence[Candidate],
    before: Sequence[Assignment],
    kin: Mapping[str, Kin],
    design: Design,
    *,
    names: Names = UNNAMED,
) -> tuple[Assignment, ...]:
    """The new items of a rater with hidden repeats, as they follow what the rater was assigned `before`.

    `kin` has the role of every item, those assigned before included. Repeats may be of new items and of earlier ones;
    each comes `repeat_distance` places after its first showing, or as far as possible. Does not depend on the order of
    `new`. Raises RatingError where one role takes up so much that it would have to follow itself, or no repeat fits.
    """
    random = chance(design.seed, "order", rater)
    last = kin[before[-1].item] if before else None
    new = sorted(new, key=lambda candidate: candidate.item)
    _check_roles(names.rater(rater), Counter(item.kin for item in new), len(new), last)
    order = [*before, *(Assignment(rater, item.item) for item in _without_neighbours(new, last, random))]
    repeated = sum(assignment.repeat for assignment in before)
    wanted = max(0, repeats_for(len(order) - repeated, design.repeats) - repeated)
    distance = repeat_distance(len(order) + wanted)
    for _ in range(wanted):
        found = _repeat(order, len(before), distance, kin, random)
        if found is None:
            raise _no_repeat(names.rater(rater), len(order))
        place, item = found
        order.insert(place, Assignment(rater, item, repeat=True))
    return tuple(order[len(before) :])


def with_checks(
    order: Sequence[Assignment], checks: Sequence[Check], rater: Rater, seed: int, names: Names = UNNAMED
) -> tuple[Assignment | Check, ...]:
    """A rater's order with the checks in the rater's languages, one at a random place of each of equal stretches.

    The first place is never a check, nor do two checks follow each other. An order without items stays empty.
    Raises RatingError for a check that is given twice, when there are checks but none in the rater's languages, and
    when there are more of them than items.
    """
    if twice := sorted(check for check, times in Counter(check.id for check in checks).items() if times > 1):
        raise RatingError("attention check {id!r} is listed twice; list each check once", id=twice[0])
    readable = sorted((check for check in checks if check.language in rater.languages), key=lambda check: check.id)
    if not order or not checks:
        return tuple(order)
    if not readable:
        raise RatingError(
            "no attention check is in a language that rater {rater!r} reads; add a check in {languages}, or turn"
            " attention checks off",
            rater=names.rater(rater.id),
            languages=joined(map(names.language, sorted(rater.languages)), OR),
        )
    if len(readable) > len(order):
        raise RatingError(
            "rater {rater!r} would get {checks} attention checks with only {items} items; use fewer checks or"
            " more items",
            rater=names.rater(rater.id),
            checks=len(readable),
            items=len(order),
        )
    random = chance(seed, "checks", rater.id)
    mixed: list[Assignment | Check] = list(order)
    ends = [len(order) * stretch // len(readable) for stretch in range(len(readable) + 1)]
    for stretch, check in reversed(list(enumerate(random.permutation(len(readable)).tolist()))):
        mixed.insert(int(random.integers(ends[stretch], ends[stretch + 1])) + 1, readable[check])
    return tuple(mixed)


def _without_neighbours(items: Sequence[Candidate], last: Kin | None, random: np.random.Generator) -> list[Candidate]:
    """The items in random order, no two of a role one after the other, nor the first after `last`.

    Such an order can be completed as long as no role fills more than every second place of the rest. So the next item
    is the first of a shuffled list that differs from the one before, unless a role is so frequent that it must be next.
    """
    left = Counter(item.kin for item in items)
    pool = [items[place] for place in random.permutation(len(items)).tolist()]
    order: list[Candidate] = []
    while pool:
        frequent, times = left.most_common(1)[0]
        pressing = times > len(pool) // 2
        place = next(
            place for place, item in enumerate(pool) if (item.kin == frequent if pressing else item.kin != last)
        )
        order.append(pool.pop(place))
        last = order[-1].kin
        left[last] -= 1
    return order


def _check_roles(rater: str, roles: Mapping[Kin, int], items: int, last: Kin | None) -> None:
    for role, times in sorted(roles.items()):
        if times > (items // 2 if role == last else (items + 1) // 2):
            scene, character = role
            first = to_say(
                "rater {rater!r}: {times} of {items} new items show {character!r} of scene {scene!r}, so some"
                " would follow each other directly; pick fewer stories of this scene or more of other scenes"
            )
            further = to_say(
                "rater {rater!r}: {times} of {items} new items, and the item before them, show {character!r} of"
                " scene {scene!r}, so some would follow each other directly; pick fewer stories of this scene"
                " or more of other scenes"
            )
            message = further if role == last else first
            raise RatingError(message, rater=rater, times=times, items=items, character=character, scene=scene)


def _repeat(
    order: Sequence[Assignment], start: int, distance: int, kin: Mapping[str, Kin], random: np.random.Generator
) -> tuple[int, str] | None:
    """A random place from `start` on, and an item to be shown there again, `distance` after its first showing.

    It comes sooner where it can't come so late; None if there is no such place at all.
    """
    repeated = {assignment.item for assignment in order if assignment.repeat}
    once = [(place, shown.item) for place, shown in enumerate(order) if shown.item not in repeated]
    places = (random.permutation(len(order) + 1 - start) + start).tolist()
    for least in range(distance, CLOSEST_REPEAT - 1, -1):
        for place in places:
            beside = {kin[shown.item] for shown in order[max(place - 1, 0) : place + 1]}
            fitting = [item for first, item in once if first <= place - least and kin[item] not in beside]
            if fitting:
                return place, fitting[int(random.integers(len(fitting)))]
    return None


def _no_repeat(rater: str, places: int) -> RatingError:
    return RatingError(
        "rater {rater!r}: none of the {places} positions allows a repeat at least {closest} positions after the"
        " item's first showing and not next to an item of the same character; set hidden repeats to 0 or add items"
        " of other characters",
        rater=rater,
        places=places,
        closest=CLOSEST_REPEAT,
    )


def chance(seed: int, *purpose: str) -> np.random.Generator:
    """Random numbers for one purpose: the same for the same seed, unrelated for another purpose."""
    name = "\0".join([str(seed), *purpose]).encode("utf-8", "surrogatepass")
    return np.random.default_rng(int.from_bytes(sha256(name).digest()))
