"""No regular expression takes more than its share of time, whatever the text: all people wait for the one who sent it.

Each is found in the source, with the ways in which it is applied, and tried on texts made of its own parts that grow.
"""

import re
from collections.abc import Mapping
from functools import cache

import pytest
from hypothesis import given, strategies

from characterbox import reason_sentences
from characterbox.llm.calls import address
from characterbox.llm.replies import loose_json
from characterbox.processes import detached
from tests.expressions.composed_patterns import CASES
from tests.expressions.growth import families, fault, took
from tests.expressions.pattern_finder import ON, WAYS, Expression, Source, expressions, kept, other_ways, sources

pytestmark = pytest.mark.slow

BOUNDED: Mapping[str, int] = {
    "characterbox/reason_sentences.py: _pattern": reason_sentences._MOST,  # `read_sentence` reads no longer one
}
"""Places whose patterns take more than their share, and see no text that is longer than this."""
MOST_BOUNDED = 0.5
"""Seconds that the longest text may take such a pattern, on a slow machine."""


@cache
def found() -> tuple[list[Expression], list[str]]:
    return expressions(sources(), CASES)


def test_the_pattern_of_every_call_is_known() -> None:
    assert found()[1] == [], "give the patterns of these calls, as they come, in tests/expressions/composed_patterns.py"
    assert len(found()[0]) > 200


def test_no_pattern_is_made_in_a_way_that_cannot_be_followed() -> None:
    assert [(source.path, way) for source in sources() for way in other_ways(source)] == []


def test_the_patterns_that_modules_hold_are_among_those_found() -> None:
    judged = {(one.pattern.pattern, one.pattern.flags) for one in found()[0]}
    held = [(source.path, one) for source in sources() for one in kept(source)]
    assert [(path, one) for path, one in held if (one.pattern, one.flags) not in judged] == []


def test_each_takes_time_in_proportion_to_the_text() -> None:
    tried = [(one.place, fault(one.pattern, one.ways)) for one in found()[0] if one.place not in BOUNDED]
    assert [(place, told) for place, told in tried if told] == []


def test_what_takes_more_sees_short_texts_only() -> None:
    bounded = [one for one in found()[0] if one.place in BOUNDED]
    assert {one.place for one in bounded} == BOUNDED.keys()
    for one in bounded:
        for prefix, unit, tail in families(one.pattern)[::8]:
            text = (prefix + unit * BOUNDED[one.place])[: BOUNDED[one.place]] + tail
            assert took(one.pattern.fullmatch, text) < MOST_BOUNDED, (one.place, one.pattern, unit)


@pytest.mark.parametrize(
    ("pattern", "flags", "way"),
    [
        (r"^(\s*\d*)([-+#.)!=])", re.MULTILINE, "sub"),  # escaped the starts of lines once: blank lines stopped the app
        (r"^(\s*)(\d+(?=[.)])|[-+=:])", re.MULTILINE, "sub"),
        (r"\s+$", 0, "search"),
        (r"(.*?)/x", 0, "split"),
        (r"<.*>\Z", re.DOTALL, "search"),
        (r"://[^/@\s]*:[^/@\s]+@", 0, "search"),
        (r"\s*[,;]?\s*$", 0, "match"),
        (r"\s*(?:[,;]|\n\s*[\"'])", 0, ON),
        (r"(?P<what>.+?) \((?P<count>.+?) attempts\)", re.DOTALL, "fullmatch"),
        (r"(?:a+)+$", 0, "match"),
        (r"(?:a|aa)+$", 0, "fullmatch"),
        (r"(?:\w+\s?)*:", 0, "match"),
        (r"(?:[^()]|\((?:[^()]|x)*\))*$", 0, "match"),
        (rb"<!--.*?-->", re.DOTALL, "findall"),
    ],
)
def test_one_that_takes_more_is_found(pattern: str | bytes, flags: int, way: str) -> None:
    assert fault(re.compile(pattern, flags), {way}) is not None


@pytest.mark.parametrize(
    ("pattern", "flags", "way"),
    [
        (r"^([^\S\n]*+\d*+)([-+#.)!=])", re.MULTILINE, "sub"),
        (r"(?<!\d)(\d++)%", 0, "search"),
        (r"a{0,99}b{0,99}c", 0, "search"),
        (r"\s+", 0, "split"),
        (r".*?/x", 0, "match"),
    ],
)
def test_one_in_proportion_is_not(pattern: str, flags: int, way: str) -> None:
    assert fault(re.compile(pattern, flags), {way}) is None


