"""Public faces, and the names under which others know a character: how they stand in files, and what is put right."""

from typing import Any

import pytest

from characterbox.scenes.import_report import SceneFile
from characterbox.scenes.importer import read_scene_bytes
from characterbox.scenes.scene import Alias, Profile, Scene, prose_of
from characterbox.scenes.search import says, words_of
from tests.scenes.hotel import WATCH, file_of

MASKED = {
    "public_face": "A woman of thirty in grey.",
    "other_names": ["Miss Lee"],
    "known_as": [{"name": "the clerk", "by": ["Bob"]}],
    "unseen_by": ["Bob"],
}


def read(**ann: Any) -> SceneFile:
    characters = [{**WATCH["characters"][0], **ann}, WATCH["characters"][1]]
    return read_scene_bytes("hotel-generated.json", file_of({**WATCH, "characters": characters}))


def ann_of(file: SceneFile) -> Profile:
    assert file.refused == ()
    return file.scenes[0].cast[0]


def repaired(file: SceneFile) -> list[str]:
    return [f"{one.field}: {one.what}" for one in file.repairs if str(one.field).startswith("characters")]


def test_they_are_read_in_both_forms() -> None:
    file = read(**MASKED)
    ann = ann_of(file)
    assert repaired(file) == []
    assert (ann.public_face, ann.other_names, ann.unseen_by) == (MASKED["public_face"], ("Miss Lee",), ("Bob",))
    assert ann.known_as == (Alias(name="the clerk", by=("Bob",)),)
    again = read_scene_bytes("a.json", file.scenes[0].model_dump_json().encode())
    assert again.scenes == file.scenes


def test_a_scene_without_is_written_down_as_before_there_was_any() -> None:
    empty = {"public_face": " ", "other_names": [], "known_as": [], "unseen_by": None}
    assert not {*MASKED} & {*ann_of(read(**empty)).model_dump()}
    assert Scene.model_validate_json(read(**MASKED).scenes[0].model_dump_json()) == read(**MASKED).scenes[0]


@pytest.mark.parametrize(
    ("known_as", "aliases", "told"),
    [
        (
            " the  clerk ",
            [("the clerk", ())],
            ["known_as: a text; read as the name that all others use for the character"],
        ),
        (
            ["the clerk"],
            [("the clerk", ())],
            ["known_as[0]: a text; read as the name that all others use for the character"],
        ),
        ({"name": "the clerk", "by": ["Bob"]}, [("the clerk", ("Bob",))], []),
        (
            [{"name": 7, "by": "BOB", "since": "today"}],
            [("7", ("Bob",))],
            [
                "known_as[0].since: dropped; a scene has no such field",
                "known_as[0].name: a number; read as text",
                "known_as[0].by: a single text; read as a list with one entry",
                "known_as[0].by[0]: read as 'Bob', as spelled in the cast",
            ],
        ),
        ("", [], []),
    ],
)
def test_what_is_meant_by_known_as_is_put_right_and_told(known_as: Any, aliases: list[Any], told: list[str]) -> None:
    file = read(known_as=known_as)
    assert [(one.name, one.by) for one in ann_of(file).known_as] == aliases
    assert repaired(file) == [f"characters[0].{line}" for line in told]


def test_names_of_others_are_spelt_as_the_cast_spells_them() -> None:
    file = read(unseen_by=" bob. ", other_names="Miss  Lee")
    assert (ann_of(file).unseen_by, ann_of(file).other_names) == (("Bob",), ("Miss Lee",))
    assert repaired(file) == [
        "characters[0].other_names: a single text; read as a list with one entry",
        "characters[0].unseen_by: a single text; read as a list with one entry",
        "characters[0].unseen_by[0]: read as 'Bob', as spelled in the cast",
    ]


@pytest.mark.parametrize(
    ("masks", "told"),
    [
        (
            {"unseen_by": ["Cy"]},
            "characters[0].unseen_by: 'Cy' is not another character of the cast; name other characters of the cast",
        ),
        (
            {"unseen_by": ["Ann"]},
            "characters[0].unseen_by: 'Ann' is not another character of the cast; name other characters of the cast",
        ),
        (
            {"known_as": [{"name": "the clerk", "by": ["Bob", "Cy"]}]},
            "characters[0].known_as[0].by: 'Cy' is not another character of the cast; name other characters of the"
            " cast",
        ),
        (
            {"known_as": ["the clerk", "Bob"]},
            "characters[0].known_as[1].name: 'Bob' is the name of another character; use a different name, or remove"
            " it",
        ),
        (
            {"unseen_by": {}},
            "characters[0].unseen_by: it must be a list of names, not an object; change it to a list of names",
        ),
        (
            {"knowledge": True},
            "characters[0].knowledge: it must be a list of texts, not true or false; change it to a list of texts",
        ),
        (
            {"known_as": 3},
            "characters[0].known_as: it must be a list of names that others use for the character, not a number;"
            " change it to a list of names that others use for the character",
        ),
        (
            {"other_names": [{}]},
            "characters[0].other_names[0]: it must be text, not an object; change it to text",
        ),
        ({"known_as": [{"by": ["Bob"]}]}, "characters[0].known_as[0].name: it is missing; add it"),
        ({"other_names": [""]}, "characters[0].other_names[0]: it is empty; fill it in"),
    ],
)
def test_a_name_that_leads_nowhere_is_refused_where_it_stands(masks: dict[str, Any], told: str) -> None:
    (refusal,) = read(**masks).refused
    assert f"{refusal.field}: {refusal.why}; {refusal.remedy}" == told


def test_the_line_of_a_name_is_told() -> None:
    text = """
id: a
title: A watch goes missing
work: The Hotel
language: en
origin: original
environment: {time: Midnight, location: The lobby, description: An open safe.}
cast:
  - {name: Ann, description: The clerk., position: Desk, state: Calm}
  - name: Bob
    description: A guest.
    position: Stairs
    state: Angry
    known_as:
      - name: the guest
        by:
          - Nobody
"""
    (refusal,) = read_scene_bytes("a.yaml", text.encode()).refused
    assert (refusal.field, refusal.line) == ("cast[1].known_as[0].by", 16)


def test_a_public_face_is_prose_and_all_of_it_is_searched() -> None:
    scene = read(**MASKED).scenes[0]
    assert prose_of(scene)["cast[0].public_face"] == MASKED["public_face"]
    words = words_of(scene.model_dump(mode="json"))
    assert all(says(words, text) for text in ("woman of thirty", "miss lee", "the clerk"))
