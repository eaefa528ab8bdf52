"""What a scene gives away is found, whoever could read it, and what is kept apart is left alone."""

from typing import Any

import pytest

from characterbox.scenes.leaks import leaks
from characterbox.scenes.library import bundled
from characterbox.scenes.scene import Scene

LETTER = "He carries a letter to the chief of the marsh, sewn into the lining of his coat."
BOAT = "The guest under the hat is Lin Chong; the boat comes at the fifth watch, when an arrow whistles."
ENGLISH = {
    "id": "inn",
    "title": "Snow, and a poster on the wall",
    "work": "The Marsh",
    "language": "en",
    "origin": "original",
    "environment": {
        "time": "Night",
        "location": "An inn",
        "description": "A fire burns. Two poles lean in the corner.",
    },
    "cast": [
        {
            "name": "Lin Chong",
            "description": "A drill master who was wronged.",
            "position": "At the low table",
            "state": "Cold",
            "knowledge": [LETTER],
            "other_names": ["Panther Head"],
            "known_as": [{"name": "the man in the felt hat", "by": ["Lu Zhishen", "the constable"]}],
        },
        {
            "name": "Lu Zhishen",
            "description": "A monk who looks for his brother Lin Chong.",
            "position": "By the fire",
            "state": "Merry",
            "unaware": [BOAT],
        },
        {
            "name": "the constable",
            "description": "He wants the reward.",
            "position": "Near the door",
            "state": "Tense",
            "knowledge": ["His two soldiers lost their way."],
        },
        {
            "name": "Mother Zhou",
            "description": "She keeps the inn, and knows whom she serves.",
            "position": "Behind the counter",
            "state": "Brisk",
        },
    ],
}


def scene(environment: Any = None, /, **changes: Any) -> Scene:
    """The scene with other texts: of the environment, or of the characters, by `c0_position` and the like."""
    cast = [dict(one) for one in ENGLISH["cast"]]
    for name, value in changes.items():
        place, _, field = name.partition("_")
        cast[int(place[1:])][field] = value
    around = {**ENGLISH["environment"], **(environment or {})}
    return Scene.model_validate({**ENGLISH, "environment": around, "cast": cast})


def found(scene: Scene) -> dict[str, str]:
    return {leak.field: str(leak.told) for leak in leaks(scene)}


def test_what_is_kept_apart_is_left_alone() -> None:
    assert found(scene()) == {}


@pytest.mark.parametrize(
    ("changed", "field", "told"),
    [
        (
            scene({"description": "A poster shows Panther Head's face."}),
            "environment.description",
            "it uses the name Panther Head, which Lu Zhishen and the constable should not know",
        ),
        (
            scene({"description": "A cap of Chong's lies on the bench."}),
            "environment.description",
            "it uses the name Chong, which Lu Zhishen and the constable should not know",
        ),
        (
            scene(c0_position="Lin Chong sits at the low table"),
            "cast[0].position",
            "it uses the name Lin Chong, which Lu Zhishen and the constable should not know",
        ),
        (
            scene(c0_public_face="Lin Chong, thirty.", c0_unseen_by=["the constable"]),
            "cast[0].public_face",
            "it uses the name Lin Chong, which Lu Zhishen should not know",
        ),
        (
            scene({"description": "A letter to the chief of the marsh sticks out of a coat."}),
            "environment.description",
            f"it may reveal to others what only Lin Chong should know: “{LETTER[:-1]}”",
        ),
        (
            scene({"time": "Night; at the fifth watch comes a boat"}),
            "environment.time",
            f"it may reveal to Lu Zhishen what Lu Zhishen does not know: “{BOAT[:-1]}”",
        ),
        (
            scene(
                c1_knowledge=[
                    "When an arrow whistles in the reeds, he is to listen for oars; a boat comes at the fifth watch."
                ]
            ),
            "cast[1].knowledge[0]",
            f"it may reveal to Lu Zhishen what Lu Zhishen does not know: “{BOAT[:-1]}”",
        ),
    ],
)
def test_a_planted_leak_is_found_with_the_text_the_note_and_whose_it_is(changed: Scene, field: str, told: str) -> None:
    assert found(changed) == {field: told}


@pytest.mark.parametrize(
    "changed",
    [
        scene({"description": "The panther headed for the linchpin."}),
        scene({"description": "Mrs. Chong sells wine in Lin Street."}),
        scene(c0_known_as=[{"name": "old Lin", "by": ["Lu Zhishen"]}]),
        scene(c0_known_as=[], c0_position="Lin Chong sits at the low table"),
        scene(c3_description="She knows that the guest is Lin Chong."),
        scene(c0_unseen_by=["Lu Zhishen", "the constable"], c0_position="Lin Chong waits in the stable"),
        scene(c0_description="He has a letter to the chief of the marsh, sewn into the lining of his coat."),
    ],
    ids=[
        "part of a word",
        "somebody else of that name",
        "its alias",
        "nobody masked",
        "who knows",
        "nobody who reads it",
        "its own knowledge",
    ],
)
def test_what_is_no_leak(changed: Scene) -> None:
    assert found(changed) == {}


def test_chinese_has_no_blanks_around_names_and_is_compared_by_characters() -> None:
    fields = {
        **ENGLISH,
        "language": "zh",
        "environment": {
            "time": "夜",
            "location": "酒店",
            "description": "墙上贴着捉拿林冲的文书。柜上有一封投水泊的荐书。",
        },
        "cast": [
            {
                "name": "林冲", "description": "教头。", "position": "桌边", "state": "冷",
                "knowledge": ["他怀里有一封投水泊的荐书，叫人搜到便没有活路。"],
                "known_as": [{"name": "戴毡笠的客人"}],
            },
            {"name": "鲁智深", "description": "和尚。", "position": "炉旁", "state": "醉"},
        ],
    }  # fmt: skip
    told = [str(leak.told) for leak in leaks(Scene.model_validate(fields))]
    assert told == [
        "it uses the name 林冲, which 鲁智深 should not know",
        "it may reveal to others what only 林冲 should know: “他怀里有一封投水泊的荐书，叫人搜到便没有活路”",
    ]


def test_the_bundled_scenes_give_no_masked_name_away_and_little_else() -> None:
    all_found = [(scene.id, leak) for scene in bundled() for leak in leaks(scene)]
    assert [(id, leak.field) for id, leak in all_found if str(leak.told).startswith("it names")] == []
    assert len(all_found) <= 8
