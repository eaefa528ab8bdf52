"""The schema of scene files is that of the model, and says of a file what the importer would say."""

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from characterbox.scenes.export import as_json, as_yaml
from characterbox.scenes.importer import read_scene_bytes
from characterbox.scenes.library import bundled
from characterbox.scenes.scene import MOST_HEADING, MOST_NAME
from characterbox.scenes.schema import schema, written

FILE = Path(__file__).parents[2] / "docs/en/reference/scene.schema.json"
CHECK = jsonschema.Draft202012Validator(schema())


def test_the_file_in_docs_is_what_the_model_gives() -> None:
    assert FILE.read_text(encoding="utf-8") == written(), (
        "python -m characterbox.scenes.schema > docs/en/reference/scene.schema.json"
    )


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())


def fields(part: object) -> Iterator[tuple[str, dict[str, Any]]]:
    """All fields that the schema names, wherever in it."""
    if isinstance(part, dict):
        yield from part.get("properties", {}).items()
        for inner in part.values():
            yield from fields(inner)


def test_every_field_is_described() -> None:
    silent = {name for name, field in fields(schema()) if not field.get("description")}
    assert silent == {"scenes"}


@pytest.mark.slow
def test_all_that_is_written_fits() -> None:
    for scenes in (bundled(), bundled()[:1]):
        assert list(CHECK.iter_errors(json.loads(as_json(scenes)))) == []
        assert list(CHECK.iter_errors(yaml.safe_load(as_yaml(scenes)))) == []


SPOILT: dict[str, Callable[[dict[str, Any]], object]] = {
    "no environment": lambda s: s.pop("environment"),
    "no cast": lambda s: s.update(cast=[]),
    "an empty text": lambda s: s["cast"][0].update(state=""),
    "a missing text": lambda s: s["environment"].pop("time"),
    "an unknown origin": lambda s: s.update(origin="dreamt"),
    "an unknown language": lambda s: s.update(language="fr"),
    "an unknown field": lambda s: s.update(mood="glad"),
    "a title too long": lambda s: s.update(title="x" * (MOST_HEADING + 1)),
    "a name too long": lambda s: s["cast"][0].update(name="x" * (MOST_NAME + 1)),
    "knowledge that is no list": lambda s: s["cast"][0].update(knowledge={}),
}


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT.keys())
def test_what_is_no_scene_does_not_fit_alone_or_among_others(spoil: Callable[[dict[str, Any]], object]) -> None:
    [scene] = json.loads(as_json(bundled()[:1]))["scenes"]
    broken = copy.deepcopy(scene)
    spoil(broken)
    assert not CHECK.is_valid(broken)
    assert not CHECK.is_valid({"scenes": [scene, broken]})
    read = read_scene_bytes("a.json", json.dumps([broken]).encode())
    assert read.refused or read.repairs


def test_a_file_may_name_its_schema() -> None:
    [scene] = json.loads(as_json(bundled()[:1]))["scenes"]
    for data in ({"$schema": "../scene.schema.json", **scene}, {"$schema": "../scene.schema.json", "scenes": [scene]}):
        assert CHECK.is_valid(data)
        read = read_scene_bytes("a.json", json.dumps(data).encode())
        assert (read.scenes, read.repairs) == (bundled()[:1], ())


def test_the_example_in_the_explanation_is_a_scene() -> None:
    text = (FILE.parent / "scene-files.md").read_text(encoding="utf-8")
    example = text.partition("```yaml\n")[2].partition("```")[0]
    read = read_scene_bytes("a.yaml", example.encode())
    assert (len(read.scenes), read.repairs, read.refused) == (1, (), ())
    assert CHECK.is_valid(yaml.safe_load(example))
