"""Betrayals: places in a text where a model says what it is, who made it or what it is called.

A rater who reads one is no longer blind. What is found is for a person to look at: a machine in a tale may rightly say
that it is one.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

from annotations.blinding import chinese_patterns, english_patterns
from annotations.blinding.folded_text import folded
from annotations.blinding.model_names import (
    COINED,
    END,
    MAKER_ALONE,
    MODEL,
    ORDINARY,
    ORDINARY_ZH,
    PERHAPS_MODEL,
    START,
)

Why = Literal["says it is an AI", "names its maker", "names itself", "names a model of the campaign", "names a model"]
Place = tuple[int, int, Why]


@dataclass(frozen=True)
class IdentityLeak:
    """A place that gives a model away."""

    start: int
    end: int
    """In the text as it was given; `end` is no longer part of it."""
    words: str
    """What stands there."""
    why: tuple[Why, ...]


def identity_leaks(text: str, models: Collection[str] = (), known: Collection[str] = ()) -> tuple[IdentityLeak, ...]:
    """The places in `text`, English or Chinese, that give a model away, in order and without overlap.

    `models` are the ids of the models in play, such as `Qwen/Qwen2.5-7B-Instruct`. `known` are names that the text has
    a right to: those of the characters and of the work. A model's name inside such a name, where that stands in full,
    is no betrayal; nor is it one when somebody goes by a name that is a word of it.
    """
    there = folded(text)
    names = _names(tuple(sorted(set(models))), tuple(sorted(set(known))))
    places = [*_sayings(there.text), *_namings(there.text, names)]
    found = []
    for start, end, why in _merged(places):
        first, last = there.place(start, end)
        found.append(IdentityLeak(first, last, text[first:last], why))
    return tuple(found)


def _read_without_case(patterns: Iterable[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE | re.MULTILINE) for pattern in patterns)


_SAYINGS: tuple[tuple[Why, tuple[re.Pattern[str], ...]], ...] = (
    ("says it is an AI", _read_without_case((*english_patterns.SAYS_AI, *chinese_patterns.SAYS_AI))),
    (
        "names its maker",
        _read_without_case((*english_patterns.SAYS_MAKER, *chinese_patterns.SAYS_MAKER, *MAKER_ALONE)),
    ),
)


@dataclass(frozen=True)
class _Names:
    """The names to look for, and those that are none of a model's."""

    of_campaign: re.Pattern[str] | None
    """The models in play, under names that can't be anybody else's."""
    of_itself: re.Pattern[str]
    """Somebody who goes by the name of a model; the group `name`, or `name_zh` in Chinese, is the name."""
    known: re.Pattern[str] | None
    known_words: frozenset[str]


@lru_cache(maxsize=64)
def _names(models: tuple[str, ...], known: tuple[str, ...]) -> _Names:
    spelled = {name for model in models for name in _spellings(folded(model).text)}
    plain = {name for name in spelled if not any(map(str.isdigit, name))}
    coined = {name for name in plain if re.fullmatch(COINED, name, re.IGNORECASE)}
    rights = [name for name in (folded(name).text.strip() for name in known) if name]
    words = {word.casefold() for name in rights for word in (name, *re.findall(r"\w+", name))}
    capital = rf"(?-i:(?=[A-Z\u3400-\u9fff]))(?:{'|'.join([COINED, *map(_loosely, _longest_first(plain)), ORDINARY])})"
    return _Names(
        of_campaign=_any_of(map(_loosely, (spelled - plain) | coined), r"(?![A-Za-z0-9]|\.\d)"),
        of_itself=re.compile(
            rf"{english_patterns.CALLS_ITSELF}(?P<name>{capital}){END}(?!'s|(?-i: [A-Z][a-z]))"
            rf"|{chinese_patterns.CALLS_ITSELF}(?P<name_zh>{capital}{END}|{ORDINARY_ZH})",
            re.IGNORECASE,
        ),
        known=_any_of(map(re.escape, rights), END),
        known_words=frozenset(words),
    )


def _spellings(model: str) -> set[str]:
    """What a model is called for short: `Qwen2.5-7B-Instruct`, `Qwen2.5-7B`, `Qwen2.5` and `Qwen` for
    `Qwen/Qwen2.5-7B-Instruct`. A letter and a number, as in `o1`, are too common to tell anything."""
    parts = re.split(r"[-_:@ ]+", re.split(r"[/#]", model)[-1])
    names = {"-".join(parts[: i + 1]) for i in range(len(parts))} | set(re.findall(r"^[^\W\d_]+", parts[0]))
    return {name for name in names if len(re.findall(r"[^\W\d_]", name)) > 1}


def _loosely(name: str) -> str:
    """The pattern for a name, with or without blanks, hyphens and dots between its parts."""
    return r"[ _.-]{0,3}".join(re.escape(part) for part in re.findall(r"[^\W\d_]+|\d+(?:\.\d+)*", name))


def _longest_first(words: Iterable[str]) -> list[str]:
    return sorted(words, key=lambda word: (-len(word), word))


def _any_of(patterns: Iterable[str], edge: str) -> re.Pattern[str] | None:
    words = _longest_first(patterns)
    return re.compile(rf"{START}(?:{'|'.join(words)}){edge}", re.IGNORECASE) if words else None


def _sayings(text: str) -> Iterator[Place]:
    for why, patterns in _SAYINGS:
        for pattern in patterns:
            for match in pattern.finditer(text):
                yield *match.span("hit" if "hit" in pattern.groupindex else 0), why


def _namings(text: str, names: _Names) -> Iterator[Place]:
    rights = [match.span() for match in names.known.finditer(text)] if names.known else []
    kinds: tuple[tuple[Why, re.Pattern[str] | None], ...] = (
        ("names itself", names.of_itself),
        ("names a model of the campaign", names.of_campaign),
        ("names a model", MODEL),
        ("names a model", PERHAPS_MODEL),
    )
    for why, pattern in kinds:
        for match in pattern.finditer(text) if pattern else ():
            group = next((group for group, name in match.groupdict().items() if name), 0)
            start, end = match.span(group)
            theirs = group and match[group].casefold() in names.known_words
            if not theirs and not any(first <= start and end <= last for first, last in rights):
                yield *match.span(), why


def _merged(places: Iterable[Place]) -> Iterator[tuple[int, int, tuple[Why, ...]]]:
    """Places that overlap, made one with all their reasons."""
    groups: list[list[Place]] = []
    reach = 0
    for place in sorted(places):
        if not groups or place[0] >= reach:
            groups.append([])
        groups[-1].append(place)
        reach = max(reach, place[1])
    for group in groups:
        reasons = {why for _, _, why in group}
        yield group[0][0], max(end for _, end, _ in group), tuple(why for why in get_args(Why) if why in reasons)
