"""Near scenes: by laws, and the figures from which it was decided what counts as near."""

import random
import re
from itertools import combinations

import numpy as np
import pytest

from characterbox.crafting.originality import NEAR, nearest
from characterbox.scenes.library import bundled
from characterbox.scenes.scene import Scene
from characterbox.values import Language
from tests.scenes.authors import authors_scenes

BUNDLED = bundled()


def copy_of(scene: Scene, gone: float, draw: random.Random, renamed: bool = False) -> Scene:
    """The scene with some of its clauses taken out, and its people called otherwise."""
    others = ("Edmund", "Beatrice", "Oswald", "Lucian", "Tabitha") if scene.language == "en" else (
        "林月白", "周子渊", "韩铁", "苏锦", "杜九")  # fmt: skip

    def told(text: str | None) -> str | None:
        if text is None:
            return None
        clauses = [one for one in re.split(r"(?<=[.!?,;。！？，；])", text) if one.strip()]
        left = "".join(one for one in clauses if draw.random() >= gone).strip() or clauses[0]
        for name, other in zip(scene.names, others, strict=False):
            for part in name.split() if renamed else ():
                left = left.replace(part, other)
        return left

    place = scene.environment
    return Scene.model_validate(
        scene.model_dump()
        | {
            "id": "copy",
            "title": told(scene.title),
            "plot": told(scene.plot),
            "environment": {key: told(value) for key, value in place.model_dump().items()},
            "cast": [
                one.model_dump() | {key: told(getattr(one, key)) for key in ("description", "position", "state")}
                for one in scene.cast
            ],
        }
    )


def similarity(one: Scene, other: Scene) -> float:
    return nearest(one, [other], 1)[0].similarity


def test_a_scene_is_nearest_to_its_copy() -> None:
    for scene in BUNDLED:
        again = scene.model_copy(update={"id": "again"})
        first, *others = nearest(scene, [*BUNDLED, again], 3)
        assert first.scene is again
        assert first.similarity == pytest.approx(1, abs=1e-5)
        assert first.is_near
        assert not any(one.is_near for one in others)
        assert all(one.scene.language == scene.language and one.scene.id != scene.id for one in others)
        assert [one.similarity for one in others] == sorted((one.similarity for one in others), reverse=True)


def test_as_many_as_are_wanted_or_there_are() -> None:
    assert nearest(BUNDLED[0], [], 3) == []
    assert nearest(BUNDLED[0], BUNDLED, 0) == []
    assert nearest(BUNDLED[0], [BUNDLED[0]], 3) == []
    assert len(nearest(BUNDLED[0], BUNDLED, 2)) == 2
    assert [one.scene.language for one in nearest(BUNDLED[0], BUNDLED, 99)] == ["en"] * (
        sum(scene.language == "en" for scene in BUNDLED) - 1
    )


def test_similarity_is_the_same_both_ways() -> None:
    one, other = BUNDLED[0], BUNDLED[1]
    assert similarity(one, other) == pytest.approx(similarity(other, one), abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "same_work", "most", "other_work"), [("en", 0.825, 0.845, 0.72), ("zh", 0.69, 0.745, 0.525)]
)
def test_unrelated_scenes_of_the_authors_are_not_near(
    language: Language, same_work: float, most: float, other_work: float
) -> None:
    scenes = [scene for scene in authors_scenes() if scene.language == language]
    found = {
        (scene.id, near.scene.id): (near.similarity, scene.work == near.scene.work)
        for scene in scenes
        for near in nearest(scene, scenes, len(scenes))
    }
    assert len(found) == 2 * len(list(combinations(scenes, 2)))
    same = [value for value, alike in found.values() if alike]
    assert np.quantile(same, 0.999) < same_work
    assert max(same) < most < NEAR[language]
    assert max(value for value, alike in found.values() if not alike) < other_work


@pytest.mark.parametrize(
    ("language", "third", "most_of_third", "renamed"), [("en", 0.85, 0.89, 0.86), ("zh", 0.79, 0.84, 0.78)]
)
def test_copies_of_the_authors_scenes_are_near(
    language: Language, third: float, most_of_third: float, renamed: float
) -> None:
    scenes = [scene for scene in authors_scenes() if scene.language == language]
    draw = random.Random(1)
    tenth_left_out = [similarity(scene, copy_of(scene, 0.1, draw)) for scene in scenes]
    third_left_out = [similarity(scene, copy_of(scene, 0.3, draw)) for scene in scenes]
    and_renamed = [similarity(scene, copy_of(scene, 0.3, draw, renamed=True)) for scene in scenes]
    assert min(tenth_left_out) > 0.92
    assert min(third_left_out) > third >= NEAR[language]
    assert np.quantile(third_left_out, 0.05) > most_of_third
    assert np.median(and_renamed) > renamed
