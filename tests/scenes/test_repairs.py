"""Irregular scenes are put right, each with a word on it."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from characterbox.scenes.importer import read_scene_bytes
from tests.fakes.in_english import in_english
from tests.scenes.hotel import WATCH, changed, file_of, messages, read

IRREGULAR: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "gender missing": (lambda s: s["characters"][0].pop("gender"), "characters[0].gender: missing; left empty"),
    "gender empty": (
        lambda s: s["characters"][0].update(gender=" "),
        "characters[0].gender: empty; treated as missing",
    ),
    "gender placeholder": (
        lambda s: s["characters"][0].update(gender="Gender"),
        "characters[0].gender: 'Gender' is not recognized as a gender; left empty",
    ),
    "gender NA": (
        lambda s: s["characters"][1].update(gender="NA"),
        "characters[1].gender: 'NA' is not recognized as a gender; left empty",
    ),
    "spaces": (
        lambda s: s["characters"][0].update(name=" Ann\u00a0 Choi "),
        "characters[0].name: spaces around or inside the name removed",
    ),
    "placeholder name": (
        lambda s: s["characters"][0].update(name="Character A"),
        "characters[0].name: kept, but 'Character A' looks like a placeholder; enter a name",
    ),
    "extra key": (
        lambda s: s["characters"][0].update(dialogue="Hello"),
        "characters[0].dialogue: dropped; a scene has no such field",
    ),
    "extra key of the house form": (lambda s: s.update(title="Watch"), "title: dropped; a scene has no such field"),
    "source text": (
        lambda s: s.update(chunk="Once upon a time"),
        "chunk: dropped; it holds a passage of the source and is not part of the scene",
    ),
    "state for states": (
        lambda s: s["characters"][0].update(state=s["characters"][0].pop("states")),
        "characters[0].state: read as 'states'",
    ),
    "state and states": (
        lambda s: s["characters"][0].update(state="Bored"),
        "characters[0].state: dropped; 'states' is also there and is used instead",
    ),
    "position empty": (
        lambda s: s["characters"][0].update(position=""),
        "characters[0].position: empty or missing; set to the scene's location",
    ),
    "states missing": (
        lambda s: s["characters"][0].pop("states"),
        "characters[0].states: empty or missing; set to 'not described'",
    ),
    "a number": (lambda s: s.update(time=1999), "time: a number; read as text"),
    "a list of words": (
        lambda s: s["characters"][0].update(states=["Calm", "tired"]),
        "characters[0].states: a list; joined into one text",
    ),
    "control characters": (
        lambda s: s.update(location="The\x00 lobby\ud800"),
        "location: invisible control characters removed",
    ),
    "plot empty": (lambda s: s.update(plot=""), "plot: empty; treated as missing"),
    "the same character twice": (
        lambda s: s["characters"].append(s["characters"][0]),
        "characters[2]: dropped; it is identical to another character of the cast",
    ),
    "id missing": (lambda s: s.pop("id"), "id: missing or unusable; set to 'hotel-generated-0'"),
    "id of another kind": (lambda s: s.update(id=True), "id: missing or unusable; set to 'hotel-generated-0'"),
}


@pytest.mark.parametrize(("change", "message"), IRREGULAR.values(), ids=IRREGULAR.keys())
def test_an_irregular_scene_is_put_right_and_reported_once(
    change: Callable[[dict[str, Any]], object], message: str
) -> None:
    file = read(changed(change))
    assert file.refused == ()
    assert messages(file) == [message]


def test_what_the_repairs_leave_behind() -> None:
    def spoil(scene: dict[str, Any]) -> None:
        scene["characters"][0].update(name=" Ann  Choi", gender="N/A", position="", states=["Calm", "tired"])
        scene["characters"][1].update(gender="男、女", states=" ")
        scene.update(location="The\x00 lobby")

    cast = read(changed(spoil)).scenes[0].cast
    assert cast[0].model_dump(exclude={"description"}) == {
        "name": "Ann Choi",
        "gender": None,
        "position": "The lobby",
        "state": "Calm; tired",
    }
    assert (cast[1].gender, cast[1].state) == ("男、女", "not described")


@pytest.mark.parametrize("name", ["Character A", "character 2", "New Character", "角色A", "人物甲", "路人", "Unknown"])
def test_names_that_look_like_placeholders(name: str) -> None:
    assert "placeholder" in messages(read(changed(lambda s: s["characters"][0].update(name=name))))[0]


@pytest.mark.parametrize("name", ["Ann", "The Cat", "Personne", "Characterless Joe", "人物志", "Mr. A"])
def test_names_that_do_not(name: str) -> None:
    assert messages(read(changed(lambda s: s["characters"][0].update(name=name)))) == []


def test_equal_ids_are_told_apart_and_the_first_keeps_its_own() -> None:
    file = read(WATCH, WATCH, changed(lambda s: s.update(id="0-2")), changed(lambda s: s.pop("id")))
    assert [s.id for s in file.scenes] == [f"hotel-generated-{end}" for end in ("0", "0-3", "0-2", "3")]
    assert [r.scene for r in file.repairs if r.field == "id"] == [None, "hotel-generated-0-3", "hotel-generated-3"]


def test_a_key_that_stands_twice_is_reported() -> None:
    raw = file_of(WATCH).replace(b'"time": "Midnight"', b'"time": "Noon", "time": "Midnight"')
    for name in ("hotel.json", "hotel.yaml"):
        file = read_scene_bytes(name, raw)
        assert file.scenes[0].environment.time == "Midnight"
        assert "the file: 'time': occurs twice in one object; the last one is used" in map(str, file.repairs)


def test_an_unknown_key_of_the_file_is_reported() -> None:
    file = read_scene_bytes("hotel.json", file_of(WATCH, licence="MIT"))
    assert "the file: 'licence': dropped" in map(str, file.repairs)


def chinese(scene: dict[str, Any]) -> None:
    scene.update(
        event="怀表不见了",
        time="午夜",
        location="大堂",
        description="一个店员，一位客人，一只打开的保险柜。",
        plot="在他口袋里。",
    )
    for character in scene["characters"]:
        character.update(description="住在这里的人。", position="柜台后面", states="平静")


def test_the_letters_decide_the_language_where_the_file_does_not() -> None:
    file = read(WATCH, changed(chinese))
    assert [scene.language for scene in file.scenes] == ["en", "zh"]
    found = [repair.what for repair in file.repairs if repair.field == "language"]
    # 54 Han characters and the 6 letters of Ann and Bob
    assert in_english(found[1]) == "not in the file; set to zh, because 90% of the text is in Chinese characters"


def test_a_language_that_is_asked_for_is_taken_and_a_contradiction_reported() -> None:
    file = read_scene_bytes("hotel.json", file_of(WATCH, changed(chinese)), "zh")
    assert [scene.language for scene in file.scenes] == ["zh", "zh"]
    assert in_english([r.what for r in file.repairs if r.field == "language"]) == [
        "set to zh as chosen, although 100% of the text is in Latin letters"
    ]


@pytest.mark.parametrize(
    "other",
    [
        "Ανοιχτό χρηματοκιβώτιο στο λόμπι του ξενοδοχείου",
        "店员与客人站在打开的保险柜前面争论不休谁也不让谁因为怀表不见了",
    ],
)
def test_an_unclear_language_is_asked_for(other: str) -> None:
    def mix(scene: dict[str, Any]) -> None:
        scene.update(description=other * 4)

    refusal = read(changed(mix)).refused[0]
    assert in_english((refusal.field, refusal.remedy)) == (
        "language",
        "choose a language for the import, or add 'language': 'en' or 'zh' to the scene",
    )
    assert read({**changed(mix), "language": "zh"}).scenes[0].language == "zh"


def test_the_scene_and_the_import_may_not_disagree_on_the_language() -> None:
    raw = json.dumps([changed(lambda s: s.update(language="en"))]).encode()
    refusal = read_scene_bytes("hotel.json", raw, "zh").refused[0]
    assert in_english((refusal.field, refusal.why)) == ("language", "the scene has en, but the import was set to zh")
