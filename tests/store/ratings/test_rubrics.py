"""Rubrics that researchers bring in: a version is what it was, for ratings rest on it."""

from importlib.resources import files

import pytest

from annotations.errors import RatingError
from annotations.rubrics.rubric import bundled_rubrics, load_rubric
from characterbox.accounts.account import LOCAL

BUNDLED = files("annotations").joinpath("rubrics/character.toml").read_text(encoding="utf-8")
TEXT = BUNDLED.replace('name = "character"', 'name = "house"', 1)


def test_a_rubric_is_kept_by_name_and_version(store):
    rubric = store.rubrics.add(TEXT, "house.toml", LOCAL)
    assert store.rubrics.rubric("house", rubric.version) == rubric
    assert store.rubrics.text("house", rubric.version) == TEXT
    assert ("house", rubric.version) in store.rubrics.names()
    assert store.rubrics.names()[0] == ("character", load_rubric().version)
    newer = TEXT.replace(f'version = "{rubric.version}"', 'version = "9.0"', 1)
    assert store.rubrics.add(newer, "house.toml", LOCAL).version == "9.0"
    assert store.rubrics.rubric("house", rubric.version) == rubric


def test_the_same_one_once_more_changes_nothing(store):
    for _ in range(2):
        store.rubrics.add(TEXT, "house.toml", LOCAL)
    assert [entry.action for entry in store.audit.read(9)] == ["rubric.add"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (TEXT + "# changed\n", "use a new version number"),
        (BUNDLED, "name of a bundled rubric"),
        ("name = 1", "house.toml"),
    ],
)
def test_what_cannot_be_added_is_refused(store, text, fault):
    store.rubrics.add(TEXT, "house.toml", LOCAL)
    with pytest.raises(RatingError, match=fault):
        store.rubrics.add(text, "house.toml", LOCAL)


def test_an_unknown_one_is_refused(store):
    with pytest.raises(RatingError, match="there is no rubric 'house'"):
        store.rubrics.rubric("house", "1.0")
    with pytest.raises(RatingError, match="no version '0\\.0' of the rubric 'character'"):
        store.rubrics.rubric("character", "0.0")


def test_a_bundled_one_that_is_kept_outlives_its_next_version(store, monkeypatch):
    version = load_rubric().version
    for _ in range(2):
        store.rubrics.keep("character", version, LOCAL)
    store.rubrics.keep("character", "0.1", LOCAL)
    assert len(store.rubrics.names()) == len(bundled_rubrics()), "it is offered once"
    newer = load_rubric().model_copy(update={"version": "99.0"})
    monkeypatch.setattr("characterbox.store.ratings.rubrics.load_rubric", lambda name: newer)
    kept = store.rubrics.rubric("character", version)
    assert (kept.version, kept.keys) == (version, newer.keys)
    with pytest.raises(RatingError, match="there is no version '0\\.1' of the rubric 'character'"):
        store.rubrics.rubric("character", "0.1")


def test_what_is_kept_goes_before_a_file_that_was_changed_without_a_new_version(store, monkeypatch):
    rubric = load_rubric()
    store.rubrics.keep("character", rubric.version, LOCAL)
    changed = rubric.model_copy(update={"evidence": "required"})
    monkeypatch.setattr("characterbox.store.ratings.rubrics.load_rubric", lambda name: changed)
    assert store.rubrics.rubric("character", rubric.version) == rubric
    assert store.rubrics.text("character", rubric.version) == BUNDLED
