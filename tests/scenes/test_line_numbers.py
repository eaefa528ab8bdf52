"""A refusal names the line on which somebody has to correct something, in YAML and in JSON."""

import json
import re
from collections.abc import Iterator

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from characterbox.errors import SceneError
from characterbox.scenes.importer import read_scene_bytes
from characterbox.scenes.line_numbers import JsonPlaces, Step, YamlPlaces, steps_to

YAML = """\
# a scene
scenes:
  - id: first
    title: A watch goes missing
    work: The hotel
    language: en
    origin: extracted
    environment:
      time: Midnight
      location: >-
        The lobby,
        by the stairs
      description: An open safe.
    cast:
      - {name: Ann, description: The clerk., position: Desk, state: Calm}
      - name: Bob
        description: A guest.
        position: Stairs
        states: [1, {}]
  - id: second
    title: A watch is found
    work: The hotel
    language: en
    origin: dreamt
    environment: {time: Noon, location: The lobby}
    cast: []
"""


def test_the_line_of_the_field_or_of_what_it_is_missing_in() -> None:
    read = read_scene_bytes("a.yaml", YAML.encode())
    assert [(refusal.field, refusal.line) for refusal in read.refused] == [("cast[1].state", 19), ("origin", 24)]
    assert str(read.refused[0]).startswith("scene first (number 1, line 19): cast[1].state: it must be text, not ")
    missing = read_scene_bytes("a.yaml", YAML.replace("dreamt", "original").encode()).refused[1]
    assert (missing.field, missing.line) == ("environment.description", 25)


@pytest.mark.parametrize("indent", [1, 4])
def test_json_is_counted_as_an_editor_counts_it(indent: int) -> None:
    text = json.dumps(yaml.safe_load(YAML), indent=indent)
    lines = text.split("\n")
    read = read_scene_bytes("a.json", text.encode())
    assert [refusal.field for refusal in read.refused] == ["cast[1].state", "origin"]
    assert '"states": [' in lines[read.refused[0].line - 1]
    assert '"origin": "dreamt"' in lines[read.refused[1].line - 1]


def test_copies_that_are_dropped_do_not_shift_the_others() -> None:
    ann = "      - {name: Ann, description: The clerk., position: Desk, state: Calm}\n"
    read = read_scene_bytes("a.yaml", YAML.replace(ann, ann * 3).encode())
    assert (read.refused[0].field, read.refused[0].line) == ("cast[3].state", 21)


def test_what_is_wrong_with_the_list_names_its_line() -> None:
    with pytest.raises(SceneError, match=r"^a\.json: line 3: scenes: not a list"):
        read_scene_bytes("a.json", b'{"title":\n "x",\n "scenes": {}}')
    with pytest.raises(SceneError, match=r"^a\.yaml: line 2: scenes: the list is empty"):
        read_scene_bytes("a.yaml", b"title: x\nscenes: []")


def test_an_entry_that_is_no_object_has_its_line() -> None:
    refused = read_scene_bytes("a.json", b"[\n3,\n\n 4]").refused
    assert [refusal.line for refusal in refused] == [2, 4]


def test_of_equal_keys_the_last_one_counts() -> None:
    text = '{"cast": 1,\n "cast": [\n  7,\n  {"a": 1, "a":\n 2}]}'
    assert JsonPlaces(text).line("cast", 1, "a") == 4
    assert YamlPlaces(yaml.compose("a: 1\nb: 2\na: {c: 3}\n")).line("a", "c") == 3


def test_steps() -> None:
    assert steps_to("cast[12].knowledge[0]") == ["cast", 12, "knowledge", 0]
    assert steps_to("environment.time") == ["environment", "time"]


TREES = st.recursive(
    st.integers() | st.text(max_size=5) | st.none() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)


def ways(tree: object, *steps: Step) -> Iterator[tuple[Step, ...]]:
    yield steps
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for step, inner in items:
        yield from ways(inner, *steps, step)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(TREES)
def test_every_line_is_the_one_on_which_the_value_is_written(tree: object) -> None:
    """Written out with one value to a line, the places in their order are the lines in theirs, but for those of closing
    brackets."""
    text = json.dumps(tree, indent=1)
    opening = [place for place, line in enumerate(text.split("\n"), 1) if not re.fullmatch(r" *[]}],?", line)]
    places = JsonPlaces(text)
    assert [places.line(*steps) for steps in ways(tree)] == opening
