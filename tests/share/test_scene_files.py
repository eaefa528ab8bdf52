"""Scenes as files: what was taken along can be brought in again, and is made in a process under limits."""

import io
import json
from zipfile import ZipFile

import pytest
import yaml

from characterbox.errors import SceneError, TooHeavy
from characterbox.processes import limited
from characterbox.processes.limited import Limits
from characterbox.scenes.import_files import read_any
from characterbox.scenes.library import bundled
from characterbox.share import scene_files
from characterbox.share.scene_files import WRITERS, saved_as_authors, saved_scenes, scenes_at, why_not_saved
from tests.fakes.databases import database_in
from tests.fakes.scenes import a_scene


@pytest.fixture
def db(tmp_path):
    return database_in(tmp_path / "scenes.db")


@pytest.fixture
def scenes(db):
    store = scene_files.Store(db)
    yield store.scenes
    store.close()


@pytest.mark.slow
def test_files_hold_what_was_taken_along():
    scenes = [*bundled(), a_scene("=cmd", "孙悟空")]
    for form in WRITERS:
        file = read_any(f"scenes.{form}", WRITERS[form](scenes))
        assert (file.scenes, file.refused) == (tuple(scenes), ())
    assert yaml.safe_load(WRITERS["yaml"](scenes))["scenes"][0]["id"] == scenes[0].id


def test_scenes_are_found_in_their_order_without_those_that_are_gone(scenes):
    chain = scenes.start(a_scene(), None)
    scenes.save(chain, a_scene().model_copy(update={"title": "B"}), after=1, made_by=None)
    found = scenes_at(scenes, [("nosuch", 1), (chain, 2), ("bundled:pride-rain", None), ("bundled:nosuch", None)])
    assert [*found] == [chain, "bundled:pride-rain"]
    assert found[chain].title == "B"


@pytest.mark.process
def test_the_files_are_those_that_this_process_would_make(db, scenes):
    wanted = [(scenes.start(a_scene(), None), 1), ("bundled:pride-rain", None)]
    there = [*scenes_at(scenes, wanted).values()]
    for form, written in WRITERS.items():
        assert saved_scenes(db, wanted, form) == written(there)
        assert why_not_saved(db, wanted, form) is None


@pytest.mark.process
def test_the_authors_form_is_a_file_for_each_work(db, scenes):
    chain, other = (
        scenes.start(a_scene().model_copy(update={"work": work}), None) for work in ("The Hotel", "The Inn")
    )
    one = saved_as_authors(db, [(chain, 1)])
    assert (one.count, one.name, one.kind) == (1, "the-hotel.json", "application/json")
    assert json.loads(one.content)["title"] == "The_Hotel"
    two = saved_as_authors(db, [(chain, 1), (other, 1)])
    assert (two.count, two.name, two.kind) == (2, "scenes.zip", "application/zip")
    assert ZipFile(io.BytesIO(two.content)).namelist() == ["the-hotel.json", "the-inn.json"]
    assert len(two.left_out) == 2 * len(one.left_out)


@pytest.mark.process
def test_why_there_is_no_file_is_told(db, monkeypatch):
    gone = [("nosuch", 1)]
    assert str(why_not_saved(db, gone, "json")) == "scenes: there are none to write; choose at least one"
    for made in (lambda: saved_scenes(db, gone, "yaml"), lambda: saved_as_authors(db, gone)):
        with pytest.raises(SceneError, match="there is none to be written"):
            made()
    monkeypatch.setattr(limited, "LIMITS", Limits(answer=0))
    rain = [("bundled:pride-rain", None)]
    with pytest.raises(TooHeavy, match="more than 0 MB"):
        saved_scenes(db, rain, "json")
    assert "more than 0 MB" in str(why_not_saved(db, rain, "json"))
