"""Scenes are found by their headings: all that are asked for, and nothing else."""

from datetime import UTC, datetime

import pytest

from characterbox.scenes.library import bundled
from characterbox.scenes.search import ORDERS, Heading, Wanted, facets, fingerprint, found, heading_of, says, words_of
from tests.fakes.scenes import a_scene

RAIN = Heading("bundled:rain", None, "rain", "Rain", "B work", "en", "original", 2, None, None)
SNOW = Heading("aa", 1, "snow", "雪夜", "A work", "zh", "extracted", 3, None, datetime(2026, 1, 1, tzinfo=UTC))
FOG = Heading("bb", 4, "fog", "fog", "A work", "en", "generated", 7, None, datetime(2026, 2, 1, tzinfo=UTC))
GONE = Heading(
    "cc", 1, "gone", "Gone", "C work", "en", "original", 2, None, datetime(2026, 3, 1, tzinfo=UTC), away=True
)
ALL = [RAIN, SNOW, FOG, GONE]


@pytest.mark.parametrize(
    ("wanted", "places"),
    [
        (Wanted(), {"bundled:rain", "aa", "bb"}),
        (Wanted(language="en"), {"bundled:rain", "bb"}),
        (Wanted(work="A work"), {"aa", "bb"}),
        (Wanted(origin="generated"), {"bb"}),
        (Wanted(size="3"), {"aa"}),
        (Wanted(size="5+"), {"bb"}),
        (Wanted(whose="own"), {"aa", "bb"}),
        (Wanted(whose="bundled"), {"bundled:rain"}),
        (Wanted(whose="away"), {"cc"}),
        (Wanted(whose="own", language="en"), {"bb"}),
        (Wanted(work="no such"), set()),
    ],
)
def test_what_is_asked_for_is_found_and_what_was_put_away_only_where_it_is_asked_for(wanted, places):
    assert {one.place for one in found(ALL, wanted, "work")} == places


@pytest.mark.parametrize("scene", bundled(), ids=lambda scene: scene.id)
def test_each_bundled_scene_is_found_by_its_full_title_and_no_other(scene):
    saying = [one.id for one in bundled() if says(words_of(one.model_dump(mode="json")), f" {scene.title}  ")]
    assert saying == [scene.id]


@pytest.mark.parametrize(
    ("order", "places"),
    [
        ("work", ["bb", "aa", "bundled:rain"]),
        ("title", ["bb", "bundled:rain", "aa"]),
        ("newest first", ["bb", "aa", "bundled:rain"]),
        ("fewest characters first", ["bundled:rain", "aa", "bb"]),
    ],
)
def test_they_are_sorted(order, places):
    assert [one.place for one in found(ALL, Wanted(), order)] == places
    assert order in ORDERS


def test_all_there_is_to_choose_from_is_counted_and_what_was_put_away_only_as_such():
    counted = facets(ALL)
    assert counted["language"] == {"en": 2, "zh": 1}
    assert counted["work"] == {"A work": 2, "B work": 1}
    assert counted["size"] == {"2": 1, "3": 1, "5+": 1}
    assert counted["whose"] == {"away": 1, "bundled": 1, "own": 2}


def test_words_stand_anywhere_in_a_scene_in_whatever_case():
    words = words_of(a_scene("Ann", "Bob").model_dump(mode="json"))
    assert says(words, "WATCH lobby secret-mark-of-bob")
    assert not says(words, "watch elsewhere")
    assert not says(words, "original")
    assert says(words, "")
    assert all(says(words_of(scene.model_dump(mode="json")), scene.title) for scene in bundled())


def test_what_differs_has_another_fingerprint():
    assert fingerprint(a_scene()) == fingerprint(a_scene())
    assert len({fingerprint(scene) for scene in (*bundled(), a_scene(), a_scene("Zoe"))}) == len(bundled()) + 2


def test_a_bundled_scene_has_a_heading():
    scene = bundled()[0]
    heading = heading_of(scene)
    assert (heading.place, heading.whose, heading.size) == (f"bundled:{scene.id}", "bundled", str(len(scene.cast)))
