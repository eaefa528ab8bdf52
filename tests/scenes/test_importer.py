"""What a scene file becomes: the authors' real ones, small ones, YAML, and the choice of one scene."""

import json
from collections import Counter
from pathlib import Path

import pytest

from characterbox.errors import SceneError
from characterbox.scenes.import_report import find_scene
from characterbox.scenes.importer import read_scene_bytes, read_scene_file
from characterbox.scenes.library import open_scene
from tests.fakes.in_english import in_english
from tests.fakes.real_data import real
from tests.scenes.hotel import WATCH, changed, file_of, read


@pytest.mark.parametrize(
    ("name", "scenes", "language", "work", "origin", "casts", "actions"),
    [
        ("harry-potter-generated", 50, "en", "Harry Potter", "generated", {1: 9, 2: 18, 3: 17, 4: 5, 5: 1}, 119),
        ("the-matrix-extracted", 55, "en", "The Matrix", "extracted", {2: 13, 3: 37, 4: 5}, 185),
        ("三国演义-generated", 57, "zh", "三国演义", "generated", {1: 13, 2: 37, 3: 6, 4: 1}, 106),
        ("西游记-extracted", 46, "zh", "西游记", "extracted", {2: 18, 3: 28}, 131),
    ],
)
def test_the_authors_files_are_imported_whole(
    name: str, scenes: int, language: str, work: str, origin: str, casts: dict[int, int], actions: int
) -> None:
    file = read_scene_file(real("scenes", f"{name}.json"))
    assert len(file.scenes) == scenes
    assert file.refused == ()
    assert {(s.language, s.work, s.origin) for s in file.scenes} == {(language, work, origin)}
    assert Counter(len(s.cast) for s in file.scenes) == casts
    assert [s.id for s in file.scenes] == [f"{name}-{number}" for number in range(scenes)]
    assert sum(repair.field == "language" for repair in file.repairs) == scenes
    assert in_english([r.what for r in file.repairs if r.field == "actions"]) == [
        f"{actions} actions dropped from {scenes} scenes; a scene is only the opening"
    ]
    assert find_scene(file, "7") == find_scene(file, f"{name}-7") == file.scenes[7]


def test_the_irregular_places_of_a_real_file_are_reported() -> None:
    path = real("scenes", "harry-potter-generated.json")
    found = Counter(repair.field.split(".")[-1] for repair in read_scene_file(path).repairs)
    assert found == {
        "language": 50,
        "gender": 5,
        "dialogue": 2,
        "name": 1,
        "origin": 1,
        "title": 1,
        "id": 1,
        "actions": 1,
    }


def test_a_scene_of_the_authors_form_becomes_one_of_ours() -> None:
    file = read(WATCH)
    scene = file.scenes[0]
    assert (scene.id, scene.title, scene.work) == ("hotel-generated-0", "A watch goes missing", "The Hotel")
    assert (scene.language, scene.origin, scene.plot) == ("en", "generated", "It was in his pocket.")
    assert scene.environment.model_dump() == {key: WATCH[key] for key in ("time", "location", "description")}
    assert scene.names == ("Ann", "Bob")
    assert (scene.cast[1].gender, scene.cast[1].position, scene.cast[1].state) == ("Male", "Stairs", "Angry")
    assert [str(repair) for repair in file.repairs] == [
        "the file: origin: not in the file; set to 'generated' from the file name",
        "the file: title: the work is set to 'The Hotel'",
        "the file: id: 'hotel-generated-' is added in front, to keep scenes from different files apart",
        "the file: actions: 1 actions dropped from 1 scenes; a scene is only the opening",
        "scene hotel-generated-0: language: not in the file; set to en, because 100% of the text is in Latin letters",
    ]


def test_without_a_telling_name_the_origin_is_a_reported_guess() -> None:
    file = read(WATCH, name="hotel.json")
    assert file.scenes[0].origin == "extracted"
    assert "guess" in in_english(next(repair.what for repair in file.repairs if repair.field == "origin"))


def test_an_origin_in_the_file_is_taken_without_a_word() -> None:
    file = read(changed(lambda s: s.update(origin="original")))
    assert file.scenes[0].origin == "original"
    assert "origin" not in {repair.field for repair in file.repairs}


def test_one_scene_and_a_bare_list_are_files_too_and_the_work_comes_from_the_name() -> None:
    for raw in (json.dumps(WATCH), json.dumps([WATCH])):
        assert read_scene_bytes("Grand_Hotel-extracted.json", raw.encode()).scenes[0].work == "Grand Hotel"


def test_a_work_from_the_files_name_is_told_as_such_and_only_of_scenes_that_are_here() -> None:
    told = "the file: work: not in the file; set to 'Grand Hotel' from the file name"
    assert told in map(str, read_scene_bytes("Grand_Hotel-extracted.json", json.dumps([WATCH]).encode()).repairs)
    with_work = json.dumps([{**WATCH, "work": "The Hotel"}]).encode()
    assert not any("Grand Hotel" in str(one) for one in read_scene_bytes("Grand_Hotel.json", with_work).repairs)
    file = read_scene_bytes("broken2.yaml", b"scenes:\n- title: A broken scene\n  language: fr\n")
    assert file.repairs == ()
    assert [(one.field, str(one.why)) for one in file.refused] == [("language", "'fr' is not supported")]


def test_a_title_in_place_of_the_event_is_the_title() -> None:
    file = read(changed(lambda s: s.update(title=s.pop("event"))))
    assert file.scenes[0].title == "A watch goes missing"
    assert [str(one.what) for one in file.repairs if one.field == "title"][1:] == ["read as 'event'"]


def test_yaml_keeps_what_the_author_wrote() -> None:
    raw = json.dumps(WATCH).replace('"Midnight"', "12:30").replace('"Calm"', "no").encode()
    scene = read_scene_bytes("hotel.yaml", raw).scenes[0]
    assert (scene.environment.time, scene.cast[0].state) == ("12:30", "no")


def test_yaml_tags_build_nothing(tmp_path: Path) -> None:
    victim = tmp_path / "made"
    raw = f"- !!python/object/apply:os.mkdir ['{victim}']".encode()
    file = read_scene_bytes("evil.yaml", raw)
    assert file.scenes == ()
    assert not victim.exists()


def test_a_file_of_several_scenes_needs_an_id(tmp_path: Path) -> None:
    path = tmp_path / "hotel.json"
    path.write_bytes(file_of(WATCH, changed(lambda s: s.update(id=4))))
    assert open_scene(str(path), "4").id == "hotel-4"
    with pytest.raises(SceneError, match=r"more than one scene.*; available: hotel-0, hotel-4"):
        open_scene(str(path), None)
    with pytest.raises(SceneError, match="there is no scene with the id '9'; available: hotel-0, hotel-4"):
        open_scene(str(path), "9")


def test_the_only_scene_of_a_file_needs_none_and_says_why_it_cannot_be_used(tmp_path: Path) -> None:
    path = tmp_path / "hotel.json"
    path.write_bytes(file_of(WATCH))
    assert open_scene(str(path), None).id == "hotel-0"
    path.write_bytes(file_of(changed(lambda s: s.pop("time"))))
    with pytest.raises(
        SceneError, match=r"hotel\.json: scene hotel-0 \(number 1, line 1\): time: it is missing; add it"
    ):
        open_scene(str(path), None)
