"""The line of every key and element is found, however the TOML is written."""

import json
import re
import tomllib
from collections.abc import Iterator
from importlib import resources

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.rubrics.rubric_file import DEEPEST, Place, TooDeep, line_of, lines_of
from tests.fakes.examples import examples

TORTURE = '''# a comment = 1
title = "a # b"   # c
"quoted = key" = 1
a.b = 2
'a'."c d" = 1979-05-27 07:32:00
long = """
[not.a.table]
x = 1 \\""" "" quotes
""""
literal = \'\'\'
[[nor]] '' \'\'\'
path = 'C:\\'
list = [ # of
  1, "two ]",

  [3, 4], # five = 5
  { en = "six, }", zh = '七' },
]
empty = []
[table]
key = +inf
[table.under]
key = {}
[[rows]]
[[rows]]
n = 1
[rows.more]
x = { y.z = [1] }
[[rows.cells]]
[[rows.cells]]
k = true
[ "rows" . cells . 'last' ]
[late.table]
[late]
'''


def places(value: object, at: Place = ()) -> Iterator[Place]:
    yield at
    if isinstance(value, dict):
        for key, one in value.items():
            yield from places(one, (*at, key))
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from places(one, (*at, number))


def test_the_line_of_each_place_in_a_document_with_every_kind_of_notation() -> None:
    lines = lines_of(TORTURE)
    assert set(lines) == set(places(tomllib.loads(TORTURE)))
    expected: dict[Place, int] = {
        (): 1,
        ("title",): 2,
        ("quoted = key",): 3,
        ("a",): 4,
        ("a", "b"): 4,
        ("a", "c d"): 5,
        ("long",): 6,
        ("literal",): 10,
        ("path",): 12,
        ("list",): 13,
        ("list", 0): 14,
        ("list", 1): 14,
        ("list", 2): 16,
        ("list", 2, 1): 16,
        ("list", 3): 17,
        ("list", 3, "zh"): 17,
        ("empty",): 19,
        ("table",): 20,
        ("table", "under", "key"): 23,
        ("rows",): 24,
        ("rows", 0): 24,
        ("rows", 1): 25,
        ("rows", 1, "n"): 26,
        ("rows", 1, "more"): 27,
        ("rows", 1, "more", "x", "y", "z", 0): 28,
        ("rows", 1, "cells"): 29,
        ("rows", 1, "cells", 0): 29,
        ("rows", 1, "cells", 1, "k"): 31,
        ("rows", 1, "cells", 1, "last"): 32,
        ("late",): 33,
        ("late", "table"): 33,
    }
    assert {place: lines[place] for place in expected} == expected


@pytest.mark.parametrize("change", [lambda text: text.replace("\n", "\r\n"), lambda text: "\ufeff" + text])
def test_neither_windows_line_ends_nor_a_byte_order_mark_move_a_line(change) -> None:
    assert lines_of(change(TORTURE)) == lines_of(TORTURE)


@pytest.mark.parametrize("folder", ["rubrics", "design/practice_sets"])
def test_every_place_of_the_bundled_files_is_found(folder: str) -> None:
    for file in (resources.files("annotations").joinpath(folder)).iterdir():
        if file.name.endswith(".toml"):
            toml = file.read_text(encoding="utf-8")
            assert set(lines_of(toml)) == set(places(tomllib.loads(toml)))


def test_what_is_not_there_is_told_by_what_is_around_it() -> None:
    lines = lines_of(TORTURE)
    assert line_of(("rows", 1, "more", "missing"), lines) == 27
    assert line_of(("rows", 1, "more", "x", "y", "z", 0, "deeper", 3), lines) == 28
    assert line_of(("nothing", "of", "it"), lines) == 1


def test_too_deep_is_told_by_its_line() -> None:
    assert ("a", *[0] * (DEEPEST - 1)) in lines_of("a = " + "[" * DEEPEST + "]" * DEEPEST)
    with pytest.raises(TooDeep) as caught:
        lines_of("x = 1\na = " + "[\n" * (DEEPEST + 1) + "]" * (DEEPEST + 1))
    assert caught.value.line == 2 + DEEPEST


