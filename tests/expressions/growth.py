"""Whether the time that a regular expression takes grows faster than the text, whatever the text.

The texts are made of the pattern itself: of what its parts match, repeated, before something that they don't match.
What takes time in proportion to the length takes four times as long for a text that is four times as long; what looks
through the rest of the text from every place takes sixteen times as long.
"""

import random
import re
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, product
from re import _constants as of  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]  # what a pattern consists of is told nowhere else

from tests.expressions.pattern_finder import ON

LENGTHS = (*range(8, 65, 8), 256, 1024, 4096)
"""Letters of the texts. They grow slowly at first: what takes twice the time for each letter more is stopped early."""
SHORT = 64
SHOWS = 0.002
"""Seconds of processor time from which on a pattern is measured; a short text never takes as long."""
MOST = 9
"""How much longer it may take for four times the text: between the 4 of proportion and the 16 of its square."""
FAMILIES = 200
"""Texts that each pattern is tried on, in each way."""
_SIGNS = (*" \n\t0aA_-.#*`[({<\"'\\/:,雨。：", "\x00")
_TAILS = ("", "\x00", "\n\x00", "x")
_WIDEST = 4
_REPEATS = (of.MAX_REPEAT, of.MIN_REPEAT, of.POSSESSIVE_REPEAT)


def fault(pattern: re.Pattern, ways: Iterable[str]) -> str | None:
    """How to make the pattern take more than its share of time; None if no way is known."""
    for way in sorted(ways):
        run = _run(pattern, way)
        for prefix, unit, tail in families(pattern):
            make = _maker(prefix, unit, tail, isinstance(pattern.pattern, bytes))
            if (told := _judged(run, make)) is not None:
                return f"{way} of {pattern.pattern!r} on {prefix!r} + {unit!r} * n + {tail!r}: {told}"
    return None


