"""What differs between two versions of a scene, and nothing else."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from characterbox.scenes.differences import Piece, differences, pieces
from characterbox.scenes.scene import Alias
from tests.fakes.scenes import a_scene

TEXTS = st.text(st.sampled_from("ab 雨雪,\n"), max_size=20)


def joined(side):
    return "".join(piece.text for piece in side)


def test_words_of_latin_letters_stay_whole_and_chinese_differs_by_the_character():
    assert pieces("An open safe.", "An empty safe.") == (
        [Piece("An ", True), Piece("open", False), Piece(" safe.", True)],
        [Piece("An ", True), Piece("empty", False), Piece(" safe.", True)],
    )
    assert pieces("风雪酒店", "风雨酒店")[0] == [Piece("风", True), Piece("雪", False), Piece("酒店", True)]
    assert pieces("One two", "three four") == ([Piece("One two", False)], [Piece("three four", False)])
    assert pieces("", "new") == ([], [Piece("new", False)])


@given(TEXTS, TEXTS)
def test_each_side_is_its_text_and_what_is_the_same_stands_on_both(before, after):
    left, right = pieces(before, after)
    assert (joined(left), joined(right)) == (before, after)
    same = [[piece.text for piece in side if piece.same] for side in (left, right)]
    assert "".join(same[0]) == "".join(same[1])
    assert all(piece.text for piece in (*left, *right))


def test_names_faces_and_who_uses_them_are_told():
    ann, bob = a_scene().cast
    masked = ann.model_copy(
        update={
            "public_face": "A woman in grey.",
            "other_names": ("Miss Lee", "the heiress"),
            "known_as": (Alias(name="the clerk", by=("Bob",)), Alias(name="the woman")),
            "unseen_by": ("Bob",),
        }
    )
    found = differences(a_scene(), a_scene().model_copy(update={"cast": (masked, bob)}))
    assert [(one.character, one.field, joined(one.before), joined(one.after)) for one in found] == [
        ("Ann", "public_face", "", "A woman in grey."),
        ("Ann", "other_names", "", "Miss Lee\nthe heiress"),
        ("Ann", "known_as", "", "the clerk · Bob\nthe woman"),
        ("Ann", "unseen_by", "", "Bob"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a " * 100_000, "a " * 100_000 + "b"),
        ("雨" * 200_000, "雪" + "雨" * 200_000 + "雪"),
        ("".join(f"x{n},c{n} " for n in range(40_000)), "".join(f"y{n};c{n} " for n in range(40_000))),
        (" ".join(map(str, range(50_000))), " ".join(map(str, range(50_000, 0, -1)))),
    ],
)
def test_texts_of_any_length_are_told_apart_at_once(before, after):
    started = time.thread_time()
    left, right = pieces(before, after)
    assert time.thread_time() - started < 10  # without a bound it takes minutes, or hours
    assert (joined(left), joined(right)) == (before, after)


def test_what_is_alike_at_both_ends_of_long_texts_is_told():
    words = "".join(f"the {n} " for n in range(20_000))
    left, right = pieces(f"{words}one {words}", f"{words}two {words}")
    assert [piece.text for piece in left if not piece.same] == ["one"]
    assert [piece.text for piece in right if not piece.same] == ["two"]


@given(st.sampled_from([a_scene(), a_scene("孙悟空", language="zh")]))
def test_a_scene_does_not_differ_from_itself(scene):
    assert differences(scene, scene) == []


def test_characters_are_matched_by_name_and_a_new_name_is_told_as_one():
    ann, bob = a_scene("Ann", "Bob").cast
    before = a_scene("Ann", "Bob")
    renamed = bob.model_copy(update={"name": "Rob", "knowledge": ("He saw it.",)})
    after = before.model_copy(update={"cast": (renamed, ann), "title": "A watch is found"})
    found = [(one.field, one.character, joined(one.before), joined(one.after)) for one in differences(before, after)]
    assert found == [
        ("title", None, "A watch goes missing", "A watch is found"),
        ("cast", None, "Ann\nBob", "Rob\nAnn"),
        ("name", "Rob", "Bob", "Rob"),
        ("knowledge", "Rob", "", "He saw it."),
    ]


def test_who_came_and_who_went_is_told_with_all_that_is_known_of_them():
    two, three = a_scene("Ann", "Bob"), a_scene("Ann", "Bob", "Cy")
    came = [one for one in differences(two, three) if one.character == "Cy"]
    went = [one for one in differences(three, two) if one.character == "Cy"]
    assert [one.field for one in came] == ["name", "position", "state", "account"]
    assert all(not one.before for one in came)
    assert [(one.field, one.after, one.before) for one in came] == [(one.field, one.before, one.after) for one in went]
