"""No scene, in whatever version or language, stands in two splits; the same scenes always fall alike."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from characterbox.errors import TrainingError
from characterbox.scenes.library import bundled
from characterbox.scenes.search import fingerprint
from characterbox.training.datasets.splits import split_scenes
from tests.fakes.scenes import a_scene

BUNDLED = [scene for scene in bundled() if scene.pair is None][:12]


def called(id, scene=None, **changes):
    """A scene of its own with this id."""
    scene = scene or a_scene()
    told = scene.environment.model_copy(update={"description": f"{id} " * 40})
    return scene.model_copy(update={"id": id, "title": f"Of {id}", "environment": told, **changes})


def of_each(scenes, test=(), weights=None):
    """The split of each scene, by its fingerprint."""
    counts = weights or Counter(fingerprint(scene) for scene in scenes)
    return split_scenes(scenes, counts, test).of_scene


def split_of(splits, scene):
    return splits[fingerprint(scene)]


def test_versions_and_translations_are_kept_together():
    scene = BUNDLED[0]
    changed = scene.model_copy(update={"title": "Another title"})
    chinese = called("zh-of-it", a_scene(language="zh"), pair=scene.id)
    splits = of_each([*BUNDLED, changed, chinese], [scene.id])
    assert {split_of(splits, one) for one in (scene, changed, chinese)} == {"test"}
    assert Counter(splits.values())["test"] == 3


def test_scenes_that_read_nearly_alike_are_kept_together_and_told():
    scene = BUNDLED[0]
    copy = scene.model_copy(update={"id": "a-copy", "title": scene.title.upper()})
    found = split_scenes([*BUNDLED, copy], Counter(map(fingerprint, [*BUNDLED, copy])), ["a-copy"])
    assert found.of_scene[fingerprint(scene)] == "test"
    assert [names for *names, _ in found.near] in ([["a-copy", scene.id]], [[scene.id, "a-copy"]])


def test_a_tenth_of_the_stories_is_validated_with_and_at_least_one_scene():
    splits = of_each(BUNDLED[:10])
    assert Counter(splits.values()) == {"train": 9, "validation": 1}
    assert sorted(of_each(BUNDLED[:2]).values()) == ["train", "validation"]
    assert [*of_each(BUNDLED[:1]).values()] == ["train"]
    heavy = {fingerprint(scene): 100 if scene is BUNDLED[0] else 1 for scene in BUNDLED[:5]}
    assert split_of(of_each(BUNDLED[:5], weights=heavy), BUNDLED[0]) == "train"


@given(
    order=st.permutations(BUNDLED[:8]),
    tested=st.sets(st.sampled_from(BUNDLED[:8]).map(lambda one: one.id), max_size=3),
)
def test_the_same_scenes_always_fall_alike_and_none_into_two_splits(order, tested):
    counts = Counter(map(fingerprint, order))
    once, again = split_scenes(BUNDLED[:8], counts, sorted(tested)), split_scenes(order, counts, tested)
    assert once.of_scene == again.of_scene
    listed = [scene for scenes in once.scenes.values() for scene in scenes]
    assert sorted(listed) == sorted({scene.id for scene in order})
    assert tested <= set(once.scenes["test"])


def test_a_test_scene_is_found_by_its_title_and_one_that_is_not_there_is_told():
    scene = BUNDLED[3]
    assert split_of(of_each(BUNDLED, [f" {scene.title.upper()} "]), scene) == "test"
    with pytest.raises(TrainingError, match=r"test scene 'nowhere': no chosen story was played .*the scenes are"):
        of_each(BUNDLED, ["nowhere"])