def families(pattern: re.Pattern) -> list[tuple[str, str, str]]:
    """What comes before, what is repeated, what comes behind."""
    flags = pattern.flags if isinstance(pattern.pattern, str) else pattern.flags & ~re.UNICODE
    tree = list(parser.parse(pattern.pattern, flags))
    parts = list(dict.fromkeys(chain.from_iterable(_units(tree))))
    letters = list(dict.fromkeys(chain("".join(parts)[:200], _SIGNS)))
    few = [letter for letter in letters if letter in "".join(parts)][:5]
    chance = random.Random(repr(pattern.pattern))
    mixed = ["".join(chance.choices(letters, k=chance.randint(3, 7))) for _ in range(20)]
    units = dict.fromkeys(
        chain(
            parts,
            letters[:40],
            map("".join, product([*few, " ", "\n"], repeat=2)),
            mixed,
            (f"{one}\n" for one in parts),
        )
    )
    before = list(dict.fromkeys(["", *_beginnings(tree)]))
    plain = [("", unit, tail) for unit in units for tail in _TAILS[:2]]
    led = [(start, unit, tail) for start in before[1:] for unit in parts for tail in _TAILS]
    further = [("", unit, tail) for unit in units for tail in _TAILS[2:]]
    return [*_spread(plain, FAMILIES // 2), *_spread(led + further, FAMILIES // 2)]


def _spread(several: list[tuple[str, str, str]], most: int) -> list[tuple[str, str, str]]:
    pumped = [one for one in several if one[1]]
    return pumped[:: max(1, -(-len(pumped) // most))]


def _units(items: list) -> Iterator[list[str]]:
    """What parts of the pattern match, and some parts in a row."""
    for first in range(len(items)):
        for last in range(first + 1, min(len(items), first + _WIDEST) + 1):
            yield _matched(items[first:last])
    if len(items) > _WIDEST:
        yield _matched(items)
    for item in items:
        for inner in _inner(item):
            yield from _units(list(inner))


def _inner(item: tuple) -> list:
    kind, what = item
    if kind in _REPEATS:
        return [what[2]]
    if kind is of.BRANCH:
        return list(what[1])[:12]
    if kind is of.SUBPATTERN:
        return [what[3]]
    if kind is of.ATOMIC_GROUP:
        return [what]
    if kind in (of.ASSERT, of.ASSERT_NOT):
        return [what[1]]
    return []


def _beginnings(items: list) -> Iterator[str]:
    """What the pattern matches before each of its parts, in one way each."""
    for end in range(1, min(len(items), 6)):
        yield from _matched(items[:end])[:2]


def _matched(items: list) -> list[str]:
    """A few texts that a part of the pattern matches, or nearly so."""
    several = [_matched_by(item) or [""] for item in items]
    count = max(map(len, several), default=1)
    return list(dict.fromkeys("".join(one[number % len(one)] for one in several) for number in range(count)))[:8]


def _matched_by(item: tuple) -> list[str]:
    kind, what = item
    if kind is of.LITERAL:
        return [chr(what)]
    if kind in (of.ANY, of.IN, of.NOT_LITERAL):
        return _of_class(item)
    if kind in _REPEATS:
        least, _, body = what
        once = _matched(list(body))
        return [one * max(least, 1) for one in once] + ([""] if not least else [])
    if kind is of.BRANCH:
        return [one for branch in list(what[1])[:12] for one in _matched(list(branch))[:2]]
    if kind in (of.ASSERT, of.ASSERT_NOT):
        return ["", *_matched(list(what[1]))[:2]]
    return [one for inner in _inner(item) for one in _matched(list(inner))]


def _of_class(item: tuple) -> list[str]:
    """Letters of a class, one of each kind."""
    kind, what = item
    if kind is of.ANY:
        return ["a", " "]
    if kind is of.NOT_LITERAL:
        return [letter for letter in "a \n0-" if letter != chr(what)][:3]
    named = [chr(value if op is of.LITERAL else value[0]) for op, value in what if op in (of.LITERAL, of.RANGE)]
    negated = what[0][0] is of.NEGATE
    classes = [value for op, value in what if op is of.CATEGORY]
    fits = [
        letter for letter in _SIGNS if negated != (letter in named or any(_in_category(letter, one) for one in classes))
    ]
    return list(dict.fromkeys([*([] if negated else named[:4]), *fits[:5]])) or named[:1]


def _in_category(letter: str, category: object) -> bool:
    sign = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}
    name = str(category).removeprefix("CATEGORY_").removeprefix("UNI_")
    inside = re.match(sign[name.removeprefix("NOT_")], letter) is not None
    return inside != name.startswith("NOT_")


def _run(pattern: re.Pattern, way: str) -> Callable[[str | bytes], object]:
    nothing = pattern.pattern[:0]
    if way in ("sub", "subn"):
        return lambda text: getattr(pattern, way)(nothing, text)
    if way == "finditer":
        return lambda text: sum(1 for _ in pattern.finditer(text))
    return (lambda text: _through(pattern, text)) if way == ON else getattr(pattern, way)


def _through(pattern: re.Pattern, text: str | bytes) -> None:
    at = 0
    while at < len(text) and (found := pattern.match(text, at)):
        at = max(found.end(), at + 1)


def _maker(prefix: str, unit: str, tail: str, binary: bool) -> Callable[[int], str | bytes]:
    def make(length: int) -> str | bytes:
        text = prefix + (unit * (length // len(unit) + 1))[:length] + tail
        return text.encode("latin-1", "replace") if binary else text

    return make


def _judged(run: Callable[[str | bytes], object], make: Callable[[int], str | bytes]) -> str | None:
    for length in LENGTHS:
        if (seconds := took(run, make(length))) < SHOWS:
            continue
        if length > SHORT:
            told = _grows(run, make, length)
        else:
            seconds = min(seconds, *(took(run, make(length)) for _ in range(2)))
            told = f"{seconds:.3f} s for {length} letters" if seconds > SHOWS else None
        if told is not None:
            return told  # else it was the machine that was slow, for a moment: longer texts will tell
    return None


def _grows(run: Callable[[str | bytes], object], make: Callable[[int], str | bytes], length: int) -> str | None:
    """Told when it grows too fast from a quarter of the length to the length, and from there to four times of it."""
    quarter, whole = (min(took(run, make(n)) for _ in range(3)) for n in (length // 4, length))
    if whole < MOST * quarter:
        return None
    longest = min(took(run, make(4 * length)) for _ in range(2))
    if longest < MOST * whole:
        return None
    return f"{quarter:.4f} s for {length // 4} letters, {whole:.4f} s for {length}, {longest:.4f} s for {4 * length}"


def took(run: Callable[[str | bytes], object], text: str | bytes) -> float:
    """Seconds of processor time."""
    started = time.thread_time()
    run(text)
    return time.thread_time() - started
