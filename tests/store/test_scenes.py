"""Imported scenes are kept, each once."""

import pytest
from sqlalchemy.exc import IntegrityError

from tests.fakes.scenes import a_scene


def test_a_scene_is_stored_once_and_comes_back(store):
    ann, sun = a_scene("Ann"), a_scene("孙悟空", language="zh")
    assert store.scenes.add([ann, sun, ann]) == 2
    assert store.scenes.add([sun]) == 0
    assert sorted(store.scenes.all(), key=lambda scene: scene.language) == [ann, sun]


def test_a_scene_that_the_database_refuses_is_not_taken_for_one_that_is_there(store):
    untitled = a_scene("Ann").model_copy(update={"title": None})
    with pytest.raises(IntegrityError):
        store.scenes.add([a_scene("Bob"), untitled])
    assert store.scenes.all() == []
