"""JSON by hand is read as what it was meant to be, and well-formed JSON as what it is."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from characterbox.llm.replies.loose_json import Found, begins_object, json_objects

KEYS = st.text(alphabet="abcXYZ 孙悟空_-", min_size=1, max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**14), 10**14) | st.text(),
    lambda values: st.lists(values, max_size=4) | st.dictionaries(KEYS, values, max_size=4),
    max_leaves=12,
)


def in_pairs(value):
    """The value with its objects as tuples of pairs."""
    if isinstance(value, dict):
        return tuple((key, in_pairs(one)) for key, one in value.items())
    return [in_pairs(one) for one in value] if isinstance(value, list) else value


def pairs_in(text):
    return [found.pairs for found in json_objects(text)]


@pytest.mark.slow
@given(st.dictionaries(KEYS, VALUES, max_size=5), st.sampled_from([None, 2]))
def test_well_formed_json_is_what_it_is(content, indent):
    text = json.dumps(content, ensure_ascii=False, indent=indent)
    [found] = json_objects(f"So: {text} that is all")
    assert found == Found(4, 4 + len(text), in_pairs(content), cut=False)
    assert begins_object(text)


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ('{"a": 1, "a": 2}', (("a", 1), ("a", 2))),
        ("{'a': \"x\", b: True, c: none}", (("a", "x"), ("b", True), ("c", None))),
        ("｛“a”：“x”；“b”：1｝", (("a", "x"), ("b", 1))),
        ('{"a": 1.5,, // so\n "b": -2.5e3, /* all */}', (("a", 1.5), ("b", -2500.0))),
        ('{"a": "He says "no", and leaves", "b": 1}', (("a", 'He says "no", and leaves'), ("b", 1))),
        ('{"a": "x\x06\ny\\u00e9\\n\\/"}', (("a", "x\x06\nyé\n/"),)),
        ('{"a": 1\n\ufffd "b": 2}', (("a", 1), ("b", 2))),
        ('{"a": soon, "b": 1e999}', (("a", "soon"), ("b", "1e999"))),
    ],
)
def test_json_by_hand_is_what_it_was_meant_to_be(text, pairs):
    assert pairs_in(text) == [pairs]


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ('{"a": "x", "b": "y', (("a", "x"),)),
        ('{"a": "x", "b": 12', (("a", "x"),)),
        ('{"a": "x", "b": [1, {"c": 2, "d', (("a", "x"), ("b", [1, (("c", 2),)]))),
        ('{"a": "x"', (("a", "x"),)),
    ],
)
def test_what_was_not_told_to_its_end_is_left_out(text, pairs):
    assert list(json_objects(text)) == [Found(0, len(text), pairs, cut=True)]


@pytest.mark.parametrize("text", ["", "x", "{x | x > 3}", "{", "(a: 1)", '{"a" 1}', "{" * 10_000, '{"a":' * 10_000])
def test_what_is_no_object_is_none(text):
    assert pairs_in(text) == []


def test_a_brace_that_begins_nothing_does_not_hide_the_object_behind_it():
    assert pairs_in('{so} {"a": 1} {"b": 2}') == [(("a", 1),), (("b", 2),)]


@pytest.mark.parametrize(
    ("text", "begins"), [('[{"a"', True), ("{}", True), ("{he: x", True), ("a {}", False), ("[]", False)]
)
def test_a_text_that_sets_out_to_be_an_object(text, begins):
    assert begins_object(text) is begins
