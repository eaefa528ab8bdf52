"""Imported scenes are kept, each once."""

from tests.fakes.scenes import a_scene


def test_a_scene_is_stored_once_and_comes_back(store):
    ann, sun = a_scene("Ann"), a_scene("孙悟空", language="zh")
    assert store.scenes.add([ann, sun, ann]) == 2
    assert store.scenes.add([sun]) == 0
    assert sorted(store.scenes.all(), key=lambda scene: scene.language) == [ann, sun]