TEXT = st.text(st.characters(exclude_categories=["Cc", "Cs"]) | st.sampled_from("\"'\\#=[]{},.\n"), max_size=12)
KEY = TEXT.map(lambda text: text.replace("\n", "_")) | st.sampled_from(["a", "b", "a.b"])
SCALAR = TEXT | st.integers(-9, 9) | st.booleans()
INLINE = st.recursive(
    SCALAR,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEY, inner, max_size=3),
    max_leaves=5,
)
TABLE = st.recursive(
    st.dictionaries(KEY, INLINE, max_size=3),
    lambda inner: st.dictionaries(KEY, INLINE | inner | st.lists(inner, min_size=1, max_size=3), max_size=3),
    max_leaves=4,
)


class Writer:
    """Writes a table as TOML in a notation that is drawn, and notes on which line it writes what."""

    def __init__(self, draw) -> None:
        self.draw = draw
        self.text = ""
        self.lines: dict[Place, int] = {(): 1}

    def note(self, place: Place) -> None:
        self.lines.setdefault(place, self.text.count("\n") + 1)

    def chance(self) -> bool:
        return self.draw(st.booleans())

    def gap(self) -> None:
        self.text += self.draw(st.sampled_from(["", " ", "\n", "# x = [\n", "\n\t# ]\n"]))

    def table(self, table: dict, place: Place, keys: list[str]) -> None:
        """First what stands in lines of its own, then what has headers, as TOML wants it."""
        headed = {key: self.may_have_headers(value) and self.chance() for key, value in table.items()}
        for key, value in sorted(table.items(), key=lambda pair: headed[pair[0]]):
            under, path = (*place, key), [*keys, key]
            if not headed[key]:
                self.note(under)
                self.text += f"{written(key)} = "
                self.value(value, under)
                self.text += "\n"
            elif isinstance(value, dict):
                self.header("[{}]", under, path)
                self.table(value, under, path)
            else:
                for number, one in enumerate(value):
                    self.note(under)
                    self.header("[[{}]]", (*under, number), path)
                    self.table(one, (*under, number), path)
            self.gap()
            self.text += "" if self.text.endswith("\n") else "\n"

    def may_have_headers(self, value: object) -> bool:
        return isinstance(value, dict) or (
            isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)
        )

    def header(self, form: str, place: Place, keys: list[str]) -> None:
        self.note(place)
        self.text += form.format(".".join(map(written, keys))) + "\n"

    def value(self, value: object, place: Place) -> None:
        if isinstance(value, list):
            self.text += "["
            for number, one in enumerate(value):
                self.gap()
                self.note((*place, number))
                self.value(one, (*place, number))
                self.gap()
                self.text += "," if number < len(value) - 1 or self.chance() else ""
            self.gap()
            self.text += "]"
        elif isinstance(value, dict):
            self.text += "{ "
            for number, (key, one) in enumerate(value.items()):
                self.text += ", " if number else ""
                self.note((*place, key))
                self.text += f"{written(key)} = "
                self.value(one, (*place, key))
            self.text += " }"
        else:
            self.text += self.scalar(value)

    def scalar(self, value: object) -> str:
        if not isinstance(value, str):
            return json.dumps(value)
        if "'" not in value and self.chance():
            return f"'''{value}'''" if "\n" in value or self.chance() else f"'{value}'"
        if self.chance():
            return '"""' + value.replace("\\", "\\\\").replace('"""', '""\\"') + '"""'
        return json.dumps(value, ensure_ascii=False)


def written(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)


@settings(max_examples=examples(30, 60))
@given(table=TABLE, data=st.data())
def test_whatever_is_written_is_found_on_the_line_on_which_it_was_written(table, data) -> None:
    writer = Writer(data.draw)
    writer.table(table, (), [])
    try:
        read = tomllib.loads(writer.text)
    except tomllib.TOMLDecodeError as error:
        pytest.fail(f"the writer of this test writes no TOML: {error}\n{writer.text}")
    assert lines_of(writer.text) == writer.lines
    assert set(writer.lines) == set(places(read))
