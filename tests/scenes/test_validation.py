"""A scene that is being written is checked as the importer checks it, and each fault is told at its field."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.i18n.translation import speaking
from characterbox.scenes.importer import read_scene_bytes
from characterbox.scenes.library import bundled
from characterbox.scenes.validation import faults_of, made, tidied
from tests.fakes.in_english import in_english
from tests.fakes.scenes import a_scene


def fields(scene=None):
    return (scene or a_scene()).model_dump(mode="json")


def changed(place, value):
    """The fields of a scene with another value at a place."""
    written = fields()
    at, *rest = place
    into = written
    for step in rest:
        into, at = into[at], step
    into[at] = value
    return written


def told(written):
    return {fault.field: fault.text for fault in faults_of(written)}


@pytest.mark.parametrize("scene", bundled(), ids=lambda scene: scene.id)
def test_a_bundled_scene_has_no_fault_and_stays_what_it_is(scene):
    assert [fault for fault in faults_of(fields(scene)) if not fault.caution] == []
    assert made(fields(scene)) == scene


@pytest.mark.parametrize(
    ("place", "value", "field", "text"),
    [
        (["title"], "  ", "title", "Required"),
        (["work"], None, "work", "Required"),
        (["title"], "x" * 201, "title", "201 characters exceed the limit of 200; shorten the text."),
        (["environment", "time"], "", "environment.time", "Required"),
        (["cast"], [], "cast", "A scene needs at least one character."),
        (["cast", 0, "position"], "", "cast[0].position", "Required"),
        (["cast", 1, "name"], "ann!", "cast[1].name", "This name is too similar to 'Ann'; rename one of them."),
        (["cast", 1, "name"], "!?", "cast[1].name", "A name needs at least one letter or digit."),
        (["cast", 1, "name"], "x" * 81, "cast[1].name", "81 characters exceed the limit of 80; shorten the text."),
        (["cast", 1, "name"], "Character B", "cast[1].name", "This looks like a placeholder; enter a name."),
        (["language"], "fr", "language", "Choose one."),
        (["language"], "zh", "language", "The texts appear to be in English. Prompts use the language chosen here."),
    ],
)
def test_what_is_wrong_is_told_at_its_field(place, value, field, text):
    found = told(changed(place, value))
    assert in_english(found[field]) == text


@pytest.mark.parametrize(
    ("masks", "field", "text"),
    [
        (
            {"unseen_by": ["Cy"]},
            "unseen_by",
            "'Cy' is not another character of the cast; name other characters of the cast.",
        ),
        (
            {"known_as": [{"name": "the clerk", "by": ["Ann"]}]},
            "known_as[0].by",
            "'Ann' is not another character of the cast; name other characters of the cast.",
        ),
        ({"known_as": [{"name": " "}]}, "known_as[0].name", "Required"),
        (
            {"known_as": [{"name": "bob"}]},
            "known_as[0].name",
            "'bob' is the name of another character; use a different name, or remove it.",
        ),
        (
            {"known_as": [{"name": "the heiress"}], "other_names": ["The Heiress"]},
            "known_as[0].name",
            "'the heiress' is a name of Ann and reveals who it is; use a different name, or remove it.",
        ),
        (
            {"known_as": [{"name": "the clerk"}, {"name": "the woman", "by": ["Bob"]}]},
            "known_as[1].name",
            "Bob has two names for Ann; use a different name, or remove it.",
        ),
        (
            {"other_names": ["Miss Lee", "bob"]},
            "other_names[1]",
            "'bob' is the name of another character; use a different name, or remove it.",
        ),
    ],
)
def test_a_name_that_leads_nowhere_is_told_at_its_field_in_an_unfinished_scene_too(masks, field, text):
    written = fields()
    written["cast"][0] |= masks
    written["environment"] = {}
    found = told(written)
    assert in_english(found[f"cast[0].{field}"]) == text


def test_two_people_are_not_called_alike_by_somebody_who_knows_neither():
    written = fields()
    ann, bob = written["cast"]
    ann["known_as"] = [{"name": "the stranger"}]
    bob["known_as"] = [{"name": "The stranger!", "by": ["Cy"]}]
    written["cast"] = [ann, bob, {**bob, "name": "Cy", "known_as": []}]
    found = told(written)
    assert in_english(found["cast[1].known_as[0].name"]) == (
        "Cy also uses this name for Ann; use a different name, or remove it."
    )


def test_what_a_text_gives_away_is_a_caution_beside_it_and_all_of_it_stands_there_together():
    written = fields()
    written["cast"][0] |= {"known_as": [{"name": "the clerk"}], "other_names": ["Miss Lee"], "state": ""}
    written["environment"]["description"] = "Ann sits there; on the desk lies a card with “Miss Lee” on it."
    cautions = {fault.field: in_english(fault.text) for fault in faults_of(written) if fault.caution}
    assert cautions == {
        "environment.description": "Check this text: it uses the name Ann, which Bob should not know; "
        "it uses the name Miss Lee, which Bob should not know.",
        "cast[0].position": "Check this text: it uses the name Ann, which Bob should not know.",
    }


def test_all_faults_are_told_at_once_also_those_that_the_importer_sees_last():
    written = changed(["cast", 1, "name"], "ANN")
    written["title"] = ""
    assert list(told(written)) == ["title", "cast[1].name"]


def test_what_is_a_caution_keeps_nobody_from_storing():
    written = changed(["cast", 1, "name"], "Character B")
    assert [fault.caution for fault in faults_of(written)] == [True]
    assert made(written).names == ("Ann", "Character B")


def test_empty_notes_and_optional_texts_are_left_out():
    written = changed(["cast", 0, "knowledge"], ["  ", " He saw it.\n", ""])
    written |= {"author": "", "plot": " "}
    scene = made(written)
    assert (scene.cast[0].knowledge, scene.author, scene.plot) == (("He saw it.",), None, None)
    assert written["cast"][0]["knowledge"][0] == "  "  # what is written stays


def test_faults_are_told_in_the_language_of_the_interface():
    with speaking("zh"):
        assert faults_of(fields()) == []


TEXT = st.text(st.sampled_from("aB1 雨!?\n"), max_size=6)
NOTES = st.lists(TEXT, max_size=2)


@given(st.lists(st.tuples(TEXT, TEXT, NOTES), min_size=1, max_size=3), TEXT)
def test_what_has_no_fault_here_has_none_for_the_importer_either(cast, title):
    written = fields(a_scene(*("Ann", "Bob", "Cy")[: len(cast)]))
    written["title"] = title
    for profile, (name, description, notes) in zip(written["cast"], cast, strict=True):
        profile |= {"name": name, "description": description, "knowledge": notes}
    grave = [fault for fault in faults_of(written) if not fault.caution]
    file = read_scene_bytes("a.json", json.dumps({"scenes": [tidied(written)]}).encode())
    assert bool(grave) == bool(file.refused) or any(one.field == "language" for one in file.refused)
    if not grave:
        assert file.scenes == (made(written),)