MENDED = {
    "_DEPLOYED": (
        "fullmatch",
        r"(.*?)/openai/deployments(?:/.*)?",
        address._DEPLOYED,
        ["/openai/deployments", "/", "x", "\n"],
    ),
    "_STOPS": ("match", r"\s*(?:[,，;；}｝\]］#]|//|/\*|\Z|\n\s*[\"“'])", loose_json._STOPS, [*' \n\t,}#/*"“x']),
    "_SURELY_STOPS": (
        "match",
        r"\s*(?:[}｝]|[,，;；]?\s*[\"“'‘][^\"“”'‘’\n]{1,60}[\"”'’]\s*[:：])",
        loose_json._SURELY_STOPS,
        [*' \n,;"”x:'],
    ),
    "_WITH_PASSWORD": ("search", r"://[^/@\s]*:[^/@\s]+@", detached._WITH_PASSWORD, ["://", *":@ /x"]),
}
"""Patterns that took more once, as they were, with what they look for."""


@pytest.mark.parametrize("name", MENDED)
@given(data=strategies.data())
def test_those_mended_find_what_they_found(name: str, data: strategies.DataObject) -> None:
    way, before, now, parts = MENDED[name]
    text = "".join(data.draw(strategies.lists(strategies.sampled_from(parts), max_size=14)))
    was, found = getattr(re.compile(before), way)(text), getattr(now, way)(text)
    assert (found and found.groups()) == (was and was.groups())


def unknown_in(text: str) -> list[str]:
    return expressions([Source("added.py", text)], {})[1]


@pytest.mark.parametrize(
    "added",
    [
        "re.search(mark, text)",
        "re.compile(f'{mark}+')",
        "re.compile('|'.join(marks))",
        "[re.compile(one) for one in marks]",
        "frame['a'].str.contains(mark)",
        "frame['a'].str.replace(mark, '', regex=True)",
    ],
)
def test_an_added_one_whose_pattern_is_not_known_is_told(added: str) -> None:
    assert len(unknown_in(f"import re\n\ndef reads(mark, marks, text, frame):\n    return {added}\n")) == 1


def test_an_added_one_that_is_written_out_is_known() -> None:
    assert unknown_in("import re\n\ndef reads(text):\n    return re.search(r'\\s+$' '', text, re.MULTILINE)\n") == []


def test_a_case_by_hand_without_its_call_is_told() -> None:
    assert expressions([], {"pages/gone.py: reads": [lambda: ["a"]]})[1] != []


@pytest.mark.parametrize(
    "added",
    [
        "import re as plain",
        "from re import sub",
        "from re import *",
        "import regex",
        "import re\nmap(re.compile, marks)",
    ],
)
def test_a_way_that_cannot_be_followed_is_told(added: str) -> None:
    assert list(other_ways(Source("added.py", added))) != []


@pytest.mark.parametrize(
    ("use", "ways"),
    [
        ("_A.match(text)", {"match"}),
        ("_A.match(text, at)", {ON}),
        ("_A.sub('', text); _A.search(text)", {"sub", "search"}),
        ("map(_A.fullmatch, texts)", {"fullmatch"}),
        ("takes(_A); pattern.findall(text)", {"findall"}),
        ("takes(_A)", WAYS),
    ],
)
def test_how_a_pattern_is_applied_is_read_from_its_uses(use: str, ways: set[str]) -> None:
    text = f"import re\n_A = re.compile('a')\ndef reads(text, texts, at, pattern):\n    {use}\n"
    assert expressions([Source("added.py", text)], {})[0][0].ways == ways


def test_how_a_pattern_is_applied_elsewhere_counts_too() -> None:
    home = Source(
        "annotations/blinding/folded_text.py",
        "import re\nA = re.compile('a')\nA.match('')\n",
        "annotations.blinding.folded_text",
    )
    other = Source("added.py", "from annotations.blinding.folded_text import A\nA.search('')\n")
    third = Source("pages/more.py", "from annotations.blinding import folded_text as letters\nletters.A.split('')\n")
    assert expressions([home, other, third], {})[0][0].ways == {"match", "search", "split"}
