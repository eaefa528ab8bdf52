"""How two versions of a scene differ: field by field, and within a field word by word."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from typing import NamedTuple

from characterbox.scenes.scene import Profile, Scene, slug_of

_WORDS = re.compile(r"[a-zA-Z0-9\u00c0-\u024f'’]+|\s+|.", re.DOTALL)
"""A word of Latin letters, white space, or one sign, such as a Chinese character."""
_MOST_STEPS = 15_000_000
"""Pairs of equal words that are looked at for one comparison, a second's worth: of two texts there can be as many
as the square of their length, and as many again for each difference."""


class Piece(NamedTuple):
    """A run of words that stands on both sides, or on this one only."""

    text: str
    same: bool


@dataclass(slots=True)
class _Steps:
    """What is left of the steps of a comparison."""

    left: int = _MOST_STEPS


class _Words(SequenceMatcher[str]):
    """Two texts as words. Once the steps are used up, only how they begin and end alike is told."""

    b2j: dict[str, list[int]]
    """The places of each word of the second, of SequenceMatcher's own making."""

    def __init__(self, first: list[str], second: list[str], steps: _Steps) -> None:
        super().__init__(None, first, second, autojunk=False)
        self._first, self._second, self._steps = first, second, steps
        self._times = {word: len(places) for word, places in self.b2j.items()}

    def find_longest_match(self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None) -> Match:
        """As SequenceMatcher says."""
        ahi, bhi = len(self._first) if ahi is None else ahi, len(self._second) if bhi is None else bhi
        steps = sum(self._times.get(self._first[place], 0) + 1 for place in range(alo, ahi))
        if steps <= self._steps.left:
            self._steps.left -= steps
            return super().find_longest_match(alo, ahi, blo, bhi)
        most = min(ahi - alo, bhi - blo)
        ways = range(most)
        head = next((n for n in ways if self._first[alo + n] != self._second[blo + n]), most)
        if head:
            return Match(alo, blo, head)
        tail = next((n for n in ways if self._first[ahi - 1 - n] != self._second[bhi - 1 - n]), most)
        return Match(ahi - tail, bhi - tail, tail)


@dataclass(frozen=True, slots=True)
class Difference:
    """A field that is not the same."""

    field: str
    """`cast`: the names in order. `account`: who a character is. `known_as`: each name with those who use it."""
    character: str | None
    """Whose field it is; None for one of the whole scene."""
    before: Sequence[Piece]
    after: Sequence[Piece]
    """Nothing where the field was not there, or had no text."""


def differences(before: Scene, after: Scene) -> list[Difference]:
    """What is not the same, in the order in which a scene is read."""
    steps = _Steps()
    found = differences_of(_of_scene(before), _of_scene(after), None, steps)
    for one, other in _matched(before.cast, after.cast):
        name = next(who.name for who in (other, one) if who)
        found += differences_of(_of_profile(one), _of_profile(other), name, steps)
    return found


def pieces(before: str, after: str, steps: _Steps | None = None) -> tuple[list[Piece], list[Piece]]:
    """The two texts in runs of words that both have, or only one of them; joined they are the texts.

    Texts that are long and have much in common, but not where they begin and end, are told as different.
    """
    first, second = _WORDS.findall(before), _WORDS.findall(after)
    left: list[Piece] = []
    right: list[Piece] = []
    for tag, i, j, k, m in _Words(first, second, steps or _Steps()).get_opcodes():
        one, other = "".join(first[i:j]), "".join(second[k:m])
        same = tag == "equal" and bool(one.strip() or one == before == after)  # blanks between changes are no anchor
        _put(left, one, same=same)
        _put(right, other, same=same)
    return left, right


def _put(side: list[Piece], text: str, *, same: bool) -> None:
    if side and side[-1].same == same:
        side[-1] = Piece(side[-1].text + text, same)
    elif text:
        side.append(Piece(text, same))


def differences_of(
    before: Mapping[str, str], after: Mapping[str, str], character: str | None = None, steps: _Steps | None = None
) -> list[Difference]:
    """What is not the same in the fields of two versions, by name, in their order."""
    steps = steps or _Steps()
    texts = ((field, before.get(field, ""), after.get(field, "")) for field in {**before, **after})
    return [Difference(field, character, *pieces(one, other, steps)) for field, one, other in texts if one != other]


def _of_scene(scene: Scene) -> dict[str, str]:
    around = scene.environment
    return {
        "title": scene.title,
        "work": scene.work,
        "language": scene.language,
        "origin": scene.origin,
        "author": scene.author or "",
        "time": around.time,
        "location": around.location,
        "description": around.description,
        "plot": scene.plot or "",
        "cast": "\n".join(scene.names),
    }


def _of_profile(profile: Profile | None) -> dict[str, str]:
    if profile is None:
        return {}
    return {
        "name": profile.name,
        "gender": profile.gender or "",
        "position": profile.position,
        "state": profile.state,
        "account": profile.description,
        "public_face": profile.public_face or "",
        "other_names": "\n".join(profile.other_names),
        "known_as": "\n".join(" · ".join([alias.name, *alias.by]) for alias in profile.known_as),
        "unseen_by": "\n".join(profile.unseen_by),
        "knowledge": "\n".join(profile.knowledge),
        "unaware": "\n".join(profile.unaware),
    }


def _matched(before: Sequence[Profile], after: Sequence[Profile]) -> list[tuple[Profile | None, Profile | None]]:
    """Each character with itself: by name, and of the rest, who may have another name, in order."""
    old = {slug_of(one.name): one for one in before}
    new = {slug_of(one.name) for one in after}
    rest = iter([one for slug, one in old.items() if slug not in new])
    pairs: list[tuple[Profile | None, Profile | None]] = []
    for one in after:
        pairs.append((old.get(slug_of(one.name)) or next(rest, None), one))
    return [*pairs, *((one, None) for one in rest)]
