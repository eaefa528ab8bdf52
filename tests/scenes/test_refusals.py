"""Scenes and files that cannot be used: each gives one clear message."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from characterbox.errors import SceneError
from characterbox.scenes.file_reading import LARGEST
from characterbox.scenes.import_report import find_scene
from characterbox.scenes.importer import read_scene_bytes, read_scene_file
from characterbox.scenes.library import bundled
from tests.fakes.in_english import in_english
from tests.scenes.hotel import WATCH, changed, file_of, read

UNUSABLE: dict[str, tuple[Callable[[dict[str, Any]], object], str, str]] = {
    "no characters": (lambda s: s.update(characters=[]), "characters", "it is empty"),
    "characters missing": (lambda s: s.pop("characters"), "characters", "it is missing"),
    "characters no list": (
        lambda s: s.update(characters="Ann"),
        "characters",
        "it must be a list of characters, not text",
    ),
    "character no object": (
        lambda s: s.update(characters=["Ann"]),
        "characters[0]",
        "it must be an object with its fields, not text",
    ),
    "description missing": (lambda s: s.pop("description"), "description", "it is missing"),
    "description empty": (lambda s: s.update(description=" \n"), "description", "it is empty"),
    "event null": (lambda s: s.update(event=None), "event", "it must be text, not empty (null)"),
    "time no text": (lambda s: s.update(time={"at": 1}), "time", "it must be text, not an object"),
    "location missing": (lambda s: s.pop("location"), "location", "it is missing"),
    "name missing": (lambda s: s["characters"][1].pop("name"), "characters[1].name", "it is missing"),
    "profile missing": (lambda s: s["characters"][1].pop("description"), "characters[1].description", "it is missing"),
    "states no text": (
        lambda s: s["characters"][0].update(states=True),
        "characters[0].states",
        "it must be text, not true or false",
    ),
    "name without letters": (
        lambda s: s["characters"][0].update(name="???"),
        "characters",
        "the name '???' has no letter or digit",
    ),
    "namesakes": (
        lambda s: s["characters"][1].update(name="ANN"),
        "characters",
        "the names 'Ann' and 'ANN' are too similar to tell apart",
    ),
    "name too long": (
        lambda s: s["characters"][1].update(name="x" * 81),
        "characters[1].name",
        "it is longer than 80 characters",
    ),
    "event too long": (lambda s: s.update(event="x" * 201), "event", "it is longer than 200 characters"),
    "unknown language": (lambda s: s.update(language="English"), "language", "'English' is not supported"),
    "unknown origin": (lambda s: s.update(origin="dreamt"), "origin", "its value is not allowed"),
}


@pytest.mark.parametrize(("change", "field", "why"), UNUSABLE.values(), ids=UNUSABLE.keys())
def test_an_unusable_scene_is_refused_and_the_others_are_imported(
    change: Callable[[dict[str, Any]], object], field: str, why: str
) -> None:
    file = read(WATCH, changed(lambda s: (s.update(id=5), change(s))), changed(lambda s: s.update(id=6)))
    assert [scene.id for scene in file.scenes] == ["hotel-generated-0", "hotel-generated-6"]
    assert in_english([(r.scene, r.position, r.field, r.why) for r in file.refused]) == [
        ("hotel-generated-5", 2, field, why)
    ]
    assert "hotel-generated-5" not in {repair.scene for repair in file.repairs}
    with pytest.raises(SceneError) as caught:
        find_scene(file, "5")
    assert str(caught.value).startswith(
        f"hotel-generated.json: scene hotel-generated-5 (number 2, line 1): {field}: {why}; "
    )


@pytest.mark.parametrize(
    ("junk", "kind"), [(None, "empty (null)"), (3, "a number"), ("scene", "text"), ([WATCH], "a list")]
)
def test_an_entry_that_is_no_object_is_refused(junk: object, kind: str) -> None:
    assert in_english([(r.position, r.field, r.why) for r in read(WATCH, junk).refused]) == [
        (2, "scene", f"it must be an object with its fields, not {kind}")
    ]


def test_a_refusal_names_the_other_fields_to_correct_as_well() -> None:
    refusal = read({"id": 1, "event": "A", "characters": [{"name": "Ann"}]}).refused[0]
    assert refusal.field == "time"
    assert (
        in_english(refusal.remedy)
        == "add it (also fix: location, description, characters[0].description, characters[0].position)"
    )


def test_a_house_scene_is_refused_in_the_names_of_its_own_form() -> None:
    fields = json.loads(bundled()[0].model_dump_json())
    del fields["environment"]["location"]
    fields["cast"][1]["state"] = 4.5
    fields["cast"][0]["mood"] = "glad"
    refusal = read_scene_bytes("own.json", json.dumps(fields).encode()).refused[0]
    assert in_english((refusal.scene, refusal.field, refusal.why)) == (
        bundled()[0].id,
        "environment.location",
        "it is missing",
    )


@pytest.mark.parametrize(
    ("field", "value", "why", "remedy"),
    [
        ("passage.start", "five", "it must be a whole number, not text", "change it to a whole number"),
        (
            "passage.start",
            1.5,
            "it must be a whole number, not a decimal number",
            "change it to a whole number",
        ),
        ("passage.start", None, "it must be a whole number, not empty (null)", "change it to a whole number"),
        ("passage.end", -1, "it must be 0 or more", "correct it"),
        ("passage.source", "\ud800", "it contains an incomplete character", "type it again"),
        ("passage.page", 3, "this field is not allowed here", "remove it"),
        ("passage." + ascii("p\n" * 20), 3, "this field is not allowed here", "remove it"),
        (
            "crafted.method",
            "magic",
            "its value is not allowed",
            "use 'three-stage', 'direct' or 'translated'",
        ),
        ("crafted.by_hand", "perhaps", "it must be true or false, not text", "change it to true or false"),
        ("crafted.by_hand", {}, "it must be true or false, not an object", "change it to true or false"),
        ("crafted", [], "it must be an object with its fields, not a list", "change it to an object with its fields"),
    ],
)
def test_what_is_wrong_with_how_a_scene_was_made_is_told_in_words(
    field: str, value: object, why: str, remedy: str
) -> None:
    fields = json.loads(bundled()[0].model_dump_json())
    fields["passage"] = {"source": "a.txt", "start": 1, "end": 2}
    fields["crafted"] = {"method": "direct", "screenwriter": "m"}
    part, _, name = field.partition(".")
    if name:
        fields[part][name.replace("\\n", "\n").strip("'")] = value
    else:
        fields[part] = value
    refusal = read_scene_bytes("own.json", json.dumps(fields).encode()).refused[0]
    assert in_english((refusal.field, refusal.why, refusal.remedy)) == (field, why, remedy)


DAMAGED: dict[str, tuple[str, bytes, str]] = {
    "cut off": ("a.json", file_of(WATCH)[:60], r"a\.json: line 1, column \d+: the JSON ends unexpectedly"),
    "cut off between": ("a.json", b'{"scenes": [\n', r"a\.json: line \d, column \d+: the JSON ends unexpectedly"),
    "not JSON": ("a.json", b'{"scenes":\n [1 2]}', r"a\.json: line 2, column 5: not valid JSON"),
    "not YAML": ("a.yaml", b"id: x\ncast: [a: b: c", r"a\.yaml: line 2, column \d+: not valid YAML"),
    "YAML twice": ("a.yaml", b"a: 1\n---\nb: 2", r"a\.yaml: line 2, column 1: not valid YAML"),
    "YAML with controls": ("a.yaml", b"id: \x01", r"a\.yaml: not valid YAML"),
    "YAML in circles": ("a.yaml", b"&a [*a]", r"a\.yaml: line 1, column 1: not valid YAML"),
    "YAML with odd keys": ("a.yaml", b"[a, b]: 1", r"a\.yaml: line 1, column 1: not valid YAML"),
    "UTF-16 cut off": (
        "a.json",
        file_of(WATCH).decode().encode("utf-16")[:-1],
        r"a\.json: byte \d+ \(line 1\) is not UTF-16",
    ),
    "UTF-16 without its mark": (
        "a.json",
        file_of().decode().encode("utf-16-le"),
        r"a\.json: this is not text, or it is UTF-16",
    ),
    "Big5": (
        "a.json",
        '{"title": "西遊記，話說天下大勢，分久必合"}'.encode("big5"),
        r"a\.json: byte \d+ \(line 1\) is not UTF-8",
    ),
    "Windows-1252": (
        "a.yaml",
        "title: “Curiouser!” cried Alice — naïve".encode("cp1252"),
        r"a\.yaml: byte \d+ \(line 1\) is not",
    ),
    "GBK": ("a.json", '{"title": "西游记"}'.encode("gbk"), r"a\.json: byte \d+ \(line 1\) is not UTF-8"),
    "empty": ("a.json", b" \n", r"a\.json: the file is empty"),
    "no scenes": ("a.json", b'{"title": "x", "scenes": []}', r"a\.json: line 1: scenes: the list is empty"),
    "scenes no list": ("a.json", b'{"scenes": {"id": 1}}', r"a\.json: line 1: scenes: not a list"),
    "another format": ("a.json", b'{"name": "package"}', r"a\.json: scenes: not a scene file"),
    "a number": ("a.json", b"7", r"a\.json: scenes: not a scene file"),
    "too many scenes": (
        "a.json",
        b"[" + b"1," * 10_000 + b"1]",
        r"a\.json: line 1: scenes: 10,001 exceed the limit of 10,000",
    ),
    "nested": ("a.json", b"[" * 100_000, r"a\.json: the JSON is nested too deeply to be read"),
    "nested YAML": ("a.yaml", b"[" * 5_000, r"a\.yaml: the YAML cannot be read"),
    "endless number": ("a.json", b"[" + b"9" * 5_000 + b"]", r"a\.json: a number in the JSON is too long to be read"),
    "another kind of file": ("a.csv", b"id,name", r"a\.csv: the file extension must be one of \.json, \.yaml, \.yml"),
}


@pytest.mark.parametrize(("name", "raw", "message"), DAMAGED.values(), ids=DAMAGED.keys())
def test_a_damaged_file_gives_one_line_that_names_it(name: str, raw: bytes, message: str) -> None:
    with pytest.raises(SceneError, match=message) as caught:
        read_scene_bytes(name, raw)
    assert "\n" not in str(caught.value)
    assert ";" in str(caught.value)


def test_a_missing_file_a_folder_and_a_file_too_large(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match="the file does not exist"):
        read_scene_file(tmp_path / "none.json")
    with pytest.raises(SceneError, match="this is a folder"):
        read_scene_file(tmp_path)
    large = tmp_path / "large.json"
    with large.open("wb") as file:
        file.truncate(LARGEST[".json"] + 1)
    with pytest.raises(SceneError, match=r"large\.json: 50,000,001 bytes exceed the limit of 50,000,000"):
        read_scene_file(large)
    with pytest.raises(SceneError, match="cannot be read"):
        read_scene_file(Path("\0.json"))
