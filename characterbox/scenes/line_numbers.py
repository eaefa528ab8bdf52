"""On which line of a file a field stands, found only for the few that somebody has to go and correct."""

import json
import re
from bisect import bisect_left
from collections.abc import Mapping
from functools import cached_property
from typing import Protocol

import yaml

Step = str | int
"""The name of a field, or the place of an item in a list, from 0."""

_STEPS = re.compile(r"\[(\d+)\]|([^.\[\]]+)")
_SPACE = re.compile(r"[ \t\r\n]*")
_STATE: Mapping[Step, Step] = {"state": "states", "states": "state"}
"""The two spellings of one field."""


class Places(Protocol):
    """The lines of a file by the steps to what stands on them."""

    def line(self, *steps: Step) -> int:
        """The line, from 1, of what the steps lead to. Where they lead to nothing, as with a field that is missing,
        that of the innermost object or list that is there."""


def steps_to(label: str) -> list[Step]:
    """The steps to a field as it is called in a message: `cast[1].name` -> cast, 1, name."""
    return [int(place) if place else name for place, name in _STEPS.findall(label)]


class YamlPlaces:
    """The lines of a YAML file by the marks of its nodes."""

    def __init__(self, root: yaml.Node | None) -> None:
        self._root = root
        self._seen: dict[yaml.Node, Mapping[Step, tuple[yaml.Mark, yaml.Node]]] = {}

    def line(self, *steps: Step) -> int:
        """As `Places` says."""
        if self._root is None:
            return 1
        mark, node = self._root.start_mark, self._root
        for step in steps:
            within = self._within(node)
            found = within.get(step) or within.get(_STATE.get(step, step))
            if found is None:
                break
            mark, node = found
        return int(mark.line) + 1

    def _within(self, node: yaml.Node) -> Mapping[Step, tuple[yaml.Mark, yaml.Node]]:
        if node not in self._seen:
            self._seen[node] = _nodes(node)
        return self._seen[node]


def _nodes(node: yaml.Node) -> Mapping[Step, tuple[yaml.Mark, yaml.Node]]:
    """What a node holds, each with the mark where it begins; of equal keys the last one counts."""
    if isinstance(node, yaml.SequenceNode):
        return {place: (item.start_mark, item) for place, item in enumerate(node.value)}
    if isinstance(node, yaml.MappingNode):
        return {key.value: (key.start_mark, value) for key, value in node.value if isinstance(key, yaml.ScalarNode)}
    return {}


class JsonPlaces:
    """The lines of a JSON file, which has been read once already, so that it is known to be valid.

    What lies on the way is looked through step by step; what lies beside it is skipped by the parser itself.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._skip = json.JSONDecoder().raw_decode
        self._seen: dict[int, Mapping[Step, tuple[int, int]]] = {}

    def line(self, *steps: Step) -> int:
        """As `Places` says."""
        mark = start = self._after_space(0)
        try:
            for step in steps:
                within = self._within(start)
                found = within.get(step) or within.get(_STATE.get(step, step))
                if found is None:
                    break
                mark, start = found
        except RecursionError:
            pass  # nested as deeply as could be read: the line so far has to do
        return bisect_left(self._breaks, mark) + 1

    @cached_property
    def _breaks(self) -> list[int]:
        return [found.start() for found in re.finditer("\n", self._text)]

    def _after_space(self, start: int) -> int:
        found = _SPACE.match(self._text, start)
        return found.end() if found else start

    def _within(self, start: int) -> Mapping[Step, tuple[int, int]]:
        """What the object or list at `start` holds: where each begins, and where its value does."""
        if start not in self._seen:
            opening = self._text[start : start + 1]
            self._seen[start] = dict(self._members(start)) if opening in ("{", "[") else {}
        return self._seen[start]

    def _members(self, start: int) -> list[tuple[Step, tuple[int, int]]]:
        found: list[tuple[Step, tuple[int, int]]] = []
        named = self._text[start] == "{"
        place = self._after_space(start + 1)
        while self._text[place] not in "}]":
            key: Step = len(found)
            mark = place
            if named:
                key, after = self._skip(self._text, place)
                place = self._after_space(self._after_space(after) + 1)
            found.append((key, (mark, place)))
            place = self._after_space(self._skip(self._text, place)[1])
            if self._text[place] == ",":
                place = self._after_space(place + 1)
        return found
