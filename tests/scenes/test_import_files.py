"""One entrance for files of scenes and for character cards."""

import json

import pytest

from characterbox.errors import SceneError
from characterbox.scenes.cards.profile import CardFile
from characterbox.scenes.export import as_authors, as_json, as_yaml
from characterbox.scenes.import_files import read_any
from characterbox.scenes.import_report import SceneFile
from characterbox.scenes.library import bundled
from tests.scenes.cards.sherlock import CARDS, V3, charx_of, files_of
from tests.scenes.hotel import WATCH, file_of

SCENES = {
    "one.yaml": as_yaml(bundled()[:1]),
    "all.yml": as_yaml(bundled()),
    "all.json": as_json(bundled()),
    "authors.JSON": as_authors(bundled()[:1]).content,
    "list.json": json.dumps([WATCH]).encode(),
    "half.json": b'{"name": "x", "personality": "y", "cast": []}',
}


@pytest.mark.parametrize("name", SCENES)
def test_scenes(name: str) -> None:
    assert isinstance(read_any(name, SCENES[name]), SceneFile)


@pytest.mark.parametrize(
    ("version", "name"), [(version, name) for version in CARDS for name in files_of(CARDS[version])]
)
def test_cards(version: str, name: str) -> None:
    file = read_any(name, files_of(CARDS[version])[name])
    assert isinstance(file, CardFile)
    assert file.character == "Sherlock Holmes"


@pytest.mark.parametrize(("name", "kind"), [("card.json", "card.png"), ("card.zip", "card.charx"), ("x", "card.png")])
def test_content_goes_ahead_of_the_ending(name: str, kind: str) -> None:
    assert isinstance(read_any(name, files_of(V3)[kind]), CardFile)


def test_the_language_that_was_asked_for_is_that_of_the_scenes() -> None:
    file = read_any("a.json", file_of(WATCH), "zh")
    assert isinstance(file, SceneFile)
    assert [scene.language for scene in file.scenes] == ["zh"]


@pytest.mark.parametrize(
    ("name", "raw", "message"),
    [
        (
            "a.txt",
            b"Once upon a time",
            r"a\.txt: the file extension must be one of \.json, \.yaml, \.yml, \.png, \.charx",
        ),
        ("a.docx", charx_of(V3).replace(b"card.json", b"word.json"), r"a\.docx: it contains no 'card\.json'"),
        ("a.png", b"hello", r"a\.png: not a PNG file"),
        ("a.json", b'{"name": "package"}', r"a\.json: scenes: not a scene file"),
        ("a.json", b'{"spec": "chara_card_v9"}', r"a\.json: line 1: spec: 'chara_card_v9' is not supported"),
        ("a.json", b'{"spec": "lorebook_v3"}', r"a\.json: scenes: not a scene file"),
        ("a.json", b"{", r"a\.json: line 1, column 2: the JSON ends unexpectedly"),
    ],
)
def test_what_is_neither_gives_one_line(name: str, raw: bytes, message: str) -> None:
    with pytest.raises(SceneError, match=message):
        read_any(name, raw)


def test_a_scene_with_the_id_of_a_bundled_one_gets_another_unless_it_is_that_one() -> None:
    first, second, *_ = bundled()
    edited = first.model_copy(update={"title": "Another"})
    pair = edited.model_copy(update={"id": "own", "pair": first.id})
    taken = edited.model_copy(update={"id": f"{first.id}-2"})
    file = read_any("a.json", as_json([edited, pair, taken, second]))
    assert isinstance(file, SceneFile)
    assert [scene.id for scene in file.scenes] == [f"{first.id}-3", "own", f"{first.id}-2", second.id]
    assert [scene.pair for scene in file.scenes[:2]] == [first.pair, f"{first.id}-3"]
    [told] = map(str, file.repairs)
    assert told == (
        f"scene {first.id}-3: id: '{first.id}' is the id of a different bundled scene; renamed to '{first.id}-3'"
    )
    assert read_any("all.json", as_json(bundled())) == SceneFile("all.json", bundled(), (), ())


def test_what_was_put_right_is_told_under_the_new_id() -> None:
    fields = json.loads(bundled()[0].model_dump_json()) | {"mood": "glad"}
    file = read_any("a.json", json.dumps(fields | {"title": "Another"}).encode())
    assert isinstance(file, SceneFile)
    assert [(repair.scene, repair.field) for repair in file.repairs] == [
        (f"{bundled()[0].id}-2", "id"),
        (f"{bundled()[0].id}-2", "mood"),
    ]


def test_an_id_that_would_name_a_bundled_scene_is_none() -> None:
    scene = bundled()[0].model_copy(update={"id": f"bundled:{bundled()[0].id}", "title": "Another"})
    file = read_any("hotel.json", as_json([scene]))
    assert isinstance(file, SceneFile)
    assert [scene.id for scene in file.scenes] == ["hotel-0"]
    assert [str(repair) for repair in file.repairs] == ["scene hotel-0: id: missing or unusable; set to 'hotel-0'"]
